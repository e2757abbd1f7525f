/**
 * Writes packages/cluster/src/apiserver/data/protobuf from the generated.proto files of Kubernetes' published Go modules: for each
 * message the numbers, names and types of its fields. Run it after extract-resources, whose definitions tell which packages are
 * served and which fields are embedded (their own fields stand beside them in JSON):
 *
 *     node tools/extract-protobuf.ts --modules "$(go env GOMODCACHE)/k8s.io" --version v0.36.3
 *
 * A field is written as `name type`; the name is empty where the field is embedded.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const DATA = new URL('../packages/cluster/src/apiserver/data/', import.meta.url)
const MODULES = ['api', 'apimachinery', 'apiextensions-apiserver', 'kube-aggregator']

interface Definition {
  readonly properties?: Readonly<Record<string, object>>
}
type Messages = Record<string, Record<string, string>>

const { values } = parseArgs({
  options: { modules: { type: 'string' }, version: { type: 'string' } },
})
if (!values.modules || !values.version) {
  throw new Error(
    'extract-protobuf needs --modules, the folder of the k8s.io Go modules, and their --version (v0.36.3).',
  )
}

/** `k8s.io.kube_aggregator.pkg…` is `io.k8s.kube-aggregator.pkg…` in OpenAPI. */
const openApiName = (name: string): string =>
  name
    .replace(/^\./, '')
    .replace(/^k8s\.io\./, 'io.k8s.')
    .replaceAll('_', '-')

function definitionsOf(home: string): Readonly<Record<string, Definition>> | undefined {
  try {
    const text = readFileSync(new URL(`definitions/${home}.json`, DATA), 'utf8')
    return JSON.parse(text) as Record<string, Definition>
  } catch {
    return undefined
  }
}

function messagesOf(text: string, definitions: Readonly<Record<string, Definition>>): Messages {
  const messages: Messages = {}
  for (const [, name, body] of text.matchAll(/^message (\w+) \{\n([^]*?)^\}/gm)) {
    messages[name!] = fieldsOf(body!, definitions[name!])
  }
  return messages
}

const FIELD = /^ {2}(?:(optional|required|repeated) )?(map<string, [\w.]+>|[\w.]+) (\w+) = (\d+);/gm

function fieldsOf(body: string, definition: Definition | undefined): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [, label, type, name, number] of body.matchAll(FIELD)) {
    fields[number!] = `${jsonName(name!, type!, definition)} ${typeOf(label, type!)}`
  }
  return fields
}

/** `uID` is `uid`, `xKubernetesListType` is `x-kubernetes-list-type`: the same letters. */
const letters = (name: string): string => name.replace(/[^a-z]/gi, '').toLowerCase()

function jsonName(name: string, type: string, { properties }: Definition = {}): string {
  if (properties === undefined) return name
  const found = Object.keys(properties).find((it) => letters(it) === letters(name))
  if (found !== undefined) return found
  if (/^[a-z]/.test(type))
    throw new Error(`${name} ${type} has no field in the schema, and is no struct.`)
  return ''
}

function typeOf(label: string | undefined, type: string): string {
  const value = /^map<string, ([\w.]+)>$/.exec(type)?.[1]
  if (value !== undefined) return `{}${openApiName(value)}`
  return `${label === 'repeated' ? '[]' : ''}${openApiName(type)}`
}

rmSync(new URL('protobuf', DATA), { recursive: true, force: true })
mkdirSync(new URL('protobuf', DATA))
for (const module of MODULES) {
  const root = join(values.modules, `${module}@${values.version}`)
  for (const file of globSync('**/generated.proto', { cwd: root })) {
    const text = readFileSync(join(root, file), 'utf8')
    const home = openApiName(/^package ([\w.]+);/m.exec(text)![1]!)
    const definitions = definitionsOf(home)
    if (!definitions) continue
    const messages = messagesOf(text, definitions)
    writeFileSync(new URL(`protobuf/${home}.json`, DATA), `${JSON.stringify(messages)}\n`)
  }
}
