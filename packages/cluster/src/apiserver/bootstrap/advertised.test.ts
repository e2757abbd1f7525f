import assert from 'node:assert/strict'
import test from 'node:test'
import { fakeClock, seededRandom } from 'kubewright/base'
import type { UnknownObject } from 'kubewright/machinery'
import { advertisedAddress } from '../http/advertised-address.ts'
import { memoryStorage } from '../storage/memory-storage.ts'
import { advertise } from './advertised.ts'
import { bootstrap } from './bootstrap.ts'

test('the API server tells where it listens, and again when that changes', async () => {
  const [storage, clock, random] = [memoryStorage({ freeze: true }), fakeClock(), seededRandom(1)]
  const at = async (key: string): Promise<UnknownObject> => (await storage.get(key))!.object
  await bootstrap(storage, clock, random)
  await advertise(storage, clock, random, { ip: '192.0.2.7', port: 6443 })
  const first = await at('/endpoints/default/kubernetes')
  assert.deepEqual(first['subsets'], [
    { addresses: [{ ip: '192.0.2.7' }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] },
  ])
  assert.deepEqual(first.metadata.labels, { 'endpointslice.kubernetes.io/skip-mirror': 'true' })

  const { revision } = storage
  await advertise(storage, clock, random, { ip: '192.0.2.7', port: 6443 })
  assert.equal(storage.revision, revision)

  await advertise(storage, clock, random, { ip: '192.0.2.7', port: 7443 })
  const slice = await at('discovery.k8s.io/endpointslices/default/kubernetes')
  assert.deepEqual(slice['endpoints'], [{ addresses: ['192.0.2.7'], conditions: { ready: true } }])
  assert.deepEqual(slice['ports'], [{ name: 'https', protocol: 'TCP', port: 7443 }])
  assert.equal(slice.metadata.generation, 2)
  assert.equal((await at('/endpoints/default/kubernetes')).metadata.uid, first.metadata.uid)
  const service = await at('/services/default/kubernetes')
  assert.deepEqual((service['spec'] as { readonly ports: unknown }).ports, [
    { name: 'https', protocol: 'TCP', port: 443, targetPort: 7443 },
  ])
})

test('a server on loopback is published under an address that the API takes', () => {
  const address = (text: string, internal: boolean = false): readonly [object] => [
    { address: text, family: 'IPv4', internal },
  ]
  const interfaces = {
    lo: address('127.0.0.1', true),
    link: address('169.254.1.1'),
    eth0: address('198.51.100.4'),
  } as never
  assert.equal(advertisedAddress('127.0.0.1', interfaces), '198.51.100.4')
  assert.equal(advertisedAddress('0.0.0.0', interfaces), '198.51.100.4')
  assert.equal(advertisedAddress('localhost', interfaces), '198.51.100.4')
  assert.equal(advertisedAddress('203.0.113.9', interfaces), '203.0.113.9')
  assert.equal(advertisedAddress('::1', { lo: address('127.0.0.1', true) } as never), '192.0.2.1')
})
