import type { CertificateSigningRequest } from 'kubewright/kinds/certificates.k8s.io/v1'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** How long a certificate is good at most (kube-controller-manager --cluster-signing-duration), in milliseconds. */
export const SIGNING_DURATION: number = 365 * 24 * HOUR

const BACKDATE = 5 * MINUTE
const SHORTEST = 10 * MINUTE
const SHORT = 8 * HOUR

/** From when to when a certificate is good, in milliseconds since the epoch (PermissiveSigningPolicy). */
export function validity(
  now: number,
  expirationSeconds: number | undefined,
  authorityEnds: number,
): { readonly from: number; readonly until: number } {
  const asked = expirationSeconds === undefined ? SIGNING_DURATION : expirationSeconds * 1000
  const lasts = Math.max(Math.min(asked, SIGNING_DURATION), SHORTEST)
  // A short life is not made shorter by what it is backdated.
  const until = now + lasts - (lasts < SHORT ? 0 : BACKDATE)
  return { from: now - BACKDATE, until: Math.min(until, authorityEnds) }
}

const PENDING = 24 * HOUR
const DECIDED = HOUR

/**
 * Milliseconds until a request has served its time (certificates/cleaner): an hour after it was denied, failed or issued, a day
 * without a decision or without a certificate, or when its certificate ends. Not positive when that is past.
 */
export function untilCleaned(
  request: CertificateSigningRequest,
  certificateEnds: number | undefined,
  now: number,
): number {
  const { conditions = [], certificate } = request.status ?? {}
  const created = Date.parse(request.metadata.creationTimestamp ?? '')
  if (conditions.length === 0) return created + PENDING - now
  const ends = conditions.flatMap(({ type, lastUpdateTime }) => {
    const since = Date.parse(lastUpdateTime ?? '')
    if (Number.isNaN(since)) return []
    if (type === 'Denied' || type === 'Failed') return [since + DECIDED]
    if (type !== 'Approved') return []
    if (!certificate) return [since + PENDING]
    return [since + DECIDED, certificateEnds ?? Infinity]
  })
  return Math.min(...ends, Infinity) - now
}
