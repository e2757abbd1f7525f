import type {
  HorizontalPodAutoscalerBehavior,
  HPAScalingRules,
} from 'kubewright/kinds/autoscaling/v2'
import { changeWithin, type History, remember, type ScaleEvent } from './history.ts'

/** What a number of replicas is fitted to. */
export interface Limits {
  readonly current: number
  readonly desired: number
  readonly min: number
  readonly max: number
}

/** A decision with its reason and message, as conditions show them. */
export interface Decision {
  readonly replicas: number
  readonly reason: string
  readonly message: string
}

const MESSAGES = Object.freeze({
  ScaleUpLimit: 'the desired replica count is increasing faster than the maximum scale rate',
  ScaleDownLimit: 'the desired replica count is decreasing faster than the maximum scale rate',
  TooManyReplicas: 'the desired replica count is more than the maximum replica count',
  TooFewReplicas: 'the desired replica count is less than the minimum replica count',
  DesiredWithinRange: 'the desired count is within the acceptable range',
  ScaleUpStabilized:
    'recent recommendations were lower than current one, applying the lowest recent recommendation',
  ScaleDownStabilized:
    'recent recommendations were higher than current one, applying the highest recent recommendation',
})

const decision = (replicas: number, reason: keyof typeof MESSAGES): Decision => ({
  replicas,
  reason,
  message: MESSAGES[reason],
})

/** How many replicas there may be at the most after one step, where no behavior says otherwise (calculateScaleUpLimit). */
const scaleUpLimit = (current: number): number => Math.max(2 * current, 4)

/** Fits a number between the limits of an autoscaler without a behavior (convertDesiredReplicasWithRules). */
export function withinRange({ current, desired, min, max }: Limits): Decision {
  const limit = scaleUpLimit(current)
  if (desired < min) return decision(min, 'TooFewReplicas')
  const highest = Math.min(max, limit)
  if (desired > highest) return decision(highest, max > limit ? 'ScaleUpLimit' : 'TooManyReplicas')
  return decision(desired, 'DesiredWithinRange')
}

/** The highest number that was asked for within the window, in milliseconds, and the history with the new one (stabilizeRecommendation). */
export function stabilized(
  history: History,
  desired: number,
  window: number,
  now: number,
): { readonly replicas: number; readonly history: History } {
  const cutoff = now - window
  const recent = history.recommendations.filter((it) => it.at >= cutoff)
  const recommendations = remember(
    history.recommendations,
    { replicas: desired, at: now },
    (it) => it.at < cutoff,
  )
  return {
    replicas: Math.max(desired, ...recent.map((it) => it.replicas)),
    history: { ...history, recommendations },
  }
}

/** A behavior with all that the API server fills in, and the window that the autoscaler itself does. */
export interface Rules {
  readonly scaleUp: HPAScalingRules
  readonly scaleDown: HPAScalingRules
}

/** The rules of a behavior; `window` is the time in milliseconds for which it stays up where nobody says how long. */
export const rulesOf = (
  { scaleUp = {}, scaleDown = {} }: HorizontalPodAutoscalerBehavior,
  window: number,
): Rules => ({
  scaleUp,
  scaleDown: {
    ...scaleDown,
    stabilizationWindowSeconds: scaleDown.stabilizationWindowSeconds ?? Math.floor(window / 1000),
  },
})

/**
 * Brings what is asked for between what was asked for within the windows of a behavior: no more than the least of one, no less than the
 * most of the other (stabilizeRecommendationWithBehaviors).
 */
