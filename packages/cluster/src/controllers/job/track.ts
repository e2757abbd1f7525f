import type { Job, JobCondition, JobStatus } from 'kubewright/kinds/batch/v1'
import type { Pod } from 'kubewright/kinds/core/v1'
import { findCondition, timeText } from 'kubewright/machinery'
import { isPodTerminating } from '../workload/pod.ts'
import {
  type Assessment,
  countReady,
  isSuspended,
  type JobAction,
  jobCondition,
  type JobObserved,
} from './assess.ts'
import { judgeFailure } from './failure-policy.ts'
import { countIndexes, hasIndex, indexesText, parseIndexes, withIndexes } from './indexes.ts'
import { completionIndex, isIndexed, isPodFailed, isTracked } from './pods.ts'

/** Something to say about a job. */
export interface JobEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/**
 * How the ends of a job's pods are counted without losing one or counting one twice (KEP-2307). First `status` is written: it names
 * the ended pods by uid. Then the pods of `finalize` lose their finalizer. Then {@link concludeJob} counts them and lets the job end.
 */
export interface Tracking {
  readonly status: JobStatus
  readonly finalize: readonly Pod[]
  /** Complete or Failed, to be set when nothing is left to count. */
  readonly finish: JobCondition | undefined
  readonly terminating: number
  readonly events: readonly JobEvent[]
}

type Uncounted = NonNullable<JobStatus['uncountedTerminatedPods']>

/** What has been done about the pods: how many were created, and which were deleted. */
export interface JobDone {
  readonly created: number
  readonly deleted: readonly Pod[]
}

const NOTHING_DONE: JobDone = { created: 0, deleted: [] }

/** The done of an action that went well. */
export function doneOf(action: JobAction): JobDone {
  switch (action.type) {
    case 'keep':
      return NOTHING_DONE
    case 'delete':
      return { created: 0, deleted: action.pods }
    case 'create':
      return { created: action.indexes.length, deleted: [] }
  }
}

/** The first half of a job's bookkeeping (kubernetes/pkg/controller/job trackJobStatusAndRemoveFinalizers). */
export function trackJob(observed: JobObserved, it: Assessment, done: JobDone): Tracking {
  const { job, pods, now } = observed
  const kept = it.active.filter((pod) => !done.deleted.includes(pod))
  const active = kept.length + done.created
  const terminating = pods.filter(isPodTerminating).length + done.deleted.length
  const finish = finished(observed, it, active, done)
  const suspension = finish ? { status: job.status ?? {}, events: [] } : suspended(job, now)
  const counted = settleUncounted(suspension.status, trackedUids(pods))
  const finalize = pods.filter((pod) => isTracked(pod) && mayRelease(job, pod, it, finish))
  const base: JobStatus = {
    ...counted,
    ...started(job, suspension.status, now),
    active,
    ready: countReady(kept),
    terminating,
  }
  const status = withFinish(withEnds(job, base, finalize, it, finish), finish)
  return {
    status: tidy(status),
    finalize,
    finish: terminalCondition(finish, now),
    terminating,
    events: suspension.events,
  }
}

/** The job ends now, unless active pods are left over; it may be complete by its count. */
function finished(
  { job, now }: JobObserved,
  it: Assessment,
  active: number,
  done: JobDone,
): JobCondition | undefined {
  if (it.finish) return done.deleted.length === it.active.length ? it.finish : undefined
  const { completions } = job.spec ?? {}
  const complete =
    active === 0 && (completions === undefined ? it.succeeded > 0 : it.succeeded >= completions)
  return complete
    ? jobCondition(
        'SuccessCriteriaMet',
        'True',
        'CompletionsReached',
        'Reached expected number of succeeded pods',
        now,
      )
    : undefined
}

function started(job: Job, status: JobStatus, now: number): JobStatus {
  const { startTime } = status
  if (startTime !== undefined || isSuspended(job)) return startTime ? { startTime } : {}
  return { startTime: timeText(now) }
}

function suspended(
  job: Job,
  now: number,
): { readonly status: JobStatus; readonly events: readonly JobEvent[] } {
  const status = job.status ?? {}
  const before = findCondition(status.conditions, 'Suspended')
  const wanted = isSuspended(job) ? 'True' : 'False'
  if (before?.status === wanted || (!before && wanted === 'False')) return { status, events: [] }
  const [reason, word] = isSuspended(job)
    ? ['JobSuspended', 'suspended']
    : ['JobResumed', 'resumed']
  const next = jobCondition('Suspended', wanted, reason!, `Job ${word}`, now)
  const others = (status.conditions ?? []).filter((it) => it.type !== 'Suspended')
  const { startTime: _, ...rest } = status
  return {
    status: { ...rest, conditions: [...others, next] },
    events: [
      {
        type: 'Normal',
        reason: isSuspended(job) ? 'Suspended' : 'Resumed',
        message: `Job ${word}`,
      },
    ],
  }
}

const trackedUids = (pods: readonly Pod[]): ReadonlySet<string> =>
  new Set(pods.filter(isTracked).map((it) => it.metadata.uid!))

/** Counts the pods that have been named before and whose finalizer is gone. */
export function settleUncounted(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {}
  const [stillSucceeded, stillFailed] = [succeeded, failed].map((uids) =>
    uids.filter((uid) => tracked.has(uid)),
  )
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - stillSucceeded!.length,
    failed: (status.failed ?? 0) + failed.length - stillFailed!.length,
    uncountedTerminatedPods: uncounted(stillSucceeded!, stillFailed!),
  }
}

