import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { fakeClock, type FakeClock } from '../base/clock.ts'
import { seededRandom } from '../base/random.ts'
import type { ListOptions, WatchOptions } from '../machinery/contracts.ts'
import type { KubeObject, ListOf } from '../machinery/object.ts'
import { ApiError, failure } from '../machinery/status.ts'
import { INITIAL_EVENTS_END, type WatchEvent } from '../machinery/watch-event.ts'
import type { Delta } from './reflector.ts'
import { runReflector } from './run-reflector.ts'

type Answer = AsyncIterable<WatchEvent> | Error

interface Rig {
  readonly clock: FakeClock
  readonly watches: WatchOptions[]
  readonly lists: ListOptions[]
  readonly deltas: Delta<KubeObject>[]
  readonly problems: unknown[]
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A reflector over scripted watches; the last one is repeated. */
async function reflect(
  t: TestContext,
  script: readonly ((options: WatchOptions) => Answer)[],
  list: () => ListOf<KubeObject> = () => ({ metadata: { resourceVersion: '10' }, items: [] }),
): Promise<Rig> {
  const rig: Rig = { clock: fakeClock(), watches: [], lists: [], deltas: [], problems: [] }
  const abort = new AbortController()
  const done = runReflector<KubeObject, KubeObject>({
    keep: (it) => it,
    source: {
      list: async (options) => {
        rig.lists.push(options)
        return list()
      },
      watch(options) {
        rig.watches.push(options)
        const answer = script[Math.min(rig.watches.length, script.length) - 1]!(options)
        if (answer instanceof Error) throw answer
        return answer
      },
    },
    namespace: 'ns',
    labelSelector: 'a=b',
    clock: rig.clock,
    random: seededRandom(1),
    signal: abort.signal,
    onDelta: (delta) => rig.deltas.push(delta),
    onProblem: (error) => rig.problems.push(error),
  })
  t.after(async () => {
    abort.abort()
    await done
  })
  await settle()
  return rig
}

const at = (resourceVersion: string, name = 'a'): KubeObject => ({
  metadata: { name, resourceVersion },
})
const added = (version: string): WatchEvent => ({ type: 'ADDED', object: at(version) })
const end: WatchEvent = {
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: '7', annotations: { [INITIAL_EVENTS_END]: 'true' } } },
}

/** Events, then silence until the watch is aborted. */
async function* stream(
  options: WatchOptions,
  ...events: readonly WatchEvent[]
): AsyncGenerator<WatchEvent> {
  yield* events
  await new Promise((_, reject) =>
    options.signal?.addEventListener('abort', () => reject(options.signal?.reason as Error)),
  )
}
async function* brief(...events: readonly WatchEvent[]): AsyncGenerator<WatchEvent> {
  yield* events
}

test('streams the initial objects and goes on with the same watch', async (t) => {
  const rig = await reflect(t, [
    (it) => stream(it, added('3'), end, { type: 'MODIFIED', object: at('8') }),
  ])
  assert.equal(rig.watches.length, 1)
  const { timeoutSeconds = 0, signal: _, ...asked } = rig.watches[0]!
  assert.deepEqual(asked, {
    namespace: 'ns',
    labelSelector: 'a=b',
    resourceVersion: '',
    allowWatchBookmarks: true,
    sendInitialEvents: true,
  })
  assert.ok(timeoutSeconds >= 300 && timeoutSeconds < 600)
  assert.deepEqual(rig.deltas, [
    { type: 'replace', objects: new Map([['a', at('3')]]), resourceVersion: '7' },
    { type: 'put', object: at('8') },
  ])
})

test('a server that ignores the wish for a stream is listed, in pages of 500', async (t) => {
  const rig = await reflect(t, [(it) => stream(it), (it) => stream(it)])
  await rig.clock.advance(10_000)
  assert.deepEqual(
    rig.lists.map(({ limit, namespace, labelSelector }) => [limit, namespace, labelSelector]),
    [[500, 'ns', 'a=b']],
  )
  assert.deepEqual(
    rig.watches.map((it) => [it.sendInitialEvents, it.resourceVersion]),
    [
      [true, ''],
      [undefined, '10'],
    ],
  )
})

test('a watch that stays silent is dead, as behind a connection that was cut without a word: it is watched on from where it was', async (t) => {
  const rig = await reflect(t, [(it) => stream(it, added('3'), end)])
  await rig.clock.advance(149_999)
  assert.equal(rig.watches.length, 1)
  await rig.clock.advance(1)
  await settle()
  assert.deepEqual(
    rig.watches.map((it) => it.resourceVersion),
    ['', '7'],
  )
})

test('a kind that nobody serves is waited for, and its objects go when its definition does', async (t) => {
  const absent = new ApiError(failure(404, 'NotFound', 'not served'))
  let served = true
  const rig = await reflect(t, [
    () => absent,
    () => absent,
    (it) => stream(it, added('3'), end),
    () => (served ? new ApiError(failure(410, 'Expired', 'old')) : absent),
  ])
  assert.equal(rig.deltas.length, 0)
  // Never more than some seconds apart, however long it takes.
  await rig.clock.advance(7_000)
  await settle()
  assert.deepEqual(
    rig.deltas.map((it) => it.type === 'replace' && it.objects.size),
    [1],
  )
  served = false
  await rig.clock.advance(200_000)
  await settle()
  assert.deepEqual(
    rig.deltas.map((it) => it.type === 'replace' && it.objects.size),
    [1, 0],
  )
})

test('a watch that ends is opened again at once, one that is refused waits and is told', async (t) => {
  const refused = new ApiError(failure(403, 'Forbidden', 'things is forbidden'))
  const rig = await reflect(t, [() => brief(added('3'), end), () => refused, (it) => stream(it)])
  assert.equal(rig.watches.length, 2)
  assert.equal(rig.problems.at(-1), refused)
  await rig.clock.advance(799)
  assert.equal(rig.watches.length, 2)
  await rig.clock.advance(801)
  assert.deepEqual(
    rig.watches.map((it) => it.resourceVersion),
    ['', '7', '7'],
  )
})

test('410 as an event lists anew, and what was missed comes as one replacement', async (t) => {
  const gone: WatchEvent = {
    type: 'ERROR',
    object: failure(410, 'Expired', 'too old resource version'),
  }
  const rig = await reflect(t, [
    () => brief(added('3'), end, gone),
    (it) => stream(it, { type: 'ADDED', object: at('9', 'b') }, end),
  ])
  assert.deepEqual(
    rig.watches.map((it) => it.sendInitialEvents),
    [true, true],
  )
  assert.deepEqual(rig.deltas.at(-1), {
    type: 'replace',
    objects: new Map([['b', at('9', 'b')]]),
    resourceVersion: '7',
  })
})
