import type { Pod } from 'kubewright/kinds/core/v1'
import { finishedAt } from './pods.ts'

/** How a job's pods have failed since the last success: from it follows how long the next pod has to wait. */
export interface FailureRecord {
  readonly failures: number
  /** Milliseconds since the epoch; undefined while there is none. */
  readonly lastFailure: number | undefined
}

export const NO_FAILURES: FailureRecord = Object.freeze({ failures: 0, lastFailure: undefined })

const FIRST_WAIT = 10_000
const LONGEST_WAIT = 600_000

/** The record after some pods have newly ended: a success wipes out the failures before it. */
export function recordEnds(
  record: FailureRecord,
  succeeded: readonly Pod[],
  failed: readonly Pod[],
): FailureRecord {
  if (succeeded.length === 0 && failed.length === 0) return record
  const lastSuccess = Math.max(-Infinity, ...succeeded.map(finishedAt))
  const later = failed.map(finishedAt).filter((it) => it > lastSuccess)
  const before = succeeded.length > 0 ? NO_FAILURES : record
  return later.length === 0
    ? before
    : { failures: before.failures + later.length, lastFailure: Math.max(...later) }
}

/** Milliseconds until a pod may be created: ten seconds after the first failure, doubled with each, ten minutes at most. */
export function remainingWait(record: FailureRecord, now: number): number {
  if (record.failures === 0 || record.lastFailure === undefined) return 0
  const wait = Math.min(FIRST_WAIT * 2 ** (record.failures - 1), LONGEST_WAIT)
  return Math.max(0, record.lastFailure + wait - now)
}