function uncounted(succeeded: readonly string[], failed: readonly string[]): Uncounted {
  return {
    ...(succeeded.length > 0 && { succeeded }),
    ...(failed.length > 0 && { failed }),
  }
}

function mayRelease(job: Job, pod: Pod, it: Assessment, finish: JobCondition | undefined): boolean {
  if (job.metadata.deletionTimestamp !== undefined || finish) return true
  if (pod.status?.phase === 'Succeeded') return true
  if (!isPodFailed(pod, job)) return false
  const index = completionIndex(pod)
  return index === undefined || it.delayed.get(index) !== pod
}

/** Names the newly ended pods in the status, or adds their indexes. */
function withEnds(
  job: Job,
  status: JobStatus,
  ended: readonly Pod[],
  it: Assessment,
  finish: JobCondition | undefined,
): JobStatus {
  const known = status.uncountedTerminatedPods ?? {}
  const isNew = (pod: Pod): boolean =>
    !known.failed?.includes(pod.metadata.uid!) && !known.succeeded?.includes(pod.metadata.uid!)
  const fresh = ended.filter(isNew)
  const succeeded = fresh.filter((pod) => pod.status?.phase === 'Succeeded')
  const failed = fresh.filter((pod) => {
    if (pod.status?.phase === 'Succeeded') return false
    const lost = finish !== undefined && finish.type !== 'SuccessCriteriaMet'
    if (!isPodFailed(pod, job) && !lost) return false
    return inRange(job, pod) && judgeFailure(job.spec?.podFailurePolicy, pod).counts
  })
  const uids = (pods: readonly Pod[]): readonly string[] => pods.map((pod) => pod.metadata.uid!)
  return {
    ...status,
    uncountedTerminatedPods: uncounted(
      [...(known.succeeded ?? []), ...(isIndexed(job) ? [] : uids(succeeded))],
      [...(known.failed ?? []), ...uids(failed)],
    ),
    ...(isIndexed(job) && indexedCounts(job, succeeded, it)),
  }
}

function inRange(job: Job, pod: Pod): boolean {
  if (!isIndexed(job)) return true
  const index = completionIndex(pod)
  return index !== undefined && index < (job.spec?.completions ?? 0)
}

function indexedCounts(job: Job, succeeded: readonly Pod[], it: Assessment): JobStatus {
  const before = parseIndexes(job.status?.completedIndexes, job.spec?.completions ?? 0)
  const fresh = succeeded
    .filter((pod) => inRange(job, pod))
    .map((pod) => completionIndex(pod)!)
    .filter((index) => !hasIndex(before, index))
  const completed = withIndexes(before, fresh)
  return {
    succeeded: countIndexes(completed),
    completedIndexes: indexesText(completed),
    ...(it.failedIndexes && { failedIndexes: indexesText(it.failedIndexes) }),
  }
}

function withFinish(status: JobStatus, finish: JobCondition | undefined): JobStatus {
  if (!finish || findCondition(status.conditions, finish.type)) return status
  return { ...status, conditions: [...(status.conditions ?? []), finish] }
}

function terminalCondition(
  finish: JobCondition | undefined,
  now: number,
): JobCondition | undefined {
  if (!finish) return undefined
  const type = finish.type === 'SuccessCriteriaMet' ? 'Complete' : 'Failed'
  return jobCondition(type, 'True', finish.reason ?? '', finish.message ?? '', now)
}

/** Zero counts and empty texts are left out, as Kubernetes does (`omitempty`); ready and terminating are pointers there. */
function tidy(status: JobStatus): JobStatus {
  const dropped = new Set(
    (['active', 'succeeded', 'failed', 'completedIndexes'] as const).filter((key) => !status[key]),
  )
  const entries = Object.entries(status).filter(([key]) => !(dropped as Set<string>).has(key))
  return Object.fromEntries(entries) as JobStatus
}

/** The last half: counts the pods whose finalizer is gone, and ends the job when nothing is left to count or to wait for. */
export function concludeJob(
  status: JobStatus,
  tracking: Tracking,
  released: ReadonlySet<string>,
  job: Job,
  now: number,
): { readonly status: JobStatus; readonly events: readonly JobEvent[] } {
  const open = status.uncountedTerminatedPods ?? {}
  const named = [...(open.succeeded ?? []), ...(open.failed ?? [])]
  const still = new Set(named.filter((uid) => !released.has(uid)))
  const counted = tidy(settleUncounted(status, still))
  if (!tracking.finish || still.size > 0 || tracking.terminating > 0) {
    return { status: counted, events: [] }
  }
  const finish = jobCondition(
    tracking.finish.type,
    'True',
    tracking.finish.reason ?? '',
    tracking.finish.message ?? '',
    now,
  )
  const complete = finish.type === 'Complete'
  return {
    status: {
      ...counted,
      conditions: [...(counted.conditions ?? []), finish],
      ...(complete && finish.lastTransitionTime && { completionTime: finish.lastTransitionTime }),
    },
    events: finishEvents(job, counted, finish),
  }
}

function finishEvents(job: Job, status: JobStatus, finish: JobCondition): readonly JobEvent[] {
  if (finish.type !== 'Complete') {
    return [{ type: 'Warning', reason: finish.reason ?? '', message: finish.message ?? '' }]
  }
  const completed: JobEvent = { type: 'Normal', reason: 'Completed', message: 'Job completed' }
  const tooMany = (status.succeeded ?? 0) > (job.spec?.completions ?? Infinity)
  const message = 'Too many succeeded pods running after completion count reached'
  return tooMany
    ? [{ type: 'Warning', reason: 'TooManySucceededPods', message }, completed]
    : [completed]
}
