import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SortedMap } from './sorted-map.ts'

const key = fc.string({ unit: fc.constantFrom('a', 'b', '/', 'é', '~'), maxLength: 4 })
const action = fc.record({ key, remove: fc.boolean() })

test('a sorted map answers as a sorted list of all keys does', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 200 }), key, key, (actions, prefix, start) => {
      const map = new SortedMap<string>()
      const plain = new Map<string, string>()
      for (const { key, remove } of actions) {
        if (remove) {
          map.delete(key)
          plain.delete(key)
        } else {
          map.set(key, key)
          plain.set(key, key)
        }
      }
      const keys = [...plain.keys()].sort((a, b) => (a < b ? -1 : 1))
      const wanted = keys.filter((it) => it.startsWith(prefix) && it >= start)
      assert.deepEqual(map.range(prefix, start), wanted)
      assert.deepEqual(map.range(prefix, start, 3), wanted.slice(0, 3))
      assert.equal(map.count(prefix, start), wanted.length)
      assert.equal(map.size, keys.length)
    }),
  )
})

test('it stays sorted over many chunks', () => {
  const map = new SortedMap<number>()
  for (let i = 0; i < 5000; i++) map.set(String((i * 7919) % 5000).padStart(4, '0'), i)
  for (let i = 0; i < 5000; i += 2) map.delete(String(i).padStart(4, '0'))
  assert.equal(map.range('').length, 2500)
  assert.equal(map.count('1'), 500)
  assert.equal(map.count('', '4990'), 5)
})
