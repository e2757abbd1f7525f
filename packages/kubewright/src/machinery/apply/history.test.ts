import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { JsonObject } from '../patch/json.ts'
import { isJsonObject, jsonEqual, member } from '../patch/json.ts'
import type { ConflictCause } from './conflict-report.ts'
import { runConverting } from './conversion.ts'
import { emptyObjectOf } from './empty-object.ts'
import { excludeFields } from './field-filter.ts'
import type { FieldManager } from './field-manager.ts'
import { createFieldManager } from './field-manager.ts'
import { fieldSetOf } from './field-set.ts'
import { keepTimestamps } from './keep-timestamps.ts'
import { managedFieldsOf, withManagedFields } from './managed-fields.ts'
import { fieldPath } from './path-element.ts'
import { schemaTypeReader } from './schema-types.ts'

/**
 * testdata/deployment-history.json: random requests to kube-apiserver 1.36.3 for one Deployment, and what it
 * stored or answered. testdata/deployment.openapi.json: the schemas of its OpenAPI v3 that a Deployment needs.
 */
type Step =
  | { do: 'delete' }
  | { do: 'create' | 'update' | 'status'; by: string; stored: JsonObject; reset?: boolean }
  | {
      do: 'apply'
      by: string
      force?: boolean
      applied: JsonObject
      stored?: JsonObject
      code?: number
      message?: string
      causes?: ConflictCause[]
    }

function readData<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`testdata/${name}`, import.meta.url), 'utf8')) as T
}

const schemas = readData<Record<string, JsonObject>>('deployment.openapi.json')
const resolveRef = (ref: string): JsonObject | undefined => schemas[ref.split('/').at(-1) ?? '']
const schema = schemas['io.k8s.api.apps.v1.Deployment'] ?? {}
const type = schemaTypeReader({ resolveRef })(schema)
const apiVersion = 'apps/v1'
const kind = 'Deployment'

function managerOf(subresource?: 'status'): FieldManager {
  const excluded = subresource
    ? fieldSetOf(fieldPath('spec'), fieldPath('metadata', 'labels'))
    : fieldSetOf(fieldPath('status'))
  return createFieldManager({
    apiVersion,
    kind,
    ...(subresource && { subresource }),
    typeOf: (version) => (version === apiVersion ? type : undefined),
    resetFields: new Map([[apiVersion, excludeFields(excluded)]]),
    emptyObject: emptyObjectOf(schema, { apiVersion, kind }, resolveRef),
  })
}

const main = managerOf()
const status = managerOf('status')

function run<T>(steps: Generator<unknown, T, undefined>): T {
  const step = steps.next()
  assert.ok(step.done, 'one version needs no conversion')
  return step.value
}

/** The latest time in an object's managedFields: that of the request, if it changed anything. */
function lastTime(object: JsonObject): string {
  const times = (managedFieldsOf(object) ?? []).map((entry) =>
    isJsonObject(entry) ? String(member(entry, 'time') ?? '') : '',
  )
  return times.sort().at(-1) ?? ''
}

function kept(object: JsonObject, live: JsonObject | undefined): JsonObject {
  return live ? keepTimestamps(object, live) : object
}

function checkUpdate(
  step: Extract<Step, { by: string; do: 'create' | 'update' | 'status' }>,
  live?: JsonObject,
): void {
  const given = step.reset ? [] : undefined
  const next = withManagedFields(step.stored, given)
  const manager = step.do === 'status' ? status : main
  const time = lastTime(step.stored)
  const { object, problem } = run(manager.update({ live, next, manager: step.by, time }))
  assert.equal(problem, undefined)
  assert.deepEqual(managedFieldsOf(kept(object, live)), managedFieldsOf(step.stored))
}

function checkApply(step: Extract<Step, { do: 'apply' }>, live?: JsonObject): void {
  const { applied, by, force = false, stored } = step
  const time = stored ? lastTime(stored) : '2026-01-01T00:00:00Z'
  const apply = (): ReturnType<typeof applied.valueOf> =>
    run(main.apply({ live, applied, manager: by, force, time }))
  if (step.code === 500) return assert.throws(apply, { reason: 'Internal', message: step.message })
  const result = run(main.apply({ live, applied, manager: by, force, time }))
  if (result.kind === 'conflict') {
    assert.equal(result.report.message, step.message)
    return assert.deepEqual(sortCauses(result.report.causes), sortCauses(step.causes ?? []))
  }
  assert.ok(stored, `the server stored nothing: ${step.message}`)
  assert.deepEqual(managedFieldsOf(kept(result.object, live)), managedFieldsOf(stored))
  assertContained(result.object['spec'], stored['spec'])
}

function sortCauses(causes: readonly ConflictCause[]): string[] {
  return causes.map(({ reason, message, field }) => `${reason} ${message} ${field}`).sort()
}

/** What was merged is what was stored, apart from defaults and from nulls that decoding drops. */
function assertContained(merged: unknown, stored: unknown): void {
  if (Array.isArray(merged)) {
    assert.equal(merged.length, (stored as unknown[] | undefined)?.length ?? 0)
    merged.forEach((item, i) => assertContained(item, (stored as unknown[])[i]))
  } else if (typeof merged === 'object' && merged !== null) {
    for (const [key, value] of Object.entries(merged))
      assertContained(value, (stored as Record<string, unknown> | undefined)?.[key])
  } else if (merged !== null) assert.equal(merged, stored)
}

const steps = readData<Step[]>('deployment-history.json')

test(`kube-apiserver's answers to ${steps.length} requests`, () => {
  assert.ok(steps.length > 40)
  let live: JsonObject | undefined
  for (const step of steps) {
    const before = JSON.stringify(live)
    if (step.do === 'apply') checkApply(step, live)
    else if (step.do !== 'delete') checkUpdate(step, live)
    assert.equal(JSON.stringify(live), before, 'the stored object is left as it was')
    live = step.do === 'delete' ? undefined : (step.stored ?? live)
  }
})

test('an apply that changes nothing shares what is stored', () => {
  const stored = steps.findLast((step) => step.do === 'apply' && step.stored)
  assert.ok(stored?.do === 'apply' && stored.stored)
  const live = stored.stored
  const request = { live, applied: stored.applied, manager: stored.by, force: false, time: 'later' }
  const result = runConverting(main.apply(request), () => undefined)
  assert.ok(result.kind === 'applied')
  assert.equal(result.object['spec'], live['spec'])
  assert.ok(jsonEqual(result.object, live))
})
