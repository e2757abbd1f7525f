import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../patch/json.ts'
import { compareValues } from './compare.ts'
import { runConverting } from './conversion.ts'
import { difference, intersection, sameSet } from './field-set.ts'
import type { ManagedSet, Managers } from './managers.ts'
import { mergeValues } from './merge.ts'
import { prune, pruneFully } from './prune.ts'
import { schemaTypeReader } from './schema-types.ts'
import { toFieldSet } from './to-field-set.ts'
import type { FieldType } from './type.ts'

/** A type with a list of each kind, a map of each kind and a struct. */
const text = { type: 'string' }
const schema: JsonObject = {
  type: 'object',
  properties: {
    name: text,
    set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    items: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: {
        type: 'object',
        properties: { k: text, v: text, w: { type: 'object', properties: { x: text } } },
      },
    },
    labels: { type: 'object', additionalProperties: text },
    whole: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
    list: { type: 'array', items: text },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
}
const type: FieldType = schemaTypeReader()(schema)

const plain = { noNullPrototype: true }
const word = fc.constantFrom('a', 'b', 'c')

/** @param minKeys how many members maps have at least */
function valuesWith(minKeys: number): fc.Arbitrary<JsonObject> {
  const map = fc.dictionary(word, word, { minKeys, ...plain })
  const struct = fc.record({ x: word }, { requiredKeys: minKeys > 0 ? ['x'] : [], ...plain })
  const item = fc.record({ k: word, v: word, w: struct }, { requiredKeys: ['k'], ...plain })
  const members = {
    name: word,
    set: fc.uniqueArray(word),
    items: fc.uniqueArray(item, { selector: ({ k }) => k }),
    labels: map,
    whole: map,
    list: fc.array(word, { maxLength: 3 }),
    free: fc.record({ a: word, b: map }, { requiredKeys: minKeys > 0 ? ['a'] : [], ...plain }),
  }
  return fc.record(members, { requiredKeys: [], ...plain }) as fc.Arbitrary<JsonObject>
}

const values = valuesWith(0)
/** Without empty maps, which mean something only where there is nothing yet. */
const fullValues = valuesWith(1)

test('merging what is there already gives the same object', () => {
  fc.assert(
    fc.property(values, (value) => {
      assert.equal(mergeValues(type, value, structuredClone(value)), value)
    }),
  )
})

test('after merging, what was applied is there and nothing was removed', () => {
  fc.assert(
    fc.property(values, fullValues, (live, applied) => {
      const before = JSON.stringify([live, applied])
      const merged = mergeValues(type, live, applied)
      const { removed } = compareValues(type, live, merged)
      const said = toFieldSet(type, applied)
      const { modified, added } = compareValues(type, merged, mergeValues(type, merged, applied))
      assert.equal(difference(said, toFieldSet(type, merged)).size, 0)
      assert.equal(intersection(removed, toFieldSet(type, live)).size, 0)
      assert.equal(modified.size + added.size, 0, 'applying again changes nothing')
      assert.equal(JSON.stringify([live, applied]), before, 'neither side is changed')
    }),
  )
})

test('comparing a value with a copy finds nothing, and with another what undoes it', () => {
  fc.assert(
    fc.property(values, values, (before, after) => {
      const same = compareValues(type, before, structuredClone(before))
      assert.equal(same.added.size + same.modified.size + same.removed.size, 0)
      const forth = compareValues(type, before, after)
      const back = compareValues(type, after, before)
      assert.ok(sameSet(forth.added, back.removed))
      assert.ok(sameSet(forth.removed, back.added))
      assert.ok(sameSet(forth.modified, back.modified))
    }),
  )
})

function owned(value: JsonValue): ManagedSet {
  return { set: toFieldSet(type, value), version: 'v1', isApplied: true }
}

test('the shortcut of pruning removes what all of pruning would', () => {
  const typeOf = (): FieldType => type
  const never = (): undefined => undefined
  fc.assert(
    fc.property(values, values, values, values, (live, last, said, other) => {
      const value = mergeValues(type, mergeValues(type, live, last), said)
      const merged = { value, version: 'v1', type }
      const managers: Managers = new Map([
        ['me', owned(said)],
        ['other', owned(other)],
      ])
      const short = prune(typeOf, merged, managers, 'me', owned(last))
      const full = pruneFully(typeOf, merged, managers, owned(last))
      assert.deepEqual(runConverting(short, never), runConverting(full, never))
    }),
  )
})

test('the shortcut is taken, and agrees, when the configuration still says all it said', () => {
  const typeOf = (): FieldType => type
  const never = (): undefined => undefined
  fc.assert(
    fc.property(values, values, values, (live, last, more) => {
      const said = mergeValues(type, last, more)
      const merged = { value: mergeValues(type, live, said), version: 'v1', type }
      const managers: Managers = new Map([['me', owned(said)]])
      const isCovered = difference(owned(last).set, owned(said).set).size === 0
      const result = runConverting(prune(typeOf, merged, managers, 'me', owned(last)), never)
      if (isCovered) assert.equal(result, merged)
      const full = runConverting(pruneFully(typeOf, merged, managers, owned(last)), never)
      assert.deepEqual(result, full)
    }),
  )
})

test('lists that change take the applied order, and keep the others in place', () => {
  const merge = (live: string[], applied: string[]): JsonValue => {
    const merged = mergeValues(type, { set: live }, { set: applied })
    return (merged as JsonObject)['set'] ?? null
  }
  assert.deepEqual(merge(['a', 'b', 'c'], ['c', 'a']), ['b', 'c', 'a'])
  assert.deepEqual(merge(['a', 'b'], ['x', 'b']), ['a', 'x', 'b'])
  assert.deepEqual(merge(['a', 'b', 'c'], ['a', 'b']), ['a', 'b', 'c'])
})
