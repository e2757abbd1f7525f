import type { HorizontalPodAutoscalerCondition } from 'kubewright/kinds/autoscaling/v2'

/** What a condition is to say. */
export interface ConditionChange {
  readonly type: 'AbleToScale' | 'ScalingActive' | 'ScalingLimited'
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

/** The conditions with changes made to them one after the other; the time of each moves on only with its status (setConditionInList). */
export const withConditions = (
  before: readonly HorizontalPodAutoscalerCondition[] | undefined,
  changes: readonly ConditionChange[],
  now: string,
): readonly HorizontalPodAutoscalerCondition[] =>
  changes.reduce<readonly HorizontalPodAutoscalerCondition[]>((all, { type, ...said }) => {
    const at = all.findIndex((it) => it.type === type)
    const old = all[at]
    const lastTransitionTime = old?.status === said.status ? old.lastTransitionTime : now
    const next = {
      type,
      status: said.status,
      ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
      reason: said.reason,
      message: said.message,
    }
    return at < 0 ? [...all, next] : all.with(at, next)
  }, before ?? [])
