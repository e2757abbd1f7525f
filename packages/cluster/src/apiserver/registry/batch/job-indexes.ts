/** A run of indexes, both ends in it. */
export type Interval = readonly [first: number, last: number]

/** `3` or `3-5`, every end below `completions`; or what is wrong with it (parseIndexInterval). */
function readInterval(text: string, completions: number): Interval | string {
  const ends = text.split('-')
  if (ends.length > 2) {
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`
  }
  const numbers: number[] = []
  for (const end of ends) {
    if (!/^\+?[0-9]+$/.test(end)) {
      return `cannot convert string to integer for index: ${JSON.stringify(end)}`
    }
    if (Number(end) >= completions) return `too large index: ${JSON.stringify(end)}`
    numbers.push(Number(end))
  }
  const [first = 0, last = first] = numbers
  if (numbers.length > 1 && first >= last) {
    return `non-increasing order, previous: ${first}, current: ${last}`
  }
  return [first, last]
}

/** How many indexes `0,3-5` names, or what is wrong with it (validateIndexesFormat). */
export function readIndexes(text: string, completions: number): number | string {
  if (text === '') return 0
  let before: number | undefined
  let total = 0
  for (const part of text.split(',')) {
    const interval = readInterval(part, completions)
    if (typeof interval === 'string') return interval
    const [first, last] = interval
    if (before !== undefined && before >= first) {
      return `non-increasing order, previous: ${before}, current: ${first}`
    }
    total += last - first + 1
    before = last
  }
  return total
}

const intervalsIn = (text: string, completions: number): readonly Interval[] =>
  text === ''
    ? []
    : text
        .split(',')
        .map((it) => readInterval(it, completions))
        .filter((it) => typeof it !== 'string')

/** The first index that two lists share; parts that cannot be read name none (validateFailedIndexesNotOverlapCompleted). */
export function sharedIndex(a: string, b: string, completions: number): number | undefined {
  const others = intervalsIn(b, completions)
  for (const [first, last] of intervalsIn(a, completions)) {
    const other = others.find((it) => first <= it[1] && it[0] <= last)
    if (other) return Math.max(first, other[0])
  }
  return undefined
}
