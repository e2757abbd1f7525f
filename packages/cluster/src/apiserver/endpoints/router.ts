import { ApiError, badRequest, failure, methodNotAllowed, notFound } from 'kubewright/machinery'
import { isProduced, OFFERS } from '../codec/negotiate.ts'
import type { Answer } from '../http/message.ts'
import type { ResourceInfo, SubresourceInfo, Verb } from '../resources/resource.ts'
import { watch } from '../watch/watch.ts'
import { pageNotFound } from './answers.ts'
import type { Call } from './call.ts'
import { getComponentStatus, listComponentStatuses } from './component-statuses.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { deleteCollection } from './delete-collection.ts'
import type { Exchange, Handler } from './exchange.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { dialectOf, patch } from './patch.ts'
import { review } from './reviews.ts'
import type { Served } from './served.ts'
import type { ServerParts } from './server-parts.ts'
import { subresource } from './subresource.ts'
import { update } from './update.ts'
import { Views } from './view.ts'

/** What each verb does to a resource itself. */
const VERBS: Readonly<Record<Verb, (call: Call) => Promise<Answer>>> = {
  create,
  get,
  list,
  watch,
  update,
  patch,
  delete: remove,
  deletecollection: deleteCollection,
}

/** Resources that are made when they are asked for, by where they would lie. */
const UNSTORED: Readonly<Record<string, Partial<typeof VERBS>>> = {
  '/componentstatuses': { get: getComponentStatus, list: listComponentStatuses },
}

/** The 404 of a path that lies in an API but names nothing there. */
export const noSuchResource = (): ApiError =>
  new ApiError(failure(404, 'NotFound', 'the server could not find the requested resource', {}))

/** The 405 of a path that is there for other methods. */
export const notAllowed = (): ApiError =>
  new ApiError(
    failure(
      405,
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
      {},
    ),
  )

/** Sends a request for a resource to its verb; what is no resource goes to `elsewhere`. */
export function router(parts: ServerParts, elsewhere: Handler): Handler {
  const views = new WeakMap<Served, Views>()
  const viewsOf = (served: Served): Views => {
    let found = views.get(served)
    if (!found) views.set(served, (found = new Views(served)))
    return found
  }
  return async (exchange) => {
    const { info } = exchange
    if (!info.isResource) return elsewhere(exchange)
    const served = parts.catalog.find(info.group, info.version, info.resource)
    if (!served || !placed(exchange, served.info)) {
      if (served ? !served.info.custom : claimed(parts, exchange)) throw noSuchResource()
      return pageNotFound
    }
    const call: Call = {
      parts,
      served,
      views: viewsOf(served),
      exchange: served.info.custom ? { ...exchange, custom: true } : exchange,
      namespace: isNamespaceItself(info) ? '' : info.namespace,
      // A name that only a field selector gave narrows a collection; it does not name the object.
      name: info.parts.length > 1 && !isCustomCreate(served, info) ? info.name : '',
      subresource: info.subresource,
    }
    return dispatch(call)
  }
}

const claimed = ({ catalog }: ServerParts, { info }: Exchange): boolean =>
  catalog.isBuiltinGroup(info.group)

/** Whether a path fits the scope of its resource. */
function placed({ info }: Exchange, resource: ResourceInfo): boolean {
  const inNamespace = info.namespace !== '' && !isNamespaceItself(info)
  if (resource.scope === 'Cluster') return !inNamespace
  if (inNamespace) return true
  return info.parts.length === 1 && (!resource.custom || ACROSS.has(info.verb))
}

/** `/namespaces/x` is the object x, whose requests carry its own name as their namespace. */
const isNamespaceItself = (info: Exchange['info']): boolean =>
  info.group === '' && info.resource === 'namespaces'

const ACROSS: ReadonlySet<string> = new Set(['list', 'watch'])

/** A custom resource is created by a POST to a name as well: nobody looks at it. */
const isCustomCreate = (served: Served, { verb, subresource: part }: Exchange['info']): boolean =>
  served.info.custom && verb === 'create' && part === ''

/** Custom resources warn before they look at the request, built-in ones once it has found its route. */
function warnOfDeprecation({ served, exchange }: Call): void {
  if (served.deprecation === undefined) return
  if (served.info.custom || findsRoute(exchange.request.header('accept')))
    exchange.warnings.push(served.deprecation)
}

/** Whether a route of a built-in kind produces something that is asked for: the 406 of one that does not comes before all else. */
const findsRoute = (accept: string | undefined): boolean =>
  !accept || isProduced(accept, OFFERS.object.produces!)

function dispatch(call: Call): Promise<Answer> {
  const { exchange, served } = call
  const { info } = exchange
  if (served.info.custom) warnOfDeprecation(call)
  if (info.subresource !== '') {
    const found = findSubresource(call)
    if (!served.info.custom) warnOfDeprecation(call)
    return subresource(call, found)
  }
  const verb = info.verb as Verb
  const head = exchange.request.method === 'HEAD' && !served.info.custom
  if (head || !served.info.verbs.includes(verb) || !fits(call, verb)) throw refusedMethod(call)
  if (!served.info.custom) warnOfDeprecation(call)
  if (served.strategy.review || isReview(served.info)) return review(call)
  return (UNSTORED[served.info.storageKey]?.[verb] ?? VERBS[verb])(call)
}

/** Whether a verb is for what the path names: one object, or a collection in one namespace or in all. */
function fits({ exchange, served, name, namespace }: Call, verb: Verb): boolean {
  if (verb === 'watch') return name === '' || exchange.info.legacyWatch
  if (COLLECTION.has(verb) !== (name === '')) return false
  return verb !== 'create' || served.info.scope === 'Cluster' || namespace !== ''
}

const isReview = ({ group, plural }: ResourceInfo): boolean =>
  (group === 'authorization.k8s.io' || group === 'authentication.k8s.io') &&
  plural.endsWith('reviews')

const COLLECTION: ReadonlySet<Verb> = new Set<Verb>(['create', 'list', 'deletecollection'])

function refusedMethod(call: Call): ApiError {
  const { served, exchange, name } = call
  const { verb } = exchange.info
  // A list has a route that a watch takes too.
  const asList = verb === 'watch' && !exchange.info.legacyWatch
  if (asList && served.info.verbs.includes('list')) return methodNotAllowed(served.info, verb)
  if (!served.info.custom) return notAllowed()
  if (name === '' && (verb === 'update' || verb === 'patch')) {
    if (verb === 'patch') dialectOf(call)
    return badRequest('name must be provided')
  }
  return methodNotAllowed(served.info, VERB_NAMES.has(verb) ? verb : '')
}

const VERB_NAMES: ReadonlySet<string> = new Set(Object.keys(VERBS))

/** The subresource that a path names; throws the 404 or 405 where there is none, or not for this verb. */
function findSubresource(call: Call): SubresourceInfo {
  const { served, exchange, name } = call
  const { info } = exchange
  const found = served.info.subresources.find((it) => it.name === info.subresource)
  if (!found) throw served.info.custom ? notFound(served.info, name) : noSuchResource()
  if (info.parts.length > 3 && !found.name.endsWith('proxy')) throw noSuchResource()
  if (found.verbs.includes(info.verb as Verb)) return found
  throw served.info.custom ? methodNotAllowed(served.info, info.verb) : notAllowed()
}
