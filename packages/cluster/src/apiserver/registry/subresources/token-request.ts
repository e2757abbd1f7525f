import {
  badRequest,
  conflict,
  invalid,
  invalidValue,
  notFound,
  type UnknownObject,
  timeText,
} from 'kubewright/machinery'
import type { TokenIssuer } from '../strategy.ts'
import { numberAt, objectAt, textAt, textsAt, type Fields } from '../fields.ts'

const KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' }
/** How long a token is good that asks for no time: an hour. */
export const DEFAULT_SECONDS = 3600

/** Looks an object up that a token is bound to: a pod or a secret in the account's namespace, or a node (''). */
export type Find = (
  storageKey: string,
  namespace: string,
  name: string,
) => Promise<UnknownObject | undefined>

/** The claims of a token and when it ends; signing is the server's. */
export interface TokenPlan {
  /** Times are in seconds. */
  readonly claims: Fields
  /** The answer, to be completed with the token in its status. */
  readonly answer: UnknownObject
  readonly warnings: readonly string[]
}

/** What a server knows of itself when it issues tokens. `now` is in milliseconds. */
export interface Issuer extends Omit<TokenIssuer, 'sign'> {
  readonly now: number
  /** What tells the token apart. */
  readonly jti: string
  /** As whom the asker writes fields. */
  readonly manager: string
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
  const asked = numberAt(spec, 'expirationSeconds') ?? DEFAULT_SECONDS
  checkSeconds(asked)
  const named = textsAt(spec, 'audiences')
  const audiences = named.length > 0 ? named : issuer.audiences
  const bound = await boundTo(account, spec, find)
  const { maxSeconds } = issuer
  const seconds = maxSeconds > 0 ? Math.min(asked, maxSeconds) : asked
  const extended = isExtended(issuer, seconds, audiences) && 'pod' in bound
  const start = Math.floor(issuer.now / 1000)
  return {
    claims: {
      aud: [...audiences],
      exp: start + (extended ? EXTENDED_SECONDS : seconds),
      iat: start,
      iss: issuer.issuer,
      jti: issuer.jti,
      'kubernetes.io': {
        namespace,
        ...bound,
        serviceaccount: { name, uid },
        ...(extended ? { warnafter: start + seconds } : {}),
      },
      nbf: start,
      sub: `system:serviceaccount:${namespace}:${name}`,
    },
    answer: {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: {
        name,
        namespace,
        uid,
        creationTimestamp: timeText(start * 1000),
        managedFields: [ownership(spec, issuer.manager, timeText(start * 1000))],
      },
      spec: {
        audiences: [...audiences],
        expirationSeconds: seconds,
        boundObjectRef: spec['boundObjectRef'] ?? null,
      },
      status: { token: '', expirationTimestamp: timeText((start + seconds) * 1000) },
    },
    warnings:
      seconds < asked
        ? [`requested expiration of ${asked} seconds shortened to ${seconds} seconds`]
        : [],
  }
}

/** What kubelets ask for, for pods that may not read their token again: it is good for a year then (pkg/serviceaccount/claims.go). */
const WARN_ONLY_SECONDS = 3607
const EXTENDED_SECONDS = 365 * 24 * 3600

const isExtended = (issuer: Issuer, seconds: number, audiences: readonly string[]): boolean =>
  issuer.extendExpiration &&
  seconds === WARN_ONLY_SECONDS &&
  audiences.every((it) => issuer.audiences.includes(it))

/** Who set which fields of the request: it is written like any object, though nothing is kept. */
function ownership(spec: Fields, manager: string, time: string): object {
  const leaves = (value: object): object =>
    Object.fromEntries(Object.keys(value).map((it) => [`f:${it}`, {}]))
  const bound = objectAt(spec, 'boundObjectRef')
  return {
    manager,
    operation: 'Update',
    apiVersion: `${KIND.group}/v1`,
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:spec': {
        ...(textsAt(spec, 'audiences').length > 0 ? { 'f:audiences': {} } : {}),
        ...(bound ? { 'f:boundObjectRef': leaves(bound) } : {}),
        'f:expirationSeconds': {},
      },
    },
    subresource: 'token',
  }
}

function checkNamed(request: UnknownObject, account: UnknownObject): void {
  const { name, namespace } = request.metadata ?? {}
  if (namespace && namespace !== account.metadata.namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    )
  }
  if (name && name !== account.metadata.name) {
    const why = 'must match the service account name if specified'
    throw invalid(KIND, account.metadata.name ?? '', [invalidValue('metadata.name', name, why)])
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
