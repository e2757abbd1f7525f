/**
 * Writes packages/kubewright/src/kinds from packages/cluster/src/apiserver/data: for each group and version the kinds' types, and a
 * Kind token of the same name for each resource. Run it after extract-resources: `node tools/extract-kinds.ts`.
 *
 * A field is promised where a server always has it: where the API requires it, and for the spec of an object. What Go may write as
 * null without requiring it says so.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const DATA = new URL('../packages/cluster/src/apiserver/data/', import.meta.url)
const KINDS = new URL('../packages/kubewright/src/kinds/', import.meta.url)
const META_V1 = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** Types that the machinery room writes by hand, and their files. */
const MACHINERY: Readonly<Record<string, string>> = {
  KubeObject: 'object.ts',
  ObjectMeta: 'object.ts',
  ListMeta: 'object.ts',
  OwnerReference: 'object.ts',
  ManagedFieldsEntry: 'object.ts',
  Status: 'status.ts',
}

/** Of meta/v1, only what is found inside objects: the rest is protocol, which the client speaks. */
const META_KINDS = [
  'Condition',
  'DeleteOptions',
  'FieldSelectorRequirement',
  'LabelSelector',
  'LabelSelectorRequirement',
  'Preconditions',
]

/** Go types with a JSON form of their own. */
const SPECIAL: Readonly<Record<string, string>> = {
  [`${META_V1}.Time`]: 'string',
  [`${META_V1}.MicroTime`]: 'string',
  [`${META_V1}.FieldsV1`]: 'Readonly<Record<string, unknown>>',
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'string',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'number | string',
  'io.k8s.apimachinery.pkg.runtime.RawExtension': 'Readonly<Record<string, unknown>>',
  JSON: 'unknown',
  JSONSchemaPropsOrArray: 'JSONSchemaProps | readonly JSONSchemaProps[]',
  JSONSchemaPropsOrBool: 'JSONSchemaProps | boolean',
  JSONSchemaPropsOrStringArray: 'JSONSchemaProps | readonly string[]',
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'boolean',
  int32: 'number',
  int64: 'number',
  uint8: 'number',
  float64: 'number',
  any: 'unknown',
}

interface Definition {
  readonly struct?: string
  readonly go?: Readonly<Record<string, string>>
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, { readonly enum?: readonly string[] }>>
}

interface Resource {
  readonly plural: string
  readonly kind: string
  readonly cluster?: boolean
}

interface Home {
  readonly group: string
  readonly version: string
  readonly package: string
  readonly resources: readonly Resource[]
}

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, DATA), 'utf8'))

const homes = (
  read('resources.json') as { name: string; versions: (Omit<Home, 'group'> & object)[] }[]
).flatMap(({ name, versions }) => versions.map((it): Home => ({ ...it, group: name })))
const meta: Home = { group: 'meta', version: 'v1', package: META_V1, resources: [] }
const fileOf = new Map(
  [...homes, meta].map((it) => [it.package, `${it.group || 'core'}/${it.version}.ts`]),
)

/** The names a module takes from elsewhere, by the file that has them. */
type Imports = Map<string, Set<string>>

function moduleText(home: Home): string {
  const definitions = read(`definitions/${home.package}.json`) as Record<string, Definition>
  const imports: Imports = new Map()
  const wanted = Object.entries(definitions).filter(
    ([name, it]) =>
      it.struct && !name.endsWith('List') && (home !== meta || META_KINDS.includes(name)),
  )
  const kinds = new Map(home.resources.map((it) => [it.kind, it]))
  const ordered = [
    ...home.resources.map((it) => it.kind),
    ...wanted.map(([name]) => name).filter((it) => !kinds.has(it)),
  ]
  const body = ordered.map((name) => {
    const resource = kinds.get(name)
    const type = interfaceText(name, definitions[name]!, home, imports)
    return resource ? `${type}\n${tokenText(resource, home, imports)}` : type
  })
  return [head(home), ...importTexts(imports), '', ...body].join('\n')
}

function head(home: Home): string {
  const what = home === meta ? 'Parts of objects that meta/v1 names' : `The kinds of ${gv(home)}`
  return `// ${what}, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.`
}

const gv = (home: Home): string => (home.group ? `${home.group}/${home.version}` : home.version)

function tokenText(it: Resource, home: Home, imports: Imports): string {
  add(imports, '../../machinery/kind.ts', 'type Kind')
  add(imports, '../../machinery/kind.ts', 'kindOf')
  const scope = it.cluster ? 'Cluster' : 'Namespaced'
  return (
    `/** The kind of ${it.plural}. */\n` +
    `export const ${it.kind}: Kind<${it.kind}> = kindOf('${gv(home)}', '${it.kind}', '${it.plural}', '${scope}')\n`
  )
}

