import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { Addresses } from './addresses.ts'
import { nodeDraft, nodeSpec, nodeStatus } from './node-object.ts'

test('pods that live have addresses of their own, and keep them', () => {
  const uid = fc.integer({ min: 0, max: 40 }).map((it) => `u${it}`)
  const step = fc.oneof(fc.record({ take: uid }), fc.record({ release: uid }))
  const property = fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
    const addresses = new Addresses('10.244.7.0/24')
    const held = new Map<string, string>()
    for (const it of steps) {
      if ('release' in it) {
        addresses.release(it.release)
        held.delete(it.release)
        continue
      }
      const address = addresses.of(it.take)
      assert.match(address, /^10\.244\.7\.\d+$/)
      if (held.has(it.take)) assert.equal(address, held.get(it.take))
      held.set(it.take, address)
      assert.equal(new Set(held.values()).size, held.size)
    }
  })
  fc.assert(property)
})

test('a pod that had an address before has it again, and no other gets it', () => {
  const addresses = new Addresses('10.244.0.0/24')
  assert.equal(addresses.of('old', '10.244.0.2'), '10.244.0.2')
  assert.equal(addresses.of('new'), '10.244.0.3')
})

test('a node registers with what a kubelet tells, and its heartbeats keep the times of transition', () => {
  const spec = nodeSpec(3, 'node-4', { zone: 'z' }, { cpu: '2' })
  const draft = nodeDraft(spec, 'v1.36.3', 0)
  assert.equal(draft.metadata!.labels!['kubernetes.io/hostname'], 'node-4')
  assert.equal(draft.metadata!.labels!['zone'], 'z')
  assert.deepEqual(draft.spec!.podCIDRs, ['10.244.3.0/24'])
  const first = nodeStatus(spec, 'v1.36.3', undefined, 0)
  assert.equal(first.capacity!['cpu'], '2')
  assert.equal(first.allocatable!['pods'], '110')
  const others = [{ type: 'Mine', status: 'True' }]
  const node = {
    metadata: {},
    spec: {},
    status: { ...first, conditions: [...first.conditions!, ...others] },
  }
  const later = nodeStatus(spec, 'v1.36.3', node, 60_000)
  const ready = later.conditions!.find((it) => it.type === 'Ready')!
  assert.equal(ready.lastTransitionTime, '1970-01-01T00:00:00Z')
  assert.equal(ready.lastHeartbeatTime, '1970-01-01T00:01:00Z')
  assert.deepEqual(later.conditions!.at(-1), others[0])
})
