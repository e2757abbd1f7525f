import {
  type AdmissionBindings,
  type AdmissionExpression,
  evaluateAdmission,
  MATCH_CONDITION_BUDGET,
} from 'kubewright/cel'
import { joined } from '../refusal.ts'

/** What match conditions come to: all hold, one is false, or nobody can tell and why. */
export type Match = 'yes' | 'no' | { readonly error: string }

/**
 * Whether conditions hold; one that is false decides, whatever the others say; else an error counts, or with a failure policy of
 * Ignore passes for false (admission/plugin/webhook/matchconditions). Throws only what a bound authorizer throws.
 */
export function judgeConditions(
  conditions: readonly AdmissionExpression[],
  variables: ReadonlyMap<string, AdmissionExpression>,
  bindings: AdmissionBindings,
  failurePolicy: string | undefined,
): Match {
  if (conditions.length === 0) return 'yes'
  const unknown = (error: string): Match => (failurePolicy === 'Ignore' ? 'no' : { error })
  const found = evaluateAdmission(conditions, variables, bindings, MATCH_CONDITION_BUDGET)
  if (!found.ok) return unknown(found.error)
  if (found.outcomes.some((it) => it.value === false)) return 'no'
  const errors = found.outcomes.flatMap((it) => it.error ?? [])
  return errors.length === 0 ? 'yes' : unknown(joined(errors))
}
