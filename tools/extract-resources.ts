/**
 * Writes packages/cluster/src/apiserver/data from a running kube-apiserver, so that no fact about a built-in kind is typed by hand:
 *
 *     (cd tools/extract-structs && go run . > structs.json)
 *     node tools/extract-resources.ts --kubeconfig admin.kubeconfig --every every.kubeconfig --structs structs.json
 *
 * From the servers come the resources (legacy discovery) and the schemas (/openapi/v3), their descriptions left out; from the structs
 * file come the order and Go types of the fields, and which of them are written when they are empty. The second server is one that
 * serves everything it has: `--runtime-config api/all=true`, and `--feature-gates` with each name in GATES. What it serves and the
 * first does not is marked `optional`.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get as httpsGet } from 'node:https'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'

const APISERVER = new URL('../packages/cluster/src/apiserver/', import.meta.url)
const CUSTOM_GROUP = 'example.com'
const DATA = new URL('data/', APISERVER)
const META_V1 = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const ALL_VERBS = 'create delete deletecollection get list patch update watch'

type Json = { [key: string]: unknown }

interface ApiResource {
  readonly name: string
  readonly singularName: string
  readonly namespaced: boolean
  readonly kind: string
  readonly group?: string
  readonly version?: string
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly storageVersionHash?: string
}

interface Structs {
  readonly structs: Readonly<
    Record<
      string,
      {
        readonly name: string
        readonly fields: readonly {
          name: string
          type: string
          omit?: 'empty' | 'zero'
          via?: string
        }[]
      }
    >
  >
  readonly kinds: Readonly<Record<string, string>>
  readonly lifecycles: Readonly<
    Record<string, { deprecated: string; removed?: string; replacement?: string }>
  >
}

const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    every: { type: 'string' },
    structs: { type: 'string' },
  },
})
if (!values.kubeconfig || !values.every || !values.structs) {
  throw new Error(
    'extract-resources needs --kubeconfig of a running kube-apiserver, --every, that of one that serves every version, and --structs, the output of tools/extract-structs.',
  )
}

/** Resources that are served only where a feature gate is on (kubernetes/pkg/registry/*\/rest). */
const GATES: Readonly<Record<string, string>> = {
  'certificates.k8s.io/clustertrustbundles': 'ClusterTrustBundle',
  'certificates.k8s.io/podcertificaterequests': 'PodCertificateRequest',
  'scheduling.k8s.io/podgroups': 'GenericWorkload',
  'scheduling.k8s.io/workloads': 'GenericWorkload',
  'storagemigration.k8s.io/storageversionmigrations': 'StorageVersionMigrator',
}

const usual = serverOf(values.kubeconfig)
const every = serverOf(values.every)
const structs = JSON.parse(readFileSync(values.structs, 'utf8')) as Structs
const index = (await usual('/openapi/v3')) as { paths: Record<string, unknown> }
const everyIndex = (await every('/openapi/v3')) as { paths: Record<string, unknown> }
/** What is to be written, by file: all of it at the end, so that a failure leaves everything as it was. */
const files = new Map<URL, string>()
const groups = await readGroups()
writeJson('resources.json', groups)
await writeColumns()
await writeSharedParameters()
await writeDefinitions()
await writeDiscovery('discovery/testdata/discovery.json', usual)
await writeDiscovery('discovery/testdata/every.json', every)
await writeDocumentHashes()
await writeEveryHashes()
writeFiles()

type Server = (path: string, accept?: string) => Promise<unknown>

/** A function that GETs JSON from the cluster of a kubeconfig with a token. */
function serverOf(file: string): Server {
  const config = parse(readFileSync(file, 'utf8')) as {
    clusters: { cluster: { server: string; 'certificate-authority-data': string } }[]
    users: { user: { token: string } }[]
  }
  const { server: url, 'certificate-authority-data': ca } = config.clusters[0]!.cluster
  const authorization = `Bearer ${config.users[0]!.user.token}`
  return async (path, accept = 'application/json') => {
    const options = { ca: Buffer.from(ca, 'base64'), headers: { authorization, accept } }
    const chunks: Buffer[] = []
    await new Promise<void>((resolve, reject) => {
      httpsGet(new URL(path, url), options, (answer) => {
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', resolve)
        if (answer.statusCode !== 200) reject(new Error(`${path} answered ${answer.statusCode}`))
      }).on('error', reject)
    })
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown
  }
}

interface GroupList {
  readonly groups: readonly {
    readonly name: string
    readonly versions: readonly { readonly version: string }[]
  }[]
}

