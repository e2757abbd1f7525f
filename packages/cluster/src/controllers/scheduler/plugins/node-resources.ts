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
  score: (pod, _, nodes) =>
    nodes.map(({ assumed, allocatable }) => {
      const free = (name: string): number | undefined => {
        const all = allocatable[name] ?? 0
        if (all === 0) return undefined
        const used = (assumed[name] ?? 0) + (pod.assumedRequests[name] ?? 0)
        return used > all ? 0 : Math.trunc(((all - used) * 100) / all)
      }
      const scores = SCORED.map(free).filter((it) => it !== undefined)
      return scores.length === 0 ? 0 : Math.trunc(sumOf(scores) / scores.length)
    }),
  mayHelp: (it, pod, world) => {
    if (it.kind === 'Pod') return it.now === undefined || it.old !== undefined
    if (it.kind !== 'Node' || !it.now) return false
    const node = world.node(it.now.metadata.name!)
    return node !== undefined && changesAmounts(it) && fitsAtAll(pod, node)
  },
}

const SCORED = ['cpu', 'memory'] as const
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, it) => sum + it, 0)

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
  score: ({ requests }: PodInfo, _, nodes) => {
    if (SCORED.every((name) => !requests[name])) return undefined
    return nodes.map((node) => {
      const scored = SCORED.filter((name) => (node.allocatable[name] ?? 0) > 0)
      const balance = (more: PodInfo['requests']): number =>
        balanceOf(
          scored.map((name) =>
            Math.min(
              1,
              ((node.requested[name] ?? 0) + (more[name] ?? 0)) / node.allocatable[name]!,
            ),
          ),
        )
      return 50 + Math.trunc((50 + balance(requests) - balance({})) / 2)
    })
  },
}

/** 100 where two shares are equal, 50 where they are as far apart as can be. */
function balanceOf(shares: readonly number[]): number {
  const [a = 0, b = 0] = shares
  const deviation = shares.length === 2 ? Math.abs((a - b) / 2) : 0
  return Math.trunc((1 - deviation) * 100)
}
