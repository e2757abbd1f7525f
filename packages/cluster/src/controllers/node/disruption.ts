import type { Node } from 'kubewright/kinds/core/v1'
import { findCondition } from 'kubewright/machinery'

/**
 * What is to become of the pods on nodes that are not ready: they are evicted; no further node is begun with; or none is evicted at all,
 * since where no node is well, it is the network or the control plane that is not.
 */
export type Eviction = 'on' | 'held' | 'off'

/** Nodes that do not count here. */
const EXCLUDED = 'node.kubernetes.io/exclude-disruption'
/** From which share of its nodes on a zone counts as disrupted (kube-controller-manager --unhealthy-zone-threshold), and from how many nodes. */
const DISRUPTED = { share: 0.55, nodes: 3 } as const
/** A zone of more nodes evicts even then (--large-cluster-size-threshold). */
const LARGE = 50

interface Zone {
  readonly ready: number
  readonly size: number
}

/** How the pods of a node fare that is not ready, by how its zone and all others are (kubernetes/pkg/controller/nodelifecycle handleDisruption). */
export function evictionOn(node: Node, nodes: readonly Node[]): Eviction {
  const zones = zonesOf(nodes)
  if ([...zones.values()].every((it) => it.ready === 0)) return 'off'
  const own = zones.get(zoneOf(node))
  if (!own || own.ready === 0) return 'on'
  const unready = own.size - own.ready
  const isDisrupted = unready >= DISRUPTED.nodes && unready / own.size >= DISRUPTED.share
  return isDisrupted && own.size <= LARGE ? 'held' : 'on'
}

function zonesOf(nodes: readonly Node[]): ReadonlyMap<string, Zone> {
  const zones = new Map<string, Zone>()
  for (const it of nodes) {
    if (it.metadata.labels?.[EXCLUDED] !== undefined) continue
    const key = zoneOf(it)
    const { ready, size } = zones.get(key) ?? { ready: 0, size: 0 }
    const isReady = findCondition(it.status?.conditions, 'Ready')?.status === 'True'
    zones.set(key, { ready: ready + (isReady ? 1 : 0), size: size + 1 })
  }
  return zones
}

/** The zone of a node, with its region (component-helpers/node/topology GetZoneKey). */
function zoneOf({ metadata: { labels = {} } }: Node): string {
  const either = (name: string): string =>
    labels[`failure-domain.beta.kubernetes.io/${name}`] ??
    labels[`topology.kubernetes.io/${name}`] ??
    ''
  return `${either('region')}:${either('zone')}`
}
