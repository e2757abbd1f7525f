import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { ReplicaSet } from 'kubewright/kinds/apps/v1'
import { Pod, type PodTemplateSpec, ReplicationController } from 'kubewright/kinds/core/v1'
import {
  controllerOf,
  controllerReference,
  type Kind,
  type KubeObject,
  type LabelSelector,
  selectorOf,
  selectorOfLabels,
} from 'kubewright/machinery'
import { BY_OWNER, claimObjects, ORPHANS, orphanValues } from '../workload/claim-objects.ts'
import { createPod, deletePod, type PodOwner } from '../workload/pod-control.ts'
import { podFromTemplate } from '../workload/pod-template.ts'
import { isPodActive, isPodTerminating, untilNextAvailable } from '../workload/pod.ts'
import { slowStart } from '../workload/slow-start.ts'
import { messageOf, sameMeaning, updateStatus } from '../workload/writes.ts'
import { planReplicas } from './plan.ts'
import { replicaSetStatus } from './status.ts'

type Status = Parameters<typeof replicaSetStatus>[0]['status']

/** A kind that keeps a number of equal pods. */
interface ReplicaKind<T extends KubeObject> {
  readonly kind: Kind<T>
  readonly name: string
  readonly read: (object: T) => {
    readonly replicas: number
    readonly minReadySeconds: number
    readonly selector: LabelSelector
    readonly template: PodTemplateSpec
    readonly status: Status
  }
}

const EMPTY: PodTemplateSpec = { spec: { containers: [] } }

/** Keeps the pods of ReplicaSets (kubernetes/pkg/controller/replicaset). */
export function replicaSetController(): ControllerDefinition {
  return replicaController<ReplicaSet>({
    kind: ReplicaSet,
    name: 'replicaset-controller',
    read: ({ spec, status }) => ({
      replicas: spec.replicas ?? 1,
      minReadySeconds: spec.minReadySeconds ?? 0,
      selector: selectorOf(spec.selector),
      template: spec.template ?? EMPTY,
      status,
    }),
  })
}

/** Keeps the pods of ReplicationControllers, in the same way. */
export function replicationControllerController(): ControllerDefinition {
  return replicaController<ReplicationController>({
    kind: ReplicationController,
    name: 'replication-controller',
    read: ({ spec, status }) => ({
      replicas: spec?.replicas ?? 1,
      minReadySeconds: spec?.minReadySeconds ?? 0,
      selector: selectorOfLabels(spec?.selector ?? {}),
      template: spec?.template ?? EMPTY,
      status: status as Status,
    }),
  })
}

function replicaController<T extends KubeObject>(it: ReplicaKind<T>): ControllerDefinition {
  return controller(it.kind, { name: it.name, pace: false, resync: 0 })
    .owns(Pod)
    .index(Pod, ORPHANS, orphanValues)
    .watches(Pod, (pod, { lister }) =>
      controllerOf(pod)
        ? []
        : lister(it.kind)
            .list({ namespace: pod.metadata.namespace })
            .filter((set) => it.read(set).selector.matches(pod.metadata.labels)),
    )
    .reconcileKey(async (key, context) => {
      const set = context.lister(it.kind).get(key)
      return set && sync(it, set, context)
    })
}

async function sync<T extends KubeObject>(
  it: ReplicaKind<T>,
  set: T,
  context: KeyContext,
): Promise<{ readonly requeueAfter?: number } | undefined> {
  const { selector, minReadySeconds } = it.read(set)
  const selects = (pod: KubeObject): boolean => selector.matches(pod.metadata.labels)
  const claimant = { kind: it.kind, object: set, selects }
  const pods = await claimObjects(context, Pod, claimant)
  const problem =
    set.metadata.deletionTimestamp === undefined ? await manage(it, set, pods, context) : undefined
  const now = context.clock.now()
  const active = await tell(it, set, problem, context)
  if (problem !== undefined) throw problem
  const wait = untilNextAvailable(active, minReadySeconds, now)
  return wait === undefined ? undefined : { requeueAfter: wait }
}

/** Creates or deletes pods; answers with the first error. */
async function manage<T extends KubeObject>(
  it: ReplicaKind<T>,
  set: T,
  pods: readonly Pod[],
  context: KeyContext,
): Promise<unknown> {
  const { replicas, template } = it.read(set)
  const owner: PodOwner = { kind: it.kind, object: set }
  const active = pods.filter(isPodActive)
  const plan = planReplicas(replicas, active, relatedPods(it, set, context), context.clock.now())
  switch (plan.type) {
    case 'keep':
      return undefined
    case 'create': {
      const reference = controllerReference(it.kind, set)
      const draft = podFromTemplate(template, set.metadata.namespace!, reference)
      const { error } = await slowStart(plan.count, async () => {
        await createPod(context, owner, draft)
      })
      return error
    }
    case 'delete': {
      const results = await Promise.allSettled(
        plan.pods.map((pod) => deletePod(context, owner, pod)),
      )
      return results.find((result) => result.status === 'rejected')?.reason
    }
  }
}

/** The pods of all sets that belong to the same owner: old and new ones of a Deployment crowd the same nodes. */
function relatedPods<T extends KubeObject>(
  it: ReplicaKind<T>,
  set: T,
  { lister }: KeyContext,
): readonly Pod[] {
  const owner = controllerOf(set)
  const family = owner
    ? lister(it.kind)
        .list({ namespace: set.metadata.namespace })
        .filter((one) => controllerOf(one)?.uid === owner.uid)
    : [set]
  return family.flatMap((one) => lister(Pod).byIndex(BY_OWNER, one.metadata.uid!))
}

/** Writes the status, when it tells something new; answers with the active pods. */
async function tell<T extends KubeObject>(
  it: ReplicaKind<T>,
  set: T,
  problem: unknown,
  context: KeyContext,
): Promise<readonly Pod[]> {
  const { replicas, minReadySeconds, template, status, selector } = it.read(set)
  const pods = context
    .lister(Pod)
    .byIndex(BY_OWNER, set.metadata.uid!)
    .filter((pod) => selector.matches(pod.metadata.labels))
  const active = pods.filter(isPodActive)
  const next = replicaSetStatus({
    replicas,
    minReadySeconds,
    templateLabels: template.metadata?.labels ?? {},
    generation: set.metadata.generation ?? 0,
    status,
    active,
    terminating: pods.filter(isPodTerminating),
    failure: problem === undefined ? undefined : messageOf(problem),
    now: context.clock.now(),
  })
  const shown = it.kind.kind === 'ReplicaSet' ? next : withoutTerminating(next)
  if (!sameMeaning(status, shown)) {
    await updateStatus(context, it.kind, { ...set, status: shown })
  }
  return active
}

/** ReplicationControllers do not count what is ending. */
function withoutTerminating(status: NonNullable<Status>): Status {
  const { terminatingReplicas: _, ...rest } = status
  return rest
}
