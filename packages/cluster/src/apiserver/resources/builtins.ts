import { createRequire } from 'node:module'
import groups from '../data/resources.json' with { type: 'json' }
import type { OpenApiSchema, ResourceInfo, SubresourceInfo, Verb } from './resource.ts'

/** The OpenAPI package of meta/v1, whose options kinds belong to every group. */
export const META_V1 = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** Where an OpenAPI v3 `$ref` begins. */
export const REF_PREFIX = '#/components/schemas/'

/**
 * A named schema with what only Go's struct tells: `struct` is its Go name, and `go` its fields in the order in which they are
 * written, each with its type: `string`, `int32`, `*T`, `[]T`, `map[K]T`, `v1.Phase=string` (a named plain type), `#Name` (a struct,
 * in this package unless dotted), `!Name` (a type with a JSON form of its own), then `?` where it is left out when empty (omitempty)
 * or `~` when zero (omitzero). `properties` are in the same order. `unpublished` marks a struct that no OpenAPI document has.
 */
export interface Definition extends OpenApiSchema {
  readonly struct?: string
  readonly go?: Readonly<Record<string, string>>
  /** Of fields that come from embedded structs: the Go names of those, outermost first, joined by dots. */
  readonly embedded?: Readonly<Record<string, string>>
  readonly unpublished?: true
}

/** Names a kind in one version; a {@link ResourceInfo} or a SubresourceInfo will do. */
export interface KindName {
  readonly group: string
  readonly version: string
  readonly kind: string
}

interface GroupData {
  readonly name: string
  readonly versions: readonly {
    readonly version: string
    readonly package: string
    readonly optional?: true
    readonly resources: readonly ResourceData[]
  }[]
}

