import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, JsonValue } from '../patch/json.ts'
import { maxUpdateManagers } from './cap-managers.ts'
import type { ConversionRequest } from './conversion.ts'
import { runConverting, runConvertingAsync } from './conversion.ts'
import type { ApplyResult, FieldManagerScope } from './field-manager.ts'
import { createFieldManager } from './field-manager.ts'
import { lastAppliedAnnotation } from './last-applied.ts'
import { managedFieldsOf } from './managed-fields.ts'
import { schemaTypeReader } from './schema-types.ts'
import type { FieldType } from './type.ts'

/** A kind at two versions; `data` is called `values` at v2. */
const read = schemaTypeReader()
const text: JsonObject = { type: 'string' }
const texts: JsonObject = { type: 'object', additionalProperties: text }
const metadata: JsonObject = {
  type: 'object',
  properties: {
    name: text,
    namespace: text,
    uid: text,
    resourceVersion: text,
    labels: texts,
    annotations: texts,
  },
}

function typeWith(name: string): FieldType {
  const properties = { apiVersion: text, kind: text, metadata, [name]: texts }
  return read({ type: 'object', properties })
}

const types: Readonly<Record<string, FieldType>> = { v1: typeWith('data'), v2: typeWith('values') }
const requests: ConversionRequest[] = []

function convert(request: ConversionRequest): JsonValue {
  requests.push(request)
  const { data, values, ...rest } = request.value as Record<string, JsonValue>
  const content = data ?? values
  const name = request.to === 'v1' ? 'data' : 'values'
  return { ...rest, apiVersion: request.to, ...(content !== undefined && { [name]: content }) }
}

function scopeOf(apiVersion = 'v1', extra: Partial<FieldManagerScope> = {}): FieldManagerScope {
  return { apiVersion, kind: 'Thing', typeOf: (version) => types[version], ...extra }
}

const v1 = createFieldManager(scopeOf())
const v2 = createFieldManager(scopeOf('v2'))

function thing(data: Record<string, string>, meta: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x', ...meta }, data }
}

function stored(object: JsonObject): JsonObject {
  const meta = object['metadata'] as JsonObject
  return { ...object, metadata: { ...meta, uid: 'u' } }
}

function at(seconds: number): string {
  return `2026-01-01T00:00:${String(seconds).padStart(2, '0')}Z`
}

function update(
  live: JsonObject | undefined,
  next: JsonObject,
  manager: string,
  seconds = 0,
): JsonObject {
  const request = { live, next, manager, time: at(seconds) }
  const { object, problem } = runConverting(v1.update(request), convert)
  assert.equal(problem, undefined)
  return stored(object)
}

function apply(
  live: JsonObject | undefined,
  applied: JsonObject,
  manager: string,
  { force = false, seconds = 0, of = v1 } = {},
): ApplyResult {
  return runConverting(of.apply({ live, applied, manager, force, time: at(seconds) }), convert)
}

function applied(result: ApplyResult): JsonObject {
  assert.equal(result.kind, 'applied')
  return stored((result as Extract<ApplyResult, { kind: 'applied' }>).object)
}

function owners(object: JsonObject): Record<string, unknown> {
  const entries = (managedFieldsOf(object) ?? []) as JsonObject[]
  return Object.fromEntries(
    entries.map(({ manager, operation, fieldsV1 }) => [
      `${String(manager)} ${String(operation)}`,
      fieldsV1,
    ]),
  )
}

test('an entry has its members in the order of Kubernetes', () => {
  const object = update(undefined, thing({ a: '1' }), 'me')
  assert.deepEqual(Object.entries(managedFieldsOf(object)?.[0] as JsonObject), [
    ['manager', 'me'],
    ['operation', 'Update'],
    ['apiVersion', 'v1'],
    ['time', at(0)],
    ['fieldsType', 'FieldsV1'],
    ['fieldsV1', { 'f:data': { '.': {}, 'f:a': {} } }],
  ])
})

test('an update without a change keeps entries and times', () => {
  const live = update(undefined, thing({ a: '1' }), 'me')
  const next = update(live, live, 'other', 5)
  assert.deepEqual(managedFieldsOf(next), managedFieldsOf(live))
})