export function stabilizedBy(
  rules: Rules,
  { current, desired }: Limits,
  history: History,
  now: number,
): Decision & { readonly history: History } {
  const upCutoff = now - (rules.scaleUp.stabilizationWindowSeconds ?? 0) * 1000
  const downCutoff = now - (rules.scaleDown.stabilizationWindowSeconds ?? 0) * 1000
  const since = (cutoff: number): readonly number[] =>
    history.recommendations.filter((it) => it.at > cutoff).map((it) => it.replicas)
  const lowest = Math.min(desired, ...since(upCutoff))
  const highest = Math.max(desired, ...since(downCutoff))
  const recommendations = remember(
    history.recommendations,
    { replicas: desired, at: now },
    (it) => it.at < upCutoff && it.at < downCutoff,
  )
  const replicas = Math.min(Math.max(current, lowest), highest)
  const reason = desired >= current ? 'ScaleUpStabilized' : 'ScaleDownStabilized'
  return { ...decision(replicas, reason), history: { ...history, recommendations } }
}

/** Fits a number to what the policies of a behavior let come and go in their time (convertDesiredReplicasWithBehaviorRate). */
export function withinRates(
  rules: Rules,
  { current, desired, min, max }: Limits,
  history: History,
  now: number,
): Decision {
  if (desired > current) {
    const limit = Math.max(current, highestOf(rules.scaleUp, current, history, now))
    const highest = Math.min(max, limit)
    if (desired > highest)
      return decision(highest, max > limit ? 'ScaleUpLimit' : 'TooManyReplicas')
  } else if (desired < current) {
    const limit = Math.min(current, lowestOf(rules.scaleDown, current, history, now))
    const lowest = Math.max(min, limit)
    if (desired < lowest) return decision(lowest, min < limit ? 'ScaleDownLimit' : 'TooFewReplicas')
  }
  return decision(desired, 'DesiredWithinRange')
}

/** How many there were when the time of a policy began. */
const before = (seconds: number, current: number, history: History, now: number): number =>
  current - changeWithin(history.ups, seconds, now) + changeWithin(history.downs, seconds, now)

/** The most replicas that the policies of an upward behavior allow (calculateScaleUpLimitWithScalingRules). */
export function highestOf(
  { selectPolicy, policies = [] }: HPAScalingRules,
  current: number,
  history: History,
  now: number,
): number {
  if (selectPolicy === 'Disabled') return current
  const proposals = policies.map(({ type, value, periodSeconds }) => {
    const start = before(periodSeconds, current, history, now)
    // Rounded up: else a small number would never grow.
    return type === 'Pods' ? start + value : Math.ceil(start * (1 + value / 100))
  })
  return selectPolicy === 'Min'
    ? Math.min(MAX_INT32, ...proposals)
    : Math.max(-MAX_INT32 - 1, ...proposals)
}

/** The fewest replicas that the policies of a downward behavior allow (calculateScaleDownLimitWithBehaviors). */
export function lowestOf(
  { selectPolicy, policies = [] }: HPAScalingRules,
  current: number,
  history: History,
  now: number,
): number {
  if (selectPolicy === 'Disabled') return current
  const proposals = policies.map(({ type, value, periodSeconds }) => {
    const start = before(periodSeconds, current, history, now)
    return type === 'Pods' ? start - value : Math.trunc(start * (1 - value / 100))
  })
  return selectPolicy === 'Min'
    ? Math.max(-MAX_INT32 - 1, ...proposals)
    : Math.min(MAX_INT32, ...proposals)
}

const MAX_INT32 = 2_147_483_647

/** Notes that a target was scaled, for the policies of a behavior (storeScaleEvent). */
export function scaled(
  rules: Rules | undefined,
  history: History,
  from: number,
  to: number,
  now: number,
): History {
  if (!rules) return history
  const isUp = to > from
  const { policies = [] } = isUp ? rules.scaleUp : rules.scaleDown
  const longest = Math.max(0, ...policies.map((it) => it.periodSeconds))
  const isOutdated = (it: ScaleEvent): boolean => it.at < now - longest * 1000
  const next: ScaleEvent = { change: Math.abs(to - from), at: now }
  return isUp
    ? { ...history, ups: remember(history.ups, next, isOutdated) }
    : { ...history, downs: remember(history.downs, next, isOutdated) }
}
