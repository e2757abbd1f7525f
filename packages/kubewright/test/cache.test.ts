import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { prometheusMetrics } from '../src/base/prometheus.ts'
import { createApiServer } from '@kubewright/cluster/apiserver'
import { createLogger, fakeClock, seededRandom, silentLogger } from 'kubewright/base'
import {
  cacheOnly,
  createCache,
  onlyFields,
  withoutManagedFields,
  type Cache,
  type CacheOptions,
} from 'kubewright/cache'
import { createClient, type Client } from 'kubewright/client'
import { kind, s } from 'kubewright'
import { CustomResourceDefinition } from 'kubewright/kinds/apiextensions.k8s.io/v1'
import { ConfigMap, Namespace } from 'kubewright/kinds/core/v1'

function serve(t: TestContext): Client {
  const server = createApiServer({})
  t.after(() => server.close())
  return createClient({ transport: (request) => server.fetch(request) })
}

function cacheOf(t: TestContext, client: Client, more: Partial<CacheOptions> = {}): Cache {
  const cache = createCache({
    client,
    clock: fakeClock(),
    random: seededRandom(1),
    logger: silentLogger,
    freeze: true,
    ...more,
  })
  t.after(() => cache.stop())
  return cache
}

/** Waits, event by event, until something holds. */
async function until(cache: Cache, holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(cache)
}

test('the namespaces of a label selector come and go while the cache runs', async (t) => {
  const client = serve(t)
  const labelled = (name: string, team: string) =>
    client.apply(Namespace, { metadata: { name, labels: { team } } }, { force: true })
  for (const name of ['a', 'b']) await labelled(name, name === 'a' ? 'web' : 'db')
  for (const namespace of ['a', 'b', 'default'])
    await client.apply(ConfigMap, { metadata: { name: 'it', namespace } })
  const cache = cacheOf(t, client, { namespaces: { labelSelector: 'team=web' } })
  const heard: string[] = []
  cache.informer(ConfigMap).listen(({ old, new: now }) => {
    const { namespace } = (now ?? old)!.metadata
    if ((now ?? old)!.metadata.name === 'it') heard.push(`${now ? '+' : '-'}${namespace}`)
  })
  cache.start()
  await cache.waitForSync()
  const lister = cache.lister(ConfigMap)
  const names = (): string =>
    lister
      .list()
      .filter((it) => it.metadata.name === 'it')
      .map((it) => it.metadata.namespace)
      .sort()
      .join()
  assert.equal(names(), 'a')
  await labelled('b', 'web')
  await until(cache, () => names() === 'a,b')
  await labelled('a', 'db')
  await until(cache, () => names() === 'b')
  await client.apply(ConfigMap, { metadata: { name: 'it', namespace: 'a' }, data: { k: 'v' } })
  await client.apply(ConfigMap, { metadata: { name: 'it', namespace: 'b' }, data: { k: 'v' } })
  await until(cache, () => lister.get('b/it')?.data?.['k'] === 'v')
  assert.equal(names(), 'b')
  assert.deepEqual(heard, ['+a', '+b', '-a', '+b'])
})

const Thing = kind('example.com/v1', 'Thing', { spec: { size: s.integer() } })

test('a cache waits for a definition, says so once, and follows it when it goes and comes again', async (t) => {
  const client = serve(t)
  const clock = fakeClock()
  const said: string[] = []
  const logger = createLogger((it) =>
    said.push(`${it.message} ${String(it.fields['error'] ?? '')}`),
  )
  const cache = cacheOf(t, client, { clock, logger })
  const informer = cache.informer(Thing)
  cache.start()
  const late = assert.rejects(
    cache.waitForSync(undefined, 5_000),
    /has not synced within 5000 ms: things\.example\.com \(.*install its CustomResourceDefinition first\)/,
  )
  for (let round = 0; round < 20; round++) await clock.advance(1_000)
  await late
  assert.equal(said.filter((it) => /cannot list and watch/.test(it)).length, 1)
  const install = async (): Promise<void> => {
    await client.apply(CustomResourceDefinition, Thing.crd())
    await client.create(Thing, { metadata: { name: 'a' }, spec: { size: 1 } })
  }
  const turn = async (holds: () => boolean): Promise<void> => {
    for (let round = 0; round < 200 && !holds(); round++) await clock.advance(1_000)
    assert.ok(holds())
  }
  await install()
  await turn(() => informer.synced && informer.lister.size === 1)
  const { uid } = informer.lister.get('default/a')!.metadata
  await client.delete(CustomResourceDefinition, 'things.example.com')
  await turn(() => informer.lister.size === 0)
  await install()
  await turn(() => informer.lister.size === 1)
  assert.notEqual(informer.lister.get('default/a')!.metadata.uid, uid)
})

