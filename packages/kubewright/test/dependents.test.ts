import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { type Condition, findCondition, manager } from 'kubewright'
import { dependent, dependentsOf, external, keepDependents } from 'kubewright/dependents'
import { ConfigMap, Secret } from 'kubewright/kinds/core/v1'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { thing, Thing, world, type World } from './world.ts'

interface Kept extends World {
  /** Resolves with the conditions as soon as they are so: `Ready=False:Waiting`. */
  readonly until: (name: string, ...wanted: readonly string[]) => Promise<readonly Condition[]>
}

async function kept(
  t: TestContext,
  definition: ReturnType<typeof keepDependents<Thing>>,
): Promise<Kept> {
  const it = await world(t)
  await it.up(manager().add(definition).start(it.options))
  const until = async (
    name: string,
    ...wanted: readonly string[]
  ): Promise<readonly Condition[]> => {
    for (let from = 0; ; from = it.journal.all.length) {
      const found = await it.client.find(Thing, `default/${name}`)
      const conditions = found?.status?.conditions ?? []
      const told = conditions.map((one) => `${one.type}=${one.status}:${one.reason}`)
      if (wanted.every((one) => told.includes(one))) return conditions
      await it.journal.next('reconcile ended', () => true, from)
    }
  }
  return { ...it, until }
}

const template = (name: string): object => ({
  selector: { matchLabels: { app: name } },
  template: {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
  },
})

test('dependents are applied in their order when those before are ready, and each is told of', async (t) => {
  const definition = keepDependents(Thing, {
    config: dependent(ConfigMap, (it: Thing) => ({ data: { n: String(it.spec?.n) } })),
    app: dependent(
      Deployment,
      (it: Thing) => ({ spec: { replicas: it.spec?.n, ...template(it.metadata.name!) } }) as never,
      { after: ['config'] },
    ),
    token: dependent(Secret, () => ({ data: { t: btoa('x') } }), { after: ['app'] }),
  })
  const { client, until } = await kept(t, definition)
  await client.create(Thing, thing('a'))
  const conditions = await until(
    'a',
    'ConfigReady=True:Ready',
    'AppReady=False:NotReady',
    'TokenReady=False:Waiting',
  )
  assert.equal(findCondition(conditions, 'AppReady')?.message, 'Deployment a: not observed yet')
  assert.equal(findCondition(conditions, 'TokenReady')?.message, 'waits for app')
  assert.equal(findCondition(conditions, 'Ready')?.status, 'False')
  assert.equal(findCondition(conditions, 'Ready')?.observedGeneration, 1)
  assert.equal(await client.find(Secret, 'default/a'), undefined)
  const status = {
    observedGeneration: 1,
    replicas: 1,
    updatedReplicas: 1,
    readyReplicas: 1,
    availableReplicas: 1,
    conditions: [{ type: 'Available', status: 'True' }],
  }
  await client.patch(
    Deployment,
    'a',
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  )
  await until('a', 'TokenReady=True:Ready', 'Ready=True:AllReady')
  const secret = await client.get(Secret, 'default/a')
  assert.equal(secret.metadata.ownerReferences?.[0]?.kind, 'Thing')

  // The parent goes: the last goes first. Nothing here removes the Deployment, so that the ConfigMap stays until it is gone.
  await client.patch(Deployment, 'a', {
    type: 'merge',
    body: { metadata: { finalizers: ['example.com/hold'] } },
  })
  await client.delete(Thing, 'a')
  for (;;) if ((await client.find(Deployment, 'default/a'))?.metadata.deletionTimestamp) break
  assert.equal(await client.find(Secret, 'default/a'), undefined)
  assert.ok(await client.find(ConfigMap, 'default/a'))
  await client.patch(Deployment, 'a', { type: 'merge', body: { metadata: { finalizers: null } } })
  for (;;) if (!(await client.find(Thing, 'default/a'))) break
  assert.equal(await client.find(ConfigMap, 'default/a'), undefined)
})

