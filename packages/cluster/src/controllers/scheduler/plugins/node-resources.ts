import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'
import { collide } from '../pod-info.ts'
import { type Plugin, type Refusal, refusal } from '../plugin.ts'

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
    if (it.kind === 'Pod') return it.now === undefined || it.old !== undefined
    if (it.kind !== 'Node' || !it.now) return false
    const node = world.node(it.now.metadata.name!)
    return node !== undefined && changesAmounts(it) && fitsAtAll(pod, node)
  },
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

function changesAmounts({ old, now }: { readonly old?: unknown; readonly now?: unknown }): boolean {
  const text = (it: unknown): string =>
    JSON.stringify((it as { status?: { allocatable?: unknown } } | undefined)?.status?.allocatable)
  return old === undefined || text(old) !== text(now)
}

function fitsAtAll(
  { spec }: { readonly spec: { readonly containers: readonly unknown[] } },
  node: NodeInfo,
): boolean {
  return spec.containers.length > 0 && node.podCount < (node.allocatable['pods'] ?? 0)
}

function shortage(
  asked: readonly (readonly [name: string, amount: number])[],
  { podCount, allocatable, requested }: NodeInfo,
): Refusal | undefined {
  const short: string[] = podCount + 1 > (allocatable['pods'] ?? 0) ? ['Too many pods'] : []
  let hopeless = false
  for (const [name, amount] of asked) {
    const all = allocatable[name] ?? 0
    if (amount <= all - (requested[name] ?? 0)) continue
    short.push(`Insufficient ${name}`)
    hopeless ||= amount > all
  }
  return short.length > 0 ? refusal(FIT, hopeless, ...short) : undefined
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
