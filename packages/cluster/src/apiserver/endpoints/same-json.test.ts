import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sameJson } from './same-json.ts'

test('equal values are the same, however their members are ordered', () => {
  assert.ok(sameJson({ a: [1, { b: null }], c: 'x' }, { c: 'x', a: [1, { b: null }] }))
  assert.ok(sameJson({ a: 1, b: undefined }, { a: 1 }))
  assert.ok(!sameJson({ a: [1, 2] }, { a: [2, 1] }))
  assert.ok(!sameJson({ a: null }, {}))
  assert.ok(!sameJson({}, { a: null }))
  assert.ok(!sameJson([], {}))
})

test('a member that objects inherit is absent where nobody gave it', () => {
  for (const name of ['constructor', 'toString', 'valueOf']) {
    assert.ok(!sameJson({}, { [name]: 'x' }), name)
    assert.ok(!sameJson({ [name]: 'x' }, {}), name)
  }
})
