import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { planShards } from './plan.ts'

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
const ownersArbitrary = fc.array(fc.constantFrom('', 'gone', ...names), {
  minLength: 1,
  maxLength: 64,
})
const membersArbitrary = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 })

test('shares are equal, every partition has a holder, and the plan is its own plan', () => {
  fc.assert(
    fc.property(ownersArbitrary, membersArbitrary, (owners, members) => {
      const target = planShards(owners, members)
      const counts = members.map((it) => target.filter((owner) => owner === it).length)
      assert.equal(target.length, owners.length)
      assert.ok(target.every((it) => members.includes(it)))
      assert.ok(Math.max(...counts) - Math.min(...counts) <= 1)
      assert.deepEqual(planShards(target, members), target)
      assert.deepEqual(planShards(owners, [...members].reverse()), target)
    }),
  )
})

test('no more changes hands than must', () => {
  fc.assert(
    fc.property(ownersArbitrary, membersArbitrary, (owners, members) => {
      const target = planShards(owners, members)
      const moved = owners.filter((it, i) => members.includes(it) && target[i] !== it).length
      // The fewest: what each member holds above its share, with the larger shares to those that hold most.
      const counts = members
        .map((it) => owners.filter((owner) => owner === it).length)
        .sort((a, b) => b - a)
      const share = Math.floor(owners.length / members.length)
      const extra = owners.length % members.length
      const fewest = counts.reduce(
        (sum, count, i) => sum + Math.max(0, count - share - (i < extra ? 1 : 0)),
        0,
      )
      assert.equal(moved, fewest)
    }),
  )
})
