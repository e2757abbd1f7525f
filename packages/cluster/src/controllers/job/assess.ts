import type { Job, JobCondition, JobStatus } from 'kubewright/kinds/batch/v1'
import type { Pod } from 'kubewright/kinds/core/v1'
import { findCondition, timeText } from 'kubewright/machinery'
import { deletionOrder } from '../workload/deletion-order.ts'
import { isPodActive, isPodReady, isPodTerminating } from '../workload/pod.ts'
import { parseTimestamp } from '../workload/time.ts'
import { type FailureRecord, recordEnds, remainingWait } from './backoff.ts'
import { judgeFailure } from './failure-policy.ts'
import {
  countIndexes,
  firstMissing,
  hasIndex,
  type Indexes,
  NO_INDEXES,
  parseIndexes,
  union,
  withIndexes,
} from './indexes.ts'
import {
  completionIndex,
  finishedAt,
  ignoredIndexFailures,
  indexFailures,
  isIndexed,
  isPodFailed,
  isTracked,
  replacesOnlyFailed,
} from './pods.ts'
import { metSuccessPolicy } from './success-policy.ts'

/** What a job is decided upon: all its pods, ended ones too, and how they have failed so far. */
export interface JobObserved {
  readonly job: Job
  readonly pods: readonly Pod[]
  readonly failures: FailureRecord
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** What a look at a job and its pods tells. */
export interface Assessment {
  readonly active: readonly Pod[]
  readonly succeeded: number
  readonly failed: number
  readonly succeededIndexes: Indexes
  /** Undefined unless the job counts failures by index. */
  readonly failedIndexes: Indexes | undefined
  /** By index: the failed pod that stays until its successor may be created, so that the failures are counted on. */
  readonly delayed: ReadonlyMap<number, Pod>
  readonly failures: FailureRecord
  /** SuccessCriteriaMet or FailureTarget, when the job is to end. */
  readonly finish: JobCondition | undefined
  /** Milliseconds until the job's deadline, when it has one. */
  readonly deadline: number | undefined
}

/** A job condition of now. */
export function jobCondition(
  type: string,
  status: 'True' | 'False',
  reason: string,
  message: string,
  now: number,
): JobCondition {
  const time = timeText(now)
  return { type, status, reason, message, lastProbeTime: time, lastTransitionTime: time }
}

export function isSuspended(job: Job): boolean {
  return job.spec?.suspend === true
}

/** Whether a job has ended, one way or the other. */
export function isFinished(job: Job): boolean {
  return (job.status?.conditions ?? []).some(
    (it) => (it.type === 'Complete' || it.type === 'Failed') && it.status === 'True',
  )
}

/** Counts a job's pods and decides whether it has come to its end (kubernetes/pkg/controller/job syncJob). */
export function assessJob(observed: JobObserved): Assessment {
  const { job, pods, now } = observed
  const uncounted = job.status?.uncountedTerminatedPods ?? {}
  const fresh = (ended: (pod: Pod) => boolean, known: readonly string[] = []): readonly Pod[] =>
    pods.filter((pod) => isTracked(pod) && ended(pod) && !known.includes(pod.metadata.uid!))
  const newSucceeded = fresh((pod) => pod.status?.phase === 'Succeeded', uncounted.succeeded)
  const newFailed = fresh((pod) => isPodFailed(pod, job), uncounted.failed)
  const countedFailures = newFailed.filter(
    (pod) => judgeFailure(job.spec?.podFailurePolicy, pod).counts,
  )
  const status: JobStatus = job.status ?? {}
  const succeededIndexes = isIndexed(job) ? indexesOfSucceeded(job, pods) : NO_INDEXES
  const failedIndexes = indexesOfFailed(job, pods)
  const active = pods.filter(isPodActive)
  const counts = {
    succeeded: isIndexed(job)
      ? countIndexes(succeededIndexes)
      : (status.succeeded ?? 0) + newSucceeded.length + (uncounted.succeeded ?? []).length,
    failed: (status.failed ?? 0) + countedFailures.length + (uncounted.failed ?? []).length,
    succeededIndexes,
    failedIndexes,
  }
  return {
    active,
    ...counts,
    delayed: delayedByIndex(job, pods, active, succeededIndexes, failedIndexes),
    failures: recordEnds(observed.failures, newSucceeded, newFailed),
    finish: finishOf(observed, counts),
    deadline: untilDeadline(job, now),
  }
}

const completions = (job: Job): number => job.spec?.completions ?? Infinity

function indexesOfSucceeded(job: Job, pods: readonly Pod[]): Indexes {
  const before = parseIndexes(job.status?.completedIndexes, completions(job))
  const succeeded = pods.filter((pod) => isTracked(pod) && pod.status?.phase === 'Succeeded')
  return withIndexes(before, validIndexes(job, succeeded))
}

function validIndexes(job: Job, pods: readonly Pod[]): readonly number[] {
  return pods
    .map(completionIndex)
    .filter((it) => it !== undefined)
    .filter((it) => it < completions(job))
}

function indexesOfFailed(job: Job, pods: readonly Pod[]): Indexes | undefined {
  const limit = job.spec?.backoffLimitPerIndex
  if (!isIndexed(job) || limit === undefined) return undefined
  const before = parseIndexes(job.status?.failedIndexes, completions(job))
  const failed = pods.filter((pod) => {
    if (!isTracked(pod) || !isPodFailed(pod, job)) return false
    const verdict = judgeFailure(job.spec?.podFailurePolicy, pod)
    return verdict.action === 'FailIndex' || (verdict.counts && indexFailures(pod) >= limit)
  })
  return withIndexes(before, validIndexes(job, failed))
}

function delayedByIndex(
  job: Job,
  pods: readonly Pod[],
  active: readonly Pod[],
  succeeded: Indexes,
  failed: Indexes | undefined,
): ReadonlyMap<number, Pod> {
  const delayed = new Map<number, Pod>()
  if (!failed) return delayed
  const running = new Set(active.map(completionIndex))
  for (const pod of pods.filter((it) => isTracked(it) && isPodFailed(it, job))) {
    const index = completionIndex(pod)
    if (index === undefined || index >= completions(job) || running.has(index)) continue
    if (hasIndex(succeeded, index) || hasIndex(failed, index)) continue
    const other = delayed.get(index)
    if (!other || isLater(pod, other)) delayed.set(index, pod)
  }
  return delayed
}

const allFailures = (pod: Pod): number => indexFailures(pod) + ignoredIndexFailures(pod)

function isLater(pod: Pod, other: Pod): boolean {
  return allFailures(other) <= allFailures(pod) && finishedAt(pod) >= finishedAt(other)
}

interface Counts {
  readonly succeeded: number
  readonly failed: number
  readonly succeededIndexes: Indexes
  readonly failedIndexes: Indexes | undefined
}

function finishOf(observed: JobObserved, counts: Counts): JobCondition | undefined {
  const { job, now } = observed
  const said = (type: string): JobCondition | undefined => {
    const found = findCondition(job.status?.conditions, type)
    return found?.status === 'True' ? found : undefined
  }
  return (
    said('SuccessCriteriaMet') ??
    said('FailureTarget') ??
    failure(observed, counts, now) ??
    policySuccess(job, counts, now)
  )
}

function policySuccess(job: Job, counts: Counts, now: number): JobCondition | undefined {
  if (!isIndexed(job)) return undefined
  const met = metSuccessPolicy(job.spec?.successPolicy, completions(job), counts.succeededIndexes)
  return met === undefined
    ? undefined
    : jobCondition('SuccessCriteriaMet', 'True', 'SuccessPolicy', met, now)
}

function failure(observed: JobObserved, counts: Counts, now: number): JobCondition | undefined {
  const found = failureReason(observed, counts)
  return found && jobCondition('FailureTarget', 'True', found[0], found[1], now)
}

function failureReason(
  { job, pods, now }: JobObserved,
  { failed, failedIndexes, succeededIndexes }: Counts,
): readonly [reason: string, message: string] | undefined {
  const policy = failedByPolicy(job, pods)
  if (policy !== undefined) return ['PodFailurePolicy', policy]
  const limit = job.spec?.backoffLimit ?? 6
  if (failed > limit || restartsExhausted(job, pods, limit)) {
    return ['BackoffLimitExceeded', 'Job has reached the specified backoff limit']
  }
  const deadline = untilDeadline(job, now)
  if (deadline !== undefined && deadline <= 0) {
    return ['DeadlineExceeded', 'Job was active longer than specified deadline']
  }
  if (!failedIndexes) return undefined
  const lost = countIndexes(failedIndexes)
  if (lost > (job.spec?.maxFailedIndexes ?? Infinity)) {
    return [
      'MaxFailedIndexesExceeded',
      'Job has exceeded the specified maximal number of failed indexes',
    ]
  }
  return lost > 0 && lost + countIndexes(succeededIndexes) >= completions(job)
    ? ['FailedIndexes', 'Job has failed indexes']
    : undefined
}

function failedByPolicy(job: Job, pods: readonly Pod[]): string | undefined {
  const policy = job.spec?.podFailurePolicy
  if (!policy) return undefined
  return pods
    .filter((pod) => isPodFailed(pod, job))
    .map((pod) => judgeFailure(policy, pod).failsJob)
    .find((it) => it !== undefined)
}

/** With `restartPolicy: OnFailure` the containers' restarts count as failures. */
function restartsExhausted(job: Job, pods: readonly Pod[], limit: number): boolean {
  if (job.spec?.template.spec.restartPolicy !== 'OnFailure') return false
  const restarts = pods
    .filter((pod) => pod.status?.phase === 'Running' || pod.status?.phase === 'Pending')
    .flatMap((pod) => [
      ...(pod.status?.initContainerStatuses ?? []),
      ...(pod.status?.containerStatuses ?? []),
    ])
    .reduce((sum, it) => sum + it.restartCount, 0)
  return limit === 0 ? restarts > 0 : restarts >= limit
}

function untilDeadline(job: Job, now: number): number | undefined {
  const seconds = job.spec?.activeDeadlineSeconds
  if (seconds === undefined || isSuspended(job)) return undefined
  const start = parseTimestamp(job.status?.startTime) ?? now
  return start + seconds * 1000 - now
}

/** What to do with a job's pods: nothing, delete some, or create some (with an index each, where the job has indexes). */
export type JobAction =
  | { readonly type: 'keep'; readonly after?: number }
  /** `release`: their finalizer goes first, since their end is nobody's failure. */
  | { readonly type: 'delete'; readonly pods: readonly Pod[]; readonly release: boolean }
  | { readonly type: 'create'; readonly indexes: readonly (number | undefined)[] }

const MOST_PER_SYNC = 500

/** Decides about a job's pods (kubernetes/pkg/controller/job manageJob). */
export function jobAction(observed: JobObserved, it: Assessment): JobAction {
  const { job, pods, now } = observed
  if (it.finish) return { type: 'delete', pods: it.active, release: false }
  if (job.metadata.deletionTimestamp !== undefined) return { type: 'keep' }
  if (isSuspended(job)) return { type: 'delete', pods: it.active, release: true }
  const wanted = wantedActive(job, it)
  const surplus = surplusPods(job, it.active, it.active.length - wanted, now)
  if (surplus.length > 0)
    return { type: 'delete', pods: surplus.slice(0, MOST_PER_SYNC), release: true }
  const ending = replacesOnlyFailed(job) ? pods.filter(isPodTerminating).length : 0
  const missing = Math.min(wanted - ending - it.active.length, MOST_PER_SYNC)
  return missing > 0 ? creation(observed, it, missing) : { type: 'keep' }
}

function wantedActive(job: Job, it: Assessment): number {
  const parallelism = job.spec?.parallelism ?? 1
  if (job.spec?.completions === undefined) {
    return it.succeeded > 0 ? it.active.length : parallelism
  }
  return Math.max(0, Math.min(job.spec.completions - it.succeeded, parallelism))
}

function creation(observed: JobObserved, it: Assessment, missing: number): JobAction {
  const { job, now } = observed
  const wait = it.failedIndexes ? 0 : remainingWait(it.failures, now)
  if (wait > 0) return { type: 'keep', after: wait }
  if (!isIndexed(job)) {
    return { type: 'create', indexes: Array.from({ length: missing }, () => undefined) }
  }
  const waits = pendingIndexes(observed, it, missing).map(
    (index) => [index, indexWait(it, index, now)] as const,
  )
  const ready = waits.filter(([, left]) => left === 0).map(([index]) => index)
  if (ready.length > 0) return { type: 'create', indexes: ready }
  return waits.length > 0
    ? { type: 'keep', after: Math.min(...waits.map(([, left]) => left)) }
    : { type: 'keep' }
}

function pendingIndexes(
  { job, pods }: JobObserved,
  it: Assessment,
  missing: number,
): readonly number[] {
  const busy = [...it.active, ...(replacesOnlyFailed(job) ? pods.filter(isPodTerminating) : [])]
  const taken = union(
    withIndexes(it.succeededIndexes, validIndexes(job, busy)),
    it.failedIndexes ?? NO_INDEXES,
  )
  return firstMissing(taken, missing, completions(job))
}

function indexWait(it: Assessment, index: number, now: number): number {
  const failed = it.delayed.get(index)
  if (!failed) return 0
  return remainingWait({ failures: allFailures(failed) + 1, lastFailure: finishedAt(failed) }, now)
}

/** Active pods too many: those of an index that another one has, or that is out of range, and then the least useful. */
function surplusPods(
  job: Job,
  active: readonly Pod[],
  surplus: number,
  now: number,
): readonly Pod[] {
  const twins = isIndexed(job) ? superfluousByIndex(job, active, now) : []
  if (twins.length >= surplus) return twins
  const left = active.filter((pod) => !twins.includes(pod))
  return [...twins, ...deletionOrder(left, [], now).slice(0, surplus - twins.length)]
}

function superfluousByIndex(job: Job, active: readonly Pod[], now: number): readonly Pod[] {
  const groups = Map.groupBy(active, completionIndex)
  return [...groups].flatMap(([index, pods]) => {
    if (index === undefined || index >= completions(job)) return pods
    return deletionOrder(pods, [], now).slice(0, pods.length - 1)
  })
}

/** How many of some pods are ready. */
export function countReady(pods: readonly Pod[]): number {
  return pods.filter(isPodReady).length
}
