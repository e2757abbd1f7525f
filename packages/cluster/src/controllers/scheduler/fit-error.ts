import type { Refusal } from './plugin.ts'
import type { Diagnosis } from './schedule.ts'

const NO_NODES = 'no nodes available to schedule pods'

/** What is said of a pod for which there are no nodes at all. */
export const noNodesError: string = NO_NODES

const available = (count: number): string => `0/${count} nodes are available:`

/** What the plugin for dynamic resources says of a pod that it never came to look at, because another refused all nodes before. */
const NEVER_LOOKED = 'not found'

/**
 * The sentence of a scheduler that found no node (scheduler/framework FitError). `preemption` says why nothing is gained by removing
 * pods; it is left out where something is.
 */
export function fitError(count: number, diagnosis: Diagnosis, preemption?: string): string {
  const { overall, refusals, unasked } = diagnosis
  const why = overall
    ? overall.reasons.join(', ')
    : histogram([...refusals.values()], unasked, count)
  const refused = [available(count), ...(why ? [`${why}.`] : [])].join(' ')
  if (overall) return `${refused} ${NEVER_LOOKED}`
  return preemption === undefined
    ? refused
    : `${refused} no new claims to deallocate, preemption: ${preemption}`
}

/** Why no node is worth preempting anybody on: what each was found to be, and all others as not helpful. */
export function preemptionError(count: number, tried: readonly Refusal[]): string {
  return `${available(count)} ${histogram(tried, NOT_HELPFUL, count)}.`
}

const NOT_HELPFUL: Refusal = {
  plugin: 'DefaultPreemption',
  hopeless: true,
  reasons: ['Preemption is not helpful for scheduling'],
}

/** Counts reasons, those of `rest` once for each node that has none of its own. */
function histogram(refusals: readonly Refusal[], rest: Refusal | undefined, count: number): string {
  const counts = new Map<string, number>()
  const add = (reason: string, amount: number): unknown =>
    amount > 0 && counts.set(reason, (counts.get(reason) ?? 0) + amount)
  for (const it of refusals) for (const reason of it.reasons) add(reason, 1)
  for (const reason of rest?.reasons ?? []) add(reason, count - refusals.length)
  return [...counts]
    .map(([reason, amount]) => `${amount} ${reason}`)
    .sort()
    .join(', ')
}
