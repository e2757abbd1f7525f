import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import type { Service } from 'kubewright/kinds/core/v1'
import type { EndpointSlice } from 'kubewright/kinds/discovery.k8s.io/v1'
import { answerName, type NamedThings } from './cluster-names.ts'
import { readQuestion, writeAnswer } from './dns-message.ts'

const service = (name: string, spec: Partial<Service['spec']>): Service =>
  ({ metadata: { namespace: 'shop', name }, spec }) as Service

const PORTS = [{ name: 'db', port: 5432, protocol: 'TCP' as const, targetPort: 'pg' }]
const SERVICES = [
  service('web', { clusterIP: '10.96.0.7', ports: [{ name: 'http', port: 80, protocol: 'TCP' }] }),
  service('db', { clusterIP: 'None', ports: PORTS }),
  service('none', { clusterIP: 'None' }),
  service('far', { type: 'ExternalName', externalName: 'example.com' }),
]

const SLICE = {
  metadata: { namespace: 'shop', name: 'db-1', labels: { 'kubernetes.io/service-name': 'db' } },
  addressType: 'IPv4',
  ports: [{ name: 'db', port: 15432, protocol: 'TCP' }],
  endpoints: [
    { addresses: ['10.244.0.5'], hostname: 'db-0', conditions: { ready: true } },
    { addresses: ['10.244.1.6'], conditions: { ready: true } },
    { addresses: ['10.244.1.7'], hostname: 'db-2', conditions: { ready: false } },
  ],
} as EndpointSlice

const THINGS: NamedThings = {
  service: (namespace, name) =>
    SERVICES.find((it) => namespace === 'shop' && it.metadata.name === name),
  slices: (namespace, name) => (namespace === 'shop' && name === 'db' ? [SLICE] : []),
  hasNamespace: (name) => name === 'shop',
  serviceAt: (address) => SERVICES.find((it) => it.spec?.clusterIP === address),
  slicesAt: (address) =>
    SLICE.endpoints!.some((it) => it.addresses.includes(address)) ? [SLICE] : [],
}

/** A server as the cluster's, asked by the resolver of Node, which is another's (c-ares). */
const server = createSocket('udp4')
const resolver = new Resolver({ timeout: 5000, tries: 1 })
before(async () => {
  server.on('message', (message, from) => {
    const question = readQuestion(message)
    if (question)
      server.send(
        writeAnswer(question, answerName(question, THINGS), true),
        from.port,
        from.address,
      )
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  resolver.setServers([`127.0.0.1:${server.address().port}`])
})
after(() => server.close())

const fails = (code: string): object => ({ code })
const NOTHING = fails('ENODATA')
const UNKNOWN = fails('ENOTFOUND')

test('services have their own address, headless ones those of what is behind them', async () => {
  assert.deepEqual(await resolver.resolve4('web.shop.svc.cluster.local'), ['10.96.0.7'])
  assert.deepEqual(await resolver.resolve4('WEB.shop.svc.cluster.local'), ['10.96.0.7'])
  assert.deepEqual(await resolver.resolve4('db.shop.svc.cluster.local'), [
    '10.244.0.5',
    '10.244.1.6',
  ])
  assert.deepEqual(await resolver.resolve4('db-0.db.shop.svc.cluster.local'), ['10.244.0.5'])
  assert.deepEqual(await resolver.resolve4('10-244-1-6.db.shop.svc.cluster.local'), ['10.244.1.6'])
  assert.deepEqual(await resolver.resolveCname('far.shop.svc.cluster.local'), ['example.com'])
  assert.deepEqual(await resolver.resolve4('10-244-9-9.shop.pod.cluster.local'), ['10.244.9.9'])
  assert.deepEqual(await resolver.resolveTxt('dns-version.cluster.local'), [['1.1.0']])
})

test('a name that has no such record is there, and one that nobody has is not', async () => {
  await assert.rejects(resolver.resolve6('web.shop.svc.cluster.local'), NOTHING)
  await assert.rejects(resolver.resolve4('shop.svc.cluster.local'), NOTHING)
  await assert.rejects(resolver.resolve4('svc.cluster.local'), NOTHING)
  for (const name of [
    'none.shop.svc.cluster.local',
    'db-2.db.shop.svc.cluster.local',
    'web.other.svc.cluster.local',
    'web.shop.shop.svc.cluster.local',
    'other.svc.cluster.local',
    '1-2-3-4.other.pod.cluster.local',
    'x.shop.pod.cluster.local',
    'web.shop.cluster.local',
    'example.com',
  ])
    await assert.rejects(resolver.resolve4(name), UNKNOWN, name)
})

test('ports are told by name, with the hosts that have them', async () => {
  const port = (name: string, number: number): object => ({ name, port: number, priority: 0 })
  const plain = (records: readonly { name: string; port: number; priority: number }[]): object[] =>
    records.map(({ name, port: number, priority }) => ({ name, port: number, priority }))
  assert.deepEqual(plain(await resolver.resolveSrv('_http._tcp.web.shop.svc.cluster.local')), [
    port('web.shop.svc.cluster.local', 80),
  ])
  assert.deepEqual(plain(await resolver.resolveSrv('_db._tcp.db.shop.svc.cluster.local')), [
    port('db-0.db.shop.svc.cluster.local', 15432),
    port('10-244-1-6.db.shop.svc.cluster.local', 15432),
  ])
  await assert.rejects(resolver.resolveSrv('_db._udp.db.shop.svc.cluster.local'), UNKNOWN)
})

test('addresses are told by whose they are', async () => {
  assert.deepEqual(await resolver.reverse('10.96.0.7'), ['web.shop.svc.cluster.local'])
  assert.deepEqual(await resolver.reverse('10.244.0.5'), ['db-0.db.shop.svc.cluster.local'])
  await assert.rejects(resolver.reverse('10.244.1.6'), UNKNOWN)
})

test('an answer that is too long for a datagram is cut', () => {
  const name = 'db.shop.svc.cluster.local'
  const labels = name.split('.').map((it) => Buffer.concat([Buffer.of(it.length), Buffer.from(it)]))
  const head = Buffer.from('beef01000001000000000000', 'hex')
  const question = readQuestion(Buffer.concat([head, ...labels, Buffer.from('0000010001', 'hex')]))!
  assert.deepEqual([question.name, question.type], [name, 1])
  const answers = Array.from({ length: 30 }, (_, n) => ({
    type: 'A' as const,
    name,
    ttl: 5,
    address: `10.0.0.${n}`,
  }))
  const cut = writeAnswer(question, { code: 'NOERROR', answers }, true)
  assert.ok((cut.readUInt16BE(2) & 0x0200) !== 0 && cut.readUInt16BE(6) === 0)
  assert.equal(writeAnswer(question, { code: 'NOERROR', answers }, false).readUInt16BE(6), 30)
})

test('whatever is no query is not answered', () => {
  for (const hex of [
    '',
    '00',
    'beef81000001000000000000000001',
    'beef01000001000000000000ff',
    'beef01000001000000000000056162',
  ])
    assert.equal(readQuestion(Buffer.from(hex, 'hex')), undefined, hex)
})
