import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { kindOf, manager, type Manager, type Running } from 'kubewright'
import { fakeClock, type FakeClock, type Transport } from 'kubewright/base'
import { ConfigMap } from 'kubewright/kinds/core/v1'
import { settle, thing, Thing, world, type World } from './world.ts'

const LEASE = kindOf('coordination.k8s.io/v1', 'Lease', 'leases', 'Namespaced')

interface Fleet extends World {
  readonly clock: FakeClock
  /** Who is working on which object right now; nobody may be there twice. */
  readonly working: ReadonlyMap<string, string>
  /** Who has reconciled each object, in order. */
  readonly runs: ReadonlyMap<string, readonly string[]>
  readonly join: (
    name: string,
    more?: { readonly through?: (it: Transport) => Transport },
  ) => Promise<Running>
  /** Turns the clock until something holds. */
  readonly until: (holds: () => boolean | Promise<boolean>, what: string) => Promise<void>
}

async function fleet(
  t: TestContext,
  by: 'uid' | 'namespace' = 'uid',
  featureGates: Readonly<Record<string, boolean>> = {},
): Promise<Fleet> {
  const it = await world(t, { server: { featureGates } })
  const clock = fakeClock()
  const working = new Map<string, string>()
  const runs = new Map<string, string[]>()
  const operator = (name: string): Manager => {
    const app = manager({ name: 'fleet' })
    app.controller(Thing).reconcile(async ({ metadata, spec }, { apply, key }) => {
      const id = `${key.namespace}/${key.name}`
      assert.equal(working.get(id), undefined, `${id} is worked on by two`)
      working.set(id, name)
      runs.set(id, [...(runs.get(id) ?? []), name])
      try {
        await settle()
        await apply(ConfigMap, { metadata: { name: metadata.name! }, data: { n: String(spec?.n) } })
      } finally {
        working.delete(id)
      }
    })
    return app
  }
  return {
    ...it,
    clock,
    working,
    runs,
    join: (name, { through } = {}) =>
      it.up(
        operator(name).start({
          ...it.options,
          ...(through ? { transport: through(it.transport) } : {}),
          clock,
          instance: name,
          shards: { partitions: 16, by, identity: name },
        }),
      ),
    async until(holds, what) {
      for (let n = 0; n < 200; n++) {
        if (await holds()) return
        await clock.advance(500)
        for (let i = 0; i < 5; i++) await settle()
      }
      assert.fail(`not within 100 s: ${what}`)
    },
  }
}

const names = Array.from({ length: 24 }, (_, i) => `t${i}`)

async function holders({ client }: World): Promise<Readonly<Record<string, number>>> {
  const map = await client.find(LEASE, 'default/fleet-shards')
  const text = map?.metadata.annotations?.['kubewright.dev/shard-map']
  if (!text) return {}
  const { holders: all, partitions } = JSON.parse(text) as {
    holders: string[]
    partitions: number[]
  }
  return Object.fromEntries(all.map((it, i) => [it, partitions.filter((at) => at === i).length]))
}

test('replicas share the objects fairly, and take over from who leaves and who dies, each object at one at a time', async (t) => {
  const it = await fleet(t)
  const { client, runs, until } = it
  await it.join('a')
  for (const name of names) await client.create(Thing, thing(name))
  await until(() => runs.size === names.length, 'the first works on all')
  assert.deepEqual(await holders(it), { a: 16 })

  const b = await it.join('b')
  const shared = async (): Promise<boolean> => {
    const { a = 0, b: second = 0 } = await holders(it)
    return a === 8 && second === 8
  }
  await until(shared, 'the second has its half')
  const takenOver = (): number => [...runs.values()].filter((one) => one.at(-1) === 'b').length
  await until(() => takenOver() > 0, 'the second works')

  // A change is seen by the holder, whoever it is, and by nobody else.
  const before = new Map([...runs].map(([key, one]) => [key, one.length]))
  for (const name of names)
    await client.patch(Thing, name, { type: 'merge', body: { spec: { n: 7 } } })
  const all = async (): Promise<boolean> =>
    (await client.list(ConfigMap, { namespace: 'default' })).items.filter(
      (map) => map.data?.['n'] === '7',
    ).length === names.length
  await until(all, 'all changes are applied')
  for (const [key, one] of runs) {
    const late = new Set(one.slice(before.get(key)!))
    assert.equal(late.size, 1, `${key} was looked at by ${[...late].join()}`)
  }

  // The second leaves in good order: the first has all at once, without waiting for a lease.
  const at = it.clock.now()
  await b.stop()
  await until(async () => (await holders(it))['a'] === 16, 'the first has all again')
  assert.ok(it.clock.now() - at < 10_000)
})

