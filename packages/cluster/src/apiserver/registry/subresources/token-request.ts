import {
  badRequest,
  conflict,
  invalid,
  invalidValue,
  notFound,
  type UnknownObject,
  timeText,
} from 'kubewright/machinery'
import { numberAt, objectAt, textAt, textsAt, type Fields } from '../fields.ts'

const KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' }
/** An hour. */
const DEFAULT_SECONDS = 3600

/** Looks an object up that a token is bound to: a pod or a secret in the account's namespace, or a node (''). */
export type Find = (
  storageKey: string,
  namespace: string,
  name: string,
) => Promise<UnknownObject | undefined>

/** The claims of a token and when it ends; signing is the server's. */
export interface TokenPlan {
  /** Without `jti`, which the signer makes. Times are in seconds. */
  readonly claims: Fields
  /** The answer, to be completed with the token in its status. */
  readonly answer: UnknownObject
}

/** What a server knows of itself when it issues tokens. `now` is in milliseconds. */
export interface Issuer {
  readonly issuer: string
  readonly audiences: readonly string[]
  readonly now: number
}

/**
 * Works out the token that a TokenRequest asks for (kubernetes/pkg/registry/core/serviceaccount/storage/token.go). Throws an
 * Invalid, Conflict, NotFound or BadRequest ApiError.
 */
export async function planToken(
  account: UnknownObject,
  request: UnknownObject,
  issuer: Issuer,
  find: Find,
): Promise<TokenPlan> {
  const { name = '', namespace = '', uid = '' } = account.metadata
  checkNamed(request, account)
  const spec = objectAt(request, 'spec') ?? {}
  const seconds = numberAt(spec, 'expirationSeconds') ?? DEFAULT_SECONDS
  checkSeconds(seconds)
  const asked = textsAt(spec, 'audiences')
  const audiences = asked.length > 0 ? asked : issuer.audiences
  const bound = await boundTo(account, spec, find)
  const start = Math.floor(issuer.now / 1000)
  return {
    claims: {
      aud: [...audiences],
      exp: start + seconds,
      iat: start,
      iss: issuer.issuer,
      'kubernetes.io': { namespace, ...bound, serviceaccount: { name, uid } },
      nbf: start,
      sub: `system:serviceaccount:${namespace}:${name}`,
    },
    answer: {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name, namespace, uid, creationTimestamp: timeText(start * 1000) },
      spec: {
        audiences: [...audiences],
        expirationSeconds: seconds,
        boundObjectRef: spec['boundObjectRef'] ?? null,
      },
      status: { token: '', expirationTimestamp: timeText((start + seconds) * 1000) },
    },
  }
}

function checkNamed(request: UnknownObject, account: UnknownObject): void {
  for (const field of ['name', 'namespace'] as const) {
    const given = request.metadata?.[field]
    if (!given || given === account.metadata[field]) continue
    const why = `must match the service account ${field} if specified`
    throw invalid(KIND, account.metadata.name ?? '', [
      invalidValue(`metadata.${field}`, given, why),
    ])
  }
  const { uid } = request.metadata ?? {}
  if (!uid || uid === account.metadata.uid) return
  throw conflict(
    { group: KIND.group, plural: KIND.kind },
    account.metadata.name ?? '',
    `the UID in the token request (${uid}) does not match the UID of the service account (${account.metadata.uid})`,
  )
}

function checkSeconds(seconds: number): void {
  const why =
    seconds < 600
      ? 'may not specify a duration less than 10 minutes'
      : seconds > 2 ** 32
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined
  if (why) throw invalid(KIND, '', [invalidValue('spec.expirationSeconds', seconds, why)])
}

const BOUND: Readonly<Record<string, string>> = { Pod: 'pods', Node: 'nodes', Secret: 'secrets' }

/** The part of the claims about the object that the token lives and dies with. */
async function boundTo(account: UnknownObject, spec: Fields, find: Find): Promise<Fields> {
  const ref = objectAt(spec, 'boundObjectRef')
  if (ref === undefined) return {}
  const kind = textAt(ref, 'kind')
  const plural = textAt(ref, 'apiVersion') === 'v1' ? BOUND[kind] : undefined
  if (plural === undefined) {
    const [version = '', group = ''] = textAt(ref, 'apiVersion').split('/').toReversed()
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`)
  }
  const { name: owner = '', namespace = '' } = account.metadata
  const name = textAt(ref, 'name')
  const found = await find(`/${plural}`, kind === 'Node' ? '' : namespace, name)
  if (found === undefined) throw notFound({ group: '', plural }, name)
  const podSpec = objectAt(found, 'spec')
  if (kind === 'Pod' && textAt(podSpec, 'serviceAccountName') !== owner) {
    throw badRequest(
      `cannot bind token for serviceaccount "${owner}" to pod running with different serviceaccount name.`,
    )
  }
  const uid = textAt(ref, 'uid')
  if (uid !== '' && uid !== found.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
    throw conflict({ group: '', plural: kind }, name, why)
  }
  const claim = { [kind.toLowerCase()]: { name, uid: found.metadata.uid } }
  const node = kind === 'Pod' ? textAt(podSpec, 'nodeName') : ''
  if (node === '') return claim
  const { uid: nodeUid } = (await find('/nodes', '', node))?.metadata ?? {}
  return { ...claim, node: nodeUid ? { name: node, uid: nodeUid } : { name: node } }
}