/** The groups in the order of /apis, the core group first, each with its versions and their resources. */
async function readGroups(): Promise<Json[]> {
  const list = (await every('/apis')) as GroupList
  const common = (await usual('/apis')) as GroupList
  const known = new Set(
    common.groups.flatMap(({ name, versions }) => versions.map((it) => `${name}/${it.version}`)),
  )
  const all = [{ name: '', versions: [{ version: 'v1' }] }, ...list.groups]
  return Promise.all(
    all.map(async ({ name, versions }) => ({
      name,
      versions: await Promise.all(
        versions.map(async ({ version }) => ({
          version,
          package: packageOf(name, version),
          ...(name === '' || known.has(`${name}/${version}`) ? {} : { optional: true }),
          resources: await readResources(name, version),
        })),
      ),
    })),
  )
}

/** The Go package that holds the kinds of a group and version, as OpenAPI names it. */
function packageOf(group: string, version: string): string {
  const homes = Object.entries(structs.kinds)
    .filter(([key]) => key.startsWith(group ? `${group}/${version}/` : `${version}/`))
    .map(([, name]) => split(name)[0])
    .filter((home) => !home.includes('.meta.'))
  if (new Set(homes).size !== 1) throw new Error(`${group}/${version} lies in [${homes.join(' ')}]`)
  return homes[0]!
}

async function readResources(group: string, version: string): Promise<Json[]> {
  const path = group ? `/apis/${group}/${version}` : `/api/${version}`
  const { resources } = (await every(path)) as { resources: ApiResource[] }
  const { paths } = (await every(`/openapi/v3${path}`)) as { paths: Paths }
  return resources
    .filter((it) => !it.name.includes('/'))
    .map((it) => ({
      plural: it.name,
      singular: it.singularName,
      kind: it.kind,
      ...(it.namespaced ? {} : { cluster: true }),
      ...gateOf(it, group),
      ...verbsOf(it),
      ...(it.shortNames ? { shortNames: it.shortNames } : {}),
      ...(it.categories ? { categories: it.categories } : {}),
      ...storedAs(it, group, version),
      ...deleteAnswer(it, path, paths),
      ...structs.lifecycles[[group, version, it.kind].filter(Boolean).join('/')],
      ...subresourcesOf(it, resources),
    }))
}

function gateOf(it: ApiResource, group: string): Json {
  const gate = GATES[`${group}/${it.name}`]
  return gate === undefined ? {} : { gate }
}

/** The usual eight verbs go without saying. */
function verbsOf(it: ApiResource): Json {
  const verbs = it.verbs.toSorted().join(' ')
  return verbs === ALL_VERBS ? {} : { verbs: verbs.split(' ') }
}

function subresourcesOf(it: ApiResource, all: readonly ApiResource[]): Json {
  const found = all
    .filter((each) => each.name.startsWith(`${it.name}/`))
    .map((each) => ({
      name: each.name.slice(it.name.length + 1),
      kind: each.kind,
      ...(each.group ? { group: each.group } : {}),
      ...(each.version ? { version: each.version } : {}),
      verbs: each.verbs.toSorted(),
    }))
  return found.length ? { subresources: found } : {}
}

interface Paths {
  readonly [path: string]: { readonly delete?: { readonly responses: { readonly 200: Json } } }
}

/** Most kinds answer a delete with a Status, some with the object. */
function deleteAnswer(it: ApiResource, path: string, paths: Paths): Json {
  const item = `${path}/${it.namespaced ? 'namespaces/{namespace}/' : ''}${it.name}/{name}`
  const answer = paths[item]?.delete?.responses[200]
  if (answer === undefined || JSON.stringify(answer).includes('.meta.v1.Status"')) return {}
  return { deleteAnswers: 'object' }
}

/** Which group and version the hash of discovery stands for, where it is not the resource's own; null where nothing is stored. */
function storedAs(it: ApiResource, group: string, version: string): Json {
  const hash = it.storageVersionHash
  if (hash === undefined) return { storedAs: null }
  const versions = ['v1', 'v2', 'v1beta1', 'v1beta2', 'v1alpha1', 'v1alpha2', 'v1alpha3']
  const own = version && `${group}/${version}`
  const candidates = [own, ...versions.map((each) => `${group}/${each}`), '/v1']
  const found = candidates.find(
    (each) =>
      createHash('sha256')
        .update(`${each}/${it.kind}`)
        .digest()
        .subarray(0, 8)
        .toString('base64') === hash,
  )
  if (found === undefined) throw new Error(`${it.name}.${group}: no version hashes to ${hash}`)
  return found === own ? {} : { storedAs: found }
}

interface TableAnswer {
  readonly columnDefinitions: readonly {
    name: string
    type: string
    format: string
    description: string
    priority: number
  }[]
}

