import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { UnknownObject } from 'kubewright/machinery'
import { StorageModel } from './storage.model.ts'
import { type Change, Compacted, type Snapshot, type Storage, type Stored } from './storage.ts'

/** Makes a store that remembers at least `window` changes, and holds nothing but what `from` does. */
export type MakeStorage = (window: number, from?: Snapshot) => Storage

const object = (value: number): UnknownObject => ({ metadata: { name: 'x' }, value })

const texts = (items: readonly Stored[]): string[] =>
  items.map((it) => `${it.key}@${it.revision}=${String(it.object['value'])}`)

async function take(changes: AsyncIterable<Change>, count: number): Promise<Change[]> {
  const taken: Change[] = []
  if (count === 0) return taken
  for await (const change of changes) {
    taken.push(change)
    if (taken.length === count) break
  }
  return taken
}

/** A step of a random history: which key, whether its revision is given right, and what is written. */
const step = fc.record({
  key: fc.constantFrom('/a/x/1', '/a/x/2', '/a/y/1', '/ab/x/1', '/b//1'),
  stale: fc.boolean(),
  remove: fc.boolean(),
  compact: fc.boolean(),
})

/** What every {@link Storage} must do. */
export function storageSuite(name: string, make: MakeStorage): void {
  describe(name, () => {
    test('a new store stands at 1 and holds nothing', async () => {
      const storage = make(100)
      assert.equal(storage.revision, 1)
      assert.equal(await storage.get('/a/x/1'), undefined)
      assert.deepEqual(await storage.list({ prefix: '/a/' }), {
        items: [],
        revision: 1,
        remaining: 0,
      })
      await storage.close()
    })

    test('an object carries the revision of its write', async () => {
      const storage = make(100)
      const swap = await storage.compareAndSwap('/a/x/1', 0, object(1))
      assert.ok(swap.ok)
      assert.equal(swap.revision, 2)
      assert.equal(swap.stored.object.metadata.resourceVersion, '2')
      assert.deepEqual(JSON.parse(swap.stored.json), swap.stored.object)
      assert.deepEqual((await storage.get('/a/x/1'))?.object, swap.stored.object)
      await storage.close()
    })

    test('what is nested too deep to be written out is not stored, and keeps nothing else from being', async () => {
      const storage = make(100)
      let deep: unknown = 1
      for (let i = 0; i < 100_000; i++) deep = [deep]
      const writes = await Promise.allSettled([
        storage.compareAndSwap('/a/x/1', 0, object(1)),
        storage.compareAndSwap('/a/x/2', 0, { metadata: { name: 'x' }, deep }),
        storage.compareAndSwap('/a/y/1', 0, object(2)),
      ])
      assert.deepEqual(
        writes.map((it) => it.status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
      assert.equal(await storage.get('/a/x/2'), undefined)
      assert.deepEqual(texts((await storage.list({ prefix: '/a/' })).items), [
        '/a/x/1@2=1',
        '/a/y/1@3=2',
      ])
      await storage.close()
    })

    test('a write at another revision is refused and told what is there', async () => {
      const storage = make(100)
      await storage.compareAndSwap('/a/x/1', 0, object(1))
      const again = await storage.compareAndSwap('/a/x/1', 0, object(2))
      assert.equal(again.ok, false)
      assert.equal(again.ok ? undefined : again.current?.revision, 2)
      assert.equal(storage.revision, 2)
      const absent = await storage.compareAndSwap('/a/x/2', 7, object(2))
      assert.deepEqual(absent, { ok: false, current: undefined })
      const nothing = await storage.compareAndSwap('/a/x/2', 0, undefined)
      assert.deepEqual(nothing, { ok: false, current: undefined })
      await storage.close()
    })

    test('of writes that race for one key, one wins', async () => {
      const storage = make(100)
      const swaps = await Promise.all(
        [1, 2, 3].map((value) => storage.compareAndSwap('/a/x/1', 0, object(value))),
      )
      assert.deepEqual(
        swaps.map((it) => it.ok),
        [true, false, false],
      )
      assert.equal((await storage.get('/a/x/1'))?.object['value'], 1)
      await storage.close()
    })

    test('a removal shows the last object under its own revision', async () => {
      const storage = make(100)
      await storage.compareAndSwap('/a/x/1', 0, object(1))
      const swap = await storage.compareAndSwap('/a/x/1', 2, undefined)
      assert.ok(swap.ok)
      assert.equal(swap.stored.object['value'], 1)
      assert.equal(swap.stored.object.metadata.resourceVersion, '3')
      const [put, removed] = await take(storage.watch('/a/', 1, new AbortController().signal), 2)
      assert.equal(put?.stored.object.metadata.resourceVersion, '2')
      assert.equal(removed?.previous?.object.metadata.resourceVersion, '2')
      await storage.close()
    })

    test('pages go on where the last one ended, and count what is left', async () => {
      const storage = make(100)
      for (const key of ['/a/x/1', '/a/x/2', '/a/x/3', '/b/x/1']) {
        await storage.compareAndSwap(key, 0, object(1))
      }
      const first = await storage.list({ prefix: '/a/', limit: 2 })
      assert.deepEqual(texts(first.items), ['/a/x/1@2=1', '/a/x/2@3=1'])
      assert.equal(first.remaining, 1)
      await storage.compareAndSwap('/a/x/21', 0, object(2))
      const at = first.revision
      const rest = await storage.list({ prefix: '/a/', start: '/a/x/2\0', limit: 2, at })
      assert.deepEqual(texts(rest.items), ['/a/x/3@4=1'])
      assert.equal(rest.remaining, 0)
      await storage.close()
    })

    test('what is forgotten can be neither listed nor watched', async () => {
      const storage = make(2)
      for (let value = 0; value < 10; value++) {
        await storage.compareAndSwap(`/a/x/${value}`, 0, object(value))
      }
      assert.ok(storage.compacted > 1 && storage.compacted <= storage.revision - 2)
      await assert.rejects(storage.list({ prefix: '/a/', at: 1 }), Compacted)
      await storage.compact(storage.revision)
      assert.equal(storage.compacted, storage.revision)
      const tooOld = storage.watch('/a/', storage.revision - 1, new AbortController().signal)
      await assert.rejects(take(tooOld, 1), Compacted)
      await storage.close()
    })

    test('a watch waits, hears its own and nothing else, and ends by its signal', async () => {
      const storage = make(2)
      const controller = new AbortController()
      const heard: string[] = []
      const reading = (async () => {
        for await (const change of storage.watch('/a/', storage.revision, controller.signal)) {
          heard.push(change.stored.key)
        }
      })()
      // More than the store remembers passes by: what is not its own cannot make a watch fall behind.
      for (let value = 0; value < 10; value++) {
        await storage.compareAndSwap(`/b/x/${value}`, 0, object(value))
      }
      await storage.compareAndSwap('/a/x/1', 0, object(1))
      controller.abort()
      await reading
      assert.deepEqual(heard, ['/a/x/1'])
      await storage.close()
    })

    test('a watch from a revision to come hears only what comes after it', async () => {
      const storage = make(100)
      const changes = take(storage.watch('/a/', 3, new AbortController().signal), 1)
      for (let value = 0; value < 3; value++) {
        await storage.compareAndSwap(`/a/x/${value}`, 0, object(value))
      }
      assert.deepEqual(
        (await changes).map((it) => it.revision),
        [4],
      )
      await storage.close()
    })

    test('a snapshot stays as it is, and another store goes on from it without a past', async () => {
      const storage = make(100)
      await storage.compareAndSwap('/a/x/1', 0, object(1))
      await storage.compareAndSwap('/a/x/2', 0, object(2))
      const snapshot = storage.snapshot()
      await storage.compareAndSwap('/a/x/1', 2, object(3))
      await storage.compareAndSwap('/a/x/2', 3, undefined)
      assert.equal(snapshot.revision, 3)
      assert.deepEqual(texts(snapshot.items), ['/a/x/1@2=1', '/a/x/2@3=2'])
      const other = make(100, snapshot)
      assert.deepEqual([other.revision, other.compacted], [3, 3])
      assert.deepEqual(texts((await other.list({ prefix: '/' })).items), texts(snapshot.items))
      const swap = await other.compareAndSwap('/a/x/1', 2, object(4))
      assert.equal(swap.ok && swap.revision, 4)
      assert.deepEqual(
        texts((await other.list({ prefix: '/', at: 3 })).items),
        texts(snapshot.items),
      )
      await assert.rejects(other.list({ prefix: '/', at: 2 }), Compacted)
      await storage.close()
      await other.close()
    })

    test('a watcher that does not come back is known as soon as the log forgets what it missed', async () => {
      const storage = make(2)
      const fellBehind: string[] = []
      const open = (prefix: string): AsyncIterator<Change> => {
        const { signal } = new AbortController()
        const tell = (): void => void fellBehind.push(prefix)
        const changes = storage.watch(prefix, storage.revision, signal, tell)
        return changes[Symbol.asyncIterator]()
      }
      const slow = open('/a/')
      const asleep = open('/b/')
      const left = open('/a/x/')
      const first = slow.next()
      void asleep.next()
      const heard = left.next()
      await storage.compareAndSwap('/a/x/0', 0, object(0))
      await Promise.all([first, heard])
      await left.return?.()
      for (let value = 1; value < 12; value++)
        await storage.compareAndSwap(`/a/x/${value}`, 0, object(value))
      assert.deepEqual(fellBehind.slice(0, 1), ['/a/'])
      assert.ok(!fellBehind.includes('/b/') && !fellBehind.includes('/a/x/'))
      await assert.rejects(slow.next(), Compacted)
      await storage.close()
    })

    test('does what the model does', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
          const storage = make(1000)
          const model = new StorageModel()
          let oldest = 1
          for (const [value, { key, stale, remove, compact }] of steps.entries()) {
            const current = await storage.get(key)
            const expected = (current?.revision ?? 0) + (stale ? 1 : 0)
            const next = remove ? undefined : object(value)
            const swap = await storage.compareAndSwap(key, expected, next)
            assert.equal(swap.ok, model.write(key, expected, next))
            if (!compact || value % 10 > 0) continue
            oldest = Math.max(oldest, storage.revision - 3)
            await storage.compact(oldest)
          }
          assert.equal(storage.compacted, oldest)
          assert.deepEqual(texts(storage.snapshot().items), model.list('/'))
          assert.equal(storage.revision, model.revision)
          for (const prefix of ['/', '/a/', '/a/x/', '/ab/', '/c/']) {
            await checkPrefix(storage, model, prefix)
          }
          await storage.close()
        }),
        { numRuns: 40 },
      )
    })
  })
}

async function checkPrefix(storage: Storage, model: StorageModel, prefix: string): Promise<void> {
  if (storage.compacted > 1)
    await assert.rejects(storage.list({ prefix, at: storage.compacted - 1 }), Compacted)
  for (let at = storage.compacted; at <= storage.revision; at += 3) {
    assert.deepEqual(texts((await storage.list({ prefix, at })).items), model.list(prefix, at))
    const changes = model.changes(prefix, at)
    const heard = await take(
      storage.watch(prefix, at, new AbortController().signal),
      changes.length,
    )
    assert.deepEqual(
      heard.map((it) => `${it.type} ${it.stored.key}@${it.revision}`),
      changes,
    )
  }
  const all = model.list(prefix)
  const pages: Stored[] = []
  for (let start = prefix, more = true; more;) {
    const page = await storage.list({ prefix, start, limit: 2 })
    pages.push(...page.items)
    assert.equal(page.remaining, all.length - pages.length)
    more = page.remaining > 0
    start = `${page.items.at(-1)?.key}\0`
  }
  assert.deepEqual(texts(pages), all)
}
