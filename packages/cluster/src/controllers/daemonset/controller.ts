import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { ControllerRevision, DaemonSet } from 'kubewright/kinds/apps/v1'
import { Node, Pod } from 'kubewright/kinds/core/v1'
import { controllerOf, selectorOf } from 'kubewright/machinery'
import { ensureRevision } from '../history/ensure.ts'
import { surplusRevisions } from '../history/revisions.ts'
import { BY_OWNER, claimObjects, ORPHANS, orphanValues } from '../workload/claim-objects.ts'
import { createPod, deletePod } from '../workload/pod-control.ts'
import { untilNextAvailable } from '../workload/pod.ts'
import { slowStart } from '../workload/slow-start.ts'
import { deleteThis, sameMeaning, updateStatus } from '../workload/writes.ts'
import { type DaemonObserved, type DaemonPlan, daemonStatus, planDaemonSet } from './plan.ts'
import { DAEMON_REVISION, daemonPod, nodeOf } from './pods.ts'

/** Keeps a pod of each DaemonSet on every node that it belongs on (kubernetes/pkg/controller/daemon). */
export function daemonSetController(): ControllerDefinition {
  return controller(DaemonSet, { name: 'daemonset-controller', pace: false, resync: 0 })
    .owns(Pod)
    .owns(ControllerRevision)
    .index(Pod, ORPHANS, orphanValues)
    .index(ControllerRevision, ORPHANS, orphanValues)
    .watches(Pod, (pod, { lister }) =>
      controllerOf(pod)
        ? []
        : lister(DaemonSet)
            .list({ namespace: pod.metadata.namespace })
            .filter((it) => selectorOf(it.spec.selector).matches(pod.metadata.labels)),
    )
    .watches(Node, (_, { lister }) => lister(DaemonSet).list(), {
      where: (event) => event.type !== 'update' || placeChanged(event.old, event.object),
    })
    .reconcileKey(async (key, context) => {
      const set = context.lister(DaemonSet).get(key)
      return set && sync(set, context)
    })
}

/** Only labels and taints decide where daemons belong. */
function placeChanged(old: Node, node: Node): boolean {
  const place = ({ metadata, spec }: Node): unknown => [
    metadata.labels,
    spec?.taints,
    spec?.unschedulable,
  ]
  return !sameMeaning(place(old), place(node))
}

async function sync(
  set: DaemonSet,
  context: KeyContext,
): Promise<{ readonly requeueAfter?: number } | undefined> {
  const selector = selectorOf(set.spec.selector)
  const selects = (pod: { readonly metadata: Pod['metadata'] }): boolean =>
    selector.matches(pod.metadata.labels)
  const pods = await claimObjects(context, Pod, { kind: DaemonSet, object: set, selects })
  const owner = {
    kind: DaemonSet,
    object: set,
    template: set.spec.template,
    collisions: set.status?.collisionCount,
    hashLabel: DAEMON_REVISION,
    hashes: 'template' as const,
  }
  const { revisions, hash } = await ensureRevision(owner, set.spec.selector, context)
  const nodes = context.lister(Node).list()
  const observed: DaemonObserved = { set, pods, nodes, hash, now: context.clock.now() }
  const error =
    set.metadata.deletionTimestamp === undefined
      ? await act(set, planDaemonSet(observed), hash, context)
      : undefined
  const after = context.lister(Pod).byIndex(BY_OWNER, set.metadata.uid!).filter(selects)
  await tell(set, { ...observed, pods: after }, context)
  await truncate(set, revisions, after, hash, context)
  if (error !== undefined) throw error
  const wait = untilNextAvailable(after, set.spec.minReadySeconds ?? 0, observed.now)
  return wait === undefined ? undefined : { requeueAfter: wait }
}

/** Deletes first, then creates; answers with the first error. */
async function act(
  set: DaemonSet,
  plan: DaemonPlan,
  hash: string,
  context: KeyContext,
): Promise<unknown> {
  const owner = { kind: DaemonSet, object: set }
  for (const pod of plan.failed) {
    const { namespace, name } = pod.metadata
    const message = `Found failed daemon pod ${namespace}/${name} on node ${nodeOf(pod)}, will try to kill it`
    context.events.record(owner, 'Warning', 'FailedDaemonPod', message)
  }
  const removed = await Promise.allSettled(plan.remove.map((pod) => deletePod(context, owner, pod)))
  const created = await slowStart(plan.create.length, async (index) => {
    await createPod(context, owner, daemonPod(set, plan.create[index]!, hash))
  })
  return removed.find((it) => it.status === 'rejected')?.reason ?? created.error
}

async function tell(set: DaemonSet, observed: DaemonObserved, context: KeyContext): Promise<void> {
  const status = daemonStatus(observed)
  if (sameMeaning(set.status, status)) return
  await updateStatus(context, DaemonSet, { ...set, status })
}

async function truncate(
  set: DaemonSet,
  revisions: readonly ControllerRevision[],
  pods: readonly Pod[],
  hash: string,
  context: KeyContext,
): Promise<void> {
  const hashes = new Set([hash, ...pods.map((it) => it.metadata.labels?.[DAEMON_REVISION])])
  const inUse = revisions.filter((it) => hashes.has(it.metadata.labels?.[DAEMON_REVISION]))
  const names = new Set(inUse.map((it) => it.metadata.name!))
  for (const it of surplusRevisions(revisions, set.spec.revisionHistoryLimit ?? 10, names)) {
    await deleteThis(context, ControllerRevision, it)
  }
}
