import assert from 'node:assert/strict'
import https from 'node:https'
import { test, type TestContext } from 'node:test'
import { createApiServer } from '@kubewright/cluster/apiserver'
import { fakeClock } from '../base/clock.ts'
import type { Transport } from '../base/transport.ts'
import { createClient, type Client } from '../client/client.ts'
import { metadataOf } from '../client/metadata-only.ts'
import { controller } from '../controller/builder.ts'
import type { RuntimeEvent } from '../controller/observer.ts'
import { condition } from '../machinery/condition.ts'
import { kindOf, type Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import { ConfigMap, Secret } from '../kinds/core/v1.ts'
import { CustomResourceDefinition } from '../kinds/apiextensions.k8s.io/v1.ts'
import { kind, s } from '../schema/index.ts'
import { manager } from './manager.ts'
import type { ManagerOptions } from './manager-options.ts'
import type { Running } from './running.ts'

/** What happened, and a way to wait for what will. */
class Journal {
  readonly events: RuntimeEvent[] = []
  readonly #waiting = new Set<() => void>()

  readonly observer = (event: RuntimeEvent): void => {
    this.events.push(event)
    for (const check of this.#waiting) check()
  }

  /** Resolves with the first event from `from` on that matches. */
  until<T extends RuntimeEvent['type']>(
    type: T,
    matches: (event: Extract<RuntimeEvent, { type: T }>) => boolean = () => true,
    from = 0,
  ): Promise<Extract<RuntimeEvent, { type: T }>> {
    return new Promise((resolve) => {
      const check = (): void => {
        const found = this.of(type).find((it) => this.events.indexOf(it) >= from && matches(it))
        if (!found) return
        this.#waiting.delete(check)
        resolve(found)
      }
      this.#waiting.add(check)
      check()
    })
  }

  of<T extends RuntimeEvent['type']>(type: T): readonly Extract<RuntimeEvent, { type: T }>[] {
    return this.events.filter((it): it is Extract<RuntimeEvent, { type: T }> => it.type === type)
  }
}

interface World {
  /** Waits for a manager to start, and stops it when the test is over, before its server. */
  readonly up: (starting: Promise<Running>) => Promise<Running>
  readonly transport: Transport
  readonly client: Client
  readonly journal: Journal
  readonly options: ManagerOptions
}

async function world(t: TestContext): Promise<World> {
  const server = createApiServer({
    tokens: {
      reader: {
        name: 'reader',
        groups: ['system:authenticated', 'system:masters'],
      },
      stranger: { name: 'stranger', groups: ['system:authenticated'] },
    },
  })
  const started: Running[] = []
  t.after(async () => {
    await Promise.all(started.map((it) => it.stop()))
    await server.close()
  })
  const transport: Transport = (request) => server.fetch(request)
  const journal = new Journal()
  return {
    async up(starting) {
      const running = await starting
      started.push(running)
      return running
    },
    transport,
    client: createClient({ transport }),
    journal,
    options: { transport, observer: journal.observer, cache: { freeze: true } },
  }
}

const secretFor = (map: ConfigMap) => ({
  metadata: { name: map.metadata.name! },
  data: { copy: btoa(map.data?.['text'] ?? '') },
})

test('an operator makes what an object asks for, owns it, mends it, and says nothing when nothing changes', async (t) => {
  const { client, journal, options, up } = await world(t)
  const app = manager()
  app
    .controller(ConfigMap, { name: 'copier' })
    .owns(Secret)
    .where(({ object }) => object.metadata.namespace === 'default')
    .reconcile(async (map, { apply, owned }) => {
      const secret = await apply(Secret, secretFor(map))
      assert.deepEqual(owned(Secret), [secret])
    })
  const running = await up(app.start(options))
  await client.create(ConfigMap, { metadata: { name: 'a' }, data: { text: 'one' } })
  const sent = await journal.until('written', (it) => it.kind === 'Secret' && it.sent)
  assert.deepEqual([sent.verb, sent.object, sent.controller], ['apply', 'default/a', 'copier'])
  const secret = await client.get(Secret, 'a')
  const [owner] = secret.metadata.ownerReferences ?? []
  assert.deepEqual(
    [owner?.kind, owner?.name, owner?.controller, owner?.blockOwnerDeletion],
    ['ConfigMap', 'a', true, true],
  )
  assert.deepEqual(
    secret.metadata.managedFields?.map((it) => [it.manager, it.operation]),
    [['copier', 'Apply']],
  )
  // The secret's own event sets the controller off once more: it has nothing to say.
  await journal.until('written', (it) => it.kind === 'Secret' && !it.sent)
  assert.equal(journal.of('written').filter((it) => it.sent).length, 1)
  // Somebody changes it: it is changed back.
  const from = journal.events.length
  await client.patch(Secret, 'a', { type: 'merge', body: { data: { copy: btoa('other') } } })
  await journal.until('written', (it) => it.kind === 'Secret' && it.sent, from)
  assert.equal((await client.get(Secret, 'a')).data?.['copy'], btoa('one'))
  assert.equal(running.cache.lister(Secret).get('default/a')?.data?.['copy'], btoa('one'))
  assert.ok(Object.isFrozen(running.cache.lister(Secret).get('default/a')?.data))
})

test('after a restart nothing is sent for what is already as it should be', async (t) => {
  const { client, options, up } = await world(t)
  const app = manager().add(
    controller(ConfigMap, { name: 'copier' })
      .owns(Secret)
      .where(({ object }) => object.metadata.namespace === 'default')
      .reconcile(async (map, { apply }) => void (await apply(Secret, secretFor(map)))),
  )
  await client.create(ConfigMap, { metadata: { name: 'a' }, data: { text: 'one' } })
  for (const sent of [true, false]) {
    const journal = new Journal()
    const running = await up(app.start({ ...options, observer: journal.observer }))
    assert.equal((await journal.until('written')).sent, sent)
    await running.stop()
  }
})

test('a finalizer holds the object until it has run well', async (t) => {
  const { client, journal, options, up } = await world(t)
  const runs: string[] = []
  const app = manager()
  app
    .controller(ConfigMap, { name: 'holder' })
    .where(({ object }) => object.metadata.namespace === 'default')
    .finalize('example.com/cleanup', async (map) => {
      runs.push(map.metadata.name ?? '')
      if (runs.length === 1) throw new Error('the other side is away')
    })
    .reconcile(async (map) => assert.deepEqual(map.metadata.finalizers, ['example.com/cleanup']))
  await up(app.start(options))
  await client.create(ConfigMap, { metadata: { name: 'a' } })
  await journal.until('reconcile ended', (it) => it.outcome === 'success')
  const lingering = await client.delete(ConfigMap, 'a')
  assert.ok(lingering?.metadata.deletionTimestamp)
  const failed = await journal.until('reconcile ended', (it) => it.outcome === 'error')
  assert.match(String(failed.error), /the other side is away/)
  await journal.until('watched', (it) => it.change === 'delete')
  assert.deepEqual(runs, ['a', 'a'])
  assert.equal(await client.find(ConfigMap, 'a'), undefined)
})

const Judged = kind('test.example.com/v1', 'Judged', {
  spec: { size: s.integer({ default: 1 }) },
  status: { size: s.integer(), conditions: s.conditions() },
})

test('status is applied to its subresource, conditions are completed, and a status in several parts does not flicker', async (t) => {
  const { client, journal, options, up } = await world(t)
  await client.apply(CustomResourceDefinition, Judged.crd() as never)
  const clock = fakeClock(Date.UTC(2026, 4, 1))
  let ready = false
  const app = manager()
  app.controller(Judged, { name: 'judge' }).reconcile(async ({ spec }, { status }) => {
    if (spec.size < 3) await status({ size: spec.size })
    await status({ conditions: [condition('Ready', ready, ready ? 'Up' : 'Down', 'so it is')] })
  })
  await up(app.start({ ...options, clock }))
  const stored = async () => {
    const { size, conditions = [] } = (await client.get(Judged, 'a')).status ?? {}
    return [
      size,
      ...conditions.map((it) => [
        it.status,
        it.reason,
        it.observedGeneration,
        it.lastTransitionTime,
      ]),
    ]
  }
  const change = async (body: object, until: (event: RuntimeEvent) => boolean = () => true) => {
    const from = journal.events.length
    await clock.advance(60_000)
    await client.patch(Judged, 'a', { type: 'merge', body })
    await journal.until('reconcile ended', until, from)
    return journal.events.slice(from).filter((it) => it.type === 'written' && it.sent).length
  }
  await client.create(Judged, { metadata: { name: 'a' }, spec: {} })
  await journal.until('written', (it) => !it.sent)
  assert.deepEqual(await stored(), [1, ['False', 'Down', 1, '2026-05-01T00:00:00Z']])
  assert.equal(journal.of('written').filter((it) => it.sent).length, 2)
  assert.equal(await change({ metadata: { labels: { again: 'yes' } } }), 0)
  ready = true
  assert.equal(await change({ metadata: { labels: { again: 'and-again' } } }), 1)
  assert.deepEqual(await stored(), [1, ['True', 'Up', 1, '2026-05-01T00:02:00Z']])
  await change({ spec: { size: 2 } })
  assert.deepEqual(await stored(), [2, ['True', 'Up', 2, '2026-05-01T00:02:00Z']])
  // What a whole run no longer names goes.
  await change({ spec: { size: 3 } })
  assert.deepEqual(await stored(), [undefined, ['True', 'Up', 3, '2026-05-01T00:02:00Z']])
})

interface Event extends KubeObject {
  readonly note?: string
  readonly reason?: string
  readonly series?: { readonly count: number }
  readonly regarding?: { readonly name?: string; readonly kind?: string }
}
const EVENT: Kind<Event> = kindOf('events.k8s.io/v1', 'Event', 'events', 'Namespaced')

test('equal events become one with a count', async (t) => {
  const { client, journal, options, up } = await world(t)
  let runs = 0
  const app = manager()
  app
    .controller(ConfigMap, { name: 'teller' })
    .where(({ object }) => object.metadata.namespace === 'default')
    .reconcile(async (_, { event }) => {
      event('Normal', 'Seen', 'here it is')
      return ++runs < 3 ? { requeueAfter: 1 } : undefined
    })
  const running = await up(app.start(options))
  await client.create(ConfigMap, { metadata: { name: 'a' } })
  await journal.until('reconcile ended', (it) => it.outcome === 'success')
  const informer = running.cache.informer(EVENT)
  await informer.waitForSync()
  const told = await new Promise<Event>((resolve) => {
    informer.listen(({ new: it }) => {
      if (it?.series?.count === 3) resolve(it)
    })
  })
  assert.deepEqual(
    [told.note, told.reason, told.regarding?.kind, told.regarding?.name],
    ['here it is', 'Seen', 'ConfigMap', 'a'],
  )
  assert.equal((await client.list(EVENT, { namespace: 'default' })).items.length, 1)
})

test('a reconciler of keys sees objects that are gone, watches map others, sources ask for what they like', async (t) => {
  const { client, journal, options, up } = await world(t)
  const seen: (readonly [string, boolean])[] = []
  let ask: (keys: readonly string[]) => void = () => {}
  const app = manager()
  app
    .controller('keys')
    .reads(Secret)
    .watches(ConfigMap, (map, { lister }) =>
      lister(Secret).get('default/s') && map.metadata.namespace === 'default'
        ? [`default/of-${map.metadata.name}`]
        : [],
    )
    .watchesSource((enqueue) => {
      ask = enqueue
    })
    .reconcileKey(
      async (key, { lister }) =>
        void seen.push([key.name, lister(ConfigMap).get(key) !== undefined]),
    )
  await client.create(Secret, { metadata: { name: 's' } })
  const running = await up(app.start(options))
  await client.create(ConfigMap, { metadata: { name: 'a' } })
  await journal.until('reconcile ended', (it) => it.key === 'default/of-a')
  ask(['default/a'])
  await journal.until('reconcile ended', (it) => it.key === 'default/a')
  assert.deepEqual(seen, [
    ['of-a', false],
    ['a', true],
  ])
  assert.deepEqual(
    running.cache.informers.map((it) => it.kind.kind),
    ['ConfigMap', 'Secret'],
  )
})

test('a second process waits for the lease, and leads as soon as the first has stopped', async (t) => {
  const { client, transport } = await world(t)
  const app = manager({ name: 'twice' })
  app.controller(ConfigMap, { name: 'lead' }).reconcile(async () => {})
  const start = async (identity: string) => {
    const clock = fakeClock()
    const journal = new Journal()
    const running = await app.start({
      transport,
      clock,
      observer: journal.observer,
      leaderElection: { identity },
    })
    return { clock, journal, running }
  }
  const first = await start('first')
  await first.running.elected
  const second = await start('second')
  await second.clock.advance(5_000)
  assert.equal(second.journal.of('reconcile started').length, 0)
  const LEASE = kindOf<
    KubeObject & { spec?: { holderIdentity?: string; leaseTransitions?: number } }
  >('coordination.k8s.io/v1', 'Lease', 'leases', 'Namespaced')
  assert.equal((await client.get(LEASE, 'twice')).spec?.holderIdentity, 'first')
  await first.running.stop()
  assert.equal((await client.get(LEASE, 'twice')).spec?.holderIdentity, '')
  await second.clock.advance(5_000)
  await second.running.elected
  const { spec } = await client.get(LEASE, 'twice')
  assert.deepEqual([spec?.holderIdentity, spec?.leaseTransitions], ['second', 1])
  await second.running.stop()
})

test('who loses the lease stops, and says so', async (t) => {
  const { client, transport } = await world(t)
  const clock = fakeClock()
  const app = manager({ name: 'lose' })
  app.controller(ConfigMap).reconcile(async () => {})
  const running = await app.start({ transport, clock, leaderElection: { identity: 'me' } })
  await running.elected
  const LEASE = kindOf('coordination.k8s.io/v1', 'Lease', 'leases', 'Namespaced')
  await client.patch(LEASE, 'lose', { type: 'merge', body: { spec: { holderIdentity: 'thief' } } })
  const lost = assert.rejects(
    running.done,
    /leader election lost: me could not renew the lease lose/,
  )
  await clock.advance(20_000)
  await lost
})

test('stopping lets a run finish; one that takes too long is aborted, and its writes are refused', async (t) => {
  const { client, journal, options } = await world(t)
  const clock = fakeClock()
  const finish: (() => void)[] = []
  const refused: unknown[] = []
  const app = manager({ shutdownTimeout: 30_000 })
  app
    .controller(ConfigMap, { name: 'slow' })
    .where(({ object }) => object.metadata.namespace === 'default')
    .reconcile(async (map, { client: writer }) => {
      await new Promise<void>((resolve) => finish.push(resolve))
      await writer
        .create(Secret, { metadata: { name: map.metadata.name! } })
        .catch((error: unknown) => refused.push(error))
    })
  const running = await app.start({ ...options, clock })
  await client.create(ConfigMap, { metadata: { name: 'a' } })
  await client.create(ConfigMap, { metadata: { name: 'b' } })
  await journal.until('reconcile started', (it) => it.key === 'default/b')
  const stopping = running.stop()
  finish[0]!()
  await journal.until('written', (it) => it.kind === 'Secret')
  await clock.advance(31_000)
  await clock.advance(1_000)
  await stopping
  finish[1]!()
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(refused.length, 1)
  assert.equal(await client.find(Secret, 'b'), undefined)
})

test('a controller whose kind is not installed fails the start with a sentence', async (t) => {
  const { options } = await world(t)
  const clock = fakeClock()
  const app = manager()
  app
    .controller(kindOf('nowhere.example.com/v1', 'Ghost', 'ghosts', 'Namespaced'))
    .reconcile(async () => {})
  const failing = assert.rejects(
    app.start({ ...options, clock }),
    /controller ghost could not list ghosts.nowhere.example.com \(.*does not serve this path; if it is of a custom resource, install.*\) within 120000 ms/,
  )
  for (let n = 0; n < 200; n++) await clock.advance(1_000)
  await failing
})

function get(
  port: number,
  path: string,
  token?: string,
): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = token ? { authorization: `Bearer ${token}` } : {}
    const request = https.get(
      { port, path, headers, rejectUnauthorized: false, agent: false },
      (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => (text += String(chunk)))
        response.on('end', () => resolve({ status: response.statusCode, text }))
      },
    )
    request.on('error', reject)
  })
}

