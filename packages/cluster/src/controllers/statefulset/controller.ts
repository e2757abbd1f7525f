import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { ControllerRevision, StatefulSet } from 'kubewright/kinds/apps/v1'
import { PersistentVolumeClaim, Pod } from 'kubewright/kinds/core/v1'
import { controllerOf, isAlreadyExists, selectorOf } from 'kubewright/machinery'
import {
  byRevision,
  REVISION_HASH,
  revisionTemplate,
  surplusRevisions,
} from '../history/revisions.ts'
import { ensureRevision } from '../history/ensure.ts'
import { BY_OWNER, claimObjects, ORPHANS, orphanValues } from '../workload/claim-objects.ts'
import { untilNextAvailable } from '../workload/pod.ts'
import {
  AS_CONTROLLER,
  deleteThis,
  isNamespaceEnding,
  messageOf,
  sameMeaning,
  updateStatus,
} from '../workload/writes.ts'
import {
  type NamedTemplate,
  planStatefulSet,
  type StatefulObserved,
  statefulStatus,
  type StatefulStep,
} from './plan.ts'
import { retainedOwners } from './retention.ts'
import { claimsOf, ordinalOf, POD_REVISION, statefulPod } from './pods.ts'

/** Keeps the pods of StatefulSets, each under its own name (kubernetes/pkg/controller/statefulset). */
export function statefulSetController(): ControllerDefinition {
  return controller(StatefulSet, { name: 'statefulset-controller', pace: false, resync: 0 })
    .owns(Pod)
    .owns(ControllerRevision)
    .index(Pod, ORPHANS, orphanValues)
    .index(ControllerRevision, ORPHANS, orphanValues)
    .watches(Pod, (pod, { lister }) =>
      controllerOf(pod)
        ? []
        : lister(StatefulSet)
            .list({ namespace: pod.metadata.namespace })
            .filter((it) => selectorOf(it.spec.selector).matches(pod.metadata.labels)),
    )
    .reads(PersistentVolumeClaim)
    .reconcileKey(async (key, context) => {
      const set = context.lister(StatefulSet).get(key)
      return set && sync(set, context)
    })
}

async function sync(
  set: StatefulSet,
  context: KeyContext,
): Promise<{ readonly requeueAfter?: number } | undefined> {
  const selector = selectorOf(set.spec.selector)
  const claimed = await claimObjects(context, Pod, {
    kind: StatefulSet,
    object: set,
    selects: (pod) =>
      selector.matches(pod.metadata.labels) && ordinalOf(set, pod as Pod) !== undefined,
  })
  const owner = {
    kind: StatefulSet,
    object: set,
    template: set.spec.template,
    collisions: set.status?.collisionCount,
    hashLabel: REVISION_HASH,
    hashes: 'data' as const,
  }
  const { revisions, update } = await ensureRevision(owner, set.spec.selector, context)
  const current = revisions.find((it) => it.metadata.name === set.status?.currentRevision) ?? update
  const observed: StatefulObserved = {
    set,
    pods: claimed,
    current: named(current),
    update: named(update),
    now: context.clock.now(),
  }
  for (const pod of claimed) await retainClaims(set, pod, context)
  const steps = planStatefulSet(observed)
  for (const step of steps) await perform(step, set, context)
  await tell(set, observed, context)
  await truncate(set, revisions, observed, context)
  const wait = untilNextAvailable(claimed, set.spec.minReadySeconds ?? 0, observed.now)
  return wait === undefined ? undefined : { requeueAfter: wait }
}

const named = (it: ControllerRevision): NamedTemplate => ({
  name: it.metadata.name!,
  template: revisionTemplate(it),
})

async function perform(step: StatefulStep, set: StatefulSet, context: KeyContext): Promise<void> {
  switch (step.type) {
    case 'create':
      return create(step.ordinal, step.revision, set, context)
    case 'delete':
      return remove(step.pod, set, context)
  }
}

