/** A set of completion indexes, as ordered intervals that do not touch; both ends count. */
export type Indexes = readonly (readonly [first: number, last: number])[]

export const NO_INDEXES: Indexes = Object.freeze([])

/** Reads `1,3-5,7`; what is not a number, or is `completions` or more, is left out. */
export function parseIndexes(text: string | undefined, completions: number): Indexes {
  const pairs = (text ?? '').split(',').flatMap((part): [number, number][] => {
    const [, first, last = first] = /^([0-9]+)(?:-([0-9]+))?$/.exec(part) ?? []
    if (first === undefined || Number(first) >= completions) return []
    return [[Number(first), Math.min(Number(last), completions - 1)]]
  })
  return normalized(pairs)
}

/** Writes `1,3-5,7`; two neighbours are written apart. */
export function indexesText(indexes: Indexes): string {
  return indexes
    .map(([first, last]) =>
      first === last ? `${first}` : last === first + 1 ? `${first},${last}` : `${first}-${last}`,
    )
    .join(',')
}

function normalized(pairs: readonly (readonly [number, number])[]): Indexes {
  const result: [number, number][] = []
  for (const [first, last] of pairs.toSorted((a, b) => a[0] - b[0])) {
    const before = result.at(-1)
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else result.push([first, last])
  }
  return result
}

/** The union of two sets. */
export function union(a: Indexes, b: Indexes): Indexes {
  return normalized([...a, ...b])
}

/** A set with more members. */
export function withIndexes(indexes: Indexes, more: readonly number[]): Indexes {
  return more.length === 0
    ? indexes
    : union(
        indexes,
        more.map((it) => [it, it] as const),
      )
}

export function hasIndex(indexes: Indexes, index: number): boolean {
  return indexes.some(([first, last]) => first <= index && index <= last)
}

/** How many members a set has. */
export function countIndexes(indexes: Indexes): number {
  return indexes.reduce((sum, [first, last]) => sum + last - first + 1, 0)
}

/** How many members two sets share. */
export function countShared(a: Indexes, b: Indexes): number {
  let shared = 0
  for (const [first, last] of a) {
    for (const [from, to] of b)
      shared += Math.max(0, Math.min(last, to) - Math.max(first, from) + 1)
  }
  return shared
}

/** The first `count` numbers below `completions` that are not in the set. */
export function firstMissing(
  indexes: Indexes,
  count: number,
  completions: number,
): readonly number[] {
  const missing: number[] = []
  let candidate = 0
  for (const [first, last] of [...indexes, [completions, completions] as const]) {
    for (; candidate < Math.min(first, completions) && missing.length < count; candidate++) {
      missing.push(candidate)
    }
    candidate = Math.max(candidate, last + 1)
  }
  return missing
}