test('the objects of a replica that dies are taken over when its lease has run out', async (t) => {
  const it = await fleet(t)
  const { client, runs, until } = it
  let dead = false
  await it.join('a')
  const b = await it.join('b', {
    // From now on nothing gets through: a process that was killed.
    through: (transport) => (request) =>
      dead ? Promise.reject(new Error('dead')) : transport(request),
  })
  b.done.catch(() => {})
  await until(async () => (await holders(it))['b'] === 8, 'the second has its half')
  for (const name of names) await client.create(Thing, thing(name))
  await until(() => runs.size === names.length, 'both work')
  dead = true
  for (const name of names)
    await client.patch(Thing, name, { type: 'merge', body: { spec: { n: 9 } } })
  const done = async (): Promise<boolean> =>
    (await client.list(ConfigMap, { namespace: 'default' })).items.filter(
      (map) => map.data?.['n'] === '9',
    ).length === names.length
  await until(done, 'no change is lost')
  assert.deepEqual(await holders(it), { a: 16 })
  await assert.rejects(b.done, /the shards of fleet are lost to b: .* must stop and start/)
})

test('a replica that was paused writes nothing when it wakes, and stops', async (t) => {
  const it = await fleet(t)
  const { client, clock } = it
  const entered = Promise.withResolvers<void>()
  const wake = Promise.withResolvers<void>()
  let wrote: unknown
  const app = manager({ name: 'fleet' })
  app.controller(Thing).reconcile(async (_, { apply }) => {
    entered.resolve()
    await wake.promise
    wrote = await apply(ConfigMap, { metadata: { name: 'late' } }).catch((error: unknown) => error)
  })
  const running = await it.up(app.start({ ...it.options, clock, shards: { identity: 'a' } }))
  await client.create(Thing, thing('x'))
  await it.until(
    async () => Promise.race([entered.promise.then(() => true), settle().then(() => false)]),
    'it runs',
  )
  // The machine slept: the hour has moved on, and no timer has noticed.
  clock.correct(60_000)
  wake.resolve()
  await settle()
  await settle()
  assert.match(String(wrote), /ShardsLostError: .*its lease has run out/)
  assert.equal(await client.find(ConfigMap, 'default/late'), undefined)
  await clock.advance(3_000)
  await assert.rejects(running.done, /the shards of fleet are lost/)
})

test('with division by namespace, a namespace is one replica’s', async (t) => {
  const it = await fleet(t, 'namespace')
  const { client, runs, until } = it
  await it.join('a')
  await it.join('b')
  await until(async () => (await holders(it))['b'] === 8, 'both hold')
  const Namespace = kindOf('v1', 'Namespace', 'namespaces', 'Cluster')
  for (let n = 0; n < 8; n++) {
    await client.create(Namespace, { metadata: { name: `ns${n}` } })
    for (const name of ['x', 'y'])
      await client.create(Thing, { ...thing(name), metadata: { name, namespace: `ns${n}` } })
  }
  await until(() => runs.size === 16, 'all are worked on')
  for (let n = 0; n < 8; n++)
    assert.equal(new Set([...runs.get(`ns${n}/x`)!, ...runs.get(`ns${n}/y`)!]).size, 1)
  const who = new Set([...runs.values()].flat())
  assert.deepEqual([...who].sort(), ['a', 'b'])
})

test('a replica mirrors its own part alone, where the server knows shards', async (t) => {
  const it = await fleet(t, 'uid', { ShardedListAndWatch: true })
  const a = await it.join('a')
  const b = await it.join('b')
  for (const name of names) await it.client.create(Thing, thing(name))
  await it.until(async () => (await holders(it))['b'] === 8, 'both hold')
  const sizes = (): readonly number[] => [a, b].map((one) => one.cache.lister(Thing).size)
  const total = (): number => sizes().reduce((sum, size) => sum + size, 0)
  await it.until(() => total() === names.length, 'each has its own')
  assert.ok(sizes().every((size) => size < names.length))
  assert.equal(it.runs.size, names.length)
})

test('replicas that were told different numbers of partitions do not work beside each other', async (t) => {
  const it = await fleet(t)
  await it.join('a')
  await it.until(async () => (await holders(it))['a'] === 16, 'the first holds')
  const app = manager({ name: 'fleet' })
  app.controller(Thing).reconcile(() => {})
  const other = await it.up(
    app.start({ ...it.options, clock: it.clock, shards: { partitions: 8 } }),
  )
  await assert.rejects(
    other.done,
    /divided into 16 partitions and this replica was told 8: all replicas must be told the same/,
  )
})

test('what only a leader may run is refused beside shards without a leader', async (t) => {
  const it = await world(t)
  const app = manager()
  app.controller(Thing, { sharded: false }).reconcile(() => {})
  await assert.rejects(
    app.start({ ...it.options, shards: true }),
    /thing runs only in a leader, and replicas that share the work have none: add leaderElection: true/,
  )
})
