import type { Node, Pod } from 'kubewright/kinds/core/v1'
import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'
import { collide } from '../pod-info.ts'
import { type Happening, type Plugin, type Refusal, refusal } from '../plugin.ts'
import { podRequests } from '../resources.ts'

const PORTS = refusal(
  'NodePorts',
  false,
  "node(s) didn't have free ports for the requested pod ports",
)

/** Gives a port of a host to one pod only (plugins/nodeports). */
export const nodePorts: Plugin = {
  name: PORTS.plugin,
  filter: ({ hostPorts }) =>
    hostPorts.length === 0
      ? undefined
      : {
          refuses: (node) => {
            for (const { hostPorts: taken } of node.withPorts)
              if (hostPorts.some((it) => taken.some((other) => collide(it, other)))) return PORTS
            return undefined
          },
        },
  mayHelp: (it) => (it.kind === 'Pod' ? it.now === undefined : it.kind === 'Node' && !it.old),
}

const FIT = 'NodeResourcesFit'
const FULL = 'Too many pods'

/** Gives away no more of a node than it has, and likes those best that have the most left (plugins/noderesources, LeastAllocated). */
export const nodeResourcesFit: Plugin = {
  name: FIT,
  filter: ({ requests }) => {
    const asked = Object.entries(requests).filter(([, amount]) => amount > 0)
    return { refuses: (node) => shortage(asked, node) }
  },
  score: ({ assumedRequests }, _, nodes) =>
    nodes.map((it) => {
      const cpu = freeShare(it, assumedRequests, 'cpu')
      const memory = freeShare(it, assumedRequests, 'memory')
      if (cpu < 0 || memory < 0) return Math.max(0, cpu, memory)
      return Math.trunc((cpu + memory) / 2)
    }),
  mayHelp: (it, pod, world) => {
    if (it.kind === 'Pod') return it.now === undefined || changed(it, askedBy)
    const node = it.kind === 'Node' ? world.node(it.now?.metadata.name ?? '') : undefined
    if (!node || !changed(it, (one) => (one as Node).status?.allocatable)) return false
    return shortage(Object.entries(podRequests(pod)), node) === undefined
  },
}

/** What a pod asks for, and what it was given. */
const askedBy = (it: object): unknown => {
  const { spec, status } = it as Pod
  const given = status?.containerStatuses?.map((one) => [one.resources, one.allocatedResources])
  return [spec.resources, spec.containers.map((one) => one.resources), given]
}

/** Whether something is new, or other than it was. */
function changed({ kind, old, now }: Happening, read: (it: object) => unknown): boolean {
  // A node that is new may have room, a pod that is new takes some.
  if (!old || !now) return kind === 'Node'
  return JSON.stringify(read(old)) !== JSON.stringify(read(now))
}

type Scored = 'cpu' | 'memory'

/** How many hundredths of a resource a pod would leave; negative where a node has none of it. */
function freeShare(
  { assumed, allocatable }: NodeInfo,
  asked: PodInfo['requests'],
  name: Scored,
): number {
  const all = allocatable[name] ?? 0
  if (all === 0) return -1
  const used = (assumed[name] ?? 0) + (asked[name] ?? 0)
  return used > all ? 0 : Math.trunc(((all - used) * 100) / all)
}

function shortage(
  asked: readonly (readonly [name: string, amount: number])[],
  { podCount, allocatable, requested }: NodeInfo,
): Refusal | undefined {
  let short: string[] | undefined = podCount + 1 > (allocatable['pods'] ?? 0) ? [FULL] : undefined
  let hopeless = false
  for (const [name, amount] of asked) {
    const all = allocatable[name] ?? 0
    if (amount <= 0 || amount <= all - (requested[name] ?? 0)) continue
    short = [...(short ?? []), `Insufficient ${name}`]
    hopeless ||= amount > all
  }
  return short && refusal(FIT, hopeless, ...short)
}

/** Likes nodes best whose cpu and memory are used alike (NodeResourcesBalancedAllocation). */
export const balancedAllocation: Plugin = {
  name: 'NodeResourcesBalancedAllocation',
  score: ({ requests }, _, nodes) =>
    requests['cpu'] || requests['memory']
      ? nodes.map((it) => {
          const [cpu = 0, memory = 0] = [requests['cpu'], requests['memory']]
          const gain = balance(it, cpu, memory) - balance(it, 0, 0)
          return 50 + Math.trunc((50 + gain) / 2)
        })
      : undefined,
}

/** 100 where a node's cpu and memory would be used alike, 50 where they would be as far apart as can be. */
function balance(node: NodeInfo, moreCpu: number, moreMemory: number): number {
  const cpu = usedShare(node, 'cpu', moreCpu)
  const memory = usedShare(node, 'memory', moreMemory)
  const deviation = cpu < 0 || memory < 0 ? 0 : Math.abs((cpu - memory) / 2)
  return Math.trunc((1 - deviation) * 100)
}

/** Which part of a resource would be used, at most all; negative where a node has none of it. */
function usedShare({ allocatable, requested }: NodeInfo, name: Scored, more: number): number {
  const all = allocatable[name] ?? 0
  return all === 0 ? -1 : Math.min(1, ((requested[name] ?? 0) + more) / all)
}
