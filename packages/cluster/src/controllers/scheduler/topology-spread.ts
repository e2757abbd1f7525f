import type { Node, Pod, TopologySpreadConstraint } from 'kubewright/kinds/core/v1'
import { selectorOf } from 'kubewright/machinery'
import { type Filter, misfit, type NodeInfo, type World } from './filter.ts'
import { matchesNodeAffinity } from './node-affinity.ts'
import { untoleratedTaint } from './taints.ts'

const UNLIKE = "node(s) didn't match pod topology spread constraints"

interface Spread {
  readonly constraint: TopologySpreadConstraint
  readonly matches: (other: Pod) => boolean
  /** How many pods match, by the value of the topology key. */
  readonly counts: ReadonlyMap<string, number>
}

/** The constraints of a pod that keep it from nodes. */
export const hardConstraints = (pod: Pod): readonly TopologySpreadConstraint[] =>
  (pod.spec.topologySpreadConstraints ?? []).filter(
    (it) => it.whenUnsatisfiable === 'DoNotSchedule',
  )

/** Keeps pods evenly spread over the parts of a cluster (kubernetes/pkg/scheduler podtopologyspread). */
export function topologySpreadFilter(pod: Pod, world: World): Filter | undefined {
  const constraints = hardConstraints(pod)
  if (constraints.length === 0) return undefined
  const hasKeys = ({ metadata }: Node): boolean =>
    constraints.every((it) => metadata.labels?.[it.topologyKey] !== undefined)
  const nodes = world.nodes.filter((it) => hasKeys(it.node))
  const spreads = constraints.map((it) => spreadOf(pod, it, nodes))
  return (_, { node: { metadata } }) => {
    for (const { constraint, matches, counts } of spreads) {
      const value = metadata.labels?.[constraint.topologyKey]
      if (value === undefined) return misfit(true, `${UNLIKE} (missing required label)`)
      const skew = (counts.get(value) ?? 0) + (matches(pod) ? 1 : 0) - fewest(constraint, counts)
      if (skew > constraint.maxSkew) return misfit(false, UNLIKE)
    }
    return undefined
  }
}

/** Parts that are not there yet count as empty ones. */
function fewest(
  { minDomains = 1 }: TopologySpreadConstraint,
  counts: ReadonlyMap<string, number>,
): number {
  return counts.size < minDomains ? 0 : Math.min(...counts.values())
}

function spreadOf(
  pod: Pod,
  constraint: TopologySpreadConstraint,
  nodes: readonly NodeInfo[],
): Spread {
  const selects = selectorOf(constraint.labelSelector)
  const own = pod.metadata.labels ?? {}
  const alike = (constraint.matchLabelKeys ?? []).filter((key) => key in own)
  const matches = ({ metadata: { labels = {} } }: Pod): boolean =>
    selects.matches(labels) && alike.every((key) => labels[key] === own[key])
  const counts = new Map<string, number>()
  for (const { node, pods } of nodes) {
    if (!isCounted(pod, constraint, node)) continue
    const value = node.metadata.labels![constraint.topologyKey]!
    const here = pods.filter(
      (it) =>
        it.metadata.namespace === pod.metadata.namespace &&
        it.metadata.deletionTimestamp === undefined &&
        matches(it),
    )
    counts.set(value, (counts.get(value) ?? 0) + here.length)
  }
  return { constraint, matches, counts }
}

/** Whether a node's pods count: by default those of nodes that the pod selects, tainted or not. */
function isCounted(pod: Pod, constraint: TopologySpreadConstraint, node: Node): boolean {
  const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = constraint
  if (nodeAffinityPolicy === 'Honor' && !matchesNodeAffinity(node, pod.spec)) return false
  return nodeTaintsPolicy === 'Ignore' || !untoleratedTaint(node.spec?.taints, pod.spec.tolerations)
}
