import type { ResourceInfo, SubresourceInfo } from '../resources/resource.ts'
import { groupsOf, type ApiGroup, type ApiGroupVersion } from './groups.ts'
import type { Document } from './legacy.ts'
import type { RegisteredVersion } from './registered.ts'
import { verbsInOrder } from './verbs.ts'

/** By what a client asks for aggregated discovery, behind the media type, and with which it is answered (KEP-3352). */
export const AGGREGATED: string = ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/**
 * The APIGroupDiscoveryList of `/api` (the core group alone) or of `/apis` (all the others). A built-in kind leaves the group and
 * version of its responseKind empty where they are those of its list; a custom one spells them out, and sorts by plural.
 */
export function apiGroupDiscoveryList(
  infos: readonly ResourceInfo[],
  path: '/api' | '/apis',
  registered: readonly RegisteredVersion[] = [],
): Document {
  const remote = new Map<string, number>()
  for (const { group, groupPriority, isRemote } of registered)
    if (isRemote) remote.set(group, Math.max(groupPriority, remote.get(group) ?? 0))
  const groups = groupsOf(infos, (name) => remote.get(name)).filter(
    (it) => (it.name === '') === (path === '/api'),
  )
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(groupBody),
  }
}

function groupBody({ name, versions }: ApiGroup): Document {
  return { metadata: name === '' ? {} : { name }, versions: versions.map(versionBody) }
}

function versionBody({ version, resources }: ApiGroupVersion): Document {
  const sorted = resources.toSorted((a, b) => (a.plural < b.plural ? -1 : 1))
  return { version, resources: sorted.map(resourceBody), freshness: 'Current' }
}

function resourceBody(info: ResourceInfo): Document {
  return {
    resource: info.plural,
    responseKind: responseKind(info, info),
    scope: info.scope,
    singularResource: info.singular,
    verbs: verbsInOrder(info),
    ...(info.shortNames.length ? { shortNames: info.shortNames } : {}),
    ...(info.categories.length ? { categories: info.categories } : {}),
    ...(info.subresources.length
      ? { subresources: info.subresources.map((it) => subresourceBody(info, it)) }
      : {}),
  }
}

function subresourceBody(info: ResourceInfo, it: SubresourceInfo): Document {
  return { subresource: it.name, responseKind: responseKind(info, it), verbs: it.verbs }
}

function responseKind(info: ResourceInfo, it: ResourceInfo | SubresourceInfo): Document {
  const own = !info.custom && it.group === info.group && it.version === info.version
  return { group: own ? '' : it.group, version: own ? '' : it.version, kind: it.kind }
}