async function create(
  ordinal: number,
  revision: NamedTemplate,
  set: StatefulSet,
  context: KeyContext,
): Promise<void> {
  const pod = statefulPod(set, revision.template, ordinal, revision.name)
  const name = pod.metadata?.name ?? ''
  const about = `Pod ${name} in StatefulSet ${set.metadata.name}`
  const say = speaker(set, context)
  try {
    for (const claim of claimsOf(set, ordinal)) await ensureClaim(claim, about, set, context)
    await context.client.create(Pod, pod, AS_CONTROLLER)
    say('Normal', 'SuccessfulCreate', `Create ${about} successful`)
  } catch (error) {
    // One of that name is still there: its end brings the next look.
    if (isNamespaceEnding(error) || isAlreadyExists(error)) return
    say('Warning', 'FailedCreate', `Create ${about} failed error: ${messageOf(error)}`)
    throw error
  }
}

async function ensureClaim(
  claim: ReturnType<typeof claimsOf>[number],
  about: string,
  set: StatefulSet,
  context: KeyContext,
): Promise<void> {
  const { name = '', namespace = '' } = claim.metadata ?? {}
  if (context.lister(PersistentVolumeClaim).get({ namespace, name })) return
  try {
    await context.client.create(PersistentVolumeClaim, claim, AS_CONTROLLER)
    speaker(set, context)('Normal', 'SuccessfulCreate', `Create Claim ${name} ${about} success`)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

/** Says of a pod's claims whether they go with it, with the set, or not at all. */
async function retainClaims(set: StatefulSet, pod: Pod, context: KeyContext): Promise<void> {
  const ordinal = ordinalOf(set, pod)
  if (ordinal === undefined) return
  for (const { metadata } of claimsOf(set, ordinal)) {
    const { namespace = '', name = '' } = metadata ?? {}
    const claim = context.lister(PersistentVolumeClaim).get({ namespace, name })
    const ownerReferences = claim && retainedOwners(claim, set, pod)
    if (!ownerReferences) continue
    const metadataNow = { ...claim.metadata, ownerReferences }
    await context.client.update(
      PersistentVolumeClaim,
      { ...claim, metadata: metadataNow },
      AS_CONTROLLER,
    )
  }
}

type Say = (type: 'Normal' | 'Warning', reason: string, message: string) => void

function speaker(set: StatefulSet, { events }: KeyContext): Say {
  return (type, reason, message) =>
    events.record({ kind: StatefulSet, object: set }, type, reason, message)
}

async function remove(pod: Pod, set: StatefulSet, context: KeyContext): Promise<void> {
  const about = `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`
  const say = speaker(set, context)
  try {
    await deleteThis(context, Pod, pod)
    say('Normal', 'SuccessfulDelete', `Delete ${about} successful`)
  } catch (error) {
    say('Warning', 'FailedDelete', `Delete ${about} failed error: ${messageOf(error)}`)
    throw error
  }
}

/** Writes the status as it is after this sync: the cache shows what has just been made. */
async function tell(
  set: StatefulSet,
  observed: StatefulObserved,
  context: KeyContext,
): Promise<void> {
  const pods = context
    .lister(Pod)
    .byIndex(BY_OWNER, set.metadata.uid!)
    .filter((it) => ordinalOf(set, it) !== undefined)
  const status = statefulStatus({ ...observed, pods })
  if (sameMeaning(set.status, status)) return
  await updateStatus(context, StatefulSet, { ...set, status })
}

async function truncate(
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
  { pods, current, update }: StatefulObserved,
  context: KeyContext,
): Promise<void> {
  const used = pods.map((it) => it.metadata.labels?.[POD_REVISION] ?? '')
  const inUse = new Set([current.name, update.name, ...used])
  const limit = set.spec.revisionHistoryLimit ?? 10
  for (const it of surplusRevisions([...revisions].sort(byRevision), limit, inUse)) {
    await deleteThis(context, ControllerRevision, it)
  }
}
