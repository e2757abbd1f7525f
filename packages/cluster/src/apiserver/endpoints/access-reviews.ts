import { type FieldError, invalid, invalidValue } from 'kubewright/machinery'
import {
  fieldDemands,
  labelDemands,
  type WrittenRequirement,
  writtenDemands,
} from '../authorization/selector-demands.ts'
import type { User } from '../http/message.ts'
import { selectorErrors, selectorRemark } from '../registry/cluster/access-review-validation.ts'
import type { Readable } from '../registry/fields.ts'
import type { Draft } from '../registry/strategy.ts'
import type { Attributes, SelectorDemand } from './authorizer.ts'
import type { Call } from './call.ts'

type AccessReviewer = (call: Call, draft: Draft) => Promise<Draft>

interface SelectorSpec {
  readonly rawSelector?: string
  readonly requirements?: readonly WrittenRequirement[]
}

interface ResourceSpec {
  readonly verb?: string
  readonly group?: string
  readonly version?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  readonly fieldSelector?: SelectorSpec
  readonly labelSelector?: SelectorSpec
}

interface AccessSpec {
  readonly user?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
  readonly resourceAttributes?: ResourceSpec
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
}

const specOf = (draft: Draft): AccessSpec => (draft['spec'] ?? {}) as AccessSpec

const subjectReview: AccessReviewer = (call, draft) =>
  accessReview(call, draft, subjectOf, [
    ...subjectErrors(draft),
    ...nameless(draft, 'must be empty'),
  ])

const localReview: AccessReviewer = (call, draft) => {
  const { resourceAttributes, nonResourceAttributes } = specOf(draft)
  const given = resourceAttributes?.namespace ?? ''
  const { namespace: _, ...others } = draft.metadata
  const errors = [
    ...subjectErrors(draft),
    ...nameless({ ...draft, metadata: others } as Draft, 'must be empty except for namespace'),
  ]
  if (resourceAttributes && given !== call.namespace) {
    const field = 'spec.resourceAttributes.namespace'
    errors.push(invalidValue(field, given, 'must match metadata.namespace'))
  }
  if (nonResourceAttributes) {
    const why = 'disallowed on this kind of request'
    errors.push(invalidValue('spec.nonResourceAttributes', goForm(nonResourceAttributes), why))
  }
  draft.metadata.namespace = call.namespace
  return accessReview(call, draft, subjectOf, errors)
}

const selfReview: AccessReviewer = (call, draft) =>
  accessReview(call, draft, () => call.exchange.user, nameless(draft, 'must be empty'))

function subjectErrors(draft: Draft): readonly FieldError[] {
  const { user = '', groups = [] } = specOf(draft)
  return user === '' && groups.length === 0
    ? [invalidValue('spec.user', user, 'at least one of user or group must be specified')]
    : []
}

/** A review has no metadata. */
function nameless({ metadata }: Draft, why: string): readonly FieldError[] {
  const { managedFields: _, ...others } = metadata
  const isEmpty = Object.values(others).every((it) => it === undefined || it === '')
  return isEmpty ? [] : [invalidValue('metadata', metadata, why)]
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
  more: readonly FieldError[],
): Promise<Draft> {
  const spec = specOf(draft)
  const attributesSpec = spec.resourceAttributes as Readable | undefined
  const errors = [...attributeErrors(spec), ...more, ...selectorErrors(attributesSpec)]
  // Go forgot the kind, and so does every answer.
  if (errors.length > 0) throw invalid({ group: call.served.info.group, kind: '' }, '', errors)
  const attributes = attributesOf(spec, userOf(spec))
  const { allowed, denied, reason, error } = await call.parts.authorizer(attributes)
  const remarks = [error, selectorRemark(attributesSpec)].filter((it) => it !== undefined)
  const evaluationError = remarks.join('; ')
  const status = {
    allowed,
    ...(denied ? { denied } : {}),
    ...(reason ? { reason } : {}),
    ...(evaluationError ? { evaluationError } : {}),
  }
  return { ...draft, status }
}

/** Attributes of a path as Go shows them, for want of names in JSON. */
const goForm = (it: NonNullable<AccessSpec['nonResourceAttributes']>): object => ({
  Path: it.path ?? '',
  Verb: it.verb ?? '',
})

function attributeErrors({
  resourceAttributes,
  nonResourceAttributes,
}: AccessSpec): readonly FieldError[] {
  if (resourceAttributes && nonResourceAttributes) {
    const why = 'cannot be specified in combination with resourceAttributes'
    return [invalidValue('spec.nonResourceAttributes', goForm(nonResourceAttributes), why)]
  }
  if (resourceAttributes || nonResourceAttributes) return []
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
  return [invalidValue('spec.resourceAttributes', null, why)]
}

function attributesOf(spec: AccessSpec, user: User): Attributes {
  const { nonResourceAttributes: path, resourceAttributes: it = {} } = spec
  if (path) return { kind: 'path', user, verb: path.verb ?? '', path: path.path ?? '' }
  const fields = demandsOf(it.fieldSelector, 'field')
  const labels = demandsOf(it.labelSelector, 'label')
  return {
    kind: 'resource',
    user,
    verb: it.verb ?? '',
    group: it.group ?? '',
    version: it.version || '*',
    resource: it.resource ?? '',
    subresource: it.subresource ?? '',
    namespace: it.namespace ?? '',
    name: it.name ?? '',
    ...(fields.length > 0 ? { fieldSelector: fields } : {}),
    ...(labels.length > 0 ? { labelSelector: labels } : {}),
  }
}

function demandsOf(
  selector: SelectorSpec | undefined,
  kind: 'field' | 'label',
): readonly SelectorDemand[] {
  const { rawSelector = '', requirements = [] } = selector ?? {}
  if (requirements.length > 0) return writtenDemands(requirements, kind)
  return kind === 'field' ? fieldDemands(rawSelector) : labelDemands(rawSelector)
}

/** The three reviews that ask whether somebody may do something (kubernetes/pkg/registry/authorization), by their plurals. */
export const ACCESS_REVIEWS: Readonly<Record<string, AccessReviewer>> = {
  subjectaccessreviews: subjectReview,
  localsubjectaccessreviews: localReview,
  selfsubjectaccessreviews: selfReview,
}
