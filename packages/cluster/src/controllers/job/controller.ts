import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { Job } from 'kubewright/kinds/batch/v1'
import { Pod } from 'kubewright/kinds/core/v1'
import { controllerOf, keyOf, selectorOf } from 'kubewright/machinery'
import { BY_OWNER, claimObjects, ORPHANS, orphanValues } from '../workload/claim-objects.ts'
import { createPod, deletePod } from '../workload/pod-control.ts'
import { slowStart } from '../workload/slow-start.ts'
import { sameMeaning, updateStatus } from '../workload/writes.ts'
import {
  assessJob,
  type Assessment,
  isFinished,
  type JobAction,
  jobAction,
  type JobObserved,
} from './assess.ts'
import { type FailureRecord, NO_FAILURES } from './backoff.ts'
import { release } from './orphans.ts'
import { isTracked, MANAGER, TRACKING } from './pods.ts'
import { jobPod } from './template.ts'
import { concludeJob, type JobDone, type JobEvent, trackJob } from './track.ts'
import { untilExpired } from './ttl.ts'

/** Runs Jobs to their end (kubernetes/pkg/controller/job). */
export function jobController(): ControllerDefinition {
  const failures = new Map<string, FailureRecord>()
  return controller(Job, { name: 'job-controller', pace: false, resync: 0 })
    .owns(Pod)
    .index(Pod, ORPHANS, orphanValues)
    .watches(Pod, (pod, { lister }) =>
      controllerOf(pod)
        ? []
        : lister(Job)
            .list({ namespace: pod.metadata.namespace })
            .filter((it) => selectorOf(it.spec?.selector).matches(pod.metadata.labels)),
    )
    .reconcileKey(async (key, context) => {
      const job = context.lister(Job).get(key)
      const text = `${key.namespace}/${key.name}`
      if (!job || isFinished(job)) failures.delete(text)
      if (!job) return undefined
      const managed = job.spec?.managedBy ?? MANAGER
      if (isFinished(job) || managed !== MANAGER) return undefined
      return sync(job, failures, text, context)
    })
}

/** Deletes finished jobs when their time is over (kubernetes/pkg/controller/ttlafterfinished). */
export function jobTtlController(): ControllerDefinition {
  return controller(Job, { name: 'ttl-after-finished-controller', pace: false, resync: 0 })
    .where(({ type, object }) => type !== 'delete' && isFinished(object))
    .reconcile(async (job, context) => {
      const wait = untilExpired(job, context.clock.now())
      if (wait === undefined) return undefined
      if (wait > 0) return { requeueAfter: wait }
      const { uid, resourceVersion } = job.metadata
      const judged = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) }
      await context.client.delete(Job, keyOf(job), { ...judged, propagation: 'Foreground' })
      return undefined
    })
}

async function sync(
  job: Job,
  failures: Map<string, FailureRecord>,
  key: string,
  context: KeyContext,
): Promise<{ readonly requeueAfter?: number } | undefined> {
  const selector = selectorOf(job.spec?.selector)
  const pods = await claimObjects(context, Pod, {
    kind: Job,
    object: job,
    selects: (pod) => selector.matches(pod.metadata.labels),
    finalizer: TRACKING,
  })
  const now = context.clock.now()
  const observed: JobObserved = { job, pods, failures: failures.get(key) ?? NO_FAILURES, now }
  const assessment = assessJob(observed)
  const action = jobAction(observed, assessment)
  const { done, error } = await act(job, action, assessment, context)
  await keepBooks(observed, assessment, done, context)
  failures.set(key, assessment.failures)
  if (error !== undefined) throw error
  const waits = [action.type === 'keep' ? action.after : undefined, assessment.deadline]
  const next = waits.filter((it) => it !== undefined)
  return next.length > 0 ? { requeueAfter: Math.max(1, Math.min(...next)) } : undefined
}

/** Creates or deletes pods, and tells how far it came. */
async function act(
  job: Job,
  action: JobAction,
  assessment: Assessment,
  context: KeyContext,
): Promise<{ readonly done: JobDone; readonly error?: unknown }> {
  const owner = { kind: Job, object: job }
  switch (action.type) {
    case 'keep':
      return { done: { created: 0, deleted: [] } }
    case 'create': {
      const { done, error } = await slowStart(action.indexes.length, async (place) => {
        const index = action.indexes[place]
        const replaced = index === undefined ? undefined : assessment.delayed.get(index)
        await createPod(context, owner, jobPod(job, index, replaced))
      })
      return { done: { created: done, deleted: [] }, error }
    }
    case 'delete': {
      const results = await Promise.allSettled(
        action.pods.map(async (pod) => {
          if (action.release && isTracked(pod)) await release(pod, context)
          await deletePod(context, owner, pod)
        }),
      )
      const deleted = action.pods.filter((_, index) => results[index]?.status === 'fulfilled')
      const failed = results.find((it) => it.status === 'rejected')
      return { done: { created: 0, deleted }, error: failed?.reason }
    }
  }
}

/** Counts what has ended: names it, lets it go, counts it; see {@link trackJob}. */
async function keepBooks(
  observed: JobObserved,
  assessment: Assessment,
  done: JobDone,
  context: KeyContext,
): Promise<void> {
  const { job } = observed
  const tracking = trackJob(observed, assessment, done)
  const named = await writeStatus(job, tracking.status, context)
  say(job, tracking.events, context)
  const released = await Promise.all(
    tracking.finalize.map(async (pod) => {
      const current = context.lister(Pod).get(keyOf(pod)) ?? pod
      if (current.metadata.uid === pod.metadata.uid) await release(current, context)
      return pod.metadata.uid!
    }),
  )
  const gone = new Set([...released, ...untracked(job, context)])
  const end = concludeJob(tracking.status, tracking, gone, job, context.clock.now())
  await writeStatus(
    { ...job, metadata: named.metadata, status: tracking.status },
    end.status,
    context,
  )
  say(job, end.events, context)
}

/** Uids that the status has named and whose pods are gone, or held no longer. */
function untracked(job: Job, { lister }: KeyContext): readonly string[] {
  const { succeeded = [], failed = [] } = job.status?.uncountedTerminatedPods ?? {}
  const held = new Set(
    lister(Pod)
      .byIndex(BY_OWNER, job.metadata.uid!)
      .filter(isTracked)
      .map((it) => it.metadata.uid),
  )
  return [...succeeded, ...failed].filter((uid) => !held.has(uid))
}

async function writeStatus(
  job: Job,
  status: NonNullable<Job['status']>,
  context: KeyContext,
): Promise<Job> {
  if (sameMeaning(job.status, status)) return job
  return updateStatus(context, Job, { ...job, status })
}

function say(job: Job, events: readonly JobEvent[], context: KeyContext): void {
  for (const { type, reason, message } of events) {
    context.events.record({ kind: Job, object: job }, type, reason, message)
  }
}
