import type { Node, NodeCondition, Taint } from 'kubewright/kinds/core/v1'
import { findCondition } from 'kubewright/machinery'
import type { Eviction } from './disruption.ts'

const key = (name: string): string => `node.kubernetes.io/${name}`

/** Which condition, in which status, keeps new pods away by which taint (kubernetes/pkg/controller/nodelifecycle). */
const BY_CONDITION: readonly (readonly [type: string, status: string, taint: string])[] = [
  ['Ready', 'False', 'not-ready'],
  ['Ready', 'Unknown', 'unreachable'],
  ['MemoryPressure', 'True', 'memory-pressure'],
  ['DiskPressure', 'True', 'disk-pressure'],
  ['PIDPressure', 'True', 'pid-pressure'],
  ['NetworkUnavailable', 'True', 'network-unavailable'],
]

const KEPT_HERE: ReadonlySet<string> = new Set([
  ...BY_CONDITION.map(([, , taint]) => key(taint)),
  key('unschedulable'),
])

/**
 * The taints of a node as its conditions ask for, those that people set kept; the ones that are there keep their place. `eviction` says
 * whether pods may be evicted.
 */
export function taintsOf(
  node: Node,
  conditions: readonly NodeCondition[],
  now: string,
  eviction: Eviction = 'on',
): readonly Taint[] {
  const evicts = eviction === 'on' || (eviction === 'held' && hasBegun(node))
  const wanted = wantedTaints(node, conditions, evicts)
  const current = node.spec?.taints ?? []
  const kept = current.filter((it) => !KEPT_HERE.has(it.key) || wanted.some((one) => same(one, it)))
  const added = wanted.filter((it) => !kept.some((one) => same(one, it)))
  return [
    ...kept,
    ...added.map((it) => (it.effect === 'NoExecute' ? { ...it, timeAdded: now } : it)),
  ]
}

const same = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect

/** Whether the pods of a node are being evicted since it is not ready. */
const hasBegun = (node: Node): boolean =>
  (node.spec?.taints ?? []).some((it) => it.effect === 'NoExecute' && KEPT_HERE.has(it.key))

function wantedTaints(
  node: Node,
  conditions: readonly NodeCondition[],
  evicts: boolean,
): readonly Taint[] {
  const found = BY_CONDITION.filter(
    ([type, status]) => findCondition(conditions, type)?.status === status,
  )
  const held = found.flatMap(([type, , taint]): Taint[] => [
    { key: key(taint), effect: 'NoSchedule' },
    ...(type === 'Ready' && evicts ? [{ key: key(taint), effect: 'NoExecute' } as const] : []),
  ])
  return node.spec?.unschedulable
    ? [...held, { key: key('unschedulable'), effect: 'NoSchedule' }]
    : held
}

/** How long a node may be silent, ms: one that has told how it is, and one that never has. */
export interface NodeGrace {
  readonly monitor: number
  readonly startup: number
}

/** As kube-controller-manager has it (--node-monitor-grace-period, --node-startup-grace-period). */
export const GRACE: NodeGrace = Object.freeze({ monitor: 50_000, startup: 60_000 })

/** How long this node may be silent, ms. */
export const graceOf = (node: Node, grace: NodeGrace): number =>
  findCondition(node.status?.conditions, 'Ready') ? grace.monitor : grace.startup

/** What a kubelet tells of its node; whether there is a network is told by others. */
const TOLD = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const

/**
 * The conditions of a node that has been silent for `silence` ms: what its kubelet tells is unknown once the grace period is over
 * (kubernetes/pkg/controller/nodelifecycle tryUpdateNodeHealth). `text`: now.
 */
export function judgedConditions(
  node: Node,
  silence: number,
  text: string,
  grace: NodeGrace = GRACE,
): readonly NodeCondition[] {
  const current = node.status?.conditions ?? []
  if (silence < graceOf(node, grace)) return current
  const untold = TOLD.filter((type) => !findCondition(current, type))
  return [
    ...current.map((it) => (isTold(it) && it.status !== 'Unknown' ? silent(it, text) : it)),
    ...untold.map((type) => neverTold(node, type, text)),
  ]
}

const isTold = ({ type }: NodeCondition): boolean => (TOLD as readonly string[]).includes(type)

const silent = (condition: NodeCondition, text: string): NodeCondition => ({
  ...condition,
  status: 'Unknown',
  reason: 'NodeStatusUnknown',
  message: 'Kubelet stopped posting node status.',
  lastTransitionTime: text,
})

const neverTold = (node: Node, type: string, text: string): NodeCondition => ({
  type,
  status: 'Unknown',
  reason: 'NodeStatusNeverUpdated',
  message: 'Kubelet never posted node status.',
  ...(node.metadata.creationTimestamp && { lastHeartbeatTime: node.metadata.creationTimestamp }),
  lastTransitionTime: text,
})
