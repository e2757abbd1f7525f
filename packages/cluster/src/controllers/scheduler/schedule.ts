import type { Node, Pod } from 'kubewright/kinds/core/v1'
import { isPodTerminal } from '../workload/pod.ts'
import { matchesNodeAffinity } from './node-affinity.ts'
import { added, allocatable, type Amounts, podRequests } from './resources.ts'
import { untoleratedTaint } from './taints.ts'

/** A node and what runs on it. */
export interface NodeInfo {
  readonly node: Node
  readonly pods: readonly Pod[]
  readonly allocatable: Amounts
  readonly used: Amounts
  readonly ports: ReadonlySet<string>
}

/** Why a pod does not fit on a node, in the scheduler's words. `hopeless`: not even the removal of other pods would help. */
export interface Misfit {
  readonly reasons: readonly string[]
  readonly hopeless: boolean
}

type Filter = (pod: Pod, info: NodeInfo) => Misfit | undefined

const misfit = (hopeless: boolean, ...reasons: readonly string[]): Misfit => ({ reasons, hopeless })

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

const hostPorts = (pod: Pod): readonly string[] =>
  (pod.spec?.containers ?? []).flatMap((it) =>
    (it.ports ?? [])
      .filter((port) => port.hostPort)
      .map((port) => `${port.protocol ?? 'TCP'}/${port.hostPort}`),
  )

const nodePorts: Filter = (pod, { ports }) =>
  hostPorts(pod).some((it) => ports.has(it))
    ? misfit(false, "node(s) didn't have free ports for the requested pod ports")
    : undefined

const nodeResources: Filter = (pod, info) => {
  const short: string[] = []
  let hopeless = false
  const most = info.allocatable.get('pods')
  if (most !== undefined && BigInt(info.pods.length + 1) * 1000n > most) short.push('Too many pods')
  for (const [name, asked] of podRequests(pod)) {
    const there = info.allocatable.get(name) ?? 0n
    if (asked === 0n || asked + (info.used.get(name) ?? 0n) <= there) continue
    short.push(`Insufficient ${name}`)
    hopeless ||= asked > there
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

/** Counts what runs on each node. Pods that have ended hold nothing. */
export function nodeInfos(nodes: readonly Node[], pods: readonly Pod[]): readonly NodeInfo[] {
  const living = Map.groupBy(
    pods.filter((it) => it.spec?.nodeName && !isPodTerminal(it)),
    (it) => it.spec!.nodeName!,
  )
  return nodes.map((node) => {
    const here = living.get(node.metadata.name!) ?? []
    return {
      node,
      pods: here,
      allocatable: allocatable(node),
      used: here.map(podRequests).reduce(added, new Map()),
      ports: new Set(here.flatMap(hostPorts)),
    }
  })
}

/** Where a pod goes, or why nowhere. */
export type Placement =
  | { readonly is: 'placed'; readonly node: string }
  | { readonly is: 'unschedulable'; readonly message: string }

/** Places a pod on the node with the fewest pods among those that it fits on; of equals, the first by name. */
export function schedule(pod: Pod, infos: readonly NodeInfo[]): Placement {
  if (infos.length === 0) {
    return { is: 'unschedulable', message: 'no nodes available to schedule pods' }
  }
  const misfits = infos.map((info) => firstMisfit(pod, info))
  const fitting = infos.filter((_, index) => misfits[index] === undefined)
  const best = fitting.toSorted(
    (a, b) =>
      a.pods.length - b.pods.length || (a.node.metadata.name! < b.node.metadata.name! ? -1 : 1),
  )[0]
  return best
    ? { is: 'placed', node: best.node.metadata.name! }
    : { is: 'unschedulable', message: fitError(misfits.filter((it) => it !== undefined)) }
}

function firstMisfit(pod: Pod, info: NodeInfo): Misfit | undefined {
  for (const filter of FILTERS) {
    const found = filter(pod, info)
    if (found) return found
  }
  return undefined
}

/** The sentence of a scheduler that found no node (kubernetes/pkg/scheduler/framework FitError, and its preemption's). */
function fitError(misfits: readonly Misfit[]): string {
  const none = `0/${misfits.length} nodes are available:`
  const preemption = misfits.map((it) =>
    it.hopeless
      ? 'Preemption is not helpful for scheduling'
      : 'No preemption victims found for incoming pod',
  )
  const why = histogram(misfits.flatMap((it) => it.reasons))
  return `${none} ${why}. no new claims to deallocate, preemption: ${none} ${histogram(preemption)}.`
}

function histogram(reasons: readonly string[]): string {
  const counts = [...Map.groupBy(reasons, (it) => it)].map(([it, all]) => `${all.length} ${it}`)
  return counts.sort().join(', ')
}
