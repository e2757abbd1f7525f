import type { Node, NodeCondition, Taint } from 'kubewright/kinds/core/v1'
import { findCondition } from 'kubewright/machinery'

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

/** The taints of a node as its conditions ask for, those that people set kept; the ones that are there keep their place. */
export function taintsOf(
  node: Node,
  conditions: readonly NodeCondition[],
  now: string,
): readonly Taint[] {
  const wanted = wantedTaints(node, conditions)
  const current = node.spec?.taints ?? []
  const kept = current.filter((it) => !KEPT_HERE.has(it.key) || wanted.some((one) => same(one, it)))
  const added = wanted.filter((it) => !kept.some((one) => same(one, it)))
  return [
    ...kept,
    ...added.map((it) => (it.effect === 'NoExecute' ? { ...it, timeAdded: now } : it)),
  ]
}

const same = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect

function wantedTaints(node: Node, conditions: readonly NodeCondition[]): readonly Taint[] {
  const found = BY_CONDITION.filter(
    ([type, status]) => findCondition(conditions, type)?.status === status,
  )
  const held = found.flatMap(([type, , taint]): Taint[] => [
    { key: key(taint), effect: 'NoSchedule' },
    ...(type === 'Ready' ? [{ key: key(taint), effect: 'NoExecute' } as const] : []),
  ])
  return node.spec?.unschedulable
    ? [...held, { key: key('unschedulable'), effect: 'NoSchedule' }]
    : held
}

/** How long a node may be silent, milliseconds (kube-controller-manager --node-monitor-grace-period). */
export const GRACE = 50_000

/**
 * The conditions of a node that has been silent since `lastSeen`: unknown, all of them, once the grace period is over
 * (kubernetes/pkg/controller/nodelifecycle tryUpdateNodeHealth).
 */
export function judgedConditions(
  node: Node,
  lastSeen: number,
  now: number,
  text: string,
): readonly NodeCondition[] {
  const current = node.status?.conditions ?? []
  if (now - lastSeen < GRACE) return current
  return ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => {
    const before = findCondition(current, type)
    if (before?.status === 'Unknown') return before
    const silent = {
      type,
      status: 'Unknown',
      reason: before ? 'NodeStatusUnknown' : 'NodeStatusNeverUpdated',
      message: before
        ? 'Kubelet stopped posting node status.'
        : 'Kubelet never posted node status.',
      lastTransitionTime: text,
    }
    return before?.lastHeartbeatTime
      ? { ...silent, lastHeartbeatTime: before.lastHeartbeatTime }
      : silent
  })
}
