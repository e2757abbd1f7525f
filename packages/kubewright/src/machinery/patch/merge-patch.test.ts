import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject, JsonValue } from './json.ts'
import { isJsonObject } from './json.ts'
import { applyMergePatch, createMergePatch, createThreeWayMergePatch } from './merge-patch.ts'

type MergeCase =
  | { do: 'apply'; document: JsonObject; patch: JsonValue; result?: JsonValue; error?: string }
  | { do: 'create'; from: JsonObject; to: JsonObject; result: JsonValue }
  | {
      do: 'three-way'
      original: JsonObject
      modified: JsonObject
      current: JsonObject
      result: JsonValue
    }

/** What json-patch v4 and apimachinery's jsonmergepatch answer. */
const cases = JSON.parse(
  readFileSync(new URL('testdata/merge-patch.json', import.meta.url), 'utf8'),
) as MergeCase[]

function run(it: MergeCase): JsonValue {
  if (it.do === 'apply') return applyMergePatch(it.document, it.patch)
  if (it.do === 'create') return createMergePatch(it.from, it.to)
  return createThreeWayMergePatch(it.original, it.modified, it.current)
}

test(`the reference's answers in ${cases.length} cases`, () => {
  assert.ok(cases.length > 100)
  for (const it of cases) {
    const before = JSON.stringify(it)
    if ('error' in it) assert.throws(() => run(it), { message: it.error, reason: 'BadRequest' })
    else assert.deepEqual(run(it), it.result)
    assert.equal(JSON.stringify(it), before)
  }
})

/** RFC 7386, section 2. */
function mergePatchOfRfc(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch
  const out: Record<string, JsonValue> = isJsonObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete out[name]
    else out[name] = mergePatchOfRfc(out[name], value)
  }
  return out
}

const leaf = fc.constantFrom<JsonValue>(1, 'x', true, [], [1, 'y'])
const key = fc.constantFrom('a', 'b', 'c', 'toString')

function objects(values: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> {
  const { node } = fc.letrec<{ node: JsonValue }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      values,
      fc.dictionary(key, tie('node'), { noNullPrototype: true }),
    ),
  }))
  return fc.dictionary(key, node, { noNullPrototype: true })
}

const documents = objects(leaf)
const patches = objects(fc.oneof(leaf, fc.constant(null)))

test('merging is what the RFC defines, as long as lists hold no objects with nulls', () => {
  fc.assert(
    fc.property(documents, patches, (document, patch) => {
      assert.deepEqual(applyMergePatch(document, patch), mergePatchOfRfc(document, patch))
    }),
  )
})

test('the patch between two objects turns one into the other', () => {
  fc.assert(
    fc.property(documents, documents, (from, to) => {
      assert.deepEqual(applyMergePatch(from, createMergePatch(from, to)), to)
    }),
  )
})

test('equal objects have an empty patch between them', () => {
  fc.assert(
    fc.property(documents, (object) => {
      assert.deepEqual(createMergePatch(object, structuredClone(object)), {})
    }),
  )
})

test('a three-way patch keeps what others added and removes what was left out', () => {
  const original = { a: 1, b: { x: 1, y: 2 } }
  const modified = { b: { x: 5 } }
  const current = { a: 1, b: { x: 1, y: 2 }, other: true }
  const patch = createThreeWayMergePatch(original, modified, current)
  assert.deepEqual(patch, { a: null, b: { y: null, x: 5 } })
  assert.deepEqual(applyMergePatch(current, patch), { b: { x: 5 }, other: true })
})
