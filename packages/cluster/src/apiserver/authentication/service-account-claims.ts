import type { UnknownObject } from 'kubewright/machinery'
import type { User } from '../http/message.ts'
import { AuthenticationError, type Remarks } from './authenticator.ts'
import { CREDENTIAL_ID } from './client-certificate.ts'

/** The claims of a token that lives and dies with objects (kubernetes/pkg/serviceaccount/claims.go). Times in seconds. */
export interface BoundClaims {
  readonly sub?: string
  readonly jti?: string
  readonly exp?: number
  readonly nbf?: number
  readonly iat?: number
  readonly 'kubernetes.io'?: {
    readonly namespace?: string
    readonly serviceaccount?: Named
    readonly pod?: Named
    readonly secret?: Named
    readonly node?: Named
    readonly warnafter?: number
  }
}

interface Named {
  readonly name?: string
  readonly uid?: string
}

/** Reads a stored object by its storage key. */
export type FindObject = (
  storageKey: string,
  namespace: string,
  name: string,
) => Promise<UnknownObject | undefined>

/** How far clocks may differ, in seconds (go-jose DefaultLeeway). */
const LEEWAY = 60

const refuse = (message: string): never => {
  throw new AuthenticationError(message)
}

/** Judges the times of a token; `now` in seconds. Throws an {@link AuthenticationError}. */
export function checkTimes({ exp, nbf, iat }: BoundClaims, now: number): void {
  if (nbf !== undefined && now + LEEWAY < nbf) refuse('service account token is not valid yet')
  if (exp !== undefined && now - LEEWAY > exp) refuse('service account token has expired')
  if (iat !== undefined && now + LEEWAY < iat)
    refuse('service account token is issued in the future')
}

/** Whether an object has been marked for deletion for longer than clocks may differ. */
function isGone(object: UnknownObject, now: number): boolean {
  const { deletionTimestamp } = object.metadata
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) / 1000 < now - LEEWAY
}

const BOUND = [
  ['secret', '/secrets', 'secret UID (%) does not match service account secret ref claim (%)'],
  ['pod', '/pods', 'pod UID (%) does not match service account pod ref claim (%)'],
  ['node', '/nodes', 'node UID (%) does not match service account node ref claim (%)'],
] as const

/**
 * The user of a bound token whose signature is good: its account, and what it is bound to, must be there under the same uid. Throws an
 * {@link AuthenticationError}. `now` in seconds.
 */
export async function boundUser(
  claims: BoundClaims,
  find: FindObject,
  now: number,
  remarks: Remarks,
): Promise<User> {
  checkTimes(claims, now)
  const own = claims['kubernetes.io'] ?? {}
  const { namespace = '', serviceaccount = {}, pod, node } = own
  await checkAccount(namespace, serviceaccount, find, now)
  for (const [field, storageKey, words] of BOUND) {
    const ref = own[field]
    // The node of a pod's token is only told.
    if (!ref || (field === 'node' && pod)) continue
    const found = await find(storageKey, field === 'node' ? '' : namespace, ref.name ?? '')
    if (!found) throw new AuthenticationError('service account token has been invalidated')
    const { uid = '' } = found.metadata
    if (uid !== ref.uid) refuse(words.replace('%', uid).replace('%', ref.uid ?? ''))
    if (isGone(found, now)) refuse('service account token has been invalidated')
  }
  noteStale(claims, now, remarks)
  const extra = {
    ...(claims.jti ? { [CREDENTIAL_ID]: [`JTI=${claims.jti}`] } : {}),
    ...told('node', node),
    ...told('pod', pod),
  }
  return {
    name: `system:serviceaccount:${namespace}:${serviceaccount.name ?? ''}`,
    uid: serviceaccount.uid ?? '',
    groups: accountGroups(namespace),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  }
}

/** The groups of every service account of a namespace. */
export const accountGroups = (namespace: string): readonly string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
]

async function checkAccount(
  namespace: string,
  { name = '', uid = '' }: Named,
  find: FindObject,
  now: number,
): Promise<void> {
  const account = await find('/serviceaccounts', namespace, name)
  if (!account) throw new AuthenticationError(`serviceaccounts ${JSON.stringify(name)} not found`)
  if (account.metadata.uid !== uid)
    refuse(`service account UID (${account.metadata.uid}) does not match claim (${uid})`)
  if (isGone(account, now)) refuse(`service account ${namespace}/${name} has been deleted`)
}

/** What of an object goes into the extra fields of a user. */
function told(kind: 'pod' | 'node', ref: Named | undefined): Record<string, readonly string[]> {
  if (!ref?.name) return {}
  return {
    [`authentication.kubernetes.io/${kind}-name`]: [ref.name],
    ...(ref.uid ? { [`authentication.kubernetes.io/${kind}-uid`]: [ref.uid] } : {}),
  }
}

/** A token whose life was made longer than asked for is noted when it outlives what was asked. */
function noteStale(claims: BoundClaims, now: number, remarks: Remarks): void {
  const warnAfter = claims['kubernetes.io']?.warnafter
  if (!warnAfter || now <= warnAfter) return
  const seconds = Math.floor(now) - Math.floor(warnAfter)
  remarks.annotate(
    'authentication.k8s.io/stale-token',
    `subject: ${claims.sub ?? ''}, seconds after warning threshold: ${seconds}`,
  )
}