function interfaceText(name: string, it: Definition, home: Home, imports: Imports): string {
  const fields = Object.entries(it.go ?? {})
  const isObject = it.go?.metadata?.includes(`${META_V1}.ObjectMeta`) && 'apiVersion' in it.go
  const own = isObject
    ? fields.filter(([field]) => !['apiVersion', 'kind', 'metadata'].includes(field))
    : fields
  const members = own.map(([field, go]) => memberText(field, go, it, home, imports))
  const base = isObject ? ` extends ${local('KubeObject', imports)}` : ''
  const doc = `/** ${gv(home)} ${name}. */
`
  return `${doc}export interface ${name}${base} {\n${members.join('\n')}\n}\n`
}

function memberText(
  field: string,
  go: string,
  of: Definition,
  home: Home,
  imports: Imports,
): string {
  const always = !/[?~]$/.test(go)
  const bare = go.replace(/[?~]$/, '')
  const promised = of.required?.includes(field) || (field === 'spec' && bare.startsWith('#'))
  const values = of.properties?.[field]?.enum
  const type = values
    ? values.map((each) => quoted(each)).join(' | ')
    : typeText(bare, home, imports)
  const nothing = always && !promised && /^(\*|\[\]|map)/.test(bare) ? ' | null' : ''
  const key = /^\w+$/.test(field) ? field : quoted(field)
  return `  readonly ${key}${promised ? '' : '?'}: ${type}${nothing}`
}

const quoted = (text: string): string => `'${text}'`

function typeText(go: string, home: Home, imports: Imports): string {
  if (go.startsWith('*')) return typeText(go.slice(1), home, imports)
  if (go === '[]uint8') return 'string'
  if (go.startsWith('[]')) return listText(typeText(go.slice(2), home, imports))
  if (go.startsWith('map[')) {
    return `Readonly<Record<string, ${typeText(go.slice(go.indexOf(']') + 1), home, imports)}>>`
  }
  if (go.startsWith('!')) return specialText(go.slice(1), home)
  if (go.startsWith('#')) return structText(go.slice(1), home, imports)
  const named = go.indexOf('=')
  if (named > 0) return typeText(go.slice(named + 1), home, imports)
  const plain = PLAIN[go]
  if (plain === undefined) throw new Error(`no TypeScript type for ${go} in ${home.package}`)
  return plain
}

const listText = (item: string): string =>
  item.includes('|') ? `readonly (${item})[]` : `readonly ${item}[]`

function specialText(name: string, home: Home): string {
  const type = SPECIAL[name] ?? SPECIAL[`${home.package}.${name}`]
  if (type === undefined) throw new Error(`no TypeScript type for ${name} in ${home.package}`)
  return type
}

function structText(name: string, home: Home, imports: Imports): string {
  const dot = name.lastIndexOf('.')
  const short = name.slice(dot + 1)
  const from = dot < 0 ? home.package : name.slice(0, dot)
  if (from === META_V1 && short in MACHINERY) return local(short, imports)
  if (from === home.package) return short
  const file = fileOf.get(from)
  if (file === undefined || (from === META_V1 && !META_KINDS.includes(short))) {
    throw new Error(`${name} is in no module`)
  }
  // A name that the module defines itself needs another there.
  const known = read(`definitions/${home.package}.json`) as Record<string, Definition>
  const alias = short in known ? `${short} as Other${short}` : short
  add(imports, `../${file}`, `type ${alias}`)
  return short in known ? `Other${short}` : short
}

function local(name: string, imports: Imports): string {
  add(imports, `../../machinery/${MACHINERY[name]}`, `type ${name}`)
  return name
}

function add(imports: Imports, file: string, name: string): void {
  if (!imports.has(file)) imports.set(file, new Set())
  imports.get(file)!.add(name)
}

function importTexts(imports: Imports): string[] {
  return [...imports]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, names]) => {
      const all = [...names].toSorted()
      return all.every((it) => it.startsWith('type '))
        ? `import type { ${all.map((it) => it.slice(5)).join(', ')} } from '${file}'`
        : `import { ${all.join(', ')} } from '${file}'`
    })
}

mkdirSync(KINDS, { recursive: true })
for (const entry of readdirSync(KINDS, { withFileTypes: true })) {
  if (entry.isDirectory()) rmSync(new URL(entry.name, KINDS), { recursive: true })
}
for (const home of [...homes, meta]) {
  const file = new URL(fileOf.get(home.package)!, KINDS)
  mkdirSync(new URL('.', file), { recursive: true })
  writeFileSync(file, moduleText(home))
}
execFileSync('npx', ['prettier', '--write', '--log-level', 'warn', fileURLToPath(KINDS)])
