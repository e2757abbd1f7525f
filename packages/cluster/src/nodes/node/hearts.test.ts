import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renewalPeriod } from './hearts.ts'
import { nodeSpec } from './node-object.ts'

test('leases are renewed as kubelets do, and less often where there are very many', () => {
  const periods = [1, 100, 500, 750, 1000, 5000].map(renewalPeriod)
  assert.deepEqual(periods, [10_000, 10_000, 10_000, 15_000, 20_000, 20_000])
})

test('every node has a network and an address of its own', () => {
  const specs = Array.from({ length: 5000 }, (_, index) => nodeSpec(index, `n${index}`))
  assert.equal(new Set(specs.map((it) => it.podCIDR)).size, 5000)
  assert.equal(new Set(specs.map((it) => it.address)).size, 5000)
  for (const { podCIDR } of specs) {
    const [second, third] = podCIDR.split('.').slice(1, 3).map(Number)
    assert.ok(second! >= 128 && second! <= 255 && third! <= 255, podCIDR)
  }
})
