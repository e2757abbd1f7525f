import {
  BOOL,
  compile,
  DOUBLE,
  INT,
  listOf,
  mapOf,
  objectOf,
  type Program,
  STRING,
} from 'kubewright/cel'
import type { Clock } from 'kubewright/base'
import type { Attributes, Authorizer, Decision, SelectorDemand } from '../endpoints/authorizer.ts'
import type { Remote } from '../http/remote.ts'
import { NO_OPINION } from './chain.ts'

/** How a webhook is asked who may what (`--authorization-webhook-*`, or an authorizer of an AuthorizationConfiguration). */
export interface WebhookAuthorizerOptions {
  readonly remote: Remote
  /** `v1` or `v1beta1` of the SubjectAccessReview. */
  readonly version: string
  readonly authorizedMilliseconds: number
  readonly unauthorizedMilliseconds: number
  readonly timeoutMilliseconds: number
  /** What it comes to when the webhook cannot be asked. */
  readonly failurePolicy: 'NoOpinion' | 'Deny'
  /** CEL over `request`, the spec of the review: all must hold for it to be asked. */
  readonly matchConditions: readonly string[]
  readonly clock: Clock
}

/** Answers to what is longer are not remembered: whoever asks decides how long it is. */
const LONGEST_REMEMBERED = 10_000
const MOST_REMEMBERED = 8192

interface Status {
  readonly allowed?: boolean
  readonly denied?: boolean
  readonly reason?: string
}

/** Asks a webhook by SubjectAccessReviews (apiserver/plugin/pkg/authorizer/webhook). Throws for a condition that cannot be compiled. */
export function webhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const programs = options.matchConditions.map(programOf)
  const remembered = new Map<string, { readonly status: Status; readonly until: number }>()
  const failed = (error: string): Decision => ({
    allowed: false,
    ...(options.failurePolicy === 'Deny' ? { denied: true } : {}),
    reason: '',
    error,
  })
  return async (attributes) => {
    const spec = specOf(attributes)
    const match = matches(programs, spec)
    if (match === false) return NO_OPINION
    if (typeof match === 'string') return failed(match)
    const key = JSON.stringify(spec)
    const now = options.clock.now()
    const known = remembered.get(key)
    try {
      const status = known && known.until > now ? known.status : await ask(options, spec)
      if (!known || known.until <= now) {
        if (remembered.size >= MOST_REMEMBERED) remembered.clear()
        const { authorizedMilliseconds, unauthorizedMilliseconds } = options
        const life = status.allowed ? authorizedMilliseconds : unauthorizedMilliseconds
        if (key.length < LONGEST_REMEMBERED) remembered.set(key, { status, until: now + life })
      }
      return decisionOf(status)
    } catch (error) {
      return failed((error as Error).message)
    }
  }
}

function decisionOf({ allowed = false, denied = false, reason = '' }: Status): Decision {
  if (allowed && denied) {
    const error = 'webhook subject access review returned both allow and deny response'
    return { allowed: false, denied, reason, error }
  }
  return { allowed, ...(denied ? { denied } : {}), reason }
}

const FIELD_OPERATORS: Readonly<Record<string, string>> = { '=': 'In', '!=': 'NotIn' }
const LABEL_OPERATORS: Readonly<Record<string, string>> = {
  '=': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
}

function selectorOf(
  demands: readonly SelectorDemand[] | undefined,
  operators: Readonly<Record<string, string>>,
): object | undefined {
  const requirements = (demands ?? []).flatMap(({ key, operator, values }) => {
    const written = operators[operator]
    if (written === undefined) return []
    return [{ key, operator: written, ...(values.length > 0 ? { values } : {}) }]
  })
  return requirements.length > 0 ? { requirements } : undefined
}

/** The spec of the SubjectAccessReview that asks for something; what is empty is left out, as Go does. */
export function specOf(attributes: Attributes): Readonly<Record<string, unknown>> {
  const { name, groups, uid, extra } = attributes.user
  const what =
    attributes.kind === 'path'
      ? { nonResourceAttributes: present({ path: attributes.path, verb: attributes.verb }) }
      : { resourceAttributes: resourceOf(attributes) }
  const hasExtra = extra && Object.keys(extra).length > 0
  return {
    ...what,
    ...present({ user: name }),
    ...(groups.length > 0 ? { groups } : {}),
    ...(hasExtra ? { extra } : {}),
    ...(uid ? { uid } : {}),
  }
}

