// What operators written for controller-runtime rely on, one line each: the name says what holds, the function shows it.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { manager, terminalError } from 'kubewright'
import { fakeClock, seededRandom } from 'kubewright/base'
import { createWorkqueue } from 'kubewright/workqueue'
import { ConfigMap, Namespace, Secret } from 'kubewright/kinds/core/v1'
import { network } from './network.ts'
import { settle, thing, Thing, world } from './world.ts'

const BEHAVIOURS: Readonly<Record<string, (t: TestContext) => Promise<void>>> = {
  'many events of one object before it is taken are one run': async () => {
    const queue = createWorkqueue({ clock: fakeClock(), name: 'q' })
    for (let n = 0; n < 5; n++) queue.add('a')
    assert.equal(queue.tryTake()?.key, 'a')
    assert.equal(queue.tryTake(), undefined)
  },

  'an object is never reconciled twice at once, and events during a run make exactly one more':
    async (t) => {
      const { client, journal, options, up } = await world(t)
      const gate = Promise.withResolvers<void>()
      let [runs, busy] = [0, 0]
      const app = manager()
      app.controller(Thing).reconcile(async () => {
        assert.equal(busy++, 0)
        runs++
        if (runs === 1) await gate.promise
        busy--
      })
      await up(app.start(options))
      await client.create(Thing, thing('a'))
      await journal.next('reconcile started')
      for (let n = 2; n < 6; n++)
        await client.patch(Thing, 'a', { type: 'merge', body: { spec: { n } } })
      while (journal.of('queued').length < 5) await settle()
      gate.resolve()
      while (journal.of('reconcile ended').length < 2) await settle()
      for (let n = 0; n < 10; n++) await settle()
      assert.equal(runs, 2)
    },

  'an error comes again later and later; success forgets the failures': async () => {
    const clock = fakeClock()
    const queue = createWorkqueue({ clock, name: 'q' })
    queue.add('a')
    const waits: number[] = []
    for (let n = 0; n < 3; n++) {
      queue.tryTake()
      const at = clock.now()
      queue.retry('a')
      queue.done('a')
      while (queue.length === 0 && !queue.entries().some((it) => it.since <= clock.now()))
        await clock.advance(1)
      waits.push(clock.now() - at)
    }
    assert.deepEqual(waits, [5, 10, 20])
    assert.equal(queue.tryTake()?.failures, 3)
    queue.forget('a')
    queue.done('a')
    assert.equal(queue.failures('a'), 0)
  },

  'a terminal error is not tried again, and the next event is': async (t) => {
    const { client, journal, options, up } = await world(t)
    const app = manager()
    app.controller(Thing).reconcile(({ spec }) => {
      if (spec?.n === 1) throw terminalError('one is wrong')
    })
    await up(app.start(options))
    await client.create(Thing, thing('a'))
    await journal.next('reconcile ended', (it) => it.outcome === 'error')
    for (let n = 0; n < 10; n++) await settle()
    assert.equal(journal.of('reconcile ended').length, 1)
    await client.patch(Thing, 'a', { type: 'merge', body: { spec: { n: 2 } } })
    await journal.next('reconcile ended', (it) => it.outcome === 'success')
  },

  'deletion of an object that was not seen to be deleted is noticed by the next list (tombstones)':
    async (t) => {
      const net = network(seededRandom(1))
      const { client, journal, options, up } = await world(t, { through: net.through })
      const clock = fakeClock()
      const gone: string[] = []
      const app = manager()
      app.controller(Thing).reconcileKey((key, { lister }) => {
        if (!lister(Thing).get(key)) gone.push(key.name)
      })
      await up(app.start({ ...options, clock }))
      await client.create(Thing, thing('a'))
      await journal.next('reconcile ended')
      net.cut = true
      net.breakStreams()
      await client.delete(Thing, 'a')
      await settle()
      assert.deepEqual(gone, [])
      // So long that the watch cannot go on where it was.
      net.weather = { gone: 1 }
      net.cut = false
      for (let n = 0; n < 40 && gone.length === 0; n++) {
        await clock.advance(1_000)
        for (let i = 0; i < 10; i++) await settle()
      }
      assert.deepEqual(gone, ['a'])
    },

  'an owner is found by group and kind, whatever the version of the reference': async (t) => {
    const { client, journal, options, up } = await world(t)
    const app = manager()
    app
      .controller(Thing)
      .owns(ConfigMap)
      .reconcile(() => {})
    await up(app.start(options))
    const { metadata } = await client.create(Thing, thing('a'))
    await journal.next('reconcile ended')
    const owner = { kind: 'Thing', name: 'a', uid: metadata.uid!, controller: true }
    const from = journal.all.length
    await client.create(ConfigMap, {
      metadata: {
        name: 'of-v1alpha1',
        ownerReferences: [{ ...owner, apiVersion: 'example.com/v1alpha1' }],
      },
    })
    await journal.next('queued', (it) => it.reason === 'ConfigMap of-v1alpha1 created', from)
  },

  'an owner that does not control is looked at only on request': async (t) => {
    const { client, journal, options, up } = await world(t)
    const app = manager()
    app
      .controller(Thing, { name: 'controlling' })
      .owns(ConfigMap)
      .reconcile(() => {})
    app
      .controller(Thing, { name: 'every' })
      .owns(ConfigMap, { every: true })
      .reconcile(() => {})
    await up(app.start(options))
    const { metadata } = await client.create(Thing, thing('a'))
    const owner = { apiVersion: 'example.com/v1', kind: 'Thing', name: 'a', uid: metadata.uid! }
    await client.create(ConfigMap, { metadata: { name: 'm', ownerReferences: [owner] } })
    const queued = await journal.next('queued', (it) => it.reason === 'ConfigMap m created')
    assert.equal(queued.controller, 'every')
    assert.ok(
      !journal
        .of('queued')
        .some((it) => it.controller === 'controlling' && /ConfigMap/.test(it.reason)),
    )
  },

  'a mapped object is looked at for the old and the new state': async (t) => {
    const { client, journal, options, up } = await world(t)
    const app = manager()
    app
      .controller(Thing)
      .watches(ConfigMap, ({ data, metadata }) =>
        metadata.namespace === 'default' && data?.['for'] ? [`default/${data['for']}`] : [],
      )
      .reconcileKey(() => {})
    await up(app.start(options))
    await client.create(ConfigMap, { metadata: { name: 'm' }, data: { for: 'old' } })
    await journal.next('queued', (it) => it.key === 'default/old')
    const from = journal.all.length
    await client.patch(ConfigMap, 'm', { type: 'merge', body: { data: { for: 'new' } } })
    await journal.next('queued', (it) => it.key === 'default/new', from)
    assert.ok(
      journal.all.slice(from).some((it) => it.type === 'queued' && it.key === 'default/old'),
    )
  },

  'what a first list brings comes behind what happens now': async (t) => {
    const { client, journal, options, up } = await world(t)
    await client.create(Thing, thing('listed'))
    const app = manager()
    app.controller(Thing).reconcile(() => {})
    await up(app.start(options))
    await client.create(Thing, thing('new'))
    const listed = await journal.next('queued', (it) => it.key === 'default/listed')
    const fresh = await journal.next('queued', (it) => it.key === 'default/new')
    assert.deepEqual([listed.priority, fresh.priority], [-100, undefined])
  },

  'caches are full before anything is reconciled, of every kind that the controller names': async (
    t,
  ) => {
    const { client, journal, options, up } = await world(t)
    for (let n = 0; n < 20; n++)
      await client.create(Secret, { metadata: { name: `s${n}`, namespace: 'default' } })
    await client.create(Thing, thing('a'))
    let seen = -1
    const app = manager()
    app
      .controller(Thing)
      .reads(Secret)
      .reconcile((_, { lister }) => {
        seen = lister(Secret).list({ namespace: 'default' }).length
      })
    await up(app.start(options))
    await journal.next('reconcile ended')
    assert.equal(seen, 20)
  },

  'a cluster-scoped kind is looked at by its name alone': async (t) => {
    const { journal, options, up } = await world(t)
    const app = manager()
    app.controller(Namespace).reconcile(() => {})
    await up(app.start(options))
    await journal.next('reconcile ended', (it) => it.key === 'default')
  },

  'names of controllers are unique in a manager, and free in the next': async () => {
    const twice = (): void => {
      const app = manager()
      for (let n = 0; n < 2; n++) app.controller(Thing).reconcile(() => {})
    }
    assert.throws(twice, /already has a controller named thing/)
    for (let n = 0; n < 2; n++)
      manager()
        .controller(Thing)
        .reconcile(() => {})
  },

  'requeueAfter forgets failures and comes when its time has come': async (t) => {
    const { client, journal, options, up } = await world(t)
    const clock = fakeClock()
    let runs = 0
    const app = manager()
    app.controller(Thing).reconcile(() => (++runs < 3 ? { requeueAfter: 30_000 } : undefined))
    await up(app.start({ ...options, clock }))
    await client.create(Thing, thing('a'))
    await journal.next('reconcile ended')
    await clock.advance(29_000)
    assert.equal(runs, 1)
    await clock.advance(1_000)
    await settle()
    assert.equal(runs, 2)
    await clock.advance(30_000)
    await settle()
    assert.equal(runs, 3)
  },
}

for (const [name, holds] of Object.entries(BEHAVIOURS)) test(name, holds)
