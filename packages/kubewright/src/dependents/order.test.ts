import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { inOrder } from './order.ts'

test('each comes after those it names, whatever the order of the names', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const edges = fc.array(fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 5 })))
  fc.assert(
    fc.property(edges, fc.shuffledSubarray(names, { minLength: 6 }), (pairs, shuffled) => {
      const after = Object.fromEntries(
        shuffled.map((name) => [
          name,
          pairs.filter(([a, b]) => a < b && names[b] === name).map(([a]) => names[a]!),
        ]),
      )
      const order = inOrder(after)
      assert.deepEqual([...order].sort(), names)
      for (const [name, before] of Object.entries(after))
        for (const it of before) assert.ok(order.indexOf(it) < order.indexOf(name))
    }),
  )
})

test('rings and unknown names are refused with a sentence', () => {
  assert.throws(
    () => inOrder({ a: ['b'], b: ['c'], c: ['b'] }),
    /the dependents b → c → b wait for each other/,
  )
  assert.throws(
    () => inOrder({ a: ['x'] }),
    /the dependent a comes after "x", and there is none of that name: a were given/,
  )
})
