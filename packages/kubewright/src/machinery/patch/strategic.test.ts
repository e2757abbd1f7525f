import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject, JsonValue } from './json.ts'
import { openApiPatchSchemas } from './openapi-patch-schema.ts'
import { createStrategicMergePatch, createThreeWayStrategicMergePatch } from './strategic-diff.ts'
import { applyStrategicMergePatch } from './strategic-merge.ts'

function readData<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as T
}

const schemas = readData<Record<string, JsonObject>>('../apply/testdata/deployment.openapi.json')
const read = openApiPatchSchemas((ref) => schemas[ref.split('/').at(-1) ?? ''])
const deployment = read(schemas['io.k8s.api.apps.v1.Deployment'] ?? {})
const podSpec = read(schemas['io.k8s.api.core.v1.PodSpec'] ?? {})

type StrategicCase = { readonly result?: JsonValue; readonly error?: string } & (
  | { do: 'apply'; document: JsonObject; patch: JsonObject }
  | { do: 'create'; from: JsonObject; to: JsonObject }
  | { do: 'three-way'; original: JsonObject; modified: JsonObject; current: JsonObject }
)

/** What apimachinery's strategicpatch answers for Deployments. */
const cases = readData<StrategicCase[]>('testdata/strategic.json')

function run(it: StrategicCase): JsonValue {
  if (it.do === 'apply') return applyStrategicMergePatch(it.document, it.patch, deployment)
  if (it.do === 'create') return createStrategicMergePatch(it.from, it.to, deployment)
  return createThreeWayStrategicMergePatch(it.original, it.modified, it.current, deployment)
}

test(`the reference's answers in ${cases.length} cases`, () => {
  assert.ok(cases.length > 100)
  for (const it of cases) {
    const before = JSON.stringify(it)
    if (it.error === undefined) assert.deepEqual(run(it), it.result)
    else assert.throws(() => run(it), { name: 'PatchError', message: it.error })
    assert.equal(JSON.stringify(it), before, 'neither side is changed')
  }
})

function patchPod(document: JsonObject, patch: JsonObject): JsonObject {
  return applyStrategicMergePatch(document, patch, podSpec)
}

test("without an order the patch's items keep theirs and the server's own go in between", () => {
  const document = { containers: [{ name: 'a' }, { name: 'b' }] }
  const patch = { containers: [{ name: 'c' }, { name: 'b', image: 'x' }] }
  const expected = [{ name: 'c' }, { name: 'a' }, { name: 'b', image: 'x' }]
  assert.deepEqual(patchPod(document, patch), { containers: expected })
})

test('$setElementOrder decides', () => {
  const document = { containers: [{ name: 'a' }, { name: 'b' }] }
  const patch = { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] }
  assert.deepEqual(patchPod(document, patch), { containers: [{ name: 'b' }, { name: 'a' }] })
})

test('where a patch deletes an item, its new item counts as the last one of the server', () => {
  const document = { imagePullSecrets: [{ name: 'a' }, { name: 'c' }, { name: 'd' }] }
  const patch = {
    imagePullSecrets: [{ name: 'b' }, { name: 'd', $patch: 'delete' }],
    '$setElementOrder/imagePullSecrets': [{ name: 'b' }],
  }
  const expected = [{ name: 'a' }, { name: 'c' }, { name: 'b' }]
  assert.deepEqual(patchPod(document, patch), { imagePullSecrets: expected })
})

test('an item without the merge key is named in the error', () => {
  const document = { containers: [{ name: 'a' }] }
  assert.throws(() => patchPod(document, { containers: [{ image: 'x' }] }), {
    reason: 'Internal',
    message: 'map: map[image:x] does not contain declared merge key: name',
  })
})

test('an unknown directive is named in the error', () => {
  assert.throws(() => patchPod({}, { $patch: 'bogus', a: 1 }), {
    message: 'unknown patch type: bogus in map: map[$patch:bogus a:1]',
  })
})

test('a malformed parallel list is a bad request', () => {
  assert.throws(() => patchPod({}, { '$deleteFromPrimitiveList-x': [] }), { reason: 'BadRequest' })
  assert.throws(() => patchPod({}, { $setElementOrder: [] }), { reason: 'BadRequest' })
  assert.throws(() => patchPod({}, { $retainKeys: 'x' }), { reason: 'BadRequest' })
})

test('$retainKeys clears what it does not name', () => {
  const document = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } }
  const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }
  const result = applyStrategicMergePatch(document, patch, deployment)
  assert.deepEqual(result, { spec: { strategy: { type: 'Recreate' } } })
})

test('a field that the type does not have is an error when both sides have it', () => {
  assert.throws(() => patchPod({ bogus: {} }, { bogus: {} }), {
    message: 'unable to find api field in struct  for the json field "bogus"',
  })
})

const names = fc.subarray(['a', 'b', 'c', 'd'])
const env = names.map((list) => list.map((name) => ({ name, value: name })))
const containers = names.chain((list) =>
  fc.tuple(
    ...list.map((name) =>
      fc.record(
        { name: fc.constant(name), image: fc.constantFrom('x', 'y'), env },
        { requiredKeys: ['name'], noNullPrototype: true },
      ),
    ),
  ),
)
const specs: fc.Arbitrary<JsonObject> = fc.record(
  {
    containers: containers.map((list) => list as unknown as JsonValue),
    tolerations: names.map((list) => list.map((key) => ({ key }))),
    nodeSelector: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('x', 'y'), {
      noNullPrototype: true,
    }),
    hostNetwork: fc.boolean(),
  },
  { requiredKeys: [], noNullPrototype: true },
)

test('the patch between two objects turns one into the other, lists in order', () => {
  fc.assert(
    fc.property(specs, specs, (from, to) => {
      const patch = createStrategicMergePatch(from, to, podSpec)
      const result = applyStrategicMergePatch(from, patch, podSpec)
      assert.deepEqual(result, to)
    }),
  )
})

test('equal objects have an empty patch between them', () => {
  fc.assert(
    fc.property(specs, (spec) => {
      assert.deepEqual(createStrategicMergePatch(spec, structuredClone(spec), podSpec), {})
    }),
  )
})
