/**
 * Writes packages/cluster/src/apiserver/data/protobuf from Kubernetes' published Go modules: for each message the numbers, names and
 * types of its fields. The generated.proto files tell numbers and types, the tags of the Go structs the names in JSON, and the
 * generated.pb.go files which fields are written only where they are there. Run it after extract-resources, whose definitions tell
 * which packages are served:
 *
 *     node tools/extract-protobuf.ts --modules "$(go env GOMODCACHE)/k8s.io" --version v0.36.3
 *
 * A field is written as `name type`; the name is empty where the field is embedded (its own fields stand beside the others in JSON),
 * and a `*` before the type marks a field that Go leaves out when it is nil. All others Go writes though they are empty.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

const DATA = new URL('../packages/cluster/src/apiserver/data/', import.meta.url)
const MODULES = ['api', 'apimachinery', 'apiextensions-apiserver', 'kube-aggregator']

/** Packages without definitions in OpenAPI whose messages are answered all the same. */
const MORE: ReadonlySet<string> = new Set([
  'io.k8s.api.apidiscovery.v2',
  'io.k8s.apimachinery.pkg.apis.meta.v1beta1',
])

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

const isAnswered = (home: string): boolean =>
  MORE.has(home) || existsSync(new URL(`definitions/${home}.json`, DATA))

/** What a Go struct tells of a field of its message: its name in JSON, and whether it may be nil. */
interface GoField {
  readonly json: string
  readonly nilable: boolean
}

/** By the field's name in the message, or by its name in Go where the struct has no tags; lower case. */
type GoStruct = ReadonlyMap<string, Partial<GoField>>

function goStructs(folder: string): (name: string) => GoStruct {
  const files = globSync('*.go', { cwd: folder }).filter((it) => !it.endsWith('_test.go'))
  const text = files.map((it) => readFileSync(join(folder, it), 'utf8')).join('\n')
  return (name) => goStruct(text, name)
}

const TAG = /^\s+(\w+)[^`\n]*`json:"([^",]*)[^`\n]*protobuf:"[^"\n]*\bname=(\w+)[^"\n]*"`/gm

function goStruct(text: string, struct: string): GoStruct {
  const nilable = nilableOf(text, struct)
  const body = new RegExp(`^type ${struct} struct \\{\n([^]*?)^\\}`, 'm').exec(text)?.[1] ?? ''
  const tagged = [...body.matchAll(TAG)].map(([, name, json, proto]): [string, GoField] => [
    proto!.toLowerCase(),
    { json: json!, nilable: nilable.has(name!) },
  ])
  const untagged = [...nilable].map((it): [string, Partial<GoField>] => [
    it.toLowerCase(),
    { nilable: true },
  ])
  return new Map([...untagged, ...tagged])
}

function nilableOf(text: string, struct: string): ReadonlySet<string> {
  const head = `^func \\(m \\*${struct}\\) MarshalToSizedBuffer`
  const body = new RegExp(`${head}[^]*?^\\}`, 'm').exec(text)?.[0] ?? ''
  return new Set([...body.matchAll(/if m\.(\w+) != nil \{/g)].map(([, name]) => name!))
}

function messagesOf(text: string, structOf: (name: string) => GoStruct): Messages {
  const messages: Messages = {}
  for (const [, name, body] of text.matchAll(/^message (\w+) \{\n([^]*?)^\}/gm)) {
    messages[name!] = fieldsOf(body!, structOf(name!))
  }
  return messages
}

const FIELD = /^ {2}(?:(optional|required|repeated) )?(map<string, [\w.]+>|[\w.]+) (\w+) = (\d+);/gm

function fieldsOf(body: string, struct: GoStruct): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [, label, type, name, number] of body.matchAll(FIELD)) {
    const { json, nilable } = struct.get(name!.toLowerCase()) ?? {}
    const mark = nilable ? '*' : ''
    fields[number!] = `${jsonName(name!, type!, json)} ${mark}${typeOf(label, type!)}`
  }
  return fields
}

/** A field that is no field of JSON (`-`) goes by its own name; one without a tag, named as its struct, is embedded. */
function jsonName(name: string, type: string, json: string | undefined): string {
  if (json === undefined)
    return /^[A-Z]/.test(type) && name.toLowerCase() === type.toLowerCase() ? '' : name
  return json === '-' ? name : json
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
    if (!isAnswered(home)) continue
    const messages = messagesOf(text, goStructs(dirname(join(root, file))))
    writeFileSync(new URL(`protobuf/${home}.json`, DATA), `${JSON.stringify(messages)}\n`)
  }
}