/** How each listed resource is shown in a Table: `[name, type, format, priority]` a column, the last two where they say something. */
async function writeColumns(): Promise<void> {
  const columns: Record<string, unknown> = {}
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  for (const { name, versions } of groups as { name: string; versions: Json[] }[]) {
    for (const { version, resources } of versions as { version: string; resources: Json[] }[]) {
      for (const { plural, verbs } of resources as { plural: string; verbs?: string[] }[]) {
        if (verbs && !verbs.includes('list')) continue
        const path = name ? `/apis/${name}/${version}/${plural}` : `/api/${version}/${plural}`
        const { columnDefinitions } = (await every(path, accept)) as TableAnswer
        const resource = `${name}/${version}/${plural}`
        columns[resource] = columnDefinitions.map((it) =>
          [it.name, it.type, it.format, it.priority].slice(0, it.priority ? 4 : it.format ? 3 : 2),
        )
      }
    }
  }
  writeJson('columns.json', columns)
}

/** One file a Go package: each definition's schema in the order of its Go struct, and `go`: the struct's name and field types. */
async function writeDefinitions(): Promise<void> {
  const published: Record<string, Json> = {}
  for (const path of Object.keys(everyIndex.paths)) {
    const document = (await every(`/openapi/v3/${path}`)) as {
      components?: { schemas?: Record<string, Json> }
    }
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      published[name] ??= schema
    }
  }
  const packages = new Map<string, Json>()
  for (const name of [
    ...new Set([...Object.keys(published), ...Object.keys(structs.structs)]),
  ].toSorted()) {
    const [home, short] = split(name)
    if (isUnused(name, home, published)) continue
    if (!packages.has(home)) packages.set(home, {})
    packages.get(home)![short] = definition(name, home, published[name])
  }
  for (const [home, content] of packages) writeJson(`definitions/${home}.json`, content)
}

/** Versions that are not served by default have kinds that nobody serves. */
function isUnused(name: string, home: string, published: Readonly<Record<string, Json>>): boolean {
  return /v\d+(alpha|beta)\d+$/.test(home) && published[name] === undefined
}

function definition(name: string, home: string, schema: Json | undefined): Json {
  const struct = structs.structs[name]
  const fields = struct?.fields.map((it) => it.name) ?? []
  const bare = (withoutDescriptions(schema ?? {}) ?? {}) as Json
  if (schema && fields.length)
    bare.properties = ordered(name, bare.properties as Json | undefined, fields)
  // Every group's own DeleteOptions and WatchEvent are listed in them: the index of groups says the same.
  if (name.endsWith('.DeleteOptions') || name.endsWith('.WatchEvent')) {
    delete bare['x-kubernetes-group-version-kind']
  }
  if (!struct) return bare
  const go: Json = {}
  for (const it of struct.fields) {
    const omit = it.omit === 'empty' ? '?' : it.omit === 'zero' ? '~' : ''
    go[it.name] = it.type.replaceAll(`#${home}.`, '#').replaceAll(`!${home}.`, '!') + omit
  }
  const embedded = struct.fields.filter((it) => it.via !== undefined && it.via !== 'TypeMeta')
  return {
    ...bare,
    ...(schema ? {} : { unpublished: true }),
    struct: struct.name,
    go,
    ...(embedded.length > 0
      ? { embedded: Object.fromEntries(embedded.map((it) => [it.name, it.via])) }
      : {}),
  }
}

function ordered(name: string, properties: Json | undefined, fields: readonly string[]): Json {
  const known = Object.keys(properties ?? {})
  if (known.length !== fields.length || known.some((it) => !fields.includes(it))) {
    throw new Error(`${name}: OpenAPI has ${known.join(' ')}, Go has ${fields.join(' ')}`)
  }
  return Object.fromEntries(fields.map((it) => [it, properties![it]]))
}

function split(name: string): [home: string, short: string] {
  const dot = name.lastIndexOf('.')
  return [name.slice(0, dot), name.slice(dot + 1)]
}

/** Other people's sentences stay where they are. A property named description is not one. */
function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions)
  if (value === null || typeof value !== 'object') return value
  const kept = Object.entries(value).filter(
    ([key, each]) => !(key === 'description' && typeof each === 'string'),
  )
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutDescriptions(each)]))
}

/**
 * For the tests of OpenAPI: a hash of each real document, descriptions left out and keys sorted; those of the custom group in full,
 * their own schemas without the meta/v1 ones.
 */
async function writeDocumentHashes(): Promise<void> {
  const hashes: Record<string, string> = {}
  const custom: Json = {}
  for (const path of Object.keys(index.paths)) {
    const document = sortedKeys(withoutDescriptions(await usual(`/openapi/v3/${path}`))) as Json
    if (path.includes(CUSTOM_GROUP)) custom[path] = document
    else hashes[path] = createHash('sha256').update(JSON.stringify(document)).digest('hex')
  }
  hashes['openapi/v2'] = await hashOf(usual, '/openapi/v2')
  writeTestData('openapi/testdata/documents.json', hashes)
  writeTestData('openapi/testdata/custom.json', custom)
}

