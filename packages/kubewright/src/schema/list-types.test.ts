import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/index.ts'
import type { JsonSchema } from './json-schema.ts'
import { validateListTypes } from './list-types.ts'
import { compileSchema } from './schema-node.ts'

const errors = (a: JsonSchema, value: unknown): readonly string[] =>
  validateListTypes(compileSchema({ type: 'object', properties: { a } }), { a: value }).map(
    fieldErrorText,
  )

const SET: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  'x-kubernetes-list-type': 'set',
}

const mapBy = (...keys: readonly string[]): JsonSchema => ({
  type: 'array',
  items: { type: 'object', additionalProperties: { type: 'string' } },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
})

test('an item that stands twice in a set is said once', () => {
  assert.deepEqual(errors(SET, ['a', 'b', 'a', 'a', 'b']), [
    'a[2]: Duplicate value: "a"',
    'a[4]: Duplicate value: "b"',
  ])
  assert.deepEqual(
    errors(SET, [
      { x: 1, y: 2 },
      { y: 2, x: 1 },
    ]),
    ['a[1]: Duplicate value: {"x":1,"y":2}'],
  )
})

test('items of a map share no keys; absent ones count', () => {
  assert.deepEqual(errors(mapBy('k'), [{ k: 'x' }, { k: 'x', v: 'y' }, {}, { v: 'z' }]), [
    'a[1]: Duplicate value: {"k":"x"}',
    'a[3]: Duplicate value: {}',
  ])
  assert.deepEqual(errors(mapBy('k', 'l'), [{ l: '1', k: 'x' }, { k: 'x' }, { k: 'x', l: '1' }]), [
    'a[2]: Duplicate value: {"k":"x","l":"1"}',
  ])
  assert.deepEqual(errors(mapBy('k'), ['x']), [
    'a[0]: Invalid value: "x": must be an object for an array of list-type map',
  ])
})

test('lists inside items and values are looked into', () => {
  const deep: JsonSchema = {
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'object', properties: { s: SET } } },
  }
  assert.deepEqual(errors(deep, { k: [{ s: ['x', 'x'] }] }), ['a[k][0].s[1]: Duplicate value: "x"'])
})
