import { ApiError } from '../machinery/status.ts'
import { apiVersionOf, kindOf, type Kind, type Scope } from '../machinery/kind.ts'
import type { UnknownObject } from '../machinery/object.ts'
import type { Call } from './exchange.ts'

/** A kind as the server advertises it. */
export interface ServedKind {
  readonly kind: Kind<UnknownObject>
  readonly verbs: readonly string[]
  readonly shortNames: readonly string[]
  readonly singular: string
  readonly categories: readonly string[]
  readonly subresources: readonly string[]
}

/**
 * The kinds a server serves. Answers come from the last discovery; a question that it cannot answer asks the server again, so
 * that a CRD installed a moment ago is found.
 */
export interface KindDirectory {
  /** Every kind, in the server's order of groups, and of versions in a group (preferred first). */
  all(): Promise<readonly ServedKind[]>
  /** The kind of an apiVersion and kind; rejects with a sentence when it is not served. */
  get(apiVersion: string, kind: string): Promise<Kind<UnknownObject>>
  /** The kind that a person means: `deploy`, `deployments`, `Deployment`, `deployments.apps`, `deployments.v1.apps`. */
  find(name: string): Promise<ServedKind | undefined>
  /** Forgets what was discovered. */
  refresh(): void
}

interface ResourceDiscovery {
  readonly resource: string
  readonly responseKind?: {
    readonly group?: string
    readonly version?: string
    readonly kind: string
  }
  readonly scope: Scope
  readonly singularResource?: string
  readonly verbs?: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources?: readonly { readonly subresource: string }[]
}

interface GroupDiscoveryList {
  readonly kind?: string
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string }
    readonly versions?: readonly {
      readonly version: string
      readonly resources?: readonly ResourceDiscovery[]
    }[]
  }[]
}

/** Aggregated discovery (KEP-3352), or the older forms from servers that do not speak it. */
const ACCEPT =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json'

type Ask = <T>(call: Call) => Promise<T>

/** Makes the {@link KindDirectory} of a server. */
export function createKindDirectory(ask: Ask): KindDirectory {
  let known: Promise<readonly ServedKind[]> | undefined
  const load = (): Promise<readonly ServedKind[]> => {
    const loading = discover(ask)
    known = loading
    loading.catch(() => {
      if (known === loading) known = undefined
    })
    return loading
  }
  const search = async (
    match: (kinds: readonly ServedKind[]) => ServedKind | undefined,
  ): Promise<ServedKind | undefined> => {
    const before = known
    const found = match(await (before ?? load()))
    return found || !before ? found : match(await load())
  }
  return {
    all: () => known ?? load(),
    async get(apiVersion, kind) {
      const found = await search((kinds) =>
        kinds.find((it) => it.kind.kind === kind && apiVersionOf(it.kind) === apiVersion),
      )
      if (found) return found.kind
      throw new Error(
        `the server serves no ${kind} in ${apiVersion}; if it is a custom resource, install its CustomResourceDefinition first`,
      )
    },
    find: (name) => search((kinds) => named(kinds, name)),
    refresh() {
      known = undefined
    },
  }
}

async function discover(ask: Ask): Promise<readonly ServedKind[]> {
  const parts = await Promise.all(
    ['/api', '/apis'].map((path) =>
      ask<GroupDiscoveryList>({ method: 'GET', path, accept: ACCEPT }).then((it) =>
        it.kind === 'APIGroupDiscoveryList' ? aggregated(it) : plainDiscovery(ask, path, it),
      ),
    ),
  )
  return parts.flat()
}

function aggregated(list: GroupDiscoveryList): readonly ServedKind[] {
  return (list.items ?? []).flatMap((group) =>
    (group.versions ?? []).flatMap(({ version, resources = [] }) =>
      resources
        .filter((it) => it.responseKind)
        .map((it) =>
          served(
            it.responseKind?.group || (group.metadata?.name ?? ''),
            it.responseKind?.version || version,
            it,
          ),
        ),
    ),
  )
}

function served(group: string, version: string, it: ResourceDiscovery): ServedKind {
  const kind = it.responseKind?.kind ?? ''
  return {
    kind: kindOf(apiVersionOf({ group, version }), kind, it.resource, it.scope),
    verbs: it.verbs ?? [],
    shortNames: it.shortNames ?? [],
    singular: it.singularResource || kind.toLowerCase(),
    categories: it.categories ?? [],
    subresources: (it.subresources ?? []).map((sub) => sub.subresource),
  }
}

interface ResourceList {
  readonly groupVersion: string
  readonly resources?: readonly {
    readonly name: string
    readonly singularName?: string
    readonly namespaced?: boolean
    readonly kind: string
    readonly verbs?: readonly string[]
    readonly shortNames?: readonly string[]
    readonly categories?: readonly string[]
  }[]
}

/** Discovery before aggregation: one request a group and version. A group whose server is down is left out. */
async function plainDiscovery(
  ask: Ask,
  path: string,
  root: object,
): Promise<readonly ServedKind[]> {
  const it = root as {
    readonly versions?: readonly string[]
    readonly groups?: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[]
  }
  const groupVersions =
    it.versions ?? it.groups?.flatMap((group) => group.versions.map((v) => v.groupVersion)) ?? []
  const lists = await Promise.all(
    groupVersions.map((gv) =>
      ask<ResourceList>({ method: 'GET', path: `${path}/${gv}` }).catch((error: unknown) => {
        if (error instanceof ApiError && (error.code === 404 || error.code >= 500)) return undefined
        throw error
      }),
    ),
  )
  return lists.flatMap((list) => (list ? plainList(list) : []))
}

function plainList(list: ResourceList): readonly ServedKind[] {
  const [group, version] = list.groupVersion.includes('/')
    ? (list.groupVersion.split('/') as [string, string])
    : ['', list.groupVersion]
  const all = list.resources ?? []
  return all
    .filter((it) => !it.name.includes('/'))
    .map((it) =>
      served(group, version, {
        resource: it.name,
        responseKind: { kind: it.kind },
        scope: it.namespaced ? 'Namespaced' : 'Cluster',
        singularResource: it.singularName ?? '',
        verbs: it.verbs ?? [],
        shortNames: it.shortNames ?? [],
        categories: it.categories ?? [],
        subresources: all
          .filter((sub) => sub.name.startsWith(`${it.name}/`))
          .map((sub) => ({ subresource: sub.name.slice(it.name.length + 1) })),
      }),
    )
}

function named(kinds: readonly ServedKind[], name: string): ServedKind | undefined {
  const lower = name.toLowerCase()
  const is = (it: ServedKind): boolean => {
    const { group, version, plural, kind } = it.kind
    const heads = [plural, it.singular, kind.toLowerCase(), ...it.shortNames]
    return heads.some(
      (head) =>
        lower === head ||
        (group !== '' && lower === `${head}.${group}`) ||
        lower === `${head}.${version}.${group}` ||
        (group === '' && lower === `${head}.${version}`),
    )
  }
  return kinds.find(is)
}
