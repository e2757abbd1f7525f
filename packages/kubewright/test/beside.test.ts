import assert from 'node:assert/strict'
import { test } from 'node:test'
import { controller, manager } from 'kubewright'
import { fakeClock } from 'kubewright/base'
import { settle, thing, Thing, world } from './world.ts'

test('a timer runs in its object’s own runs, at its pace, and stops with the object', async (t) => {
  const { client, journal, options, up } = await world(t)
  const clock = fakeClock()
  const ran: number[] = []
  let busy = 0
  const app = manager()
  app
    .controller(Thing)
    .timer('tick', { every: '1m' }, async () => {
      assert.equal(busy++, 0, 'never beside a reconcile')
      ran.push(clock.now())
      await settle()
      busy--
    })
    .reconcile(async () => {
      assert.equal(busy++, 0, 'never beside a timer')
      await settle()
      busy--
    })
  await up(app.start({ ...options, clock }))
  await client.create(Thing, thing('a'))
  await journal.next('reconcile ended', (it) => it.after === 60_000)
  const [first = 0] = ran
  for (let n = 1; n <= 3; n++) {
    const from = journal.all.length
    await clock.advance(60_000)
    await journal.next('reconcile ended', (it) => it.after !== undefined, from)
  }
  assert.deepEqual(
    ran.map((it) => it - first),
    [0, 60_000, 120_000, 180_000],
  )
  const from = journal.all.length
  await client.delete(Thing, 'a')
  await journal.next('reconcile ended', (it) => it.after === undefined, from)
  await clock.advance(300_000)
  await settle()
  assert.equal(ran.length, 4)
})

test('a failing reconcile does not stop the clock; a timer that throws is tried again', async (t) => {
  const { client, log, options, up } = await world(t)
  let ticks = 0
  const app = manager()
  app
    .controller(Thing)
    .timer('tick', { every: '1h' }, () => {
      ticks++
      if (ticks < 3) throw new Error(`tick ${ticks}`)
    })
    .reconcile(() => {
      if (ticks === 0) throw new Error('reconcile')
    })
  await up(app.start(options))
  await client.create(Thing, thing('a'))
  const failed = await log.until((it) => /trying again/.test(it.message))
  assert.equal((failed.fields['error'] as Error).message, 'reconcile')
  assert.ok(ticks >= 1)
})

test('a daemon lives with its object: started once, restarted when it throws, stopped by deletion before finalizers', async (t) => {
  const { client, journal, log, options, up } = await world(t)
  const clock = fakeClock()
  const told: string[] = []
  const app = manager()
  app
    .controller(Thing)
    .daemon('follow', async ({ object, signal, key }) => {
      told.push(`start ${key.name} ${object?.spec?.n}`)
      if (told.length === 1) throw new Error('at first')
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      told.push(`stop ${key.name}`)
    })
    .finalize('example.com/cleanup', () => void told.push('finalize'))
    .reconcile(() => {})
  const running = await up(app.start({ ...options, clock }))
  await client.create(Thing, thing('a', { n: 7 }))
  await log.until((it) => it.message === 'a daemon failed; starting it again')
  await clock.advance(2_000)
  assert.deepEqual(told, ['start a 7', 'start a 7'])
  await client.delete(Thing, 'a')
  await journal.next('written', (it) => it.verb === 'patch', journal.all.length)
  assert.deepEqual(told.slice(2), ['stop a', 'finalize'])
  // Another one ends when the manager stops.
  await client.create(Thing, thing('b'))
  await journal.next('reconcile ended', (it) => it.key === 'default/b' && !it.error)
  await settle()
  await running.stop()
  assert.deepEqual(told.slice(4), ['start b 1', 'stop b'])
})

test('a daemon that does not want its object any more is stopped', async (t) => {
  const { client, options, up } = await world(t)
  const stopped = Promise.withResolvers<string>()
  const started = Promise.withResolvers<void>()
  const app = manager()
  app
    .controller(Thing)
    .daemon(
      'follow',
      async ({ signal }) => {
        started.resolve()
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
        stopped.resolve(String(signal.reason))
      },
      { when: (it) => (it.spec?.n ?? 0) > 0 },
    )
    .reconcile(() => {})
  await up(app.start(options))
  await client.create(Thing, thing('a', { n: 1 }))
  await started.promise
  await client.patch(Thing, 'a', { type: 'merge', body: { spec: { n: 0 } } })
  assert.match(await stopped.promise, /no longer wants it/)
})

test('timers and daemons want an object, and a time', () => {
  assert.throws(
    () => controller(Thing).timer('t', { every: 0 }, () => {}),
    /the timer t runs every 0: a millisecond or more was expected/,
  )
  assert.throws(
    () =>
      controller(Thing)
        .timer('t', { every: '1s' }, () => {})
        .reconcileKey(() => {}),
    /timers and daemons are for objects/,
  )
})
