/** A run of `size` lines that are the same from `a` on in one text and from `b` on in the other. */
export interface Match {
  readonly a: number
  readonly b: number
  readonly size: number
}

/** From how many lines on frequent lines do not count, and what share of the lines makes them frequent. */
const MANY = 200
const FREQUENT = 100

/** Where each line of a text stands; lines that are everywhere stand nowhere. */
function placesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>()
  lines.forEach((line, i) => {
    const found = places.get(line)
    if (found) found.push(i)
    else places.set(line, [i])
  })
  if (lines.length < MANY) return places
  const most = Math.floor(lines.length / FREQUENT) + 1
  for (const [line, found] of places) if (found.length > most) places.delete(line)
  return places
}

/** A part of two texts. */
interface Part {
  readonly aFrom: number
  readonly aTo: number
  readonly bFrom: number
  readonly bTo: number
}

/**
 * The runs of lines that two texts share, as Python's difflib finds them and Go's port of it does: the longest first, then the
 * same on both sides of it. Ends with an empty run at the end of both.
 */
export function matchingRuns(a: readonly string[], b: readonly string[]): readonly Match[] {
  const places = placesOf(b)
  const found: Match[] = []
  const search = (part: Part): void => {
    const { a: i, b: j, size } = longestMatch(a, b, places, part)
    if (size === 0) return
    if (part.aFrom < i && part.bFrom < j) search({ ...part, aTo: i, bTo: j })
    found.push({ a: i, b: j, size })
    if (i + size < part.aTo && j + size < part.bTo) {
      search({ ...part, aFrom: i + size, bFrom: j + size })
    }
  }
  search({ aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length })
  return [...joined(found), { a: a.length, b: b.length, size: 0 }]
}

function longestMatch(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  { aFrom, aTo, bFrom, bTo }: Part,
): Match {
  let best: Match = { a: aFrom, b: bFrom, size: 0 }
  let lengths = new Map<number, number>()
  for (let i = aFrom; i < aTo; i++) {
    const next = new Map<number, number>()
    for (const j of places.get(a[i]!) ?? []) {
      if (j < bFrom) continue
      if (j >= bTo) break
      const size = (lengths.get(j - 1) ?? 0) + 1
      next.set(j, size)
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size }
    }
    lengths = next
  }
  let { a: i, b: j, size } = best
  while (i > aFrom && j > bFrom && a[i - 1] === b[j - 1]) [i, j, size] = [i - 1, j - 1, size + 1]
  while (i + size < aTo && j + size < bTo && a[i + size] === b[j + size]) size++
  return { a: i, b: j, size }
}

/** Runs that touch are one. */
function joined(runs: readonly Match[]): readonly Match[] {
  const out: Match[] = []
  for (const run of runs) {
    const last = out.at(-1)
    if (last && last.a + last.size === run.a && last.b + last.size === run.b) {
      out[out.length - 1] = { ...last, size: last.size + run.size }
    } else out.push(run)
  }
  return out
}
