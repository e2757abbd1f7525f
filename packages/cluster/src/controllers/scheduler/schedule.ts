import { type Filters, filtersFor } from './filters.ts'
import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'
import { isRefusal, type Plugin, type Refusal, refusal } from './plugin.ts'
import type { World } from './world.ts'

/** Where a pod goes, or why nowhere. */
export type Placement =
  | { readonly is: 'placed'; readonly node: NodeInfo; readonly looked: number }
  | { readonly is: 'no nodes' }
  | ({ readonly is: 'unschedulable' } & Diagnosis)

/** Why a pod goes nowhere. */
export interface Diagnosis {
  /** What keeps it from all nodes at once. */
  readonly overall?: Refusal
  /** What keeps it from single nodes. */
  readonly refusals: ReadonlyMap<NodeInfo, Refusal>
  /** What keeps it from the nodes that were not even asked. */
  readonly unasked?: Refusal
  readonly filters?: Filters
}

/** Fewer nodes than this are all asked (schedule_one.go minFeasibleNodesToFind). */
const LEAST = 100
/** And so many in a hundred at least. */
const LEAST_PERCENT = 5

/** How many nodes that a pod fits on are enough to choose from: half of them in small clusters, fewer in large ones. */
export function enoughNodes(count: number): number {
  if (count < LEAST) return count
  const percent = Math.max(LEAST_PERCENT, 50 - Math.trunc(count / 125))
  return Math.max(LEAST, Math.trunc((count * percent) / 100))
}

/**
 * Finds the best node for a pod among those that it fits on (kubernetes/pkg/scheduler schedulePod). `start` is where to begin to look;
 * of equals, the first that is found wins.
 */
export function schedule(
  pod: PodInfo,
  world: World,
  plugins: readonly Plugin[],
  start: number = 0,
): Placement {
  if (world.nodes.length === 0) return { is: 'no nodes' }
  const filters = filtersFor(pod, world, plugins)
  if (isRefusal(filters)) return { is: 'unschedulable', overall: filters, refusals: new Map() }
  const promised = world.node(pod.pod.status?.nominatedNodeName ?? '')
  if (promised && mayGoTo(promised, filters) && !filters.refusalBesideNominated(promised))
    return { is: 'placed', node: promised, looked: 1 }
  const refusals = new Map<NodeInfo, Refusal>()
  const fitting = findFitting(candidates(world, filters), filters, refusals, start)
  if (fitting.length === 0) return { is: 'unschedulable', refusals, filters, ...unasked(filters) }
  const looked = fitting.length + refusals.size
  const node = fitting.length === 1 ? fitting[0]! : best(pod, world, plugins, fitting)
  return { is: 'placed', node, looked }
}

const mayGoTo = ({ name }: NodeInfo, { only }: Filters): boolean => !only || only.has(name)

function candidates(world: World, { only }: Filters): readonly NodeInfo[] {
  if (!only) return world.nodes
  return [...only].map((name) => world.node(name)).filter((it) => it !== undefined)
}

function unasked({ only, limiting }: Filters): { readonly unasked?: Refusal } {
  if (!only) return {}
  const why = `node(s) didn't satisfy plugin(s) [${limiting.join(' ')}]`
  return { unasked: refusal(limiting.join(' '), true, why) }
}

function findFitting(
  nodes: readonly NodeInfo[],
  filters: Filters,
  refusals: Map<NodeInfo, Refusal>,
  start: number,
): readonly NodeInfo[] {
  const enough = enoughNodes(nodes.length)
  const fitting: NodeInfo[] = []
  for (let at = 0; at < nodes.length && fitting.length < enough; at++) {
    const node = nodes[(start + at) % nodes.length]!
    const found = filters.refusalBesideNominated(node)
    if (found) refusals.set(node, found)
    else fitting.push(node)
  }
  return fitting
}

/** The node with the highest sum of weighted scores. */
function best(
  pod: PodInfo,
  world: World,
  plugins: readonly Plugin[],
  nodes: readonly NodeInfo[],
): NodeInfo {
  const totals = new Float64Array(nodes.length)
  for (const { score, weight = 1 } of plugins) {
    const scores = score?.(pod, world, nodes) ?? []
    for (let at = 0; at < scores.length; at++) totals[at]! += scores[at]! * weight
  }
  let winner = 0
  for (let at = 1; at < totals.length; at++) if (totals[at]! > totals[winner]!) winner = at
  return nodes[winner]!
}
