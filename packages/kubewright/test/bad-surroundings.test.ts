import assert from 'node:assert/strict'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { manager } from 'kubewright'
import { ConfigMap } from 'kubewright/kinds/core/v1'
import { network } from './network.ts'
import { seededRandom } from 'kubewright/base'
import { thing, Thing, world } from './world.ts'

test('a map function that throws is told of with its object, and the rest goes on', async (t) => {
  const { client, journal, log, options, up } = await world(t)
  const app = manager()
  app
    .controller(Thing)
    .watches(ConfigMap, ({ metadata, data }) => {
      if (metadata.namespace !== 'default') return []
      return [`default/${data!['for']!.trim()}`]
    })
    .reconcile(() => {})
  await up(app.start(options))
  await client.create(ConfigMap, { metadata: { name: 'odd' } })
  const told = await log.until((it) => /a map of the controller thing threw/.test(it.message))
  assert.match(told.message, /this event of ConfigMap default\/odd sets nothing off/)
  await client.create(ConfigMap, { metadata: { name: 'even' }, data: { for: ' a ' } })
  await journal.next('queued', (it) => it.key === 'default/a')
})

test('a reconciler that changes what the cache shares is told of where caches are frozen', async (t) => {
  const { client, log, options, up } = await world(t)
  const app = manager()
  app.controller(Thing).reconcile((it) => {
    ;(it as { spec: { n: number } }).spec.n = 7
  })
  await up(app.start(options))
  await client.create(Thing, thing('a'))
  const told = await log.until((it) => /reconcile failed/.test(it.message))
  assert.match(String(told.fields['error']), /read only property 'n'/)
  assert.equal(told.fields['object'], 'default/a')
})

test('a status over the size limit fails its own object, with the server’s words', async (t) => {
  const { client, journal, log, options, up } = await world(t)
  const app = manager()
  app.controller(Thing).reconcile(async ({ metadata }, { status }) => {
    await status({ text: metadata.name === 'big' ? 'x'.repeat(4 << 20) : 'small' })
  })
  await up(app.start(options))
  await client.create(Thing, thing('big'))
  await client.create(Thing, thing('small'))
  const told = await log.until((it) => /reconcile failed/.test(it.message))
  assert.equal(told.fields['object'], 'default/big')
  assert.match(String(told.fields['error']), /too large|limit/)
  await journal.next(
    'reconcile ended',
    (it) => it.key === 'default/small' && it.outcome === 'success',
  )
})

for (const port of ['health', 'metrics', 'inbound'] as const) {
  test(`a ${port} port in use fails the start with a sentence that says which`, async (t) => {
    const { options } = await world(t)
    const taken = http.createServer()
    await new Promise<void>((resolve) => taken.listen(0, resolve))
    t.after(() => taken.close())
    const { port: number } = taken.address() as AddressInfo
    const app = manager()
    app.controller(Thing).reconcile(() => {})
    const starting = app.start({ ...options, ports: { [port]: number } })
    await assert.rejects(
      starting,
      new RegExp(`^Error: ${port}: cannot listen on port ${number}: .*; choose another port`),
    )
  })
}

test('a server that cannot be reached fails the start with its address, and stops at once', async () => {
  const app = manager()
  app.controller(Thing).reconcile(() => {})
  await assert.rejects(
    app.start({
      transport: () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1:6443')),
      cache: { syncTimeout: 100 },
    }),
    /could not list things\.example\.com \(.*ECONNREFUSED.*\) within 100 ms; check that/,
  )
})

test('credentials that expire make it not ready, and ready again when they are renewed', async (t) => {
  const net = network(seededRandom(3))
  const { client, journal, options, up } = await world(t, { through: net.through })
  const app = manager()
  app.controller(Thing).reconcile(async ({ metadata }, { apply }) => {
    await apply(ConfigMap, { metadata: { name: metadata.name! } })
  })
  const running = await up(app.start(options))
  net.weather = { unauthorized: 1 }
  net.breakStreams()
  await client.create(Thing, thing('a'))
  for (;;) {
    const { state, error } = running.cache.informer(Thing).health
    if (state === 'failing' && /Unauthorized/.test(String(error))) break
    await new Promise((resolve) => setImmediate(resolve))
  }
  net.weather = {}
  await journal.next('written', (it) => it.object === 'default/a' && it.sent)
})
