import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fakeClock, type FakeClock } from '../base/clock.ts'
import { silentLogger } from '../base/logger.ts'
import { seededRandom } from '../base/random.ts'
import type { ListerWatcher } from '../machinery/contracts.ts'
import { kindOf, type Kind } from '../machinery/kind.ts'
import type { KubeObject, UnknownObject } from '../machinery/object.ts'
import type { WatchEvent } from '../machinery/watch-event.ts'
import { SharedInformer, type InformerOptions } from './informer.ts'
import type { Change } from './store.ts'

const THING: Kind<UnknownObject> = kindOf('example.com/v1', 'Thing', 'things', 'Namespaced')

/** A server of one kind that tells its events only when the test says so. */
class SlowServer implements ListerWatcher<UnknownObject> {
  revision = 0
  uids = 0
  readonly objects = new Map<string, UnknownObject>()
  /** What each name was at each revision. */
  readonly past: ReadonlyMap<string, UnknownObject>[] = [new Map()]
  readonly #events: WatchEvent<UnknownObject>[] = []
  #wake = (): void => {}
  #allowed = 0

  write(name: string, labels: Record<string, string> = {}): UnknownObject {
    const uid = this.objects.get(name)?.metadata.uid ?? `uid-${++this.uids}`
    const type = this.objects.has(name) ? 'MODIFIED' : 'ADDED'
    const object = this.#at(name, uid, labels)
    this.objects.set(name, object)
    return this.#tell(type, object)
  }

  remove(name: string): UnknownObject | undefined {
    const before = this.objects.get(name)
    if (!before) return undefined
    this.objects.delete(name)
    return this.#tell('DELETED', this.#at(name, before.metadata.uid!, {}))
  }

  #at(name: string, uid: string, labels: Record<string, string>): UnknownObject {
    const resourceVersion = String(++this.revision)
    return { kind: 'Thing', metadata: { name, namespace: 'ns', uid, resourceVersion, labels } }
  }

  #tell(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: UnknownObject): UnknownObject {
    this.#events.push({ type, object })
    this.past.push(new Map(this.objects))
    return object
  }

  /** Lets the watch show `count` more events. */
  async deliver(count: number): Promise<void> {
    this.#allowed = Math.min(this.#events.length, this.#allowed + count)
    this.#wake()
    await settle()
  }

  async list(): Promise<{ metadata: { resourceVersion: string }; items: UnknownObject[] }> {
    this.#allowed = this.#events.length
    return {
      metadata: { resourceVersion: String(this.revision) },
      items: [...this.objects.values()],
    }
  }

  async *watch({ resourceVersion = '0' }): AsyncGenerator<WatchEvent<UnknownObject>> {
    for (let at = Number(resourceVersion); ;) {
      while (at < this.#allowed) yield this.#events[at++]!
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function follow(
  server: SlowServer,
  selection: Partial<InformerOptions<UnknownObject>> = {},
  clock: FakeClock = fakeClock(),
): Promise<{ informer: SharedInformer<UnknownObject>; stop: () => void }> {
  const abort = new AbortController()
  const informer = new SharedInformer<UnknownObject>({
    kind: THING,
    source: server,
    clock,
    random: seededRandom(1),
    logger: silentLogger,
    signal: abort.signal,
    streams: false,
    ...selection,
  })
  void informer.run()
  await informer.waitForSync()
  return { informer, stop: () => abort.abort() }
}

const name = fc.constantFrom('a', 'b', 'c')
const act = fc.oneof(
  fc.record({ type: fc.constant('own write' as const), name }),
  fc.record({ type: fc.constant('foreign write' as const), name }),
  fc.record({ type: fc.constant('own delete' as const), name, numbered: fc.boolean() }),
  fc.record({ type: fc.constant('foreign delete' as const), name }),
  fc.record({ type: fc.constant('deliver' as const), count: fc.integer({ min: 1, max: 3 }) }),
)

const versionOf = (object: UnknownObject | undefined): string | undefined =>
  object?.metadata.resourceVersion

for (const parsed of [1, 2_048])
  test(`no read is older than this process’s own writes (${parsed} parsed), and in the end all is as the server has it`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
        const server = new SlowServer()
        const { informer, stop } = await follow(server, { parsed })
        const own = new Map<string, number>()
        for (const it of acts) {
          if (it.type === 'deliver') await server.deliver(it.count)
          else if (it.type === 'foreign write') server.write(it.name)
          else if (it.type === 'foreign delete') server.remove(it.name)
          else if (it.type === 'own write') {
            const object = server.write(it.name)
            informer.wrote({
              verb: 'update',
              kind: THING,
              key: { name: it.name, namespace: 'ns' },
              object,
            })
            own.set(it.name, server.revision)
          } else {
            const last = server.remove(it.name)
            if (!last) continue
            const object = it.numbered ? last : undefined
            informer.wrote({
              verb: 'delete',
              kind: THING,
              key: { name: it.name, namespace: 'ns' },
              object,
              uid: last.metadata.uid!,
            })
            own.set(it.name, server.revision)
          }
          for (const [key, since] of own) {
            const seen = informer.lister.get(`ns/${key}`)
            const possible = server.past.slice(since).map((world) => versionOf(world.get(key)))
            assert.ok(
              possible.includes(versionOf(seen)),
              `${key} is shown as it was before revision ${since}`,
            )
          }
          const listed = informer.lister.list().map((object) => object.metadata.name)
          const got = ['a', 'b', 'c'].filter((key) => informer.lister.get(`ns/${key}`))
          assert.deepEqual(listed.sort(), got)
        }
        await server.deliver(1_000)
        for (const key of ['a', 'b', 'c'])
          assert.deepEqual(informer.lister.get(`ns/${key}`), server.objects.get(key))
        stop()
      }),
      { numRuns: 500 },
    )
  })

