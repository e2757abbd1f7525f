import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { ownerReference, manager, type Running } from 'kubewright'
import { fakeClock, type FakeClock, seededRandom } from 'kubewright/base'
import { ConfigMap } from 'kubewright/kinds/core/v1'
import { network, type Network, type Weather } from './network.ts'
import { settle, thing, Thing, world, type World } from './world.ts'

interface Operated extends World {
  readonly clock: FakeClock
  readonly net: Network
  readonly running: Running
  readonly until: (holds: () => Promise<boolean>, what: string) => Promise<void>
}

/** An operator that makes one ConfigMap of a generated name for each Thing, if it sees none: a stale read makes a second. */
async function operated(t: TestContext, seed: number = 1): Promise<Operated> {
  const net = network(seededRandom(seed))
  const it = await world(t, { through: net.through })
  const clock = fakeClock()
  const app = manager()
  app
    .controller(Thing, { retry: { first: '10ms', longest: '1s' }, pace: false })
    .owns(ConfigMap)
    .reconcile(async (one, { client, owned, status }) => {
      const [map] = owned(ConfigMap)
      const data = { n: String(one.spec?.n) }
      if (!map) {
        const owner = { ...ownerReference(Thing, one), controller: true }
        const metadata = { generateName: `${one.metadata.name}-`, ownerReferences: [owner] }
        await client.create(ConfigMap, { metadata: { ...metadata, namespace: 'default' }, data })
      } else if (map.data?.['n'] !== data.n) await client.update(ConfigMap, { ...map, data })
      await status({ seen: one.spec?.n ?? 0 })
    })
  const running = await it.up(app.start({ ...it.options, clock }))
  const until = async (holds: () => Promise<boolean>, what: string): Promise<void> => {
    for (let n = 0; n < 400; n++) {
      if (await holds()) return
      await clock.advance(250)
      for (let i = 0; i < 5; i++) await settle()
    }
    assert.fail(`not within 100 s: ${what}`)
  }
  return { ...it, clock, net, running, until }
}

/** Whether each Thing has exactly what it should: one ConfigMap of its number, and a status that says so. */
async function inOrder({ client }: World, count: number, n: number): Promise<boolean> {
  const things = await client.list(Thing, { namespace: 'default' })
  const maps = await client.list(ConfigMap, { namespace: 'default' })
  const of = (name: string): readonly ConfigMap[] =>
    maps.items.filter((it) => it.metadata.ownerReferences?.[0]?.name === name)
  for (const { metadata } of things.items)
    assert.ok(of(metadata.name!).length <= 1, `${metadata.name} has ${of(metadata.name!).length}`)
  return (
    things.items.length === count &&
    things.items.every(
      (it) => it.status?.seen === n && of(it.metadata.name!)[0]?.data?.['n'] === String(n),
    )
  )
}

const COUNT = 12

async function make({ client }: World): Promise<void> {
  for (let i = 0; i < COUNT; i++) await client.create(Thing, thing(`t${i}`))
}

async function change({ client }: World, n: number): Promise<void> {
  for (let i = 0; i < COUNT; i++)
    await client.patch(Thing, `t${i}`, { type: 'merge', body: { spec: { n } } })
}

const WEATHERS: Readonly<Record<string, Weather>> = {
  'connections that break': { reset: 0.3 },
  'answers of 500': { failing: 0.3 },
  'answers of 429 with Retry-After': { busy: 0.3 },
  'watches that have expired (410)': { gone: 0.8 },
  'credentials that are refused for a while (401)': { unauthorized: 0.3 },
  'all of it': { reset: 0.1, failing: 0.1, busy: 0.1, gone: 0.3, unauthorized: 0.1 },
}

for (const [name, weather] of Object.entries(WEATHERS)) {
  test(`${name}: no object is lost, and nothing is made twice`, async (t) => {
    const it = await operated(t, name.length)
    it.net.weather = weather
    await make(it)
    for (let round = 2; round <= 4; round++) {
      await it.clock.advance(500)
      it.net.breakStreams()
      await change(it, round)
    }
    // Also while it is still bad.
    await it.clock.advance(5_000)
    it.net.weather = {}
    await it.until(() => inOrder(it, COUNT, 4), 'all is in order')
  })
}

test('a server that is away for a while: what happened meanwhile is caught up with', async (t) => {
  const it = await operated(t)
  await make(it)
  await it.until(() => inOrder(it, COUNT, 1), 'all is made')
  it.net.cut = true
  it.net.breakStreams()
  await change(it, 5)
  await it.client.delete(Thing, 'default/t0')
  await it.clock.advance(120_000)
  it.net.cut = false
  await it.until(() => inOrder(it, COUNT - 1, 5), 'all is caught up with')
})

test('a watch that lags behind makes no double: own writes are seen at once', async (t) => {
  const it = await operated(t)
  await make(it)
  await it.until(() => inOrder(it, COUNT, 1), 'all is made')
  it.net.hold()
  // New ones are only seen when the watch goes on; their own ConfigMaps must be seen before.
  for (let i = 0; i < 3; i++) await it.client.create(Thing, thing(`late${i}`))
  it.net.release()
  await it.until(() => inOrder(it, COUNT + 3, 1), 'those are made too')
})

test('slow answers past the time limit: the run is given up, and the object comes again', async (t) => {
  const net = network(seededRandom(1))
  const it = await world(t, {
    through: (transport) => {
      const next = net.through(transport)
      return async (request) => {
        if (request.method === 'PATCH' && slow) {
          slow = false
          await new Promise<void>((_, reject) => {
            request.signal.addEventListener('abort', () => reject(request.signal.reason as Error), {
              once: true,
            })
          })
        }
        return next(request)
      }
    },
  })
  let slow = true
  const clock = fakeClock()
  const app = manager()
  app.controller(Thing, { timeout: 5_000 }).reconcile(async (one, { apply }) => {
    await apply(ConfigMap, { metadata: { name: one.metadata.name! } })
  })
  await it.up(app.start({ ...it.options, clock }))
  await it.client.create(Thing, thing('a'))
  await it.journal.next('reconcile started')
  for (let i = 0; i < 5; i++) await settle()
  await clock.advance(5_000)
  const ended = await it.journal.next('reconcile ended')
  assert.match(String(ended.error), /did not return within 5000 ms/)
  await clock.advance(1_000)
  await it.journal.next('reconcile ended', (one) => one.outcome === 'success')
  assert.ok(await it.client.find(ConfigMap, 'default/a'))
})