interface ResourceData {
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly cluster?: boolean
  readonly gate?: string
  readonly verbs?: readonly Verb[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly storedAs?: string | null
  readonly deleteAnswers?: 'object'
  readonly deprecated?: string
  readonly removed?: string
  readonly replacement?: string
  readonly subresources?: readonly (Pick<SubresourceInfo, 'name' | 'kind' | 'verbs'> &
    Partial<SubresourceInfo>)[]
}

const GROUPS = groups as unknown as readonly GroupData[]
const NONE: readonly never[] = Object.freeze([])
const ALL_VERBS: readonly Verb[] = Object.freeze([
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
])

/** Kinds that are stored in another group's place: the two faces of an event are one object. */
const SHARED_KEYS: Readonly<Record<string, string>> = { 'events.k8s.io/events': '/events' }

const require = createRequire(import.meta.url)

const RESOURCES: readonly ResourceInfo[] = Object.freeze(
  GROUPS.flatMap(({ name, versions }) =>
    versions.flatMap(({ version, resources }) =>
      resources.map((it) => resourceInfo(name, version, it)),
    ),
  ),
)

/** Versions that are served only where `--runtime-config` asks for them, as `group/version`. */
const OPTIONAL: ReadonlySet<string> = new Set(
  GROUPS.flatMap(({ name, versions }) =>
    versions.filter((it) => it.optional).map((it) => `${name}/${it.version}`),
  ),
)

const DEFAULT: readonly ResourceInfo[] = Object.freeze(RESOURCES.filter(isServedByDefault))

const DATA: ReadonlyMap<ResourceInfo, ResourceData> = new Map(
  GROUPS.flatMap((group) => group.versions.flatMap((it) => it.resources)).map((it, index) => [
    RESOURCES[index]!,
    it,
  ]),
)

const PACKAGES: ReadonlyMap<string, string> = new Map(
  GROUPS.flatMap(({ name, versions }) =>
    versions.map((it) => [`${name}/${it.version}`, it.package] as const),
  ),
)

function resourceInfo(group: string, version: string, it: ResourceData): ResourceInfo {
  const key = `${group}/${it.plural}`
  return Object.freeze({
    group,
    version,
    kind: it.kind,
    listKind: `${it.kind}List`,
    plural: it.plural,
    singular: it.singular,
    scope: it.cluster ? 'Cluster' : 'Namespaced',
    shortNames: it.shortNames ?? NONE,
    categories: it.categories ?? NONE,
    verbs: it.verbs ?? ALL_VERBS,
    subresources: (it.subresources ?? NONE).map((each) => ({ group, version, ...each })),
    storageVersion: storageVersion(group, version, it),
    storageKey: SHARED_KEYS[key] ?? key,
    custom: false,
  })
}

/**
 * Which version is stored: a real server may encode in one that it does not serve by default, which only its hash shows; here it is
 * then the first that is served by default, and where none is, the one of the hash.
 */
function storageVersion(group: string, version: string, it: ResourceData): string {
  const told = it.storedAs?.split('/')[1] ?? version
  const usual = GROUPS.find((each) => each.name === group)!
    .versions.filter((each) => !each.optional)
    .filter((each) => each.resources.some(({ plural }) => plural === it.plural))
    .map((each) => each.version)
  if (usual.length === 0 || usual.includes(told)) return told
  return usual.includes(version) ? version : usual[0]!
}

/**
 * Every built-in resource that kube-apiserver v1.36 serves by default, in the order of its discovery: groups by priority, versions
 * preferred first, resources by name. Frozen; the same array every time.
 */
export function builtinResources(): readonly ResourceInfo[] {
  return DEFAULT
}

/** The same with the alpha and beta versions that kube-apiserver v1.36 has and serves only where it is told to. */
export function everyBuiltinResource(): readonly ResourceInfo[] {
  return RESOURCES
}

/** Whether kube-apiserver v1.36 serves a version of a built-in group where nobody says. */
export function isServedByDefault({ group, version }: Omit<KindName, 'kind'>): boolean {
  return !OPTIONAL.has(`${group}/${version}`)
}

/** The feature gate without which a built-in resource is not served, however it is asked for; undefined for most. */
export function gateOf(info: ResourceInfo): string | undefined {
  return DATA.get(info)?.gate
}

/** The group, version and kind (`apps/v1/Deployment`) whose hash discovery shows for a built-in; undefined where nothing is stored. */
export function storedAs(info: ResourceInfo): string | undefined {
  const stored = DATA.get(info)?.storedAs
  if (stored === null) return undefined
  return `${stored ?? `${info.group}/${info.version}`}/${info.kind}`
}

/** Whether a DELETE of a built-in resource is answered with the object as it was; most answer with a Status. */
export function deleteAnswersObject(info: ResourceInfo): boolean {
  return DATA.get(info)?.deleteAnswers === 'object'
}

/** The minor version that is served here: what is deprecated later is not told of yet. */
const MINOR = 36

/**
 * Why a client should use another kind, as the Warning header says it (apiserver/pkg/endpoints/deprecation); undefined for a kind that
 * stays.
 */
export function deprecationOf(info: ResourceInfo): string | undefined {
  const { deprecated, removed, replacement } = DATA.get(info) ?? {}
  if (deprecated === undefined || Number(deprecated.split('.')[1]) > MINOR) return undefined
  const version = info.group === '' ? info.version : `${info.group}/${info.version}`
  const instead = replacement === undefined ? '' : `; use ${replacement}`
  const until = removed === undefined ? '' : `, unavailable in v${removed}+`
  return `${version} ${info.kind} is deprecated in v${deprecated}+${until}${instead}`
}

/**
 * A definition by its full OpenAPI name (`io.k8s.api.apps.v1.Deployment`), or undefined. A package's definitions are read when the
 * first of them is asked for, and kept.
 */
export function definitionOf(name: string): Definition | undefined {
  const dot = name.lastIndexOf('.')
  return packageOf(name.slice(0, dot))?.[name.slice(dot + 1)]
}

/** The OpenAPI name of a built-in kind, options kinds such as DeleteOptions included; undefined for one that is not built in. */
export function definitionName({ group, version, kind }: KindName): string | undefined {
  const home = PACKAGES.get(`${group}/${version}`)
  if (home === undefined) return undefined
  if (packageOf(home)?.[kind]) return `${home}.${kind}`
  return packageOf(META_V1)?.[kind] ? `${META_V1}.${kind}` : undefined
}

/** The schema of a built-in kind. Throws for one that is not built in. */
export function schemaOf(kind: KindName): Definition {
  const found = definitionOf(definitionName(kind) ?? '')
  if (found) return found
  throw new Error(`${kind.kind} in ${kind.group}/${kind.version} is not a built-in kind.`)
}

/** Follows a `$ref` of any schema here (`#/components/schemas/…`). Throws where it leads nowhere. */
export function resolveRef(ref: string): Definition {
  const found = ref.startsWith(REF_PREFIX) ? definitionOf(ref.slice(REF_PREFIX.length)) : undefined
  if (found) return found
  throw new Error(`${ref} was given as a $ref, and no built-in definition has that name.`)
}

type Package = Readonly<Record<string, Definition>>

/** Packages by name, as the module cache has them: to ask that takes microseconds, and a write asks a dozen times. */
const packages = new Map<string, Package>()

function packageOf(home: string): Package | undefined {
  const known = packages.get(home)
  if (known || !FILES.has(home)) return known
  const read = require(`#data/definitions/${home}.json`) as Package
  packages.set(home, read)
  return read
}

const FILES: ReadonlySet<string> = new Set([
  ...PACKAGES.values(),
  META_V1,
  'io.k8s.apimachinery.pkg.api.resource',
  'io.k8s.apimachinery.pkg.runtime',
  'io.k8s.apimachinery.pkg.util.intstr',
  'io.k8s.apimachinery.pkg.version',
])