/** The same of the versions that only the second server has, and of its v2 document. */
async function writeEveryHashes(): Promise<void> {
  const hashes: Record<string, string> = {}
  for (const path of Object.keys(everyIndex.paths)) {
    if (!(path in index.paths)) hashes[path] = await hashOf(every, `/openapi/v3/${path}`)
  }
  hashes['openapi/v2'] = await hashOf(every, '/openapi/v2')
  writeTestData('openapi/testdata/every.json', hashes)
}

async function hashOf(server: Server, path: string): Promise<string> {
  const document = sortedKeys(withoutDescriptions(await server(path)))
  return createHash('sha256').update(JSON.stringify(document)).digest('hex')
}

/**
 * Under which name the v2 document refers to a parameter: `name in`, or where several have these, `name in place`: the subresource or
 * verb that takes it, or the kind of the body. The names hold hashes of descriptions, so they cannot be computed here.
 */
async function writeSharedParameters(): Promise<void> {
  interface Parameter extends Json {
    readonly name: string
    readonly in: string
    readonly schema?: { readonly $ref: string }
  }
  const { parameters, paths, definitions } = (await usual('/openapi/v2')) as {
    readonly definitions: Readonly<Record<string, Json>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  }
  const placesOf = new Map<string, Set<string>>()
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, each] of Object.entries(item)) {
      const all = method === 'parameters' ? each : (each as { parameters?: unknown }).parameters
      for (const { $ref } of (all ?? []) as { $ref?: string }[]) {
        if ($ref === undefined) continue
        const ref = $ref.slice('#/parameters/'.length)
        const place = placeOf(path, method, parameters[ref]!.schema?.$ref)
        placesOf.set(ref, (placesOf.get(ref) ?? new Set<string>()).add(place))
      }
    }
  }
  const byName = Object.groupBy(Object.entries(parameters), ([, it]) => `${it.name} ${it.in}`)
  const found = Object.entries(byName).flatMap(([name, all]) =>
    all!.flatMap(([ref]) =>
      all!.length === 1
        ? [[name, ref]]
        : [...placesOf.get(ref)!].map((it) => [`${name} ${it}`, ref]),
    ),
  )
  writeJson('shared-parameters.json', Object.fromEntries(found))
  const kinds = definitions[`${META_V1}.DeleteOptions`]!['x-kubernetes-group-version-kind'] as {
    readonly group: string
    readonly version: string
  }[]
  const groups = kinds.map(({ group, version }) => [group, version])
  writeJson('option-groups.json', groups)
}

/** As openapi/shared-parameters.ts has it. */
function placeOf(path: string, method: string, schema: string | undefined): string {
  if (schema !== undefined) return schema.slice(schema.lastIndexOf('.') + 1)
  const proxied = /\/(\w+)\/\{name\}\/proxy/.exec(path)?.[1]
  const below = /\/pods\/\{name\}\/(log|attach|exec)$/.exec(path)?.[1]
  return proxied ?? below ?? (method === 'patch' ? 'patch' : 'write')
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, each]) => [key, sortedKeys(each)]))
}

function writeTestData(name: string, content: unknown): void {
  files.set(new URL(name, APISERVER), `${JSON.stringify(content)}\n`)
}

/**
 * The real discovery, for the tests. They want two custom kinds in it, which the header of discovery.test.ts shows: a namespaced
 * widget in v1 (status and scale) and v1beta1, and a cluster-scoped gadget in v1.
 */
async function writeDiscovery(name: string, server: Server): Promise<void> {
  const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  const list = (await server('/apis')) as GroupList
  const found: Json = {
    '/api': {
      ...((await server('/api')) as Json),
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '192.0.2.1:6443' }],
    },
    '/api/v1': await server('/api/v1'),
    '/apis': list,
    'aggregated /api': await server('/api', aggregated),
    'aggregated /apis': await server('/apis', aggregated),
  }
  for (const { name, versions } of list.groups) {
    found[`/apis/${name}`] = await server(`/apis/${name}`)
    for (const { version } of versions) {
      found[`/apis/${name}/${version}`] = await server(`/apis/${name}/${version}`)
    }
  }
  writeTestData(name, found)
}

function writeJson(name: string, content: unknown): void {
  files.set(new URL(name, DATA), `${JSON.stringify(content)}\n`)
}

function writeFiles(): void {
  rmSync(DATA, { recursive: true, force: true })
  for (const [file, text] of files) {
    mkdirSync(new URL('.', file), { recursive: true })
    writeFileSync(file, text)
    console.log(`${fileURLToPath(file)} ${text.length}`)
  }
}