test('a manager without a name is unknown', () => {
  assert.deepEqual(Object.keys(owners(update(undefined, thing({ a: '1' }), ''))), [
    'unknown Update',
  ])
})

test('an object without managedFields stays untracked until it is applied to', () => {
  const live = stored(thing({ a: '1', b: '2' }))
  assert.equal(managedFieldsOf(update(live, thing({ a: '2' }), 'me')), undefined)
  const object = applied(apply(live, thing({ a: '1', c: '3' }), 'me'))
  assert.deepEqual(owners(object), {
    'me Apply': { 'f:data': { 'f:a': {}, 'f:c': {} } },
    'before-first-apply Update': { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } },
  })
})

test('managedFields are cleared by an empty list and by one empty entry', () => {
  const live = update(undefined, thing({ a: '1' }), 'me')
  for (const managedFields of [[], [{}]]) {
    const next = thing({ a: '1' }, { uid: 'u', managedFields })
    assert.equal(managedFieldsOf(update(live, next, 'me')), undefined)
  }
})

test('managedFields that cannot be read are taken from the stored object', () => {
  const live = update(undefined, thing({ a: '1' }), 'me')
  const next = thing({ a: '1' }, { uid: 'u', managedFields: [{ operation: 'Bogus' }] })
  assert.deepEqual(managedFieldsOf(update(live, next, 'me')), managedFieldsOf(live))
})

test('a request may set managedFields itself, but not through a subresource', () => {
  const live = update(undefined, thing({ a: '1' }), 'me')
  const entry = { ...(managedFieldsOf(live)?.[0] as JsonObject), manager: 'renamed' }
  const next = thing({ a: '1' }, { uid: 'u', managedFields: [entry] })
  assert.deepEqual(Object.keys(owners(update(live, next, 'x'))), ['renamed Update'])
  const status = createFieldManager(scopeOf('v1', { subresource: 'status' }))
  const through = runConverting(status.update({ live, next, manager: 'x', time: at(1) }), convert)
  assert.deepEqual(Object.keys(owners(through.object)), ['me Update'])
})

test('what cannot be typed loses its managedFields and tells why', () => {
  const live = update(undefined, thing({ a: '1' }), 'me')
  const next = { ...thing({ a: '1' }), bogus: 1 }
  const result = runConverting(v1.update({ live, next, manager: 'me', time: at(1) }), convert)
  assert.equal(managedFieldsOf(result.object), undefined)
  assert.equal(
    result.problem?.message,
    'failed to convert new object (/x; /v1, Kind=Thing) to smd typed: .bogus: field not declared in schema',
  )
})

test('an apply owns what it says, takes back what it no longer says and leaves the rest', () => {
  const live = applied(apply(undefined, thing({ a: '1', b: '2' }), 'me'))
  const changed = update(live, thing({ a: '1', b: '2', c: '3' }, { uid: 'u' }), 'other', 1)
  const object = applied(apply(changed, thing({ a: '1' }), 'me', { seconds: 2 }))
  assert.deepEqual(object['data'], { a: '1', c: '3' })
  assert.deepEqual(owners(object), {
    'me Apply': { 'f:data': { 'f:a': {} } },
    'other Update': { 'f:data': { 'f:c': {} } },
  })
})

