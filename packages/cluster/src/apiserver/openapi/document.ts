import { deleteAnswersObject } from '../resources/builtins.ts'
import type { ResourceInfo } from '../resources/resource.ts'
import { componentsOf, type GroupVersion } from './components.ts'
import { customSchemas, type CustomKind } from './custom-schema.ts'
import type { Descriptions } from './descriptions.ts'
import { BUILTIN, metaRef, refTo, type Schema } from './dialect.ts'
import { capital, groupWords, operationsOf, rootOf, tagOf, type Operation } from './operations.ts'
import { pathItems } from './path-items.ts'

/** What the documents are made from. */
export interface OpenApiSource {
  /** Everything that is served. */
  readonly infos: readonly ResourceInfo[]
  /** What its CustomResourceDefinition says of a custom kind; undefined where it gives no schema. */
  readonly customKind: (info: ResourceInfo) => CustomKind | undefined
  readonly descriptions: Descriptions
  /** Minor version of the server: `1.36`. */
  readonly version: string
}

/** An OpenAPI document as JSON. */
export type OpenApiDocument = Readonly<Record<string, unknown>>

const SECURITY = {
  BearerToken: {
    type: 'apiKey',
    description: 'Bearer Token authentication',
    name: 'authorization',
    in: 'header',
  },
}

/** The paths of all OpenAPI v3 documents, as the index has them: `api`, `api/v1`, `apis/apps`, `version`. */
export function documentPaths({ infos }: OpenApiSource): readonly string[] {
  const builtin = infos.filter((it) => !it.custom)
  const groups = builtin.map((it) => (it.group === '' ? 'api' : `apis/${it.group}`))
  const versions = infos.map((it) => rootOf(it).slice(1))
  return [...new Set(['api', 'apis', ...groups, ...versions, ...OTHERS.keys()])].toSorted()
}

/**
 * The OpenAPI v3 document of one path of the index, or undefined where there is none. Equal to that of a real server, but for
 * descriptions that {@link Descriptions} has otherwise or not at all.
 */
export function openApiV3(source: OpenApiSource, path: string): OpenApiDocument | undefined {
  const infos = source.infos.filter((it) => rootOf(it).slice(1) === path)
  const builtin = infos.filter((it) => !it.custom)
  if (builtin.length > 0) return builtinDocument(source, builtin)
  if (infos.length > 0) return customDocument(source, infos)
  const operations = otherOperations(source, path)
  if (operations.length === 0) return undefined
  return document(
    source,
    operations,
    componentsOf(operations.map(answersOf), NONE, [], source.descriptions),
  )
}

const NONE: ReadonlyMap<string, Schema> = new Map()
const answersOf = (it: Operation): unknown => [it.answers, it.body]

function document(
  source: OpenApiSource,
  operations: readonly Operation[],
  schemas: object,
): OpenApiDocument {
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: source.version },
    paths: pathItems(operations),
    components: { ...(Object.keys(schemas).length ? { schemas } : {}), securitySchemes: SECURITY },
  }
}

function builtinDocument(source: OpenApiSource, infos: readonly ResourceInfo[]): OpenApiDocument {
  const operations = builtinOperations(infos)
  const { group, version } = infos[0]!
  const owners: GroupVersion[] = group === '' ? [] : [{ group, version }]
  const roots = operations.map(answersOf)
  return document(
    source,
    operations,
    componentsOf(roots, NONE, [{ group: '', version: 'v1' }, ...owners], source.descriptions),
  )
}

/** The operations of one built-in group and version, the list of its resources first. */
export function builtinOperations(infos: readonly ResourceInfo[]): readonly Operation[] {
  const { group, version } = infos[0]!
  const title = groupWords(group).map(capital).join('') + capital(version)
  const list = getting(
    `${rootOf(infos[0]!)}/`,
    `get${title}APIResources`,
    `${tagOf(group)}_${version}`,
    'APIResourceList',
  )
  const own = infos.flatMap((it) => operationsOf(it, deleteAnswersObject(it) ? 'object' : 'Status'))
  return [list, ...own]
}

function customDocument(source: OpenApiSource, infos: readonly ResourceInfo[]): OpenApiDocument {
  const operations = infos.flatMap((it) => operationsOf(it, 'Status'))
  const { descriptions } = source
  const own = new Map(
    infos.flatMap((it) => customSchemas(it, source.customKind(it), 'v3', descriptions)),
  )
  const owners = source.infos.filter((it) => !it.custom)
  const roots = [...operations.map(answersOf), ...[...own.keys()].map(refTo)]
  const schemas = componentsOf(roots, own, groupVersions(owners), descriptions)
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' },
    paths: pathItems(operations),
    components: { schemas },
  }
}

/** Each group and version once, the core group first, then by the alphabet. */
export function groupVersions(infos: readonly ResourceInfo[]): readonly GroupVersion[] {
  const all = new Map(
    infos.map(({ group, version }) => [`${group}/${version}`, { group, version }]),
  )
  return [...all].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, it]) => it)
}

/** The operations of a path that belongs to no version: those of discovery, and a few more. None for a path that is not one. */
export function otherOperations(source: OpenApiSource, path: string): readonly Operation[] {
  return OTHERS.get(path) ?? groupOperations(source, path)
}

function groupOperations({ infos }: OpenApiSource, path: string): readonly Operation[] {
  const group = path.startsWith('apis/') ? path.slice('apis/'.length) : undefined
  if (!group || !infos.some((it) => it.group === group && !it.custom)) return []
  const title = groupWords(group).map(capital).join('')
  return [getting(`/${path}/`, `get${title}APIGroup`, tagOf(group), 'APIGroup')]
}

function getting(path: string, id: string, tag: string, kind: string): Operation {
  const answers = { 200: { types: BUILTIN.answers, schema: metaRef(kind) } }
  return { path, method: 'get', id, tag, parameters: [], answers }
}

function plainly(path: string, id: string, tag: string, type: string, schema: Schema): Operation {
  return {
    path,
    method: 'get',
    id,
    tag,
    parameters: [],
    answers: { 200: { types: [type], schema } },
  }
}

const TEXT = { type: 'string' }

/** Documents of paths that belong to no group. */
const OTHERS: ReadonlyMap<string, readonly Operation[]> = new Map([
  ['api', [getting('/api/', 'getCoreAPIVersions', 'core', 'APIVersions')]],
  ['apis', [getting('/apis/', 'getAPIVersions', 'apis', 'APIGroupList')]],
  [
    'version',
    [
      plainly(
        '/version/',
        'getCodeVersion',
        'version',
        'application/json',
        refTo('io.k8s.apimachinery.pkg.version.Info'),
      ),
    ],
  ],
  [
    'openid/v1/jwks',
    [
      plainly(
        '/openid/v1/jwks/',
        'getServiceAccountIssuerOpenIDKeyset',
        'openid',
        'application/jwk-set+json',
        TEXT,
      ),
    ],
  ],
  [
    '.well-known/openid-configuration',
    [
      plainly(
        '/.well-known/openid-configuration/',
        'getServiceAccountIssuerOpenIDConfiguration',
        'WellKnown',
        'application/json',
        TEXT,
      ),
    ],
  ],
])