test('listeners hear each change once and in order, a late one all there is', async () => {
  const server = new SlowServer()
  server.write('a')
  const { informer, stop } = await follow(server)
  const heard: Change<UnknownObject>[] = []
  informer.listen((change) => void heard.push(change))
  server.write('a')
  server.write('b')
  server.remove('a')
  await server.deliver(10)
  const told = heard.map((it) => [
    it.old?.metadata.resourceVersion,
    it.new?.metadata.resourceVersion,
    it.initial,
  ])
  assert.deepEqual(told, [
    [undefined, '1', true],
    ['1', '2', false],
    [undefined, '3', false],
    ['4', undefined, false],
  ])
  stop()
})

test('an object made again under its name is two changes', async () => {
  const server = new SlowServer()
  server.write('a')
  const { informer, stop } = await follow(server)
  const heard: (readonly [string | undefined, string | undefined])[] = []
  informer.listen(({ old, new: now }) => void heard.push([old?.metadata.uid, now?.metadata.uid]))
  server.remove('a')
  server.write('a')
  await server.deliver(10)
  assert.deepEqual(heard, [
    [undefined, 'uid-1'],
    ['uid-1', undefined],
    [undefined, 'uid-2'],
  ])
  stop()
})

test('a listener that throws does not keep others from hearing', async () => {
  const server = new SlowServer()
  const { informer, stop } = await follow(server)
  const heard: string[] = []
  informer.listen(() => {
    throw new Error('a bug')
  })
  informer.listen(({ new: now }) => void heard.push(now?.metadata.name ?? ''))
  server.write('a')
  await server.deliver(1)
  assert.deepEqual(heard, ['a'])
  stop()
})

test('indexes follow the objects, own writes included', async () => {
  const server = new SlowServer()
  server.write('a', { tier: 'web' })
  const { informer, stop } = await follow(server)
  informer.addIndex('tier', (object: KubeObject) =>
    object.metadata.labels?.['tier'] ? [object.metadata.labels['tier']] : [],
  )
  const names = (tier: string): readonly string[] =>
    informer.lister.byIndex('tier', tier).map((it) => it.metadata.name ?? '')
  assert.deepEqual(names('web'), ['a'])
  const object = server.write('a', { tier: 'db' })
  informer.wrote({ verb: 'update', kind: THING, key: { name: 'a', namespace: 'ns' }, object })
  assert.deepEqual([names('web'), names('db')], [[], ['a']])
  await server.deliver(10)
  assert.deepEqual([names('web'), names('db')], [[], ['a']])
  assert.deepEqual(informer.lister.list({ fieldSelector: 'tier=db' }).length, 1)
  assert.throws(
    () => informer.lister.byIndex('color', 'red'),
    /there is no index named color \(there are: tier\)/,
  )
  stop()
})

test('a write that leaves the selection of the informer is not shown', async () => {
  const server = new SlowServer()
  const selections = [{ labelSelector: 'tier=web' }, { fieldSelector: 'metadata.labels.tier!=db' }]
  for (const selection of selections) {
    const { informer, stop } = await follow(server, selection)
    for (const [tier, shown] of [
      ['web', true],
      ['db', false],
    ] as const) {
      const object = server.write('a', { tier })
      informer.wrote({ verb: 'update', kind: THING, key: { name: 'a', namespace: 'ns' }, object })
      assert.equal(informer.lister.get('ns/a') === object, shown)
    }
    stop()
  }
})