test('what is not kept ready to use is read from its text, and is the same', async (t) => {
  const client = serve(t)
  const size = 40
  const cache = cacheOf(t, client, {
    kinds: [cacheOnly(ConfigMap, { parsed: 4, labelSelector: 'app=web' })],
  })
  cache.index(ConfigMap, 'parity', (it) => [Number(it.data?.['n']) % 2 === 0 ? 'even' : 'odd'])
  const names = Array.from({ length: size }, (_, at) => `it-${at}`)
  for (const [at, name] of names.entries())
    await client.create(ConfigMap, {
      metadata: { name, labels: { app: 'web' } },
      data: { n: String(at), text: 'ü'.repeat(at) },
    })
  cache.start()
  await cache.waitForSync()
  const lister = cache.lister(ConfigMap)
  const whole = async (): Promise<void> => {
    const { items } = await client.list(ConfigMap, { labelSelector: 'app=web' })
    const untyped = (it: ConfigMap): object => ({ ...it, apiVersion: '', kind: '' })
    const plain = items.map(withoutManagedFields)
    const cached = lister.list()
    const byName = (all: readonly ConfigMap[]): readonly object[] =>
      [...all].sort((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1)).map(untyped)
    assert.deepEqual(byName(cached), byName(plain))
  }
  await whole()
  assert.equal(lister.byIndex('parity', 'even').length, size / 2)
  assert.equal(lister.get('default/it-7')!.data?.['n'], '7')
  assert.equal(lister.get('default/it-7'), lister.get('default/it-7'))
  assert.throws(() => Object.assign(lister.get('default/it-9')!, { data: {} }), TypeError)
  for (const name of names.slice(0, 10)) {
    await client.patch(ConfigMap, name, { type: 'merge', body: { data: { n: '1' } } })
    await client.delete(ConfigMap, `it-${size - 1 - Number(name.slice(3))}`)
  }
  await until(cache, () => lister.size === 30 && lister.get('default/it-9')?.data?.['n'] === '1')
  await whole()
  assert.equal(lister.byIndex('parity', 'even').length, 10)
  assert.equal(lister.byIndex('parity', 'odd').length, 20)
})

test('only declared fields are kept, and an update of what a cache shows takes nobody’s ownership', async (t) => {
  const client = serve(t)
  const metrics = await prometheusMetrics()
  const cache = cacheOf(t, client, {
    metrics,
    managedFields: ['me'],
    kinds: [
      cacheOnly(ConfigMap, { fieldSelector: 'metadata.name=it', transform: onlyFields('data.a') }),
    ],
  })
  await client.apply(
    ConfigMap,
    { metadata: { name: 'it' }, data: { a: '1', b: '2' } },
    { fieldOwner: 'me' },
  )
  await client.apply(
    ConfigMap,
    { metadata: { name: 'it' }, data: { c: '3' } },
    { fieldOwner: 'you' },
  )
  const shown = await (cache.start(), cache.get(ConfigMap, 'it'))
  assert.deepEqual(shown.data, { a: '1' })
  assert.deepEqual(
    shown.metadata.managedFields?.map((it) => it.manager),
    ['me'],
  )
  const whole = await client.get(ConfigMap, 'it')
  await client.update(
    ConfigMap,
    { ...whole, metadata: { ...whole.metadata, managedFields: shown.metadata.managedFields! } },
    { fieldOwner: 'third' },
  )
  const after = await client.get(ConfigMap, 'it')
  assert.deepEqual(after.metadata.managedFields?.map((it) => it.manager).sort(), ['me', 'you'])
  const text = await metrics.text()
  assert.match(text, /kubewright_cache_objects\{resource="configmaps"\} 1/)
  assert.match(text, /kubewright_cache_bytes\{resource="configmaps"\} [1-9]\d\d/)
})
