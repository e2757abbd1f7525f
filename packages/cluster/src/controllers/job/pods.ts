import type { Job } from 'kubewright/kinds/batch/v1'
import type { Pod } from 'kubewright/kinds/core/v1'
import { findCondition, hasFinalizer } from 'kubewright/machinery'
import { parseTimestamp } from '../workload/time.ts'

/** Keeps a finished pod until its job has counted it (KEP-2307). */
export const TRACKING = 'batch.kubernetes.io/job-tracking'
/** Who manages jobs that name nobody (`spec.managedBy`). */
export const MANAGER = 'kubernetes.io/job-controller'
export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index'
export const INDEX_FAILURES = 'batch.kubernetes.io/job-index-failure-count'
export const INDEX_IGNORED_FAILURES = 'batch.kubernetes.io/job-index-ignored-failure-count'

export function isTracked(pod: Pod): boolean {
  return hasFinalizer(pod, TRACKING)
}

export function isIndexed(job: Job): boolean {
  return job.spec?.completionMode === 'Indexed'
}

/** Whether only pods that have failed are replaced, and not those that are being deleted (KEP-3939). */
export function replacesOnlyFailed(job: Job): boolean {
  return job.spec?.podReplacementPolicy === 'Failed' || job.spec?.podFailurePolicy !== undefined
}

/** Whether a pod counts as failed: it has, or it is being deleted and nobody waits for its end. */
export function isPodFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === 'Failed') return true
  if (replacesOnlyFailed(job)) return false
  return pod.metadata.deletionTimestamp !== undefined && pod.status?.phase !== 'Succeeded'
}

const annotationNumber = (pod: Pod, key: string): number | undefined => {
  const text = pod.metadata.annotations?.[key]
  return text !== undefined && /^[0-9]+$/.test(text) ? Number(text) : undefined
}

/** The completion index of a pod; undefined without one. */
export function completionIndex(pod: Pod): number | undefined {
  return annotationNumber(pod, COMPLETION_INDEX)
}

/** How often the pods of this pod's index had failed before it, ignored failures aside. */
export function indexFailures(pod: Pod): number {
  return annotationNumber(pod, INDEX_FAILURES) ?? 0
}

/** How many of such failures were ignored by the pod failure policy. */
export function ignoredIndexFailures(pod: Pod): number {
  return annotationNumber(pod, INDEX_IGNORED_FAILURES) ?? 0
}

/** When a pod ended, as well as can be told (milliseconds since the epoch). */
export function finishedAt(pod: Pod): number {
  return (
    lastContainerEnd(pod) ??
    readyLostAt(pod) ??
    parseTimestamp(pod.metadata.deletionTimestamp) ??
    parseTimestamp(pod.metadata.creationTimestamp) ??
    0
  )
}

function lastContainerEnd(pod: Pod): number | undefined {
  const ends = (pod.status?.containerStatuses ?? []).map((it) =>
    parseTimestamp(it.state?.terminated?.finishedAt),
  )
  const known = ends.filter((it) => it !== undefined)
  return known.length > 0 && known.length === ends.length ? Math.max(...known) : undefined
}

function readyLostAt(pod: Pod): number | undefined {
  const ready = findCondition(pod.status?.conditions, 'Ready')
  return ready?.status === 'False' ? parseTimestamp(ready.lastTransitionTime) : undefined
}
