import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createApiServer } from '../server.ts'

/** What kube-apiserver v1.36.3 said of an object with one field changed: nothing, or causes as field and message. */
interface Mutation {
  /** Where, as keys and indexes with slashes between them (a JSON pointer, RFC 6901, without its first slash). */
  readonly at: string
  /** Absent: the field is taken away. */
  readonly value?: unknown
  readonly causes?: readonly (readonly [field: string, message: string])[]
}

interface Json {
  [name: string]: unknown
}

interface Subject {
  readonly path: string
  readonly object: Json
  /** The status that its mutations are made of; absent for kinds without one. */
  readonly told?: Json
  readonly create: readonly Mutation[]
  readonly update: readonly Mutation[]
  readonly status: readonly Mutation[]
}

const subjects = JSON.parse(
  readFileSync(new URL('testdata/mutations.json', import.meta.url), 'utf8'),
) as readonly Subject[]

const server = createApiServer()
test.after(() => server.close())

async function ask(method: string, path: string, body?: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) }
  return server.fetch(new Request(`http://kubernetes${path}`, init))
}

/** A copy of the object with the mutation in it. */
function mutated(object: Json, { at, value }: Mutation): Json {
  const copy = structuredClone(object)
  const steps = at.split('/').map((it) => it.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = steps.pop()!
  const holder = steps.reduce<Json>((it, step) => it[step] as Json, copy)
  if (value === undefined) delete holder[last]
  else holder[last] = value
  return copy
}

/** Go's own structs, which no other server has, and what follows the first line stay out. */
const plain = (text: string): string => text.split('\n')[0]!.replace(/\{.*\}/, '{}')

async function answered(response: Response): Promise<string> {
  const body = (await response.json()) as {
    readonly message?: string
    readonly details?: { readonly causes?: readonly { field: string; message: string }[] }
  }
  if (response.ok) return ''
  const causes = body.details?.causes
  if (causes === undefined) return body.message ?? ''
  return inOrder(causes.map((it) => `${it.field}: ${plain(it.message)}`))
}

const inOrder = (lines: readonly string[]): string => lines.toSorted().join('\n')

const told = ({ causes = [] }: Mutation): string =>
  inOrder(causes.map(([field, message]) => `${field}: ${message}`))

for (const { path, object, told: status, ...modes } of subjects) {
  const { name } = object['metadata'] as { readonly name?: string }
  const kind = path.slice(path.lastIndexOf('/') + 1)
  for (const mode of ['create', 'update', 'status'] as const) {
    const all = modes[mode]
    if (all.length === 0) continue
    test(`${kind} ${name ?? ''}: ${mode} with ${all.length} mutations`, async () => {
      if (mode !== 'create') assert.equal((await ask('POST', path, object)).status, 201)
      const item = `${path}/${name}`
      const [method, at] = mode === 'create' ? ['POST', path] : ['PUT', item]
      const place = `${at}${mode === 'status' ? '/status' : ''}?dryRun=All`
      const stored = mode === 'create' ? object : await (await ask('GET', item)).json()
      const { resourceVersion, uid } = (stored as Json)['metadata'] as Json
      for (const it of all) {
        const body = mutated(mode === 'status' ? { ...object, status } : object, it)
        if (mode !== 'create')
          body['metadata'] = { ...(body['metadata'] as Json), resourceVersion, uid }
        const response = await ask(method!, place, body)
        assert.equal(await answered(response), told(it), JSON.stringify(it))
      }
      if (mode !== 'create') await ask('DELETE', item)
    })
  }
}
