import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { Lease } from 'kubewright/kinds/coordination.k8s.io/v1'
import { Node, type NodeCondition, Pod } from 'kubewright/kinds/core/v1'
import { findCondition, keyOf, timeText } from 'kubewright/machinery'
import { parseTimestamp } from '../workload/time.ts'
import { AS_CONTROLLER, deleteThis, sameMeaning, updateStatus } from '../workload/writes.ts'
import { type Eviction, evictionOn } from './disruption.ts'
import { untilEvicted } from './eviction.ts'
import { GRACE, graceOf, judgedConditions, type NodeGrace, taintsOf } from './taints.ts'

const NODE_NAME = 'spec.nodeName'
const LEASES = 'kube-node-lease'

/** Taints nodes by their conditions, and finds out when one no longer answers (kubernetes/pkg/controller/nodelifecycle). */
export function nodeLifecycleController(grace: Partial<NodeGrace> = {}): ControllerDefinition {
  const patience = { ...GRACE, ...grace }
  const registered = new Set<string>()
  return controller(Node, { name: 'node-controller', pace: false, resync: 0 })
    .reads(Lease)
    .reconcile(async (node, context) => {
      const name = node.metadata.name!
      if (!registered.has(name)) {
        registered.add(name)
        context.event(
          'Normal',
          'RegisteredNode',
          `Node ${name} event: Registered Node ${name} in Controller`,
        )
      }
      const now = context.clock.now()
      const seen = lastSeen(node, context)
      const conditions = judgedConditions(node, now - seen, timeText(now), patience)
      if (!sameMeaning(conditions, node.status?.conditions)) {
        const status = { ...node.status, conditions }
        await updateStatus(context, Node, { ...node, status })
      }
      const eviction = evictionOf(node, conditions, context)
      await taint(node, taintsOf(node, conditions, timeText(now), eviction), context)
      return { requeueAfter: untilNext(graceOf(node, patience) - (now - seen)) }
    })
}

function evictionOf(
  node: Node,
  conditions: readonly NodeCondition[],
  { lister }: KeyContext,
): Eviction {
  // A node that is ready evicts nobody, whatever the others are.
  if (findCondition(conditions, 'Ready')?.status === 'True') return 'on'
  const judged = { ...node, status: { ...node.status, conditions } }
  const { name } = node.metadata
  const nodes = lister(Node).list()
  return evictionOn(
    judged,
    nodes.map((it) => (it.metadata.name === name ? judged : it)),
  )
}

/** When to look again, ms: soon after the grace period, and not later than a timer can wait. */
const untilNext = (left: number): number => Math.min(Math.max(left, 10_000), 86_400_000)

/** When a node showed itself last: by its lease, by its status, or by its registration. */
function lastSeen(node: Node, { lister }: KeyContext): number {
  const name = node.metadata.name!
  const lease = lister(Lease).get({ namespace: LEASES, name })
  const beats = (node.status?.conditions ?? []).map((it) => parseTimestamp(it.lastHeartbeatTime))
  return Math.max(
    parseTimestamp(lease?.spec?.renewTime) ?? 0,
    parseTimestamp(node.metadata.creationTimestamp) ?? 0,
    ...beats.map((it) => it ?? 0),
  )
}

async function taint(
  node: Node,
  taints: NonNullable<Node['spec']>['taints'],
  { client }: KeyContext,
): Promise<void> {
  if (sameMeaning(node.spec?.taints, taints)) return
  const { uid, resourceVersion } = node.metadata
  const body = { metadata: { uid, resourceVersion }, spec: { taints } }
  await client.patch(Node, keyOf(node), { type: 'merge', body }, AS_CONTROLLER)
}

/** Deletes pods from nodes whose NoExecute taints they do not tolerate, or no longer (kubernetes/pkg/controller/tainteviction). */
export function taintEvictionController(): ControllerDefinition {
  return controller(Pod, { name: 'taint-eviction-controller', pace: false, resync: 0 })
    .index(Pod, NODE_NAME, (pod) => (pod.spec.nodeName ? [pod.spec.nodeName] : []))
    .where(({ type, object }) => type !== 'delete' && Boolean(object.spec.nodeName))
    .watches(Node, (node, { lister }) => lister(Pod).byIndex(NODE_NAME, node.metadata.name!), {
      where: (event) =>
        event.type !== 'update' || !sameMeaning(event.old.spec?.taints, event.object.spec?.taints),
    })
    .reconcile(async (pod, context) => {
      const node = pod.spec.nodeName ? context.lister(Node).get(pod.spec.nodeName) : undefined
      const taints = node?.spec?.taints ?? []
      const wait = untilEvicted(taints, pod.spec.tolerations ?? [], context.clock.now())
      if (wait === undefined) return undefined
      if (wait > 0) return { requeueAfter: wait }
      const { namespace, name } = pod.metadata
      context.event(
        'Normal',
        'TaintManagerEviction',
        `Marking for deletion Pod ${namespace}/${name}`,
      )
      await deleteThis(context, Pod, pod)
      return undefined
    })
}

/** Removes pods whose node is gone: nobody is left to end them (kubernetes/pkg/controller/podgc). */
export function podGarbageController(): ControllerDefinition {
  return controller(Node, { name: 'pod-garbage-collector', pace: false, resync: 0 })
    .index(Pod, NODE_NAME, (pod) => (pod.spec.nodeName ? [pod.spec.nodeName] : []))
    .watches(Pod, (pod) => (pod.spec.nodeName ? [pod.spec.nodeName] : []), {
      where: ({ type, object }) => type !== 'delete' && Boolean(object.spec.nodeName),
    })
    .reconcileKey(async ({ name }, context) => {
      const { lister, client } = context
      if (lister(Node).get(name)) return
      const lost = lister(Pod).byIndex(NODE_NAME, name)
      // The cache may be late: only the server knows.
      if (lost.length === 0 || (await client.find(Node, name))) return
      for (const pod of lost) await removeLost(pod, context)
    })
}

async function removeLost(pod: Pod, context: KeyContext): Promise<void> {
  const { client } = context
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers, uid } = pod.metadata
  if (deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers?.length)
    return
  if (!uid) return deleteThis(context, Pod, pod)
  await client.delete(Pod, keyOf(pod), { gracePeriodSeconds: 0, uid }).catch(() => {})
}
