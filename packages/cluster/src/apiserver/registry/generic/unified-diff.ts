/** How many lines around a change are shown. */
const CONTEXT = 3

/** What differs between two values, as a unified diff of their JSON: one hunk from the first change to the last. */
export function unifiedDiff(before: unknown, after: unknown): string {
  const a = lines(before)
  const b = lines(after)
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) {
    tail++
  }
  const start = Math.max(head - CONTEXT, 0)
  const end = Math.max(tail - CONTEXT, 0)
  const counts = (it: readonly string[]): string => `${start + 1},${it.length - start - end}`
  return [
    `@@ -${counts(a)} +${counts(b)} @@`,
    ...a.slice(start, head).map((it) => ` ${it}`),
    ...a.slice(head, a.length - tail).map((it) => `-${it}`),
    ...b.slice(head, b.length - tail).map((it) => `+${it}`),
    ...a.slice(a.length - tail, a.length - end).map((it) => ` ${it}`),
    '',
  ].join('\n')
}

const lines = (value: unknown): readonly string[] =>
  JSON.stringify(sorted(value), undefined, 1).split('\n')

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, it]) => [name, sorted(it)]),
  )
}
