import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { type Binding, Namespace, Node, Pod } from 'kubewright/kinds/core/v1'
import { findCondition, isConflict, isNotFound, keyOf, timeText } from 'kubewright/machinery'
import { isPodTerminal } from '../workload/pod.ts'
import type { NodeInfo } from './filter.ts'
import { planPreemption, type Preemption, priorityOf } from './preempt.ts'
import { mindsOthers } from './pod-affinity.ts'
import { fitError, type Placement, schedule } from './schedule.ts'
import { hardConstraints } from './topology-spread.ts'

const UNBOUND = 'unbound'
/** The field by which pods are found on their node; also a field selector. */
const NODE_NAME = 'spec.nodeName'
const NAME = 'default-scheduler'

/** Whether a pod waits for this scheduler. */
function isPending(pod: Pod): boolean {
  return (
    !pod.spec.nodeName &&
    pod.metadata.deletionTimestamp === undefined &&
    !isPodTerminal(pod) &&
    (pod.spec.schedulingGates ?? []).length === 0 &&
    (pod.spec.schedulerName ?? NAME) === NAME
  )
}

/** A pod that has been bound, and where. */
interface Assumed {
  readonly pod: Pod
  readonly node: string
}

/** Places pods on nodes, one after another, through their `binding` subresource (kubernetes/pkg/scheduler). */
export function scheduler(): ControllerDefinition {
  const assumed = new Map<string, Assumed>()
  return controller(Pod, { name: NAME, maxConcurrent: 1, pace: false, resync: 0 })
    .index(Pod, UNBOUND, (pod) => (isPending(pod) ? [''] : []))
    .index(Pod, NODE_NAME, (pod) => (pod.spec.nodeName ? [pod.spec.nodeName] : []))
    .where((event) => event.type !== 'delete' && isPending(event.object))
    .watches(Node, (_, { lister }) => lister(Pod).byIndex(UNBOUND, ''), {
      where: (event) => event.type !== 'update' || nodeChanged(event.old, event.object),
    })
    .watches(Pod, (_, { lister }) => lister(Pod).byIndex(UNBOUND, ''), {
      where: (event) => event.type === 'delete' || (event.type === 'update' && freed(event)),
    })
    .watches(
      Pod,
      (_, { lister }) =>
        lister(Pod)
          .byIndex(UNBOUND, '')
          .filter((it) => mindsOthers(it) || hardConstraints(it).length > 0),
      { where: (event) => event.type === 'update' && moved(event) },
    )
    .reads(Namespace)
    .reconcileKey(async (key, context) => {
      const pod = context.lister(Pod).get(key)
      if (!pod || !isPending(pod) || assumed.has(pod.metadata.uid!)) return
      const placement = schedule(pod, {
        nodes: nodeInfos(pod, assumed, context),
        namespaceLabels: (name) => context.lister(Namespace).get({ name })?.metadata.labels,
      })
      await settle(pod, placement, assumed, context)
    })
}

function freed(event: { readonly old: Pod; readonly object: Pod }): boolean {
  return !isPodTerminal(event.old) && isPodTerminal(event.object)
}

/** What matters to pods that want to be near others, or far from them. */
function moved({ old, object }: { readonly old: Pod; readonly object: Pod }): boolean {
  return (
    old.spec.nodeName !== object.spec.nodeName ||
    JSON.stringify(old.metadata.labels) !== JSON.stringify(object.metadata.labels)
  )
}

/** Heartbeats change nothing for a scheduler. */
function nodeChanged(old: Node, node: Node): boolean {
  const text = ({ metadata, spec, status }: Node): string =>
    JSON.stringify([metadata.labels, spec, status?.allocatable])
  return text(old) !== text(node)
}

const nodesOf = ({ lister }: KeyContext): readonly Node[] =>
  lister(Node)
    .list()
    .filter((it) => it.metadata.deletionTimestamp === undefined)

/** The nodes and what runs on them. A pod that was bound a moment ago takes its place, though the cache shows it later. */
function nodeInfos(
  pod: Pod,
  assumed: Map<string, Assumed>,
  context: KeyContext,
): readonly NodeInfo[] {
  const pods = context.lister(Pod)
  for (const [uid, it] of assumed) {
    const shown = pods.get(keyOf(it.pod))
    if (shown?.metadata.uid !== uid || shown.spec.nodeName) assumed.delete(uid)
  }
  const late = [...assumed.values(), ...nominated(pod, context)]
  return nodesOf(context).map((node) => {
    const name = node.metadata.name!
    const bound = pods.byIndex(NODE_NAME, name).filter((it) => !isPodTerminal(it))
    return { node, pods: [...bound, ...late.filter((it) => it.node === name).map((it) => it.pod)] }
  })
}

