import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonEqual, member, setMember, withoutMember } from './json.ts'

test('equality ignores the order of members and keeps that of items', () => {
  assert.ok(jsonEqual({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }))
  assert.ok(!jsonEqual([1, 2], [2, 1]))
  assert.ok(!jsonEqual({ a: null }, {}))
  assert.ok(!jsonEqual([], {}))
  assert.ok(!jsonEqual(undefined, null))
})

test('members are own members', () => {
  assert.equal(member({}, 'constructor'), undefined)
  assert.equal(member({ toString: 'x' }, 'toString'), 'x')
})

test('__proto__ is a member like any other', () => {
  const object = {}
  setMember(object, '__proto__', { polluted: true })
  assert.deepEqual(Object.keys(object), ['__proto__'])
  assert.equal(Object.getPrototypeOf(object), Object.prototype)
})

test('taking away what is not there gives the same object', () => {
  const object = { a: 1 }
  assert.equal(withoutMember(object, 'b'), object)
  assert.deepEqual(withoutMember(object, 'a'), {})
})
