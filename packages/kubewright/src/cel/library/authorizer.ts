/**
 * Kubernetes' authorizer: `authorizer.group('apps').resource('deployments').check('create').allowed()`
 * (pkg/cel/library/authz.go). The checks themselves are the caller's: see {@link Authorizer}.
 */
import type { ObjectType } from '../cel-type.ts'
import { abstractType } from '../cel-type.ts'
import type { Library } from '../declaration.ts'
import { fn, signatures } from '../declaration.ts'
import type { OpaqueValue, Value } from '../value.ts'
import { EvalError } from '../value.ts'

/** The type of the `authorizer` variable. */
export const AUTHORIZER_TYPE: ObjectType = abstractType('kubernetes.authorization.Authorizer')
/** The type of the `authorizer.requestResource` variable. */
export const RESOURCE_CHECK_TYPE: ObjectType = abstractType(
  'kubernetes.authorization.ResourceCheck',
)
const PATH_CHECK = abstractType('kubernetes.authorization.PathCheck')
const GROUP_CHECK = abstractType('kubernetes.authorization.GroupCheck')
const DECISION = abstractType('kubernetes.authorization.Decision')

/** What an expression asks to be decided. */
export interface AccessRequest {
  readonly verb: string
  /** A request for a path that is no resource. */
  readonly path?: string
  /** A request for a resource. Selectors are as written in the expression, unparsed. */
  readonly resource?: {
    readonly group: string
    readonly resource: string
    readonly subresource: string
    readonly namespace: string
    readonly name: string
    readonly fieldSelector: string
    readonly labelSelector: string
  }
  /** The service account to decide for; absent for the user of the request at hand. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
}

/** The answer to an {@link AccessRequest}. */
export interface AccessDecision {
  readonly allowed: boolean
  readonly reason: string
  /** Why no decision could be made. */
  readonly error?: string
}

/** Decides. Called while an expression is evaluated, so it answers at once; must not throw. */
export interface Authorizer {
  authorize(request: AccessRequest): AccessDecision
}

type Subject = AccessRequest['serviceAccount']

/** The state of a chain of calls, each link a value of its own type. */
class Link<State> implements OpaqueValue {
  readonly tag = 'opaque'
  readonly type: ObjectType
  readonly state: State

  constructor(type: ObjectType, state: State) {
    this.type = type
    this.state = state
  }

  equals(other: Value): boolean {
    return other === this
  }

  toString(): string {
    return this.type.name
  }
}

interface Caller {
  readonly authorizer: Authorizer
  readonly subject: Subject
}
type ResourceRequest = NonNullable<AccessRequest['resource']>
interface Check extends Caller {
  readonly request: Omit<AccessRequest, 'verb'>
}

/** The value to bind to a variable of {@link AUTHORIZER_TYPE}. */
export function authorizerValue(authorizer: Authorizer): OpaqueValue {
  return new Link<Caller>(AUTHORIZER_TYPE, { authorizer, subject: undefined })
}

/** The value to bind to a variable of {@link RESOURCE_CHECK_TYPE}: the resource of the request at hand. */
export function resourceCheckValue(
  authorizer: Authorizer,
  resource: Pick<ResourceRequest, 'group' | 'resource' | 'subresource' | 'namespace' | 'name'>,
): OpaqueValue {
  return resourceLink({ authorizer, subject: undefined }, { ...NO_RESOURCE, ...resource })
}

const NO_RESOURCE: ResourceRequest = {
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  fieldSelector: '',
  labelSelector: '',
}

function resourceLink(caller: Caller, resource: ResourceRequest): Link<Check> {
  const { authorizer, subject } = caller
  return new Link<Check>(RESOURCE_CHECK_TYPE, { authorizer, subject, request: { resource } })
}

function path({ state }: Link<Caller>, text: string): Value {
  if (text.trim() === '') return new EvalError('path must not be empty')
  return new Link<Check>(PATH_CHECK, { ...state, request: { path: text } })
}

function serviceAccount({ state }: Link<Caller>, namespace: string, name: string): Value {
  const label = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/
  const isName =
    name.length <= 253 &&
    /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/.test(name)
  if (!isName) return new EvalError('Invalid service account name')
  if (!label.test(namespace)) return new EvalError('Invalid service account namespace')
  return new Link<Caller>(AUTHORIZER_TYPE, { ...state, subject: { namespace, name } })
}

function resource({ state }: Link<Caller & { group: string }>, name: string): Value {
  if (name.trim() === '') return new EvalError('resource must not be empty')
  return resourceLink(state, { ...NO_RESOURCE, group: state.group, resource: name })
}

/** Sets one part of a resource request. */
const part =
  (key: keyof ResourceRequest) =>
  ({ state }: Link<Check>, text: string): Value =>
    resourceLink(state, { ...NO_RESOURCE, ...state.request.resource, [key]: text })

function check({ state }: Link<Check>, verb: string): Value {
  const { authorizer, subject, request } = state
  const asked =
    subject === undefined ? { ...request, verb } : { ...request, verb, serviceAccount: subject }
  return new Link<AccessDecision>(DECISION, authorizer.authorize(asked))
}

const overload = signatures({
  Authorizer: AUTHORIZER_TYPE,
  PathCheck: PATH_CHECK,
  GroupCheck: GROUP_CHECK,
  ResourceCheck: RESOURCE_CHECK_TYPE,
  Decision: DECISION,
})

const resourcePart = (name: keyof ResourceRequest, id: string): ReturnType<typeof fn> =>
  fn(name, overload(id, 'ResourceCheck.(string): ResourceCheck', part(name)))

/** See the file. */
export const AUTHORIZER: Library = {
  name: 'kubernetes.authz',
  functions: [
    fn('path', overload('authorizer_path', 'Authorizer.(string): PathCheck', path)),
    fn(
      'group',
      overload(
        'authorizer_group',
        'Authorizer.(string): GroupCheck',
        ({ state }: Link<Caller>, group: string) => new Link(GROUP_CHECK, { ...state, group }),
      ),
    ),
    fn(
      'serviceAccount',
      overload(
        'authorizer_serviceaccount',
        'Authorizer.(string, string): Authorizer',
        serviceAccount,
      ),
    ),
    fn('resource', overload('groupcheck_resource', 'GroupCheck.(string): ResourceCheck', resource)),
    resourcePart('subresource', 'resourcecheck_subresource'),
    resourcePart('namespace', 'resourcecheck_namespace'),
    resourcePart('name', 'resourcecheck_name'),
    resourcePart('fieldSelector', 'authorizer_fieldselector'),
    resourcePart('labelSelector', 'authorizer_labelselector'),
    fn(
      'check',
      overload('pathcheck_check', 'PathCheck.(string): Decision', check),
      overload('resourcecheck_check', 'ResourceCheck.(string): Decision', check),
    ),
    fn(
      'errored',
      overload(
        'decision_errored',
        'Decision.(): bool',
        ({ state }: Link<AccessDecision>) => state.error !== undefined,
      ),
    ),
    fn(
      'error',
      overload(
        'decision_error',
        'Decision.(): string',
        ({ state }: Link<AccessDecision>) => state.error ?? '',
      ),
    ),
    fn(
      'allowed',
      overload(
        'decision_allowed',
        'Decision.(): bool',
        ({ state }: Link<AccessDecision>) => state.allowed,
      ),
    ),
    fn(
      'reason',
      overload(
        'decision_reason',
        'Decision.(): string',
        ({ state }: Link<AccessDecision>) => state.reason,
      ),
    ),
  ],
}