const present = (fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(fields).filter(([, it]) => it !== ''))

function resourceOf(it: Extract<Attributes, { readonly kind: 'resource' }>): object {
  const { namespace, verb, group, version, resource, subresource, name } = it
  const fieldSelector = selectorOf(it.fieldSelector, FIELD_OPERATORS)
  const labelSelector = selectorOf(it.labelSelector, LABEL_OPERATORS)
  return {
    ...present({ namespace, verb, group, version, resource, subresource, name }),
    ...(fieldSelector ? { fieldSelector } : {}),
    ...(labelSelector ? { labelSelector } : {}),
  }
}

async function ask(
  { remote, version, timeoutMilliseconds }: WebhookAuthorizerOptions,
  spec: object,
): Promise<Status> {
  const written = version === 'v1' ? spec : asBeta(spec as Readonly<Record<string, unknown>>)
  const review = {
    kind: 'SubjectAccessReview',
    apiVersion: `authorization.k8s.io/${version}`,
    metadata: {},
    spec: written,
    status: { allowed: false },
  }
  const { status, body, text } = await remote.post(review, timeoutMilliseconds)
  if (status < 200 || status > 201)
    throw new Error(
      `the server responded with the status code ${status} but did not return more information: ${text.slice(0, 200)}`,
    )
  return (body as { status?: Status } | undefined)?.status ?? {}
}

/** The first version wrote `group` where the next has `groups`. */
function asBeta({ groups, ...spec }: Readonly<Record<string, unknown>>): object {
  return groups === undefined ? spec : { ...spec, group: groups }
}

const TEXTS = listOf(STRING)
const REQUIREMENTS = objectOf('kubernetes.SelectorAttributes', {
  rawSelector: STRING,
  requirements: listOf(
    objectOf('kubernetes.SelectorRequirement', { key: STRING, operator: STRING, values: TEXTS }),
  ),
})

/** What conditions may look at (apiserver/pkg/authorization/cel buildRequestType). */
const REQUEST = objectOf('kubernetes.SubjectAccessReviewSpec', {
  resourceAttributes: objectOf('kubernetes.ResourceAttributes', {
    namespace: STRING,
    verb: STRING,
    group: STRING,
    version: STRING,
    resource: STRING,
    subresource: STRING,
    name: STRING,
    fieldSelector: REQUIREMENTS,
    labelSelector: REQUIREMENTS,
  }),
  nonResourceAttributes: objectOf('kubernetes.NonResourceAttributes', {
    path: STRING,
    verb: STRING,
  }),
  user: STRING,
  groups: TEXTS,
  extra: mapOf(STRING, TEXTS),
  uid: STRING,
})

/** Compiles a condition; a text is what is wrong with it. */
export function compileCondition(expression: string): Program | string {
  const result = compile(expression, { variables: { request: REQUEST }, expect: BOOL })
  if (result.ok) return result.program
  return result.text.startsWith('must evaluate')
    ? `${result.text} but got ${typeOf(expression)}`
    : `compilation failed: ${result.text}`
}

/** Of which type an expression is that is no condition. */
function typeOf(expression: string): string {
  const types = { string: STRING, int: INT, double: DOUBLE, 'list(string)': TEXTS } as const
  const found = Object.entries(types).find(
    ([, it]) => compile(expression, { variables: { request: REQUEST }, expect: it }).ok,
  )
  return found?.[0] ?? 'dyn'
}

function programOf(expression: string): Program {
  const program = compileCondition(expression)
  if (typeof program === 'string') throw new Error(`${JSON.stringify(expression)}: ${program}`)
  return program
}

/** Whether all conditions hold: one that does not decides; else a text tells what went wrong. */
function matches(programs: readonly Program[], spec: object): boolean | string {
  const errors: string[] = []
  for (const program of programs) {
    const result = program.evaluate({ request: spec })
    if (!result.ok) errors.push(`cel evaluation error: ${result.error.message}`)
    else if (result.value === false) return false
  }
  if (errors.length === 0) return true
  return errors.length === 1 ? errors[0]! : `[${errors.join(', ')}]`
}