/** Pods that are at least as important and wait for victims to leave their node: the room that becomes free there is theirs. */
function nominated(pod: Pod, { lister }: KeyContext): readonly Assumed[] {
  return lister(Pod)
    .byIndex(UNBOUND, '')
    .filter((it) => it.status?.nominatedNodeName && it.metadata.uid !== pod.metadata.uid)
    .filter((it) => priorityOf(it) >= priorityOf(pod))
    .map((it) => ({ pod: it, node: it.status!.nominatedNodeName! }))
}

async function settle(
  pod: Pod,
  placement: Placement,
  assumed: Map<string, Assumed>,
  context: KeyContext,
): Promise<void> {
  switch (placement.is) {
    case 'placed':
      return bind(pod, placement.node, assumed, context)
    case 'unschedulable': {
      const preemption = planPreemption(pod, placement.world, placement.misfits)
      const vain = preemption.is === 'vain' ? preemption.why : undefined
      await refuse(pod, fitError(placement.misfits, vain), preemption, context)
      return preempt(pod, preemption, context)
    }
  }
}

async function bind(
  pod: Pod,
  node: string,
  assumed: Map<string, Assumed>,
  { client, events }: KeyContext,
): Promise<void> {
  const { name, namespace, uid } = pod.metadata
  const metadata = { name: name!, namespace: namespace!, uid: uid! }
  const target = { kind: 'Node', name: node }
  const body = { apiVersion: 'v1', kind: 'Binding', metadata, target }
  try {
    await client.subresource<Binding>(Pod, keyOf(pod), 'binding').create(body)
  } catch (error) {
    // Gone, or bound by somebody else: the next event tells.
    if (isNotFound(error) || isConflict(error)) return
    throw error
  }
  assumed.set(uid!, { pod, node })
  const message = `Successfully assigned ${namespace}/${name} to ${node}`
  events.record({ kind: Pod, object: pod }, 'Normal', 'Scheduled', message, { action: 'Binding' })
}

/** Says why a pod waits, once for each reason, and where it hopes to go. */
async function refuse(
  pod: Pod,
  message: string,
  preemption: Preemption,
  context: KeyContext,
): Promise<void> {
  const { client, events, clock } = context
  const before = findCondition(pod.status?.conditions, 'PodScheduled')
  const hope = preemption.is === 'possible' ? preemption.node : undefined
  const said = before?.reason === 'Unschedulable' && before.message === message
  if (said && hope === undefined) return
  events.record({ kind: Pod, object: pod }, 'Warning', 'FailedScheduling', message, {
    action: 'Scheduling',
  })
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    lastTransitionTime:
      before?.status === 'False' ? before.lastTransitionTime : timeText(clock.now()),
    ...observedGeneration(pod),
  }
  const status = { conditions: [condition], ...(hope && { nominatedNodeName: hope }) }
  const body = { metadata: { uid: pod.metadata.uid }, status }
  await client.patch(Pod, keyOf(pod), { type: 'strategic', body }, AS_SCHEDULER)
}

const AS_SCHEDULER = { subresource: 'status', fieldOwner: 'kube-scheduler' } as const

const observedGeneration = ({ metadata: { generation } }: Pod): object =>
  generation === undefined ? {} : { observedGeneration: generation }

/** Removes the pods that have to make room. */
async function preempt(pod: Pod, preemption: Preemption, context: KeyContext): Promise<void> {
  if (preemption.is === 'vain') return
  const { client, events, clock } = context
  for (const victim of preemption.victims) {
    if (victim.metadata.deletionTimestamp !== undefined) continue
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: `${NAME}: preempting to accommodate a higher priority pod`,
      lastTransitionTime: timeText(clock.now()),
      ...observedGeneration(victim),
    }
    const { uid } = victim.metadata
    const body = { metadata: { uid }, status: { conditions: [condition] } }
    try {
      await client.patch(Pod, keyOf(victim), { type: 'strategic', body }, AS_SCHEDULER)
      await client.delete(Pod, keyOf(victim), uid ? { uid } : {})
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
      continue
    }
    const message = `Preempted by pod ${pod.metadata.uid} on node ${preemption.node}`
    events.record({ kind: Pod, object: victim }, 'Normal', 'Preempted', message, {
      action: 'Preempting',
      related: { kind: Pod, object: pod },
    })
  }
}
