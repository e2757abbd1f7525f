import type { Authorizer, Decision } from '../endpoints/authorizer.ts'

/** Whoever is in it may do everything, whatever roles there are. */
export const MASTERS = 'system:masters'

/** No opinion: the next is asked. */
export const NO_OPINION: Decision = Object.freeze({ allowed: false, reason: '' })

/** Whoever is of the masters may do everything, before anybody is asked (authorizerfactory NewPrivilegedGroups). */
export const allowMasters: Authorizer = ({ user }) =>
  user.groups.includes(MASTERS) ? { allowed: true, reason: '' } : NO_OPINION

/** Lets everybody do everything. */
export const alwaysAllow: Authorizer = () => ({ allowed: true, reason: '' })

/** Lets nobody do anything. */
export const alwaysDeny: Authorizer = () => ({
  allowed: false,
  reason: 'Everything is forbidden.',
})

/**
 * Asks one after the other until one allows or denies (apiserver/pkg/authorization/union); else all their reasons and errors are told
 * together.
 */
export const chainOf =
  (authorizers: readonly Authorizer[]): Authorizer =>
  async (attributes) => {
    const reasons: string[] = []
    const errors: string[] = []
    for (const authorize of authorizers) {
      const decision = await authorize(attributes)
      if (decision.allowed || decision.denied) return decision
      if (decision.reason !== '') reasons.push(decision.reason)
      if (decision.error !== undefined) errors.push(decision.error)
    }
    return {
      allowed: false,
      reason: reasons.join('\n'),
      ...(errors.length > 0 ? { error: aggregate(errors) } : {}),
    }
  }

/** Several errors as one, each once. */
export function aggregate(errors: readonly string[]): string {
  const unique = [...new Set(errors)]
  return unique.length === 1 ? unique[0]! : `[${unique.join(', ')}]`
}
