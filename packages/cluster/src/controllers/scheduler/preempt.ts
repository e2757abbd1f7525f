import type { Pod } from 'kubewright/kinds/core/v1'
import type { PodDisruptionBudget } from 'kubewright/kinds/policy/v1'
import { findCondition, selectorOf } from 'kubewright/machinery'
import type { Filters } from './filters.ts'
import { preemptionError } from './fit-error.ts'
import type { NodeInfo } from './node-info.ts'
import { compareImportance, type PodInfo, startOf } from './pod-info.ts'
import { type Refusal, refusal } from './plugin.ts'
import type { Diagnosis } from './schedule.ts'
import type { World } from './world.ts'

/** What would come of removing pods for another: who has to go from where, or why nothing is gained. */
export type Preemption =
  | { readonly is: 'possible'; readonly node: NodeInfo; readonly victims: readonly PodInfo[] }
  | {
      readonly is: 'vain'
      readonly why: string
      /** Whether a promise that was made before is void. */
      readonly withdraws: boolean
    }

/** Why a victim is deleted, in its DisruptionTarget condition. */
export const PREEMPTED = 'PreemptionByScheduler'

interface Candidate {
  readonly node: NodeInfo
  readonly victims: readonly PodInfo[]
  /** How many of them a disruption budget would have kept. */
  readonly violations: number
}

const NO_VICTIMS = refusal(
  'DefaultPreemption',
  true,
  'No preemption victims found for incoming pod',
)

/** How many nodes are tried: a tenth of them, a hundred at least (DefaultPreemptionArgs). */
const enoughCandidates = (count: number): number =>
  Math.min(count, Math.max(100, Math.trunc(count / 10)))

/** Looks for a node on which a pod fits once pods of lower priority are gone (plugins/defaultpreemption). */
export function planPreemption(pod: PodInfo, world: World, diagnosis: Diagnosis): Preemption {
  const ineligible = notEligible(pod, world, diagnosis)
  if (ineligible !== undefined) return { is: 'vain', why: ineligible, withdraws: false }
  const { filters, refusals } = diagnosis
  const hopeful = [...refusals].filter(([, it]) => !it.hopeless).map(([node]) => node)
  const tried: Refusal[] = []
  const found: Candidate[] = []
  const budgets = hopeful.length > 0 ? world.lookup.budgets() : []
  const enough = enoughCandidates(hopeful.length)
  for (const node of hopeful) {
    const answer = selectVictims(pod, node, filters!, budgets)
    if ('victims' in answer) found.push(answer)
    else tried.push(answer)
    if (found.length >= enough && found.some((it) => it.violations === 0)) break
  }
  const [best] = found.toSorted(compareCandidates)
  return best
    ? { is: 'possible', node: best.node, victims: best.victims }
    : { is: 'vain', why: preemptionError(world.nodes.length, tried), withdraws: true }
}

/** A pod that has been promised a node waits until the victims there are gone. */
function notEligible(pod: PodInfo, world: World, { refusals }: Diagnosis): string | undefined {
  if (pod.pod.spec.preemptionPolicy === 'Never')
    return 'not eligible due to preemptionPolicy=Never.'
  const node = world.node(pod.pod.status?.nominatedNodeName ?? '')
  if (!node || refusals.get(node)?.hopeless) return undefined
  const leaving = [...node.pods].some((it) => it.priority < pod.priority && isPreempted(it.pod))
  return leaving ? 'not eligible due to a terminating pod on the nominated node.' : undefined
}

const isPreempted = (pod: Pod): boolean =>
  pod.metadata.deletionTimestamp !== undefined &&
  findCondition(pod.status?.conditions, 'DisruptionTarget')?.reason === PREEMPTED

/** Takes all less important pods off a node, and lets back on as many as can be, the most important first. */
function selectVictims(
  pod: PodInfo,
  node: NodeInfo,
  filters: Filters,
  budgets: readonly PodDisruptionBudget[],
): Candidate | Refusal {
  const lower = [...node.pods].filter((it) => it.priority < pod.priority).sort(compareImportance)
  if (lower.length === 0) return NO_VICTIMS
  for (const it of lower) filters.takeOff(node, it)
  const refused = filters.refusalBesideNominated(node)
  if (refused) {
    for (const it of lower) filters.putOn(node, it)
    return refused
  }
  const protectedPods = violating(lower, budgets)
  const victims: PodInfo[] = []
  const order = [
    ...lower.filter((it) => protectedPods.has(it)),
    ...lower.filter((it) => !protectedPods.has(it)),
  ]
  for (const it of order) {
    filters.putOn(node, it)
    if (!filters.refusalBesideNominated(node)) continue
    filters.takeOff(node, it)
    victims.push(it)
  }
  for (const it of victims) filters.putOn(node, it)
  const violations = victims.filter((it) => protectedPods.has(it)).length
  return { node, victims: victims.sort(compareImportance), violations }
}

/** Which of the pods a budget would keep, if they all went in this order (filterPodsWithPDBViolation). */
function violating(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): ReadonlySet<PodInfo> {
  const kept = new Set<PodInfo>()
  for (const budget of budgets) {
    const selector = selectorOf(budget.spec?.selector)
    if (selector.requirements.length === 0) continue
    let allowed = budget.status?.disruptionsAllowed ?? 0
    for (const it of pods) {
      const { namespace, labels = {}, name = '' } = it.pod.metadata
      if (namespace !== budget.metadata.namespace || Object.keys(labels).length === 0) continue
      if (!selector.matches(labels) || budget.status?.disruptedPods?.[name] !== undefined) continue
      if (--allowed < 0) kept.add(it)
    }
  }
  return kept
}

/** What the sum of priorities counts for each pod beside its own, so that fewer are better though they be negative. */
const EACH = 2 ** 31

/**
 * Better is: fewer budgets are broken, the most important victim is less important, the sum is lower, there are fewer, the most
 * important ones have run for a shorter time (pickOneNodeForPreemption).
 */
function compareCandidates(a: Candidate, b: Candidate): number {
  const sum = ({ victims }: Candidate): number =>
    victims.reduce((total, it) => total + it.priority + EACH, 0)
  return (
    a.violations - b.violations ||
    (a.victims[0]?.priority ?? 0) - (b.victims[0]?.priority ?? 0) ||
    sum(a) - sum(b) ||
    a.victims.length - b.victims.length ||
    Math.sign(earliest(b) - earliest(a) || 0)
  )
}

/** Since when the longest-running of the most important victims runs. */
function earliest({ victims }: Candidate): number {
  const highest = victims[0]?.priority
  return Math.min(...victims.filter((it) => it.priority === highest).map((it) => startOf(it.pod)))
}
