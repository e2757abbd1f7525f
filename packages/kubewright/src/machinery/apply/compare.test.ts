import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, JsonValue } from '../patch/json.ts'
import { compareValues } from './compare.ts'
import type { FieldSet } from './field-set.ts'
import { pathsOf } from './field-set.ts'
import { printPath } from './path-element.ts'
import { schemaTypeReader } from './schema-types.ts'

const text: JsonObject = { type: 'string' }
const type = schemaTypeReader()({
  type: 'object',
  properties: {
    map: { type: 'object', additionalProperties: text },
    set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    items: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', properties: { k: text, v: text } },
    },
    struct: { type: 'object', properties: { a: text, b: text } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
})

/** The differences as `-removed ~modified +added`. */
function compared(before: JsonValue, after: JsonValue): string {
  const { removed, modified, added } = compareValues(type, before, after)
  const print = (sign: string, set: FieldSet): string[] =>
    [...pathsOf(set)].map((path) => sign + printPath(path))
  return [...print('-', removed), ...print('~', modified), ...print('+', added)].join(' ')
}

const comparisons: readonly (readonly [before: JsonValue, after: JsonValue, expected: string])[] = [
  [{ map: null }, { map: {} }, '~.map'],
  [{ set: null }, { set: [] }, '~.set'],
  [{}, { map: {} }, '+.map'],
  [{ map: {} }, { map: { a: '1' } }, '+.map.a'],
  [{}, { struct: { a: '1' } }, '+.struct +.struct.a'],
  [{ struct: { a: '1', b: '2' } }, { struct: { a: '2' } }, '-.struct.b ~.struct.a'],
  [{ set: ['a', 'b'] }, { set: ['b', 'c'] }, '-.set[="a"] +.set[="c"]'],
  [{ set: ['a', 'b'] }, { set: ['b', 'a'] }, ''],
  [{ items: [{ k: 'x', v: '1' }] }, { items: [{ k: 'x', v: '2' }] }, '~.items[k="x"].v'],
  [{ free: { a: 1 } }, { free: { a: { b: 1 } } }, '~.free.a +.free.a.b'],
  [{ free: { a: [1] } }, { free: { a: [2] } }, '~.free.a'],
]

for (const [before, after, expected] of comparisons)
  test(`${JSON.stringify(before)} to ${JSON.stringify(after)}`, () => {
    assert.equal(compared(before, after), expected)
  })

const once = { items: [{ k: 'x', v: '1' }] }
const twice = { items: [{ k: 'x', v: '1' }, { k: 'x' }] }

test('an item that begins to repeat is owned as one, and item by item again when it no longer does', () => {
  const fields = ['.items[k="x"].k', '.items[k="x"].v']
  const item = '.items[k="x"]'
  assert.equal(compared(once, twice), [item, ...fields].map((f) => `-${f}`).join(' ') + ` +${item}`)
  assert.equal(compared(twice, once), `-${item} ` + [item, ...fields].map((f) => `+${f}`).join(' '))
})

test('repeated items that change are modified together', () => {
  const other = { items: [{ k: 'x', v: '2' }, { k: 'x' }] }
  assert.equal(compared(twice, other), '~.items[k="x"]')
  assert.equal(compared(twice, structuredClone(twice)), '')
  assert.equal(compared(twice, {}).includes('-.items[k="x"]'), true)
})
