import { findCondition } from 'kubewright/machinery'

/** What all conditions of the built-in kinds share. */
export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string | null
}

/** The conditions without those of a type, in order. */
export function withoutCondition<C extends Condition>(
  conditions: readonly C[] | undefined,
  type: string,
): readonly C[] {
  return conditions?.filter((it) => it.type !== type) ?? []
}

/**
 * The conditions with `next` in the place of its type's, at the end. An equal status and reason change nothing at all, an equal
 * status keeps the old lastTransitionTime (kubernetes/pkg/controller/deployment/util SetDeploymentCondition).
 */
export function withCondition<C extends Condition>(
  conditions: readonly C[] | undefined,
  next: C,
): readonly C[] {
  const current = findCondition(conditions, next.type)
  if (current && current.status === next.status && current.reason === next.reason) {
    return conditions ?? []
  }
  const kept =
    current && current.status === next.status && current.lastTransitionTime !== undefined
      ? { ...next, lastTransitionTime: current.lastTransitionTime }
      : next
  return [...withoutCondition(conditions, next.type), kept]
}
