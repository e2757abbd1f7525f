import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { exponentialBackoff } from '../base/backoff.ts'
import {
  FAIR_EVERY,
  newQueue,
  stepQueue,
  type QueueInput,
  type QueueState,
} from './queue-machine.ts'

const queue = (): QueueState => newQueue(exponentialBackoff())
const take = (state: QueueState, now: number): string | undefined =>
  stepQueue(state, { type: 'take', now }).taken?.key

/** The queue as a list of records, searched from end to end each time: slow, and plainly right. */
class DumbQueue {
  readonly #items: {
    key: string
    readyAt: number
    priority: number
    order: number
    since: number
  }[] = []
  readonly #processing = new Map<string, { readyAt: number; priority: number } | undefined>()
  #order = 0

  add(key: string, now: number, after: number, priority: number): void {
    const readyAt = now + after
    if (this.#processing.has(key)) {
      const again = this.#processing.get(key)
      this.#processing.set(key, {
        readyAt: Math.min(readyAt, again?.readyAt ?? readyAt),
        priority: Math.max(priority, again?.priority ?? priority),
      })
      return
    }
    const item = this.#items.find((it) => it.key === key)
    if (!item) {
      this.#items.push({ key, readyAt, priority, order: ++this.#order, since: readyAt })
      return
    }
    const wasReady = item.readyAt <= now
    if (priority > item.priority) {
      item.priority = priority
      if (wasReady) item.order = ++this.#order
    }
    if (!wasReady && readyAt < item.readyAt) {
      item.readyAt = Math.max(readyAt, now)
      item.order = ++this.#order
    }
  }

  /** The keys that may come next: ready, and of the highest priority. */
  candidates(now: number): readonly string[] {
    const ready = this.#items.filter((it) => it.readyAt <= now)
    const top = Math.max(...ready.map((it) => it.priority))
    return ready.filter((it) => it.priority === top).map((it) => it.key)
  }

  ready(now: number): readonly string[] {
    return this.#items.filter((it) => it.readyAt <= now).map((it) => it.key)
  }

  taken(key: string): void {
    const at = this.#items.findIndex((it) => it.key === key)
    assert.notEqual(at, -1, `${key} was handed out without being in the queue`)
    assert.ok(!this.#processing.has(key), `${key} was handed out twice at once`)
    this.#items.splice(at, 1)
    this.#processing.set(key, undefined)
  }

  get processing(): readonly string[] {
    return [...this.#processing.keys()]
  }

  done(key: string, now: number): void {
    const again = this.#processing.get(key)
    this.#processing.delete(key)
    if (again) this.add(key, now, Math.max(0, again.readyAt - now), again.priority)
  }
}

const step = fc.oneof(
  fc.record({
    type: fc.constant('add' as const),
    key: fc.constantFrom('a', 'b', 'c'),
    after: fc.constantFrom(0, 0, 5, 20),
    priority: fc.constantFrom(0, 0, -100, 10),
  }),
  fc.record({ type: fc.constant('take' as const) }),
  fc.record({ type: fc.constant('done' as const), pick: fc.nat(10) }),
  fc.record({ type: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 15 }) }),
)

test('agrees with the dumb queue about what is ready, what is handed out and what comes again', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 80 }), (steps) => {
      const state = queue()
      const dumb = new DumbQueue()
      let now = 0
      for (const it of steps) {
        if (it.type === 'pass') now += it.ms
        else if (it.type === 'add') {
          const { key, after, priority } = it
          stepQueue(state, { type: 'add', key, now, after, priority })
          dumb.add(key, now, after, priority)
        } else if (it.type === 'take') {
          const key = take(state, now)
          if (key === undefined) assert.deepEqual(dumb.ready(now), [])
          else {
            assert.ok(dumb.candidates(now).includes(key) || dumb.ready(now).includes(key))
            dumb.taken(key)
          }
        } else {
          const key = dumb.processing[it.pick % Math.max(1, dumb.processing.length)]
          if (key === undefined) continue
          stepQueue(state, { type: 'done', key, now })
          dumb.done(key, now)
        }
      }
      for (const key of dumb.processing) {
        stepQueue(state, { type: 'done', key, now })
        dumb.done(key, now)
      }
      // What is left comes out, all of it and once.
      now += 1_000
      const left = [...dumb.ready(now)].sort()
      const out: string[] = []
      for (let key = take(state, now); key; key = take(state, now)) out.push(key)
      assert.deepEqual(out.sort(), left)
    }),
    { numRuns: 3_000 },
  )
})

test('hands out by priority, then in order of arrival', () => {
  const state = queue()
  for (const [key, priority] of [
    ['a', -100],
    ['b', 0],
    ['c', -100],
    ['d', 0],
    ['e', 5],
  ] as const)
    stepQueue(state, { type: 'add', key, priority, now: 0 })
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => take(state, 0)),
    ['e', 'b', 'd', 'a', 'c'],
  )
})

