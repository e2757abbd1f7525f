import type { X509Certificate } from 'node:crypto'

/** A client's certificate with what came along to lead to an authority. */
export interface PresentedCertificate {
  readonly leaf: X509Certificate
  readonly intermediates: readonly X509Certificate[]
}

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'
const ANY_USAGE = '2.5.29.37.0'
const DEEPEST = 8

/**
 * What is wrong with a client certificate, in the words of Go's crypto/x509; undefined where one of `roots` vouches for it, it is for
 * clients, and `now` (milliseconds) lies in its time.
 */
export function chainProblem(
  { leaf, intermediates }: PresentedCertificate,
  roots: readonly X509Certificate[],
  now: number,
): string | undefined {
  const early = timeProblem(leaf, now)
  if (early !== undefined) return early
  if (!leadsToRoot(leaf, intermediates, roots, now, DEEPEST))
    return 'x509: certificate signed by unknown authority'
  // Without the extension a certificate is good for anything.
  const usages = leaf.keyUsage as readonly string[] | undefined
  if (usages && !usages.includes(CLIENT_AUTH) && !usages.includes(ANY_USAGE))
    return 'x509: certificate specifies an incompatible key usage'
  return undefined
}

function timeProblem(certificate: X509Certificate, now: number): string | undefined {
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]
  const what = 'x509: certificate has expired or is not yet valid'
  const text = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
  if (now < from) return `${what}: current time ${text(now)} is before ${text(from)}`
  return now > to ? `${what}: current time ${text(now)} is after ${text(to)}` : undefined
}

function leadsToRoot(
  certificate: X509Certificate,
  intermediates: readonly X509Certificate[],
  roots: readonly X509Certificate[],
  now: number,
  depth: number,
): boolean {
  if (depth === 0) return false
  if (roots.some((root) => root.raw.equals(certificate.raw))) return true
  if (roots.some((root) => isIssuedBy(certificate, root, now))) return true
  return intermediates.some(
    (it) =>
      it !== certificate &&
      it.ca &&
      isIssuedBy(certificate, it, now) &&
      leadsToRoot(it, intermediates, roots, now, depth - 1),
  )
}

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate, now: number): boolean =>
  certificate.checkIssued(issuer) &&
  timeProblem(issuer, now) === undefined &&
  certificate.verify(issuer.publicKey)
