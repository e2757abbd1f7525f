import type { Pod } from 'kubewright/kinds/core/v1'
import { parseTimestamp } from '../workload/time.ts'
import type { Misfit, NodeInfo, World } from './filter.ts'
import { filtersFor, firstMisfit } from './schedule.ts'

/** What would come of removing pods for another: who has to go from where, or why nothing is gained. */
export type Preemption =
  | { readonly is: 'possible'; readonly node: string; readonly victims: readonly Pod[] }
  /** By node, or one sentence about the pod. */
  | { readonly is: 'vain'; readonly why: readonly (readonly string[])[] | string }

export const priorityOf = (pod: Pod): number => pod.spec.priority ?? 0
const startOf = (pod: Pod): number =>
  parseTimestamp(pod.status?.startTime ?? pod.metadata.creationTimestamp) ?? 0

const HOPELESS = ['Preemption is not helpful for scheduling']
const NO_VICTIMS = ['No preemption victims found for incoming pod']

/** Looks for a node on which a pod fits once pods of lower priority are gone (kubernetes/pkg/scheduler defaultpreemption). */
export function planPreemption(pod: Pod, world: World, misfits: readonly Misfit[]): Preemption {
  const ineligible = notEligible(pod, world.nodes)
  if (ineligible !== undefined) return { is: 'vain', why: ineligible }
  const tries = world.nodes.map((info, index) => tryNode(pod, info, misfits[index]!, world))
  const [best] = tries
    .filter((it) => 'victims' in it)
    .toSorted((a, b) => compareCandidates(a.victims, b.victims))
  return best
    ? { is: 'possible', node: best.info.node.metadata.name!, victims: best.victims }
    : { is: 'vain', why: tries.map((it) => ('why' in it ? it.why : [])) }
}

/** A pod that has been given a node waits until the victims there are gone. */
function notEligible(pod: Pod, nodes: readonly NodeInfo[]): string | undefined {
  if (pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.'
  const nominated = nodes.find((it) => it.node.metadata.name === pod.status?.nominatedNodeName)
  const leaving = nominated?.pods.some(
    (it) => it.metadata.deletionTimestamp !== undefined && priorityOf(it) < priorityOf(pod),
  )
  return leaving ? 'not eligible due to a terminating pod on the nominated node.' : undefined
}

type Try =
  | { readonly info: NodeInfo; readonly victims: readonly Pod[] }
  | { readonly why: readonly string[] }

function tryNode(pod: Pod, info: NodeInfo, misfit: Misfit, world: World): Try {
  if (misfit.hopeless) return { why: HOPELESS }
  const lower = info.pods.filter((it) => priorityOf(it) < priorityOf(pod))
  if (lower.length === 0) return { why: NO_VICTIMS }
  const misfitWith = (pods: readonly Pod[]): Misfit | undefined => {
    const changed = { ...info, pods }
    const nodes = world.nodes.map((it) => (it === info ? changed : it))
    return firstMisfit(pod, changed, filtersFor(pod, { ...world, nodes }))
  }
  let staying = info.pods.filter((it) => !lower.includes(it))
  const still = misfitWith(staying)
  if (still) return { why: still.reasons }
  // The more important a pod is, the sooner it may stay after all.
  const victims: Pod[] = []
  for (const it of lower.toSorted(
    (a, b) => priorityOf(b) - priorityOf(a) || startOf(a) - startOf(b),
  )) {
    const pods = [...staying, it]
    if (misfitWith(pods)) victims.push(it)
    else staying = pods
  }
  return { info, victims }
}

/** Better is: the most important victim is less important, the sum is lower, there are fewer, they started later. */
function compareCandidates(a: readonly Pod[], b: readonly Pod[]): number {
  const highest = (list: readonly Pod[]): number => Math.max(-Infinity, ...list.map(priorityOf))
  const sum = (list: readonly Pod[]): number =>
    list.reduce((total, it) => total + priorityOf(it), 0)
  const latest = (list: readonly Pod[]): number => Math.max(-Infinity, ...list.map(startOf))
  return (
    Math.sign(highest(a) - highest(b)) ||
    sum(a) - sum(b) ||
    a.length - b.length ||
    Math.sign(latest(b) - latest(a))
  )
}
