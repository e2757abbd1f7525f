import type { Job } from 'kubewright/kinds/batch/v1'
import { parseTimestamp } from '../workload/time.ts'
import { isFinished } from './assess.ts'

/** Milliseconds until a finished job is to be deleted; undefined when it is not finished or stays (KEP-592). */
export function untilExpired(job: Job, now: number): number | undefined {
  const seconds = job.spec?.ttlSecondsAfterFinished
  if (seconds === undefined || job.metadata.deletionTimestamp !== undefined || !isFinished(job)) {
    return undefined
  }
  const ended = job.status?.conditions?.find((it) => it.type === 'Complete' || it.type === 'Failed')
  const since = parseTimestamp(ended?.lastTransitionTime)
  return since === undefined ? undefined : Math.max(0, since + seconds * 1000 - now)
}
