import { badRequest, type FieldError, invalid, invalidValue } from 'kubewright/machinery'
import type { Answer, User } from '../http/message.ts'
import type { Draft } from '../registry/strategy.ts'
import { jsonAnswer, outputOf, TRANSFORMS } from './answers.ts'
import type { Attributes } from './authorizer.ts'
import { type Call, contextOf } from './call.ts'
import { bodyBytes, bodyType, decodeObject } from './decode.ts'
import { fillSystemFields } from './system-fields.ts'
import { writeOptions } from './write-options.ts'

/** POST of a kind that is answered and never stored: what it asks is put into its status. */
export async function review(call: Call): Promise<Answer> {
  const { exchange, served, parts } = call
  const output = outputOf(exchange, TRANSFORMS.none)
  const mediaType = bodyType(call)
  const bytes = await bodyBytes(exchange.request)
  const options = writeOptions(exchange.request.query, 'CreateOptions')
  const level = options.fieldValidation
  const draft = decodeObject(bytes, mediaType, served.body, level, false, exchange.warnings)
  const own = served.strategy.review
  if (own) {
    const answer = await own(draft, contextOf(call, options.dryRun))
    return jsonAnswer(201, output, JSON.stringify(answer))
  }
  const answer = await REVIEWS[served.info.plural]!(call, draft)
  if (served.info.plural === 'selfsubjectreviews') {
    fillSystemFields(answer.metadata, parts.clock, parts.random)
    delete answer.metadata.uid
  }
  return jsonAnswer(201, output, JSON.stringify(answer))
}

type Reviewer = (call: Call, draft: Draft) => Promise<Draft> | Draft

const REVIEWS: Readonly<Record<string, Reviewer>> = {
  tokenreviews: tokenReview,
  selfsubjectreviews: ({ exchange }, draft) => ({
    ...draft,
    status: { userInfo: userInfo(exchange.user) },
  }),
  selfsubjectaccessreviews: (call, draft) =>
    accessReview(call, draft, () => call.exchange.user, 'spec.resourceAttributes'),
  subjectaccessreviews: subjectReview,
  localsubjectaccessreviews: localReview,
  selfsubjectrulesreviews: rulesReview,
}

const userInfo = ({ name, uid, groups, extra }: User): object => ({
  username: name,
  ...(uid ? { uid } : {}),
  groups,
  ...(extra ? { extra } : {}),
})

async function tokenReview(call: Call, draft: Draft): Promise<Draft> {
  const spec = (draft['spec'] ?? {}) as { token?: string; audiences?: readonly string[] }
  if (!spec.token) {
    throw badRequest('token is required for TokenReview in authentication')
  }
  const found = await call.parts.authenticateToken(spec.token, spec.audiences ?? [])
  const status = found
    ? { authenticated: true, user: userInfo(found.user), audiences: found.audiences }
    : { user: {}, error: 'invalid bearer token' }
  return { ...draft, status }
}

interface AccessSpec {
  readonly user?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
  readonly resourceAttributes?: Readonly<Record<string, string>>
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
}

const specOf = (draft: Draft): AccessSpec => (draft['spec'] ?? {}) as AccessSpec

function subjectReview(call: Call, draft: Draft): Promise<Draft> {
  return accessReview(call, draft, subjectOf, 'spec.resourceAttributes', subjectErrors(draft))
}

async function localReview(call: Call, draft: Draft): Promise<Draft> {
  const errors = [...subjectErrors(draft)]
  const { resourceAttributes, nonResourceAttributes } = specOf(draft)
  if (resourceAttributes && (resourceAttributes['namespace'] ?? '') !== call.namespace) {
    const given = resourceAttributes['namespace'] ?? ''
    errors.push(
      invalidValue('spec.resourceAttributes.namespace', given, 'must match metadata.namespace'),
    )
  }
  if (nonResourceAttributes) {
    errors.push(
      invalidValue(
        'spec.nonResourceAttributes',
        nonResourceAttributes,
        'disallowed on this kind of request',
      ),
    )
  }
  draft.metadata.namespace = call.namespace
  return accessReview(call, draft, subjectOf, 'spec.resourceAttributes', errors)
}

function subjectErrors(draft: Draft): readonly FieldError[] {
  const { user = '', groups = [] } = specOf(draft)
  return user === '' && groups.length === 0
    ? [invalidValue('spec.user', user, 'at least one of user or group must be specified')]
    : []
}

const subjectOf = (spec: AccessSpec): User => ({
  name: spec.user ?? '',
  groups: spec.groups ?? [],
  ...(spec.uid ? { uid: spec.uid } : {}),
  ...(spec.extra ? { extra: spec.extra } : {}),
})

async function accessReview(
  call: Call,
  draft: Draft,
  userOf: (spec: AccessSpec) => User,
  field: string,
  more: readonly FieldError[] = [],
): Promise<Draft> {
  const spec = specOf(draft)
  const errors = [...attributeErrors(spec, field), ...more]
  const { group, kind } = call.served.info
  if (errors.length > 0) throw invalid({ group, kind }, draft.metadata.name ?? '', errors)
  const decision = await call.parts.authorizer(attributesOf(spec, userOf(spec)))
  const reason = decision.reason ? { reason: decision.reason } : {}
  return { ...draft, status: { allowed: decision.allowed, ...reason } }
}

function attributeErrors(spec: AccessSpec, field: string): readonly FieldError[] {
  const both = spec.resourceAttributes && spec.nonResourceAttributes
  const none = !spec.resourceAttributes && !spec.nonResourceAttributes
  if (both) {
    const detail = 'cannot be specified in combination with resourceAttributes'
    return [invalidValue('spec.nonResourceAttributes', spec.nonResourceAttributes, detail)]
  }
  return none
    ? [
        invalidValue(
          field,
          spec.resourceAttributes,
          'exactly one of nonResourceAttributes or resourceAttributes must be specified',
        ),
      ]
    : []
}

function attributesOf(spec: AccessSpec, user: User): Attributes {
  const { nonResourceAttributes: path, resourceAttributes: it = {} } = spec
  if (path) return { kind: 'path', user, verb: path.verb ?? '', path: path.path ?? '' }
  return {
    kind: 'resource',
    user,
    verb: it['verb'] ?? '',
    group: it['group'] ?? '',
    version: it['version'] ?? '',
    resource: it['resource'] ?? '',
    subresource: it['subresource'] ?? '',
    namespace: it['namespace'] ?? '',
    name: it['name'] ?? '',
  }
}

async function rulesReview(call: Call, draft: Draft): Promise<Draft> {
  const { namespace = '' } = (draft['spec'] ?? {}) as { namespace?: string }
  if (namespace === '') throw badRequest('no namespace on request')
  const rules = await call.parts.rulesOf(call.exchange.user, namespace)
  return { ...draft, status: { ...rules, incomplete: false } }
}
