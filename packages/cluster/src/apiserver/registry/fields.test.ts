import assert from 'node:assert/strict'
import { test } from 'node:test'
import { same } from './fields.ts'

test('a field that objects inherit is absent where nobody gave it', () => {
  assert.ok(same({ a: [{ b: 1 }] }, { a: [{ b: 1 }] }))
  for (const name of ['constructor', 'toString', 'valueOf']) {
    assert.ok(!same({}, { [name]: 'x' }), name)
    assert.ok(!same({ [name]: 'x' }, {}), name)
  }
})
