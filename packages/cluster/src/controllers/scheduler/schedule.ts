import type { Pod } from 'kubewright/kinds/core/v1'
import { type Filter, type Misfit, misfit, type NodeInfo, type World } from './filter.ts'
import { matchesNodeAffinity } from './node-affinity.ts'
import { podAffinityFilter } from './pod-affinity.ts'
import { added, allocatable, podRequests } from './resources.ts'
import { untoleratedTaint } from './taints.ts'
import { topologySpreadFilter } from './topology-spread.ts'

const UNSCHEDULABLE = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const

const nodeUnschedulable: Filter = (pod, { node }) => {
  if (!node.spec?.unschedulable || !untoleratedTaint([UNSCHEDULABLE], pod.spec?.tolerations)) {
    return undefined
  }
  return misfit(true, 'node(s) were unschedulable')
}

const taintToleration: Filter = (pod, { node }) =>
  untoleratedTaint(node.spec?.taints, pod.spec?.tolerations)
    ? misfit(true, 'node(s) had untolerated taint(s)')
    : undefined

const nodeAffinity: Filter = (pod, { node }) =>
  matchesNodeAffinity(node, pod.spec)
    ? undefined
    : misfit(true, "node(s) didn't match Pod's node affinity/selector")

interface HostPort {
  /** The protocol and the number. */
  readonly port: string
  readonly address: string
}

const ANY_ADDRESS = '0.0.0.0'

const hostPorts = (pod: Pod): readonly HostPort[] =>
  pod.spec.containers.flatMap((it) =>
    (it.ports ?? [])
      .filter((port) => port.hostPort)
      .map((port) => ({
        port: `${port.protocol ?? 'TCP'}/${port.hostPort}`,
        address: port.hostIP || ANY_ADDRESS,
      })),
  )

const nodePorts: Filter = (pod, { pods }) => {
  const wanted = hostPorts(pod)
  if (wanted.length === 0) return undefined
  const taken = pods.flatMap(hostPorts)
  const collide = (a: HostPort, b: HostPort): boolean =>
    a.port === b.port && (a.address === b.address || [a.address, b.address].includes(ANY_ADDRESS))
  return wanted.some((it) => taken.some((other) => collide(it, other)))
    ? misfit(false, "node(s) didn't have free ports for the requested pod ports")
    : undefined
}

const nodeResources: Filter = (pod, { node, pods }) => {
  const there = allocatable(node)
  const short: string[] = []
  let hopeless = false
  const most = there.get('pods')
  if (most !== undefined && BigInt(pods.length + 1) * 1000n > most) short.push('Too many pods')
  const asked = [...podRequests(pod)].filter(([, amount]) => amount > 0n)
  // What is there is only added up for a pod that asks for something.
  const used = asked.length > 0 ? pods.map(podRequests).reduce(added, new Map()) : new Map()
  for (const [name, amount] of asked) {
    const all = there.get(name) ?? 0n
    if (amount + (used.get(name) ?? 0n) <= all) continue
    short.push(`Insufficient ${name}`)
    hopeless ||= amount > all
  }
  return short.length > 0 ? misfit(hopeless, ...short) : undefined
}

/** In the order of the default scheduler's plugins: the first that refuses a node says why. */
const FILTERS: readonly Filter[] = [
  nodeUnschedulable,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResources,
]

/** What has to be asked of every node for a pod. */
export function filtersFor(pod: Pod, world: World): readonly Filter[] {
  const others = [topologySpreadFilter(pod, world), podAffinityFilter(pod, world)]
  return [...FILTERS, ...others.filter((it) => it !== undefined)]
}

/** Where a pod goes, or why nowhere. `misfits` tells it by node. */
export type Placement =
  | { readonly is: 'placed'; readonly node: string }
  | {
      readonly is: 'unschedulable'
      /** The nodes in the order of `misfits`. */
      readonly world: World
      readonly misfits: readonly Misfit[]
    }

/** Places a pod on the node with the fewest pods among those that it fits on; of equals, the first by name. */
export function schedule(pod: Pod, world: World): Placement {
  const filters = filtersFor(pod, world)
  const ordered = world.nodes.toSorted(
    (a, b) =>
      a.pods.length - b.pods.length || (a.node.metadata.name! < b.node.metadata.name! ? -1 : 1),
  )
  const misfits: Misfit[] = []
  for (const info of ordered) {
    const found = firstMisfit(pod, info, filters)
    if (!found) return { is: 'placed', node: info.node.metadata.name! }
    misfits.push(found)
  }
  return { is: 'unschedulable', world: { ...world, nodes: ordered }, misfits }
}

/** Why a pod does not fit on a node; undefined when it does. */
export function firstMisfit(
  pod: Pod,
  info: NodeInfo,
  filters: readonly Filter[],
): Misfit | undefined {
  for (const filter of filters) {
    const found = filter(pod, info)
    if (found) return found
  }
  return undefined
}

/**
 * The sentence of a scheduler that found no node (kubernetes/pkg/scheduler/framework FitError); `preemption` says of each node why
 * nothing is gained by removing pods, or is a sentence of its own, and is left out where something is.
 */
export function fitError(
  misfits: readonly Misfit[],
  preemption?: readonly (readonly string[])[] | string,
): string {
  if (misfits.length === 0) return 'no nodes available to schedule pods'
  const none = `0/${misfits.length} nodes are available:`
  const why = histogram(misfits.flatMap((it) => it.reasons))
  const refused = `${none} ${why}.`
  if (preemption === undefined) return refused
  const vain =
    typeof preemption === 'string' ? preemption : `${none} ${histogram(preemption.flat())}.`
  return `${refused} no new claims to deallocate, preemption: ${vain}`
}

function histogram(reasons: readonly string[]): string {
  const counts = [...Map.groupBy(reasons, (it) => it)].map(([it, all]) => `${all.length} ${it}`)
  return counts.sort().join(', ')
}
