import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Recent } from './recent.ts'

test('what is asked for again soon is made once, and later anew', () => {
  const keys = [{}, {}, {}, {}]
  const recent = new Recent<object, object>(2)
  const made: object[] = []
  const ask = (key: object): object =>
    recent.of(key, () => {
      made.push(key)
      return { of: key }
    })
  assert.equal(ask(keys[0]!), ask(keys[0]!))
  for (const key of keys) ask(key)
  assert.deepEqual(made, keys)
  ask(keys[3]!)
  assert.equal(made.length, 4)
  ask(keys[0]!)
  assert.equal(made.length, 5)
})
