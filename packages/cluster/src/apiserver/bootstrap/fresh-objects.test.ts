import assert from 'node:assert/strict'
import test from 'node:test'
import { fakeClock, seededRandom } from 'kubewright/base'
import type { UnknownObject } from 'kubewright/machinery'
import { memoryStorage } from '../storage/memory-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { bootstrap } from './bootstrap.ts'
import { publishAuthorities } from './client-authorities.ts'
import { keepIdentityLease, leaseName } from './identity.ts'
import { keepIpAddresses } from './ip-addresses.ts'

const NOW = Date.parse('2026-01-02T03:04:05Z')

async function fresh(): Promise<Storage> {
  const storage = memoryStorage({ freeze: true })
  await bootstrap(storage, fakeClock(NOW), seededRandom(1))
  return storage
}

const namesUnder = async (storage: Storage, prefix: string): Promise<readonly string[]> =>
  (await storage.list({ prefix })).items.map((it) => it.object.metadata.name!)

/** Lets what waits for a change of the store come to its end. */
const settled = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
}

test('a fresh server has its flow control, its groups and the owners of every field', async () => {
  const storage = await fresh()
  const schemas = await namesUnder(storage, 'flowcontrol.apiserver.k8s.io/flowschemas/')
  assert.equal(schemas.length, 11)
  const levels = await namesUnder(
    storage,
    'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations/',
  )
  assert.equal(levels.length, 8)
  const services = await namesUnder(storage, 'apiregistration.k8s.io/apiservices/')
  assert.equal(services.length, 21)
  assert.deepEqual(services.slice(0, 2), ['v1.', 'v1.admissionregistration.k8s.io'])
  const tracking = (await storage.get(
    '/configmaps/kube-system/kube-apiserver-legacy-service-account-token-tracking',
  ))!.object
  assert.deepEqual(tracking['data'], { since: '2026-01-02' })
  const all = (await storage.list({ prefix: '' })).items
  const ownerless = all.filter((it) => it.object.metadata.managedFields === undefined)
  assert.deepEqual(
    ownerless.map((it) => it.key),
    [],
  )
  const owner = tracking.metadata.managedFields![0]!
  assert.deepEqual(
    [owner.manager, owner.operation, owner.time],
    ['kube-apiserver', 'Update', '2026-01-02T03:04:05Z'],
  )
})

test('every address of a service has its object, from its first write to its last', async () => {
  const storage = await fresh()
  const stop = new AbortController()
  const kept = keepIpAddresses(storage, fakeClock(NOW), seededRandom(2), stop.signal)
  const addresses = (): Promise<readonly string[]> =>
    namesUnder(storage, 'networking.k8s.io/ipaddresses/')
  const key = '/services/default/web'
  const service = (...clusterIPs: readonly string[]): UnknownObject => ({
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name: 'web', namespace: 'default' },
    spec: { clusterIPs },
  })
  await settled()
  assert.deepEqual(await addresses(), ['10.0.0.1'])
  const made = await storage.compareAndSwap(key, 0, service('10.0.3.4'))
  await settled()
  assert.deepEqual(await addresses(), ['10.0.0.1', '10.0.3.4'])
  const { object } = (await storage.get('networking.k8s.io/ipaddresses//10.0.3.4'))!
  assert.deepEqual(object['spec'], {
    parentRef: { resource: 'services', namespace: 'default', name: 'web' },
  })
  assert.equal(object.metadata.labels!['ipaddress.kubernetes.io/ip-family'], 'IPv4')
  assert.ok(made.ok)
  const moved = await storage.compareAndSwap(key, made.revision, service('fd00::7'))
  await settled()
  assert.deepEqual(await addresses(), ['10.0.0.1', 'fd00::7'])
  assert.ok(moved.ok)
  await storage.compareAndSwap(key, moved.revision, undefined)
  await settled()
  assert.deepEqual(await addresses(), ['10.0.0.1'])
  stop.abort()
  await kept
})

test('a headless service has no address, and an address of somebody else stays', async () => {
  const storage = await fresh()
  const stop = new AbortController()
  const kept = keepIpAddresses(storage, fakeClock(NOW), seededRandom(2), stop.signal)
  const key = '/services/default/other'
  const spec = { clusterIPs: ['None', '10.0.0.1'] }
  const metadata = { name: 'other', namespace: 'default' }
  const made = await storage.compareAndSwap(key, 0, {
    kind: 'Service',
    apiVersion: 'v1',
    metadata,
    spec,
  })
  await settled()
  assert.ok(made.ok)
  await storage.compareAndSwap(key, made.revision, undefined)
  await settled()
  assert.deepEqual(await namesUnder(storage, 'networking.k8s.io/ipaddresses/'), ['10.0.0.1'])
  stop.abort()
  await kept
})

test('a server says that it runs, and says it again', async () => {
  const [storage, clock] = [await fresh(), fakeClock(NOW)]
  const stop = new AbortController()
  const identity = { host: 'box', where: { ip: '192.0.2.7', port: 6443 } }
  const kept = keepIdentityLease(storage, clock, seededRandom(3), identity, stop.signal)
  await settled()
  const read = async (): Promise<UnknownObject> =>
    (await storage.get(`coordination.k8s.io/leases/kube-system/${leaseName(identity)}`))!.object
  const first = await read()
  assert.match(first.metadata.name!, /^apiserver-[a-z2-7]{26}$/)
  assert.equal(first.metadata.labels!['kubernetes.io/hostname'], 'box')
  assert.equal(
    first.metadata.annotations!['kubernetes.io/peer-advertise-address'],
    '192.0.2.7:6443',
  )
  assert.equal(first.metadata.managedFields![0]!.manager, 'kube-apiserver')
  await clock.advance(10_000)
  await settled()
  const second = await read()
  const renewed = (it: UnknownObject): unknown => (it['spec'] as { renewTime: string }).renewTime
  assert.deepEqual(
    [renewed(first), renewed(second)],
    ['2026-01-02T03:04:05.000000Z', '2026-01-02T03:04:15.000000Z'],
  )
  assert.equal(second.metadata.uid, first.metadata.uid)
  stop.abort()
  await kept
})

test('whose certificates are believed is told, and told anew when it changes', async () => {
  const [storage, clock, random] = [await fresh(), fakeClock(NOW), seededRandom(4)]
  const read = async (): Promise<UnknownObject> =>
    (await storage.get('/configmaps/kube-system/extension-apiserver-authentication'))!.object
  await publishAuthorities(storage, clock, random, { clients: 'A' })
  assert.deepEqual((await read())['data'], { 'client-ca-file': 'A' })
  const frontProxy = {
    authorities: [],
    allowedNames: ['front-proxy'],
    usernameHeaders: ['X-Remote-User'],
    uidHeaders: [],
    groupHeaders: ['X-Remote-Group'],
    extraPrefixes: ['X-Remote-Extra-'],
  }
  await publishAuthorities(storage, clock, random, { clients: 'B', frontProxy })
  assert.deepEqual((await read())['data'], {
    'client-ca-file': 'B',
    'requestheader-allowed-names': '["front-proxy"]',
    'requestheader-client-ca-file': '',
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-username-headers': '["X-Remote-User"]',
  })
})
