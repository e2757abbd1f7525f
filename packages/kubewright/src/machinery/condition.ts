/**
 * One observation of an object's state (meta/v1 Condition). `lastTransitionTime` is when `status` last changed, RFC 3339 in UTC
 * with whole seconds.
 */
export interface Condition {
  readonly type: string
  readonly status: ConditionStatus
  readonly observedGeneration?: number
  readonly lastTransitionTime: string
  readonly reason: string
  readonly message: string
}

/** Whether a condition holds. */
export type ConditionStatus = 'True' | 'False' | 'Unknown'

/** A condition as an author writes it: the rest is filled in from what the object already carries. */
export interface ConditionDraft {
  readonly type: string
  readonly status: ConditionStatus
  readonly reason: string
  /** Default empty. */
  readonly message?: string | undefined
  /** Default: the object's generation. An explicit undefined leaves it out, for kinds whose conditions do not have it. */
  readonly observedGeneration?: number | undefined
  readonly lastTransitionTime?: string | undefined
}

/** Writes a condition: `condition('Ready', true, 'AllReplicasReady', '3 of 3')`. An undefined status means Unknown. */
export function condition(
  type: string,
  holds: boolean | ConditionStatus | undefined,
  reason: string,
  message: string = '',
): ConditionDraft {
  const status =
    typeof holds === 'string' ? holds : holds === undefined ? 'Unknown' : holds ? 'True' : 'False'
  return { type, status, reason, message }
}

/** The condition of a type, if the object has it. */
export function findCondition<C extends { readonly type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((it) => it.type === type)
}

/** Whether the condition of a type is there and True. */
export function isConditionTrue(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === 'True'
}

/** When a draft is completed, and for which generation of the object. */
export interface ConditionContext {
  /** RFC 3339 in UTC with whole seconds. */
  readonly now: string
  readonly generation?: number | undefined
}

/**
 * Completes drafts against the conditions an object carries: `lastTransitionTime` is kept while the status stays, and
 * `observedGeneration` is the object's. Only the drafts' conditions are answered, in their order (meta.SetStatusCondition).
 */
export function completeConditions(
  current: readonly Partial<Condition>[] | undefined,
  drafts: readonly ConditionDraft[],
  context: ConditionContext,
): readonly Condition[] {
  return drafts.map((draft) => {
    const before = current?.find((it) => it.type === draft.type)
    const kept = before?.status === draft.status ? before.lastTransitionTime : undefined
    const generation = 'observedGeneration' in draft ? draft.observedGeneration : context.generation
    return {
      type: draft.type,
      status: draft.status,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      lastTransitionTime: draft.lastTransitionTime ?? kept ?? context.now,
      reason: draft.reason,
      message: draft.message ?? '',
    }
  })
}

/** The conditions of an object with the given ones replaced or added; the others stay. */
export function setConditions(
  current: readonly Condition[] | undefined,
  drafts: readonly ConditionDraft[],
  context: ConditionContext,
): readonly Condition[] {
  const set = completeConditions(current, drafts, context)
  const kept = (current ?? []).map((it) => set.find((one) => one.type === it.type) ?? it)
  return [...kept, ...set.filter((it) => !kept.includes(it))]
}
