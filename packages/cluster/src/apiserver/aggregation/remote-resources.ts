import type { ResourceInfo, SubresourceInfo, Verb } from '../resources/resource.ts'
import type { RemoteApi } from './api-service.ts'

interface ApiResource {
  readonly name?: string
  readonly singularName?: string
  readonly namespaced?: boolean
  readonly group?: string
  readonly version?: string
  readonly kind?: string
  readonly verbs?: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
}

/**
 * What another server's APIResourceList says, as this server's discovery tells of its own resources. Throws an Error that says what is
 * wrong with a document that is no APIResourceList.
 */
export function remoteResources(
  document: unknown,
  { group, version }: RemoteApi,
): readonly ResourceInfo[] {
  const { resources, kind } = (document ?? {}) as {
    readonly kind?: unknown
    readonly resources?: unknown
  }
  if (kind !== 'APIResourceList' || !Array.isArray(resources))
    throw new Error(`expected an APIResourceList, got ${JSON.stringify(kind)}`)
  const all = resources as readonly ApiResource[]
  const whole = all.filter((it) => it.name && !it.name.includes('/'))
  return whole.map((it) => ({
    group,
    version,
    kind: it.kind ?? '',
    listKind: `${it.kind ?? ''}List`,
    plural: it.name ?? '',
    singular: it.singularName ?? '',
    scope: it.namespaced ? 'Namespaced' : 'Cluster',
    shortNames: it.shortNames ?? [],
    categories: it.categories ?? [],
    verbs: (it.verbs ?? []) as readonly Verb[],
    subresources: all.flatMap((sub) => subresource(sub, it, group, version)),
    storageVersion: version,
    storageKey: `${group}/${it.name}`,
    // Sorted among groups, and not among those that every server has.
    custom: true,
  }))
}

function subresource(
  sub: ApiResource,
  { name }: ApiResource,
  group: string,
  version: string,
): readonly SubresourceInfo[] {
  const prefix = `${name}/`
  if (!sub.name?.startsWith(prefix)) return []
  return [
    {
      name: sub.name.slice(prefix.length),
      kind: sub.kind ?? '',
      group: sub.group || group,
      version: sub.version || version,
      verbs: (sub.verbs ?? []) as readonly Verb[],
    },
  ]
}