test('a low priority waits for no more than a bounded number of others', () => {
  const state = queue()
  stepQueue(state, { type: 'add', key: 'low', priority: -100, now: 0 })
  let served = 0
  for (let n = 0; ; n++) {
    stepQueue(state, { type: 'add', key: `high-${n}`, now: n })
    stepQueue(state, { type: 'add', key: `more-${n}`, now: n })
    const key = take(state, n)!
    stepQueue(state, { type: 'done', key, now: n })
    if (key === 'low') break
    served++
    assert.ok(served <= FAIR_EVERY, 'the low key starves')
  }
  assert.equal(served, FAIR_EVERY)
})

test('a raised priority puts a ready key at the end of its new place', () => {
  const state = queue()
  stepQueue(state, { type: 'add', key: 'a', priority: -100, now: 0 })
  stepQueue(state, { type: 'add', key: 'b', now: 0 })
  stepQueue(state, { type: 'add', key: 'a', priority: 0, now: 0 })
  assert.deepEqual([take(state, 0), take(state, 0), take(state, 0)], ['b', 'a', undefined])
})

test('waits longer with each failure, and forgets when told', () => {
  const state = queue()
  const waits: number[] = []
  let now = 0
  stepQueue(state, { type: 'add', key: 'a', now })
  for (let n = 0; n < 4; n++) {
    assert.equal(take(state, now), 'a')
    stepQueue(state, { type: 'retry', key: 'a', now })
    const { wakeAt } = stepQueue(state, { type: 'done', key: 'a', now })
    waits.push(wakeAt! - now)
    now = wakeAt!
  }
  assert.deepEqual(waits, [5, 10, 20, 40])
  assert.equal(take(state, now), 'a')
  stepQueue(state, { type: 'forget', key: 'a' })
  stepQueue(state, { type: 'done', key: 'a', now })
  assert.equal(state.entries.size, 0)
})

test('an event during the wait runs at once, and its failure keeps the deadline and is not counted', () => {
  const state = newQueue(exponentialBackoff({ base: 100 }))
  const fail = (now: number): number => {
    assert.equal(take(state, now), 'a')
    stepQueue(state, { type: 'retry', key: 'a', now })
    return stepQueue(state, { type: 'done', key: 'a', now }).wakeAt!
  }
  stepQueue(state, { type: 'add', key: 'a', now: 0 })
  assert.equal(fail(0), 100)
  stepQueue(state, { type: 'add', key: 'a', now: 30 })
  assert.equal(fail(30), 100)
  assert.equal(fail(100), 300)
})

test('an earlier event takes the place of a later appointment', () => {
  const state = queue()
  stepQueue(state, { type: 'add', key: 'a', after: 60_000, now: 0 })
  stepQueue(state, { type: 'add', key: 'a', now: 10 })
  assert.equal(take(state, 10), 'a')
  stepQueue(state, { type: 'done', key: 'a', now: 10 })
  assert.equal(take(state, 100_000), undefined)
})

test('keeps the reasons of what it merged, each once, eight at most', () => {
  const state = queue()
  const reasons = [...Array.from({ length: 9 }, (_, i) => `reason ${i}`), 'reason 0']
  for (const text of reasons)
    stepQueue(state, { type: 'add', key: 'a', now: 0, reason: { text } } satisfies QueueInput)
  const { taken } = stepQueue(state, { type: 'take', now: 0 })
  assert.deepEqual(
    taken?.reasons.map((it) => it.text),
    reasons.slice(0, 8),
  )
})

test('a stopped queue takes in and hands out nothing', () => {
  const state = queue()
  stepQueue(state, { type: 'add', key: 'a', now: 0 })
  stepQueue(state, { type: 'stop' })
  stepQueue(state, { type: 'add', key: 'b', now: 0 })
  assert.equal(take(state, 0), undefined)
  assert.equal(state.entries.size, 1)
})

test('appointments that were overtaken do not pile up', () => {
  const state = queue()
  // A quiet key that is due before them all keeps the tickets behind it from being passed over.
  stepQueue(state, { type: 'add', key: 'quiet', now: 0, after: 30_000_000 })
  for (let now = 0; now < 10_000; now++) {
    stepQueue(state, { type: 'add', key: 'busy', now })
    assert.equal(take(state, now), 'busy')
    stepQueue(state, { type: 'add', key: 'busy', now, after: 36_000_000 })
    stepQueue(state, { type: 'done', key: 'busy', now })
  }
  assert.ok(state.waiting.size <= 68, `${state.waiting.size} tickets for two keys`)
  assert.deepEqual([take(state, 36_010_000), take(state, 36_010_000)], ['quiet', 'busy'])
})
