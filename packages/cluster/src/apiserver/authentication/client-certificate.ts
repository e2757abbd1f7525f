import { createHash, X509Certificate } from 'node:crypto'
import type { ApiRequest, User } from '../http/message.ts'
import { AuthenticationError, type RequestAuthenticator } from './authenticator.ts'
import { chainProblem, type PresentedCertificate } from './verify-chain.ts'

/** Under which extra key a credential tells itself apart in audit logs (apiserver/pkg/authentication/user). */
export const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id'

/** The attribute of a subject that is the user's uid (KEP-5043; apiserver/pkg/authentication/request/x509). */
const UID = '1.3.6.1.4.1.57683.2'

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** The certificates of a PEM bundle. Throws an Error where there is none. */
export function certificatesOf(pem: string): readonly X509Certificate[] {
  const found = pem.match(PEM) ?? []
  if (found.length === 0)
    throw new Error('data does not contain any valid RSA or ECDSA certificates')
  return found.map((it) => new X509Certificate(it))
}

/** The certificate that came with a request; undefined where there was none. */
export const presented = ({ peer }: ApiRequest): PresentedCertificate | undefined =>
  peer.kind === 'socket' ? peer.certificate : undefined

/**
 * Recognises a client certificate that one of `roots` vouches for: its common name and organizations
 * (apiserver/pkg/authentication/request/x509). One that nobody vouches for, or out of its time, is refused.
 */
export function clientCertificates(
  roots: () => readonly X509Certificate[],
  now: () => number,
): RequestAuthenticator {
  const judged = new WeakMap<X509Certificate, Judged>()
  return async (request) => {
    const certificate = presented(request)
    if (!certificate) return undefined
    const known = judged.get(certificate.leaf)
    const fresh = known && now() < known.until && known.roots === roots() ? known : undefined
    const { problem, user } = fresh ?? judge(certificate, roots(), now())
    if (!fresh) judged.set(certificate.leaf, { problem, user, roots: roots(), until: now() + KEPT })
    if (problem !== undefined) throw new AuthenticationError(problem)
    return user && { user, audiences: [] }
  }
}

/** How long a verdict on a connection's certificate stands, in milliseconds: a signature costs a fifth of one. */
const KEPT = 10_000

interface Verdict {
  readonly problem: string | undefined
  readonly user: User | undefined
}

interface Judged extends Verdict {
  readonly roots: readonly X509Certificate[]
  readonly until: number
}

function judge(
  certificate: PresentedCertificate,
  roots: readonly X509Certificate[],
  now: number,
): Verdict {
  const why = chainProblem(certificate, roots, now)
  if (why === undefined) return userOf(certificate.leaf)
  return {
    problem: `verifying certificate SN=${decimalSerial(certificate.leaf)} failed: ${why}`,
    user: undefined,
  }
}

const decimalSerial = ({ serialNumber }: X509Certificate): string =>
  BigInt(`0x${serialNumber}`).toString()

const listOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : [value].flat()

/** The common name of a certificate's subject; the last where there are several, as in Go. */
export const commonName = (certificate: X509Certificate): string =>
  listOf(subjectOf(certificate)['CN']).at(-1) ?? ''

const subjectOf = (certificate: X509Certificate): Readonly<Record<string, string | string[]>> =>
  certificate.toLegacyObject().subject as unknown as Readonly<Record<string, string | string[]>>

function userOf(certificate: X509Certificate): Verdict {
  const subject = subjectOf(certificate)
  const name = commonName(certificate)
  const uids = listOf(subject[UID])
  if (name === '') return { problem: undefined, user: undefined }
  if (uids.length > 1)
    return {
      problem: `expected 1 UID, but found multiple: ${JSON.stringify(uids)}`,
      user: undefined,
    }
  const digest = createHash('sha256').update(certificate.raw).digest('hex')
  return {
    problem: undefined,
    user: {
      name,
      groups: listOf(subject['O']),
      ...(uids[0] === undefined ? {} : { uid: uids[0] }),
      extra: { [CREDENTIAL_ID]: [`X509SHA256=${digest}`] },
    },
  }
}
