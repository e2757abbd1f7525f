import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../patch/json.ts'
import { runConverting } from './conversion.ts'
import { emptyObjectOf } from './empty-object.ts'
import { excludeFields } from './field-filter.ts'
import { createFieldManager, type FieldManager, type TrackedUpdate } from './field-manager.ts'
import { fieldSetOf } from './field-set.ts'
import { fieldPath } from './path-element.ts'
import { schemaTypeReader } from './schema-types.ts'
import { ShapeMemo, shapeOf } from './shape.ts'
import { deducedType } from './type.ts'

const schemas = JSON.parse(
  readFileSync(new URL('testdata/deployment.openapi.json', import.meta.url), 'utf8'),
) as Record<string, JsonObject>
const resolveRef = (ref: string): JsonObject | undefined => schemas[ref.split('/').at(-1) ?? '']
const schema = schemas['io.k8s.api.apps.v1.Deployment'] ?? {}
const type = schemaTypeReader({ resolveRef })(schema)
const kind = { apiVersion: 'apps/v1', kind: 'Deployment' }

const manager = (): FieldManager =>
  createFieldManager({
    ...kind,
    typeOf: (version) => (version === kind.apiVersion ? type : undefined),
    resetFields: new Map([[kind.apiVersion, excludeFields(fieldSetOf(fieldPath('status')))]]),
    emptyObject: emptyObjectOf(schema, kind, resolveRef),
  })

const optional = <T extends object>(parts: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(parts, { requiredKeys: [] })
const word: fc.Arbitrary<JsonValue> = fc.constantFrom('', 'a', 'b', null, 0, 3)
const count: fc.Arbitrary<JsonValue> = fc.constantFrom(0, 1, 2.5, null, '1', false, true)
const words = fc.oneof(fc.array(word, { maxLength: 4 }), fc.constant(null))
const table = fc.oneof(fc.dictionary(fc.constantFrom('x', 'y', 'x1 s'), word), fc.constant(null))
const container = optional({
  name: word,
  args: words,
  env: fc.array(optional({ name: word, value: word }), { maxLength: 2 }),
  ports: fc.array(optional({ containerPort: count, protocol: word }), { maxLength: 2 }),
  stray: fc.constant<JsonValue>(1),
})
const deployment = fc.record({
  apiVersion: fc.constant(kind.apiVersion),
  kind: fc.constant(kind.kind),
  metadata: optional({ name: word, labels: table, finalizers: words }),
  spec: optional({
    replicas: count,
    paused: count,
    selector: optional({ matchLabels: table }),
    strategy: fc.constantFrom<JsonValue>({}, null, { type: 'Recreate' }),
    template: optional({
      metadata: optional({ labels: table }),
      spec: optional({ containers: fc.array(container, { maxLength: 2 }), nodeSelector: table }),
    }),
  }),
  status: optional({ replicas: count }),
})

const track = (by: FieldManager, next: unknown): TrackedUpdate =>
  runConverting(
    by.update({
      live: undefined,
      next: next as JsonObject,
      manager: 'm',
      time: '2026-01-01T00:00:00Z',
    }),
    () => undefined,
  )

const textOf = ({ object, problem }: TrackedUpdate): string =>
  JSON.stringify({ object, problem: problem?.message })

test('who owns what of a new object is the same whether its shape is remembered or not', () => {
  const remembering = manager()
  fc.assert(
    fc.property(deployment, (object) => {
      const expected = textOf(track(manager(), object))
      assert.equal(textOf(track(remembering, object)), expected)
      assert.equal(textOf(track(remembering, structuredClone(object))), expected)
    }),
    { numRuns: 500 },
  )
})

test('objects of one shape share what is written of them', () => {
  const by = manager()
  const named = (name: string): JsonObject => ({ ...kind, metadata: { name, labels: { a: name } } })
  const fieldsOf = ({ object }: TrackedUpdate): unknown =>
    (object as { metadata: { managedFields: { fieldsV1: unknown }[] } }).metadata.managedFields[0]!
      .fieldsV1
  assert.equal(fieldsOf(track(by, named('one'))), fieldsOf(track(by, named('two'))))
})

test('a shape that grows too long, or a memo that is full, is forgotten', () => {
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`key-${i}`, 'x']))
  assert.equal(shapeOf(deducedType, many), undefined)
  const memo = new ShapeMemo<number>(2)
  memo.set(deducedType, 'a', 1)
  memo.set(deducedType, 'b', 2)
  memo.set(deducedType, 'c', 3)
  assert.deepEqual(
    ['a', 'b', 'c'].map((it) => memo.get(deducedType, it)),
    [undefined, undefined, 3],
  )
  assert.equal(memo.get(type, 'c'), undefined)
})
