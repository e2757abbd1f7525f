import type { Fairness } from '../fairness/fairness.ts'
import type { Answer } from '../http/message.ts'
import type { Exchange } from './exchange.ts'

const ROOT = '/debug/api_priority_and_fairness/'

/** `/debug/api_priority_and_fairness/…` (apiserver/pkg/util/flowcontrol/apf_controller_debug.go); undefined for any other path. */
export async function fairnessDump(
  { info }: Exchange,
  fairness: Fairness | undefined,
): Promise<Answer | undefined> {
  if (!fairness || info.path !== `${ROOT}dump_priority_levels`) return undefined
  const rows = (await fairness.levels()).map((it) => [
    it.name,
    it.waiting > 0 ? 1 : 0,
    !it.isExempt && it.waiting + it.executing === 0,
    false,
    it.waiting,
    it.executing,
    it.dispatched,
    it.rejected,
    it.timedOut,
    0,
  ])
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: table([COLUMNS, ...rows.map((row) => row.map(String))]),
  }
}

const COLUMNS: readonly string[] = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
]

/** Cells with commas after them, all of a column as wide as its widest. */
function table(rows: readonly (readonly string[])[]): string {
  const width = (at: number): number => Math.max(...rows.map((row) => row[at]!.length)) + 2
  const lines = rows.map((row) =>
    row.map((it, i) => (i < row.length - 1 ? `${it},`.padEnd(width(i)) : it)).join(''),
  )
  return `${lines.join('\n')}\n`
}