test('a deletion that is never seen hides its name only until the server has told its revision', async () => {
  const server = new SlowServer()
  const clock = fakeClock()
  const { informer, stop } = await follow(server, {}, clock)
  const deletion = {
    verb: 'delete',
    kind: THING,
    key: { name: 'a', namespace: 'ns' },
    object: undefined,
    uid: 'never seen',
  } as const
  informer.wrote(deletion)
  server.write('a')
  await server.deliver(1)
  assert.equal(informer.lister.get('ns/a'), undefined)
  await clock.advance(5_000)
  server.write('b')
  await server.deliver(1)
  assert.equal(informer.lister.get('ns/a'), server.objects.get('a'))
  stop()
})

test('a write whose answer is another kind makes async reads wait for its revision', async () => {
  const server = new SlowServer()
  server.write('a')
  const { informer, stop } = await follow(server)
  const scaled = server.write('a')
  const scale = { kind: 'Scale', metadata: scaled.metadata }
  informer.wrote({
    verb: 'update',
    kind: THING,
    key: { name: 'a', namespace: 'ns' },
    object: scale,
    subresource: 'scale',
  })
  let ready = false
  const waiting = informer.caughtUp().then(() => (ready = true))
  await settle()
  assert.equal(ready, false)
  await server.deliver(1)
  await waiting
  assert.equal(informer.lister.get('ns/a')?.metadata.resourceVersion, '2')
  stop()
})

test('a listener that comes before all namespaces are there hears all objects when they are', async () => {
  const server = new SlowServer()
  server.write('a')
  let release = (): void => {}
  const late = new Promise<void>((resolve) => (release = resolve))
  const source: ListerWatcher<UnknownObject> = {
    watch: (options) => server.watch(options),
    async list(options) {
      if (options?.namespace === 'other') await late
      const list = await server.list()
      return options?.namespace === 'other' ? { ...list, items: [] } : list
    },
  }
  const abort = new AbortController()
  const informer = new SharedInformer<UnknownObject>({
    kind: THING,
    source,
    clock: fakeClock(),
    random: seededRandom(1),
    logger: silentLogger,
    signal: abort.signal,
    streams: false,
    namespaces: ['ns', 'other'],
  })
  void informer.run()
  await settle()
  const heard: (string | undefined)[] = []
  informer.listen(({ new: it }) => void heard.push(it?.metadata.name))
  release()
  await informer.waitForSync()
  assert.deepEqual(heard, ['a'])
  abort.abort()
})

test('an index or a transform that throws costs its object an index, and nobody an event', async () => {
  const server = new SlowServer()
  server.write('a')
  server.write('odd', { odd: 'true' })
  const fail = (it: UnknownObject): boolean => {
    if (it.metadata.labels?.['odd']) throw new Error('odd')
    return true
  }
  const transform = (it: UnknownObject): UnknownObject => (fail(it) ? { ...it } : it)
  const { informer, stop } = await follow(server, { transform })
  informer.addIndex('fine', (it) => (fail(it) ? ['yes'] : []))
  const heard: (string | undefined)[] = []
  informer.listen(({ new: it }) => void heard.push(it?.metadata.name))
  server.write('odd', { odd: 'still' })
  server.write('b')
  await server.deliver(10)
  assert.deepEqual(heard, ['a', 'odd', 'odd', 'b'])
  assert.deepEqual(
    informer.lister.byIndex('fine', 'yes').map((it) => it.metadata.name),
    ['a', 'b'],
  )
  stop()
})

test('who waits for an informer that stops is told', async () => {
  const abort = new AbortController()
  const never: ListerWatcher<UnknownObject> = {
    list: (options) =>
      new Promise((_, reject) => {
        options.signal?.addEventListener('abort', () => reject(options.signal?.reason as Error))
      }),
    watch: () => assert.fail('nothing was listed'),
  }
  const informer = new SharedInformer<UnknownObject>({
    kind: THING,
    source: never,
    clock: fakeClock(),
    random: seededRandom(1),
    logger: silentLogger,
    signal: abort.signal,
    streams: false,
  })
  const running = informer.run()
  const waiting = assert.rejects(informer.waitForSync(), /stopped/)
  abort.abort(new Error('stopped'))
  await Promise.all([waiting, running])
  await assert.rejects(informer.waitForSync(), /stopped/)
})
