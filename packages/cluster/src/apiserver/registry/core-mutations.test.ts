import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { ApiError, invalid, type JsonObject, type UnknownObject } from 'kubewright/machinery'
import { created, resourceNamed, updated } from './testing/harness.ts'

/** An object of core, apps, batch or autoscaling that kube-apiserver v1.36 takes, and a status that it has before a change is tried. */
interface Base {
  readonly resource: string
  readonly object: UnknownObject
  readonly status?: JsonObject
}

/** A field of a base set to something, or removed (null), in a create or in an update of a (sub)resource: what the server finds. */
type Row = readonly [
  base: string,
  change: 'create' | 'update' | `update/${string}`,
  path: readonly (string | number)[],
  value: unknown,
  causes: readonly (readonly string[])[],
]

interface Table {
  readonly bases: Readonly<Record<string, Base>>
  readonly rows: readonly Row[]
}

const { bases, rows } = JSON.parse(
  readFileSync(new URL('testdata/core-mutations.json', import.meta.url), 'utf8'),
) as Table

for (const [name, base] of Object.entries(bases)) {
  const own = rows.filter(([of]) => of === name)
  test(`${name}: ${own.length} changes are judged as kube-apiserver v1.36 judges them`, async () => {
    const stored = own.some(([, change]) => change !== 'create') ? await storedOf(base) : undefined
    for (const row of own) {
      const [, change, path, value] = row
      const title = `${change} with ${path.join('.')} as ${JSON.stringify(value)?.slice(0, 200)}`
      assert.deepEqual(await answer(base, stored, row), sorted(row[4]), title)
    }
  })
}

async function answer(
  base: Base,
  stored: UnknownObject | undefined,
  [, change, path, value]: Row,
): Promise<unknown> {
  const resource = resourceNamed(base.resource)
  const from = change === 'create' || !stored ? base.object : stored
  const to = changed(from, path, value)
  try {
    const { errors } =
      change === 'create'
        ? await created(resource, to)
        : await updated(resource, from, patchOf(from, to), change.slice('update/'.length))
    return causesOf(invalid(resource, '', errors))
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 422) throw error
    return causesOf(error)
  }
}

/** A base as it is stored, with its status. */
async function storedOf({ resource: name, object, status }: Base): Promise<UnknownObject> {
  const resource = resourceNamed(name)
  const { object: stored } = await created(resource, object)
  if (!status) return stored as UnknownObject
  const written = await updated(resource, stored as UnknownObject, { status }, 'status')
  assert.deepEqual(written.errors, [])
  return written.object as UnknownObject
}

function changed(object: UnknownObject, path: Row[2], value: unknown): UnknownObject {
  const copy = structuredClone(object)
  let at = copy as unknown as Record<string | number, unknown>
  for (const name of path.slice(0, -1)) at = at[name] as Record<string | number, unknown>
  const last = path.at(-1)!
  if (value !== null) at[last] = value
  else if (Array.isArray(at)) at.splice(Number(last), 1)
  else delete at[last]
  return copy
}

/** The merge patch that makes one object of another. */
function patchOf(from: object, to: object): JsonObject {
  const [a, b] = [from, to] as readonly Readonly<Record<string, unknown>>[]
  const patch: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(a!), ...Object.keys(b!)])) {
    const [was, now] = [a![name], b![name]]
    if (isObject(was) && isObject(now)) patch[name] = patchOf(was, now)
    else if (was !== now) patch[name] = now ?? null
  }
  return patch as JsonObject
}

const isObject = (it: unknown): it is object =>
  typeof it === 'object' && it !== null && !Array.isArray(it)

const causesOf = (error: ApiError): readonly string[] =>
  sorted(
    (error.status.details?.causes ?? []).map((it) => [
      it.field ?? '',
      it.message ?? '',
      it.reason ?? '',
    ]),
  )

/** Each once, and in no order: Go walks maps as it likes, and Kubernetes checks some things twice. */
const sorted = (causes: readonly (readonly string[])[]): readonly string[] =>
  [...new Set(causes.map((it) => it.join(' | ')))].toSorted()
