import {
  type FieldError,
  forbiddenField,
  invalid,
  parseApiVersion,
  type UnknownObject,
} from 'kubewright/machinery'
import { MASTERS } from '../../authorization/chain.ts'
import type { Authorizer } from '../../endpoints/authorizer.ts'
import type { Catalog } from '../../endpoints/catalog.ts'
import type { User } from '../../http/message.ts'
import { same } from '../../registry/fields.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import type { ParamKind, ParamRef } from './policy.ts'

interface Parts {
  readonly authorizer: Authorizer
  readonly catalog: () => Catalog
}

const GROUP = 'admissionregistration.k8s.io'

/** What a policy or a binding says of parameters. */
interface Spec {
  readonly paramKind?: ParamKind
  readonly paramRef?: ParamRef
  readonly policyName?: string
}

const specOf = (it: object | undefined): Spec => (it as { spec?: Spec } | undefined)?.spec ?? {}

/** What is wrong with what somebody says of parameters; undefined if nothing. */
type Problem = FieldError | undefined

/**
 * Lets nobody have policies read parameters that he may not read himself (kubernetes/pkg/registry/admissionregistration, authz.go). The
 * real server does this in the registry, after validation; here it is the first plugin that validates.
 */
export const paramAccess = (parts: Parts): AdmissionPlugin => ({
  name: 'ParamAccess',
  handles: ({ context: { resource, user }, operation, subresource }) =>
    resource.group === GROUP &&
    (operation === 'CREATE' || operation === 'UPDATE') &&
    subresource === '' &&
    !user.groups.includes(MASTERS),
  validate: async (request) => {
    const problem = (await ofPolicy(parts, request)) ?? (await ofBinding(parts, request))
    if (!problem) return
    const { resource } = request.context
    throw invalid(resource, request.object!.metadata.name ?? '', [problem])
  },
})

async function ofPolicy(
  { authorizer, catalog }: Parts,
  request: AdmissionRequest,
): Promise<Problem> {
  const { paramKind } = specOf(request.object)
  if (!paramKind || same(paramKind, specOf(request.old).paramKind)) return undefined
  const { user } = request.context
  const asked = { ...resourceOf(catalog(), paramKind), verb: 'get', namespace: '*', name: '*' }
  const { allowed } = await authorizer({ kind: 'resource', user, subresource: '', ...asked })
  if (allowed) return undefined
  const { kind, apiVersion } = paramKind
  const what = `(kind=${kind}, apiVersion=${apiVersion})`
  const must = `must have "get" permission on all objects of the referenced paramKind ${what}`
  return forbiddenField('spec.paramKind', `user ${userText(user)} ${must}`)
}

async function ofBinding(parts: Parts, request: AdmissionRequest): Promise<Problem> {
  const { paramRef, policyName = '' } = specOf(request.object)
  if (!paramRef) return undefined
  const { user, resource } = request.context
  const policies = resource.plural.replace(/bindings$/, '').replace(/policy$/, 'policies')
  const policy = await request.context.find(`${GROUP}/${policies}`, '', policyName)
  const { paramKind } = specOf(policy)
  const of = paramKind ? resourceOf(parts.catalog(), paramKind) : ANYTHING
  const verb = paramRef.name ? 'get' : 'list'
  const { name = '', namespace = '' } = paramRef
  const asked = { ...of, verb, namespace, name }
  const { allowed } = await parts.authorizer({ kind: 'resource', user, subresource: '', ...asked })
  if (allowed) return undefined
  const who = userText(user)
  const why = unknownTo(of, policy, policyName)
  if (why !== undefined) {
    const wide = `does not have "${verb}" permission for all groups, versions and resources`
    return refusedRef(`${why} to determine minimum required permissions and user ${who} ${wide}`)
  }
  // That of the mutating ones has its arguments the wrong way round.
  const [first, second] = policies.startsWith('mutating') ? [verb, who] : [who, verb]
  const lacks = `does not have "${second}" permission on the object referenced by paramRef`
  return refusedRef(`user ${first} ${lacks}`)
}

const refusedRef = (why: string): FieldError => forbiddenField('spec.paramRef', why)

interface Resource {
  readonly group: string
  readonly version: string
  readonly resource: string
}

const ANYTHING: Resource = { group: '*', version: '*', resource: '*' }

/** What has to be readable for a kind: everything of its version where nothing of it is served. */
function resourceOf(catalog: Catalog, { apiVersion, kind }: ParamKind): Resource {
  const { group, version } = parseApiVersion(apiVersion)
  for (const { info } of catalog.all()) {
    if (info.kind === kind && info.version === version && info.group === group)
      return { group, version, resource: info.plural }
  }
  return { group, version, resource: '*' }
}

/** Why it was not known what has to be readable, so that it was everything; undefined if it was. */
function unknownTo(
  { resource }: Resource,
  policy: UnknownObject | undefined,
  policyName: string,
): string | undefined {
  if (!policy) return `unable to get policy ${policyName}`
  const { paramKind } = specOf(policy)
  if (!paramKind || resource !== '*') return undefined
  return `unable to resolve paramKind &{${paramKind.apiVersion} ${paramKind.kind}}`
}

/** A user as Go prints it. */
function userText({ name, uid = '', groups, extra = {} }: User): string {
  const more = Object.keys(extra)
    .toSorted()
    .map((key) => `${key}:[${extra[key]!.join(' ')}]`)
  return `&{${name} ${uid} [${groups.join(' ')}] map[${more.join(' ')}]}`
}