test('serves health, and metrics to those who may see them', async (t) => {
  const { options, up } = await world(t)
  let fine = true
  const app = manager()
  app.check('mood', () => {
    if (!fine) throw new Error('sulking')
  })
  app.controller(ConfigMap, { name: 'watched' }).reconcile(async () => {})
  const running = await up(app.start({ ...options, ports: { health: 0, metrics: 0 } }))
  const health = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${running.ports.health}${path}`)
    return [response.status, await response.text()]
  }
  assert.deepEqual(await health('/healthz'), [200, 'ok'])
  assert.deepEqual(await health('/readyz?verbose'), [
    200,
    '[+]ping ok\n[+]caches ok\n[+]mood ok\nreadyz check passed\n',
  ])
  fine = false
  assert.deepEqual(await health('/readyz'), [
    500,
    '[+]ping ok\n[+]caches ok\n[-]mood failed: sulking\nreadyz check failed\n',
  ])
  assert.deepEqual(await health('/readyz?exclude=mood'), [200, 'ok'])
  assert.deepEqual((await health('/readyz/caches'))[0], 200)
  assert.deepEqual((await health('/healthz'))[0], 200)
  assert.deepEqual((await health('/other'))[0], 404)
  const { metrics = 0 } = running.ports
  assert.equal((await get(metrics, '/metrics')).status, 401)
  assert.equal((await get(metrics, '/metrics', 'nonsense')).status, 401)
  assert.equal((await get(metrics, '/metrics', 'stranger')).status, 403)
  const { status, text } = await get(metrics, '/metrics', 'reader')
  assert.equal(status, 200)
  for (const name of [
    'controller_runtime_reconcile_total{controller="watched",result="success"}',
    'workqueue_depth{name="watched"',
    'rest_client_requests_total{code="200",method="GET"',
    'process_cpu_seconds_total',
  ])
    assert.ok(text.includes(name), `${name} is missing`)
})

test('a controller can come and go while the manager runs, and a kind can leave the cache', async (t) => {
  const { client, journal, options, up } = await world(t)
  const running = await up(manager().start(options))
  const stop = await running.add(controller(ConfigMap, { name: 'guest' }).reconcile(async () => {}))
  await client.create(ConfigMap, { metadata: { name: 'a' } })
  await journal.until('reconcile ended', (it) => it.key === 'default/a')
  await stop()
  const from = journal.events.length
  const { promise, resolve } = Promise.withResolvers<void>()
  running.cache
    .informer(ConfigMap)
    .listen(({ new: it }) => (it?.metadata.name === 'b' ? resolve() : undefined))
  await client.create(ConfigMap, { metadata: { name: 'b' } })
  await promise
  assert.deepEqual(journal.events.slice(from), [])
  running.cache.remove(ConfigMap)
  assert.deepEqual(running.cache.informers, [])
  assert.equal((await running.cache.list(ConfigMap, { namespace: 'default' })).items.length, 2)
})

test('metadata alone is mirrored when nobody wants more, and from the whole objects when somebody does', async (t) => {
  const { client, options, up } = await world(t)
  await client.create(ConfigMap, { metadata: { name: 'a' }, data: { text: 'one' } })
  const running = await up(manager().start(options))
  const { cache } = running
  const bare = await cache.get(metadataOf(ConfigMap), 'a')
  assert.deepEqual(['data' in bare, bare.metadata.name], [false, 'a'])
  assert.equal((await cache.get(ConfigMap, 'a')).data?.['text'], 'one')
  assert.equal(cache.informers.length, 1)
  const heard: (string | undefined)[] = []
  cache.informer(metadataOf(ConfigMap)).listen(({ new: it }) => void heard.push(it?.metadata.name))
  assert.ok(heard.includes('a'))
})

test('two controllers of one name are refused', () => {
  const app = manager()
  app.controller(ConfigMap).reconcile(async () => {})
  assert.throws(
    () => app.controller(ConfigMap).reconcile(async () => {}),
    /already has a controller named configmap; give one of them another name/,
  )
})

test('stopping waits for a controller that was added, and only then do its writes end', async (t) => {
  const { client, journal, options } = await world(t)
  let finish = (): void => {}
  const running = await manager().start(options)
  await running.add(
    controller(ConfigMap, { name: 'guest' })
      .where(({ object }) => object.metadata.namespace === 'default')
      .reconcile(async ({ metadata }, { client: writer }) => {
        await new Promise<void>((resolve) => (finish = resolve))
        await writer.create(Secret, { metadata: { name: metadata.name! } })
      }),
  )
  await client.create(ConfigMap, { metadata: { name: 'a' } })
  await journal.until('reconcile started')
  let stopped = false
  const stopping = running.stop().then(() => (stopped = true))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(stopped, false)
  finish()
  await stopping
  assert.equal((await client.get(Secret, 'a')).metadata.name, 'a')
})

test('what does not heed its signal keeps the process no longer than its time', async (t) => {
  const { options } = await world(t)
  const clock = fakeClock()
  const app = manager({ shutdownTimeout: 30_000 })
  const deaf = { name: 'deaf', run: () => new Promise<void>(() => {}) }
  const running = await app.add(deaf).start({ ...options, clock })
  let stopped = false
  void running.stop().then(() => (stopped = true))
  await clock.advance(30_000)
  assert.equal(stopped, false)
  await clock.advance(2_000)
  assert.equal(stopped, true)
})

test('a controller that waits for the lease to be added gives up when the manager stops', async (t) => {
  const { transport } = await world(t)
  const start = (instance: string) =>
    manager({ name: 'queue' }).start({
      transport,
      instance,
      clock: fakeClock(),
      leaderElection: { identity: instance },
    })
  const first = await start('first')
  await first.elected
  const second = await start('second')
  const adding = second.add(controller(ConfigMap, { name: 'guest' }).reconcile(async () => {}))
  const refused = assert.rejects(adding, /the manager is stopping/)
  await second.stop()
  await refused
  await first.stop()
})

test('an Event of a long name and a long note is one that the server takes', async (t) => {
  const { client, options } = await world(t)
  const app = manager()
  const name = 'a'.repeat(250)
  app
    .controller(ConfigMap, { name: 'teller' })
    .where(({ object }) => object.metadata.name === name)
    .reconcile(async (_, { event }) => event('Normal', 'Seen', '长'.repeat(1_000)))
  const running = await app.start(options)
  t.after(() => running.stop())
  const informer = running.cache.informer(EVENT)
  const told = new Promise<Event>((resolve) => {
    informer.listen(({ new: it }) => (it ? resolve(it) : undefined))
  })
  await client.create(ConfigMap, { metadata: { name } })
  assert.equal((await told).note, `${'长'.repeat(340)}...`)
})

test('a finalizer that somebody else took off meanwhile takes nothing back', async (t) => {
  const { client, journal, options } = await world(t)
  const app = manager()
  app
    .controller(ConfigMap, { name: 'holder' })
    .where(({ object }) => object.metadata.namespace === 'default')
    .finalize('example.com/mine', async (map, { lister }) => {
      await client.patch(ConfigMap, map.metadata.name!, {
        type: 'merge',
        body: { metadata: { finalizers: ['example.com/third'] } },
      })
      await new Promise<void>((resolve) => {
        const look = (): void => {
          const now = lister(ConfigMap).get(`default/${map.metadata.name!}`)
          if (now?.metadata.finalizers?.length === 1) resolve()
          else setImmediate(look)
        }
        look()
      })
    })
    .reconcile(async () => {})
  const running = await app.start(options)
  t.after(() => running.stop())
  const finalizers = ['example.com/other', 'example.com/third']
  await client.create(ConfigMap, { metadata: { name: 'a', finalizers } })
  await journal.until('reconcile ended')
  await client.delete(ConfigMap, 'a')
  const from = journal.events.length
  const { outcome } = await journal.until('reconcile ended', (it) => it.key === 'default/a', from)
  assert.equal(outcome, 'success')
  const left = (await client.get(ConfigMap, 'a')).metadata.finalizers
  assert.deepEqual(left, ['example.com/third'])
})
