import { forbidden } from 'kubewright/machinery'
import type { Attributes, Authorizer } from '../endpoints/authorizer.ts'
import type { Exchange, Filter } from '../endpoints/exchange.ts'

/** Refuses what the authorizer does not allow, in the words of the real server. */
export const authorization =
  (authorizer: Authorizer): Filter =>
  (next) =>
  async (exchange) => {
    const attributes = attributesOf(exchange)
    const { allowed, reason } = await authorizer(attributes)
    if (!allowed) throw refusal(attributes, reason)
    return next(exchange)
  }

/** What an exchange wants to do. */
export function attributesOf({ user, info }: Exchange): Attributes {
  const { verb, path } = info
  if (!info.isResource) return { kind: 'path', user, verb, path }
  const { group, version, resource, subresource, namespace, name } = info
  return {
    kind: 'resource',
    user,
    verb,
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
  }
}

/** `configmaps "x" is forbidden: User "jane" cannot get resource …` (handlers/responsewriters/errors.go). */
function refusal(attributes: Attributes, reason: string): Error {
  const user = `User ${JSON.stringify(attributes.user.name)}`
  const ending = reason === '' ? '' : `: ${reason}`
  if (attributes.kind === 'path') {
    const { verb, path } = attributes
    const why = `${user} cannot ${verb} path ${JSON.stringify(path)}${ending}`
    return forbidden({ group: '', plural: '' }, '', why)
  }
  const { verb, group, resource, subresource, namespace, name } = attributes
  const full = subresource === '' ? resource : `${resource}/${subresource}`
  const where =
    namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`
  const why = `${user} cannot ${verb} resource ${JSON.stringify(full)} in API group ${JSON.stringify(group)} ${where}${ending}`
  return forbidden({ group, plural: resource }, name, why)
}
