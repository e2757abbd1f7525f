import { type ApiError, forbidden } from 'kubewright/machinery'
import { fieldDemands, labelDemands } from '../authorization/selector-demands.ts'
import type { Attributes, Authorizer, Decision } from '../endpoints/authorizer.ts'
import { type Exchange, type Filter, remarksOf } from '../endpoints/exchange.ts'
import { textAnswer } from '../endpoints/answers.ts'
import type { AccessMeter } from '../metrics/access-meter.ts'

const DECISION = 'authorization.k8s.io/decision'
const REASON = 'authorization.k8s.io/reason'

/** Refuses what the authorizer does not allow, in the words of the real server (apiserver/pkg/endpoints/filters/authorization.go). */
export const authorization =
  (authorizer: Authorizer, meter: AccessMeter): Filter =>
  (next) =>
  async (exchange) => {
    const since = meter.start()
    const attributes = attributesOf(exchange)
    const decision = await authorizer(attributes)
    const { allowed, reason, error } = decision
    meter.authorized(resultOf(decision), since)
    const { annotate } = remarksOf(exchange)
    if (allowed) {
      annotate(DECISION, 'allow')
      annotate(REASON, reason)
      return next(exchange)
    }
    if (error !== undefined) {
      annotate(REASON, 'internal error')
      const { path } = exchange.request
      const text = sanitized(`Internal Server Error: ${JSON.stringify(path)}: ${error}`)
      return textAnswer(500, `${text}\n`)
    }
    annotate(DECISION, 'forbid')
    annotate(REASON, reason)
    unsniffed(exchange)
    throw refusal(attributes, reason)
  }

/** A refusal is what it says it is (responsewriters RespondWithError). */
export const unsniffed = ({ marks }: Exchange): void => {
  if (marks) marks['x-content-type-options'] = 'nosniff'
}

function resultOf({
  allowed,
  denied,
  error,
}: Decision): 'allowed' | 'denied' | 'no-opinion' | 'error' {
  if (allowed) return 'allowed'
  if (error !== undefined) return 'error'
  return denied ? 'denied' : 'no-opinion'
}

/** What an exchange wants to do. */
export function attributesOf({ user, info, request }: Exchange): Attributes {
  const { verb, path } = info
  if (!info.isResource) return { kind: 'path', user, verb, path }
  const { group, version, resource, subresource, namespace, name } = info
  const where = { group, version, resource, subresource, namespace }
  if (!SELECTING.has(verb)) return { kind: 'resource', user, verb, ...where, name }
  const fields = fieldDemands(request.query.get('fieldSelector') ?? '')
  const labels = labelDemands(request.query.get('labelSelector') ?? '')
  return {
    kind: 'resource',
    user,
    verb,
    ...where,
    name,
    ...(fields.length > 0 ? { fieldSelector: fields } : {}),
    ...(labels.length > 0 ? { labelSelector: labels } : {}),
  }
}

const SELECTING: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection'])

/** No refusal is to look like HTML. */
const sanitized = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** `configmaps "x" is forbidden: User "jane" cannot get resource …` (handlers/responsewriters/errors.go). */
export function refusal(attributes: Attributes, reason: string): ApiError {
  const why = sanitized(refusalText(attributes))
  const whole = reason === '' ? why : `${why}: ${reason}`
  if (attributes.kind === 'path') return forbidden({ group: '', plural: '' }, '', whole)
  const { group, resource, name } = attributes
  return forbidden({ group, plural: resource }, name, whole)
}

function refusalText(attributes: Attributes): string {
  const user = `User ${JSON.stringify(attributes.user.name)}`
  if (attributes.kind === 'path')
    return `${user} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}`
  const { verb, group, resource, subresource, namespace } = attributes
  const full = subresource === '' ? resource : `${resource}/${subresource}`
  const where =
    namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`
  return `${user} cannot ${verb} resource ${JSON.stringify(full)} in API group ${JSON.stringify(group)} ${where}`
}
