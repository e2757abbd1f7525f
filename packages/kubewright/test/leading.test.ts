import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { manager, type Running } from 'kubewright'
import { fakeClock, type FakeClock, type Transport } from 'kubewright/base'
import { ConfigMap } from 'kubewright/kinds/core/v1'
import { Event } from 'kubewright/kinds/events.k8s.io/v1'
import { settle, thing, Thing, world, type World } from './world.ts'

interface Leading extends World {
  readonly start: (
    name: string,
    more?: { readonly clock?: FakeClock; readonly through?: (it: Transport) => Transport },
  ) => Promise<Running>
  readonly clock: FakeClock
  /** Runs that wait to write, by who runs them. */
  readonly entered: Map<string, () => void>
  readonly wrote: Map<string, unknown>
  readonly until: (holds: () => boolean | Promise<boolean>) => Promise<void>
}

/** Candidates whose runs stop before they write, until they are let go. */
async function leading(t: TestContext): Promise<Leading> {
  const it = await world(t)
  const clock = fakeClock()
  const entered = new Map<string, () => void>()
  const wrote = new Map<string, unknown>()
  return {
    ...it,
    clock,
    entered,
    wrote,
    start(name, { clock: own = clock, through } = {}) {
      const app = manager({ name: 'led' })
      app.controller(Thing).reconcile(async ({ metadata }, { apply }) => {
        await new Promise<void>((resolve) => entered.set(name, resolve))
        const draft = { metadata: { name: metadata.name! }, data: { by: name } }
        wrote.set(name, await apply(ConfigMap, draft).catch((error: unknown) => error))
      })
      return it.up(
        app.start({
          ...it.options,
          ...(through ? { transport: through(it.transport) } : {}),
          clock: own,
          leaderElection: { identity: name },
        }),
      )
    },
    async until(holds) {
      for (let n = 0; n < 200; n++) {
        if (await holds()) return
        await clock.advance(250)
        for (let i = 0; i < 5; i++) await settle()
      }
      assert.fail('not within 50 s')
    },
  }
}

test('a leader that was paused writes nothing when it wakes; the next one has no rival', async (t) => {
  const it = await leading(t)
  const a = await it.start('a')
  await a.elected
  await it.client.create(Thing, thing('x'))
  await it.until(() => it.entered.has('a'))
  // The machine of the leader slept for a minute; no timer of it has noticed yet.
  it.clock.correct(60_000)
  it.entered.get('a')!()
  await it.until(() => it.wrote.has('a'))
  assert.match(String(it.wrote.get('a')), /LeadershipLostError: .*may write nothing as its leader/)
  assert.equal(await it.client.find(ConfigMap, 'default/x'), undefined)
  await it.until(async () =>
    Promise.race([
      a.done.then(
        () => false,
        () => true,
      ),
      settle().then(() => false),
    ]),
  )
  await assert.rejects(a.done, /leader election lost: a could not renew the lease led/)

  const b = await it.start('b')
  await it.until(async () => Promise.race([b.elected.then(() => true), settle().then(() => false)]))
  await it.until(() => it.entered.has('b'))
  it.entered.get('b')!()
  await it.until(() => it.wrote.has('b'))
  assert.equal((await it.client.get(ConfigMap, 'default/x')).data?.['by'], 'b')
})

test('a leader that cannot reach the server is aborted at its deadline, before another may lead', async (t) => {
  const it = await leading(t)
  let cut = false
  const a = await it.start('a', {
    through: (transport) => (request) =>
      cut ? Promise.reject(new Error('cut')) : transport(request),
  })
  await a.elected
  const began = it.clock.now()
  cut = true
  a.done.catch(() => {})
  const b = await it.start('b')
  let [lostAt, ledAt] = [0, 0]
  void a.done.catch(() => (lostAt = it.clock.now() - began))
  void b.elected.then(() => (ledAt = it.clock.now() - began))
  await it.until(() => ledAt > 0)
  assert.ok(lostAt <= 10_500 && ledAt >= 13_000, `lost after ${lostAt}, taken over after ${ledAt}`)
})

test('clocks that are set forward or back change neither who leads nor for how long', async (t) => {
  const it = await leading(t)
  const [own, other] = [fakeClock(), fakeClock()]
  const a = await it.start('a', { clock: own })
  await a.elected
  const b = await it.start('b', { clock: other })
  const second = { leads: false }
  void b.elected.then(() => (second.leads = true))
  // The candidate's hour jumps: to it, the lease looks long expired.
  other.correct(3_600_000)
  // The leader's hour is set back: to it, the lease looks fresh for an hour.
  own.correct(-3_600_000)
  for (let n = 0; n < 40; n++) {
    await own.advance(1_000)
    await other.advance(1_000)
    for (let i = 0; i < 5; i++) await settle()
  }
  assert.equal(second.leads, false, 'the candidate waits as long as the leader renews')
  await a.stop()
  for (let n = 0; n < 10 && !second.leads; n++) {
    await other.advance(1_000)
    for (let i = 0; i < 5; i++) await settle()
  }
  assert.equal(second.leads, true)
})

test('who leads is told by Events on the Lease', async (t) => {
  const it = await leading(t)
  const a = await it.start('a')
  await a.elected
  await a.stop()
  const notes = async (): Promise<readonly string[]> =>
    (await it.client.list(Event, { namespace: 'default' })).items
      .filter((one) => one.regarding?.kind === 'Lease' && one.regarding.name === 'led')
      .map((one) => `${one.reason}: ${one.note}`)
      .sort()
  await it.until(async () => (await notes()).length === 2)
  assert.deepEqual(await notes(), [
    'LeaderElection: a became leader',
    'LeaderElection: a stopped leading',
  ])
})
