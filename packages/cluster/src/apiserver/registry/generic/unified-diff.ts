import { matchingRuns } from './sequence-match.ts'

/** How many lines around a change are shown. */
const CONTEXT = 3

/** A stretch of two texts that is the same in both, or differs. */
interface Stretch {
  readonly same: boolean
  readonly aFrom: number
  readonly aTo: number
  readonly bFrom: number
  readonly bTo: number
}

/** What differs between two values, as a unified diff of their JSON (apimachinery/pkg/util/diff Diff). */
export function unifiedDiff(before: unknown, after: unknown): string {
  const a = lines(before)
  const b = lines(after)
  return groupsOf(stretchesOf(a, b))
    .flatMap((group) => [headOf(group), ...group.flatMap((it) => shown(it, a, b))])
    .map((it) => `${it}\n`)
    .join('')
}

const lines = (value: unknown): readonly string[] => JSON.stringify(value, undefined, 1).split('\n')

function stretchesOf(a: readonly string[], b: readonly string[]): readonly Stretch[] {
  const out: Stretch[] = []
  let [aFrom, bFrom] = [0, 0]
  for (const run of matchingRuns(a, b)) {
    if (aFrom < run.a || bFrom < run.b) {
      out.push({ same: false, aFrom, aTo: run.a, bFrom, bTo: run.b })
    }
    const [aTo, bTo] = [run.a + run.size, run.b + run.size]
    if (run.size > 0) out.push({ same: true, aFrom: run.a, aTo, bFrom: run.b, bTo })
    ;[aFrom, bFrom] = [aTo, bTo]
  }
  return out
}

/** Changes with the lines around them; far apart they stand apart (difflib get_grouped_opcodes). */
function groupsOf(stretches: readonly Stretch[]): readonly (readonly Stretch[])[] {
  const groups: Stretch[][] = [[]]
  stretches.forEach((it, i) => {
    const isFirst = i === 0
    const isLast = i === stretches.length - 1
    if (!it.same) return void groups.at(-1)!.push(it)
    const head = endOf(it, CONTEXT)
    const tail = startOf(it, CONTEXT)
    if (isFirst && isLast) return
    if (isFirst) groups.at(-1)!.push(head)
    else if (isLast) groups.at(-1)!.push(tail)
    else if (it.aTo - it.aFrom > 2 * CONTEXT) {
      groups.at(-1)!.push(tail)
      groups.push([head])
    } else groups.at(-1)!.push(it)
  })
  return groups.filter((it) => it.length > 0)
}

const startOf = (it: Stretch, size: number): Stretch => ({
  ...it,
  aTo: Math.min(it.aTo, it.aFrom + size),
  bTo: Math.min(it.bTo, it.bFrom + size),
})

const endOf = (it: Stretch, size: number): Stretch => ({
  ...it,
  aFrom: Math.max(it.aFrom, it.aTo - size),
  bFrom: Math.max(it.bFrom, it.bTo - size),
})

function headOf(group: readonly Stretch[]): string {
  const [first, last] = [group[0]!, group.at(-1)!]
  return `@@ -${range(first.aFrom, last.aTo)} +${range(first.bFrom, last.bTo)} @@`
}

/** Lines are counted from one; of no lines the one before is named. */
function range(from: number, to: number): string {
  const count = to - from
  if (count === 1) return `${from + 1}`
  return `${count === 0 ? from : from + 1},${count}`
}

const shown = (it: Stretch, a: readonly string[], b: readonly string[]): readonly string[] =>
  it.same
    ? a.slice(it.aFrom, it.aTo).map((line) => ` ${line}`)
    : [
        ...a.slice(it.aFrom, it.aTo).map((line) => `-${line}`),
        ...b.slice(it.bFrom, it.bTo).map((line) => `+${line}`),
      ]
