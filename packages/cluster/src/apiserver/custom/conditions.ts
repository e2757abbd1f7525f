import type { CrdCondition, CrdConditionType, CustomResourceDefinition } from 'kubewright/schema'

/** The condition of that type, if the definition has one. */
export function findCondition(
  crd: CustomResourceDefinition,
  type: CrdConditionType,
): CrdCondition | undefined {
  return crd.status?.conditions?.find((it) => it.type === type)
}

/** Whether the condition of that type is there and true. */
export function isConditionTrue(crd: CustomResourceDefinition, type: CrdConditionType): boolean {
  return findCondition(crd, type)?.status === 'True'
}

/**
 * Conditions with one of them set: in its place, or last where it is new. `now` (an instant as Kubernetes prints it) is when it
 * changed, kept from before where its status is the same.
 */
export function withCondition(
  conditions: readonly CrdCondition[] = [],
  condition: CrdCondition,
  now: string,
): readonly CrdCondition[] {
  const before = conditions.find((it) => it.type === condition.type)
  const lastTransitionTime =
    before?.status === condition.status && before.lastTransitionTime
      ? before.lastTransitionTime
      : now
  const next = { ...condition, lastTransitionTime }
  return before
    ? conditions.map((it) => (it.type === condition.type ? next : it))
    : [...conditions, next]
}
