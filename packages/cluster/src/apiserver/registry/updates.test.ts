import assert from 'node:assert/strict'
import test from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { ApiError, invalid, type UnknownObject } from 'kubewright/machinery'
import table from './testdata/updates.json' with { type: 'json' }
import { created, resourceNamed, updated } from './testing/harness.ts'

/** What kube-apiserver v1.36 made of a merge patch of an object. */
interface Row {
  readonly resource: string
  readonly before: object
  readonly patch: object
  readonly subresource?: string
  readonly causes?: readonly (readonly string[])[]
  readonly message?: string
  readonly generation?: number | null
  /** Nothing but metadata stayed as it was. */
  readonly same?: boolean
  readonly after?: object
}

const rows = table as readonly Row[]

for (const [i, row] of rows.entries()) {
  const title = `${i}: ${row.resource} ${row.subresource ?? ''} ${JSON.stringify(row.patch)}`
  test(title.slice(0, 150), async () => {
    const resource = resourceNamed(row.resource)
    const { object: before } = await created(resource, row.before)
    const stored = before as unknown as UnknownObject
    try {
      const { object, errors } = await updated(resource, stored, row.patch, row.subresource)
      if (errors.length > 0) throw invalid(resource, '', errors)
      assert.deepEqual(outcome(object, stored, row), told(row))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      assert.deepEqual(error.code === 422 ? causesOf(error) : error.message, told(row))
    }
  })
}

function outcome(object: object, stored: UnknownObject, row: Row): unknown {
  const { metadata, ...content } = object as UnknownObject
  const { metadata: _, ...before } = stored
  const same = isDeepStrictEqual(content, before)
  const after = row.after && withoutChance(content)
  return { generation: metadata.generation ?? null, same, ...(after ? { after } : {}) }
}

function told({ causes, message, generation, same, after }: Row): unknown {
  if (message !== undefined) return message
  if (causes !== undefined)
    return sorted(causes.map(([field, text, reason]) => [field!, plain(text!), reason!]))
  return { generation, same, ...(after ? { after: withoutKind(after) } : {}) }
}

const withoutKind = (it: object): object => {
  const { kind: _, apiVersion: __, ...rest } = it as Record<string, unknown>
  return rest
}

const causesOf = (error: ApiError): readonly string[] =>
  sorted(
    (error.status.details?.causes ?? []).map((it) => [
      it.field ?? '',
      plain(it.message ?? ''),
      it.reason ?? '',
    ]),
  )

/** Objects, and what follows the first line, show Go's own structs, which no other server has. */
const plain = (text: string): string => text.split('\n')[0]!.replace(/\{.*\}/, '{}')

const withoutChance = (it: object): unknown =>
  JSON.parse(JSON.stringify(it).replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-xxxxx'))

/** In no order, and each once: Kubernetes checks metadata twice. */
function sorted(causes: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(causes.map((it) => it.join(' | ')))].toSorted()
}