test('what is no longer wanted goes: of many, by a condition, and under another name', async (t) => {
  const definition = keepDependents(Thing, {
    parts: dependentsOf(ConfigMap, (it: Thing) =>
      Array.from({ length: it.spec?.n ?? 0 }, (_, i) => ({
        metadata: { name: `${it.metadata.name}-${i}` },
      })),
    ),
    named: dependent(ConfigMap, (it: Thing) =>
      it.spec?.text ? { metadata: { name: it.spec.text } } : undefined,
    ),
    secret: dependent(Secret, () => ({}), { when: (it: Thing) => it.spec?.n !== 1 }),
  })
  const { client, until, journal } = await kept(t, definition)
  const names = async (): Promise<readonly string[]> =>
    [
      ...(await client.list(ConfigMap, { namespace: 'default' })).items,
      ...(await client.list(Secret, { namespace: 'default' })).items,
    ]
      .map((it) => it.metadata.name ?? '')
      .filter((it) => it !== 'kube-root-ca.crt')
      .sort()
  await client.create(Thing, thing('a', { n: 3, text: 'one' }))
  await until('a', 'Ready=True:AllReady')
  assert.deepEqual(await names(), ['a', 'a-0', 'a-1', 'a-2', 'one'])
  const change = async (spec: object): Promise<void> => {
    const from = journal.all.length
    await client.patch(Thing, 'a', { type: 'merge', body: { spec } })
    await journal.next('reconcile ended', (it) => !it.error, from)
  }
  await change({ n: 1, text: 'two' })
  assert.deepEqual(await names(), ['a-0', 'two'])
  await change({ text: '' })
  assert.deepEqual(await names(), ['a-0'])
})

test('what is outside is read, made, changed and deleted by the same rules', async (t) => {
  const buckets = new Map<string, { readonly size: number }>()
  const done: string[] = []
  const definition = keepDependents(
    Thing,
    {
      bucket: external<Thing, { readonly size: number }>({
        read: async (it) => buckets.get(it.metadata.name!),
        create: async (it) => {
          done.push('create')
          const made = { size: it.spec?.n ?? 0 }
          buckets.set(it.metadata.name!, made)
          return made
        },
        matches: (actual, it) => actual.size === it.spec?.n,
        update: async (_, it) => {
          done.push('update')
          const made = { size: it.spec?.n ?? 0 }
          buckets.set(it.metadata.name!, made)
          return made
        },
        delete: async (_, it) => {
          done.push('delete')
          buckets.delete(it.metadata.name!)
        },
        ready: (actual) => actual.size < 5 || 'it is growing',
        every: '1h',
      }),
      config: dependent(
        ConfigMap,
        (_: Thing, { bucket }) => ({
          data: { size: String((bucket as { readonly size: number }).size) },
        }),
        { after: ['bucket'] },
      ),
    },
    { status: (_, { bucket }) => ({ seen: (bucket as { readonly size: number }).size }) },
  )
  const { client, until, journal } = await kept(t, definition)
  await client.create(Thing, thing('a', { n: 2 }))
  await until('a', 'Ready=True:AllReady')
  assert.equal((await client.get(ConfigMap, 'default/a')).data?.['size'], '2')
  assert.equal((await client.get(Thing, 'default/a')).status?.seen, 2)
  const ended = journal.of('reconcile ended').at(-1)
  assert.equal(ended?.after, 3_600_000)
  await client.patch(Thing, 'a', { type: 'merge', body: { spec: { n: 7 } } })
  const conditions = await until('a', 'BucketReady=False:NotReady', 'ConfigReady=False:Waiting')
  assert.equal(findCondition(conditions, 'BucketReady')?.message, 'it is growing')
  assert.equal((await client.get(ConfigMap, 'default/a')).data?.['size'], '2')
  await client.delete(Thing, 'a')
  for (;;) if (!(await client.find(Thing, 'default/a'))) break
  assert.deepEqual(done, ['create', 'update', 'delete'])
})

test('one that fails is told of, and does not hold up what does not come after it', async (t) => {
  let broken = true
  const definition = keepDependents(Thing, {
    bad: dependent(ConfigMap, () => {
      if (broken) throw new Error('no idea')
      return {}
    }),
    good: dependent(Secret, () => ({})),
  })
  const { client, until, log } = await kept(t, definition)
  await client.create(Thing, thing('a'))
  const conditions = await until(
    'a',
    'BadReady=False:Failed',
    'GoodReady=True:Ready',
    'Ready=False:Failed',
  )
  assert.equal(findCondition(conditions, 'BadReady')?.message, 'no idea')
  assert.ok(await client.find(Secret, 'default/a'))
  await log.until((it) => /reconcile failed; trying again/.test(it.message))
  broken = false
  await until('a', 'Ready=True:AllReady')
})