test('a conflict names managers and fields, and force takes them', () => {
  const live = applied(apply(undefined, thing({ a: '1', b: '2' }), 'one'))
  const changed = update(live, thing({ a: '1', b: '3' }, { uid: 'u' }), 'two', 1)
  const wanted = thing({ a: '2', b: '4' })
  const result = apply(changed, wanted, 'three')
  assert.deepEqual(result, {
    kind: 'conflict',
    report: {
      message:
        'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\nconflicts with "two" using v1:\n- .data.b',
      causes: [
        { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' },
        {
          reason: 'FieldManagerConflict',
          message: 'conflict with "two" using v1',
          field: '.data.b',
        },
      ],
    },
  })
  const forced = applied(apply(changed, wanted, 'three', { force: true, seconds: 2 }))
  assert.deepEqual(owners(forced), { 'three Apply': { 'f:data': { 'f:a': {}, 'f:b': {} } } })
})

test('one conflict is told in one line, with the subresource', () => {
  const status = createFieldManager(scopeOf('v1', { subresource: 'status' }))
  const live = update(undefined, thing({}), 'me')
  const next = { ...live, data: { a: '1' } }
  const { object } = runConverting(
    status.update({ live, next, manager: 'st', time: at(1) }),
    convert,
  )
  const result = apply(stored(object), thing({ a: '2' }), 'me')
  assert.equal(
    result.kind === 'conflict' && result.report.message,
    'Apply failed with 1 conflict: conflict with "st" with subresource "status" using v1: .data.a',
  )
})

const refused: readonly (readonly [applied: JsonObject, reason: string, message: string])[] = [
  [{ ...thing({}), kind: 'Other' }, 'BadRequest', 'invalid object type: /v1, Kind=Other'],
  [{ ...thing({}), apiVersion: 'g/v9' }, 'BadRequest', 'invalid object type: g/v9, Kind=Thing'],
  [thing({}, { managedFields: [] }), 'BadRequest', 'metadata.managedFields must be nil'],
  [
    { ...thing({}, { namespace: 'ns' }), bogus: 1 },
    'Internal',
    'failed to create typed patch object (ns/x; /v1, Kind=Thing): .bogus: field not declared in schema',
  ],
]

for (const [object, reason, message] of refused)
  test(`refused: ${message}`, () => {
    assert.throws(() => apply(undefined, object, 'me'), { name: 'PatchError', reason, message })
  })

test('stored managedFields that cannot be read stop an apply', () => {
  const live = stored(thing({}, { managedFields: [{ operation: 'Apply', apiVersion: 'v1' }] }))
  const message = 'failed to decode managed fields: missing fieldsType in managed fields entry 0'
  assert.throws(() => apply(live, thing({}), 'me'), { reason: 'Internal', message })
})

test('owners of other versions are compared at their version', () => {
  const live = applied(apply(undefined, thing({ a: '1' }), 'one'))
  requests.length = 0
  const wanted = { apiVersion: 'v2', kind: 'Thing', metadata: { name: 'x' }, values: { a: '2' } }
  const current = convert({ value: live, from: 'v1', to: 'v2' }) as JsonObject
  const result = apply(current, wanted, 'two', { of: v2 })
  assert.equal(
    result.kind === 'conflict' && result.report.message,
    'Apply failed with 1 conflict: conflict with "one": .data.a',
  )
  assert.deepEqual(
    requests.slice(1).map(({ from, to }) => `${from} ${to}`),
    ['v2 v1', 'v2 v1'],
  )
})

test('conversions may take their time', async () => {
  const live = applied(apply(undefined, thing({ a: '1' }), 'one'))
  const wanted = { apiVersion: 'v2', kind: 'Thing', metadata: { name: 'x' }, values: { b: '2' } }
  const current = convert({ value: live, from: 'v1', to: 'v2' }) as JsonObject
  const request = { live: current, applied: wanted, manager: 'one', force: false, time: at(1) }
  const result = await runConvertingAsync(v2.apply(request), async (r) => convert(r))
  assert.deepEqual(applied(result)['values'], { b: '2' })
  assert.deepEqual(owners(applied(result)), { 'one Apply': { 'f:values': { 'f:b': {} } } })
})

test('a conversion that fails fails the apply', async () => {
  const live = applied(apply(undefined, thing({ a: '1' }), 'one'))
  const wanted = { apiVersion: 'v2', kind: 'Thing', metadata: { name: 'x' }, values: { b: '2' } }
  const current = convert({ value: live, from: 'v1', to: 'v2' }) as JsonObject
  const request = { live: current, applied: wanted, manager: 'two', force: false, time: at(1) }
  const fail = async (): Promise<never> => Promise.reject(new Error('webhook is down'))
  await assert.rejects(runConvertingAsync(v2.apply(request), fail), {
    message: 'failed to convert old object: webhook is down',
  })
})

test('a conversion that fails does not fail an update, but nobody owns anything then', () => {
  const live = applied(apply(undefined, thing({ a: '1' }), 'one'))
  const current = convert({ value: live, from: 'v1', to: 'v2' }) as JsonObject
  const next = { ...current, values: { a: '2' } }
  const fail = (): never => {
    throw new Error('webhook is down')
  }
  const request = { live: current, next, manager: 'two', time: at(1) }
  const { object, problem } = runConverting(v2.update(request), fail)
  assert.equal(problem?.message, 'failed to convert old object: webhook is down')
  assert.equal(managedFieldsOf(object), undefined)
  assert.deepEqual(object['values'], { a: '2' })
})

test('owners of versions that are gone are forgotten', () => {
  const live = update(undefined, thing({ a: '1' }), 'me')
  const gone = { ...(managedFieldsOf(live)?.[0] as JsonObject), apiVersion: 'v0', manager: 'old' }
  const meta = { uid: 'u', managedFields: [...(managedFieldsOf(live) ?? []), gone] }
  assert.deepEqual(Object.keys(owners(update(live, thing({ a: '2' }, meta), 'me', 1))), [
    'me Update',
  ])
})

test('only ten updates are kept, older ones are merged by version', () => {
  let live: JsonObject | undefined
  for (let i = 0; i < 13; i++) {
    const data = Object.fromEntries(Array.from({ length: i + 1 }, (_, j) => [`k${j}`, 'v']))
    live = update(live, thing(data, live ? { uid: 'u' } : {}), `m${i}`, i)
  }
  const found = owners(live as JsonObject)
  assert.equal(Object.keys(found).length, maxUpdateManagers)
  const ancient = { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {}, 'f:k3': {} }
  assert.deepEqual(found['ancient-changes Update'], { 'f:data': ancient })
  const [first] = managedFieldsOf(live as JsonObject) as JsonObject[]
  assert.equal(first?.['time'], at(3))
})

const lastApplied = (data: Record<string, string>): JsonObject => ({
  annotations: { [lastAppliedAnnotation]: JSON.stringify(thing(data)) },
})

test('kubectl takes over what it applied on the client side, and keeps the annotation up to date', () => {
  const live = update(
    undefined,
    thing({ a: '1', b: '2' }, lastApplied({ a: '1', b: '2' })),
    'kubectl-client-side-apply',
  )
  const object = applied(apply(live, thing({ a: 'x', c: '<&>' }), 'kubectl', { seconds: 1 }))
  const annotations = (object['metadata'] as JsonObject)['annotations'] as JsonObject
  assert.equal(
    annotations[lastAppliedAnnotation],
    '{"apiVersion":"v1","data":{"a":"x","c":"\\u003c\\u0026\\u003e"},"kind":"Thing","metadata":{"name":"x"}}\n',
  )
  assert.deepEqual(object['data'], { a: 'x', b: '2', c: '<&>' })
  assert.equal(apply(live, thing({ a: 'x' }), 'someone').kind, 'conflict')
})

test('kubectl is told only of conflicts that its annotation does not explain', () => {
  const live = update(
    undefined,
    thing({ a: '1', b: '2' }, lastApplied({ a: '1', b: '1' })),
    'editor',
  )
  const result = apply(live, thing({ a: 'x', b: 'y' }), 'kubectl')
  assert.equal(
    result.kind === 'conflict' && result.report.message,
    'Apply failed with 1 conflict: conflict with "editor" using v1: .data.b',
  )
})

test('an annotation that would make all too large is dropped', () => {
  const live = update(undefined, thing({}, lastApplied({})), 'kubectl-client-side-apply')
  const object = applied(apply(live, thing({ a: 'x'.repeat(256 * 1024) }), 'kubectl'))
  assert.deepEqual((object['metadata'] as JsonObject)['annotations'], {})
})

test('a new manager that applies what is there already is an owner without a time', () => {
  const live = update(undefined, thing({ a: '1' }), 'me')
  const object = applied(apply(live, thing({ a: '1' }), 'two', { seconds: 9 }))
  const [entry] = managedFieldsOf(object) as JsonObject[]
  assert.equal(entry?.['manager'], 'two')
  assert.equal(entry?.['time'], undefined)
})
