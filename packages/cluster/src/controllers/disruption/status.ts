import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from 'kubewright/kinds/policy/v1'
import type { Pod } from 'kubewright/kinds/core/v1'
import { setConditions, timeText } from 'kubewright/machinery'
import { scaledValue } from '../workload/int-or-percent.ts'
import { isPodReady } from '../workload/pod.ts'
import { parseTimestamp } from '../workload/time.ts'

/** How long an eviction may take until the pod counts again, milliseconds (kubernetes/pkg/controller/disruption DeletionTimeout). */
export const EVICTION_TIMEOUT = 120_000

/** What a budget is counted from: the pods it selects, and how many their controllers want together. */
export interface BudgetObserved {
  readonly budget: PodDisruptionBudget
  readonly pods: readonly Pod[]
  readonly expected: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** How many pods a budget expects, and how many have to be healthy. */
export function healthGoal({ budget, pods, expected }: BudgetObserved): {
  readonly expected: number
  readonly desired: number
} {
  const { maxUnavailable, minAvailable } = budget.spec ?? {}
  if (maxUnavailable !== undefined) {
    const desired = expected - scaledValue(maxUnavailable, expected, 'up')
    return { expected, desired: Math.max(0, desired) }
  }
  if (typeof minAvailable === 'number') return { expected: pods.length, desired: minAvailable }
  if (minAvailable === undefined) return { expected: 0, desired: 0 }
  return { expected, desired: scaledValue(minAvailable, expected, 'up') }
}

/** Evictions that are under way: those whose pod is still there and whose time is not over. */
export function pendingEvictions({
  budget,
  pods,
  now,
}: BudgetObserved): Readonly<Record<string, string>> {
  const living = new Set(
    pods.filter((it) => it.metadata.deletionTimestamp === undefined).map((it) => it.metadata.name),
  )
  const entries = Object.entries(budget.status?.disruptedPods ?? {}).filter(
    ([name, since]) => living.has(name) && (parseTimestamp(since) ?? 0) + EVICTION_TIMEOUT >= now,
  )
  return Object.fromEntries(entries)
}

/** The status of a budget (kubernetes/pkg/controller/disruption trySync). */
export function budgetStatus(observed: BudgetObserved): PodDisruptionBudgetStatus {
  const { budget, pods, now } = observed
  const { expected, desired } = healthGoal(observed)
  const evictions = pendingEvictions(observed)
  const healthy = pods.filter(
    (it) =>
      it.metadata.deletionTimestamp === undefined &&
      !Object.hasOwn(evictions, it.metadata.name ?? '') &&
      isPodReady(it),
  ).length
  const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired)
  const generation = budget.metadata.generation ?? 0
  return {
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    disruptionsAllowed: allowed,
    ...(Object.keys(evictions).length > 0 && { disruptedPods: evictions }),
    ...(generation > 0 && { observedGeneration: generation }),
    conditions: setConditions(
      budget.status?.conditions as Parameters<typeof setConditions>[0],
      [
        {
          type: 'DisruptionAllowed',
          status: allowed > 0 ? 'True' : 'False',
          reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
        },
      ],
      { now: timeText(now), generation },
    ),
  }
}
