import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { exponentialBackoff } from './backoff.ts'
import { fakeClock } from './clock.ts'
import { copyJson } from './copy-json.ts'
import { createHeap } from './heap.ts'
import { aborted, createGroup } from './lifetime.ts'
import { jsonSink, textSink } from './log-sinks.ts'
import { createLogger } from './logger.ts'
import { seededRandom } from './random.ts'
import { createRing } from './ring.ts'

const pushes = fc.array(fc.option(fc.nat(50), { nil: undefined }), { maxLength: 100 })

test('a ring is an array that is shifted', () => {
  fc.assert(
    fc.property(pushes, (steps) => {
      const ring = createRing<number>()
      const array: number[] = []
      for (const it of steps) {
        if (it === undefined) assert.equal(ring.shift(), array.shift())
        else {
          ring.push(it)
          array.push(it)
        }
        assert.deepEqual([ring.size, ring.peek()], [array.length, array[0]])
      }
    }),
  )
})

test('a copy of JSON is equal, and shares nothing that could be changed', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = copyJson(value)
      assert.deepEqual(copy, value)
      assert.ok(typeof value !== 'object' || value === null || copy !== value)
    }),
  )
  const odd = JSON.parse('{"a":{"__proto__":{"b":[1]}}}') as { a: object }
  const copy = copyJson(odd)
  assert.equal(JSON.stringify(copy), JSON.stringify(odd))
  assert.notEqual(copy.a, odd.a)
  assert.equal(Object.getPrototypeOf(copy.a), Object.prototype)
})

test('a heap is an array that is sorted', () => {
  fc.assert(
    fc.property(pushes, (steps) => {
      const heap = createHeap<number>((a, b) => a < b)
      const array: number[] = []
      for (const it of steps) {
        if (it === undefined) assert.equal(heap.pop(), array.shift())
        else {
          heap.push(it)
          array.push(it)
          array.sort((a, b) => a - b)
        }
        assert.deepEqual([heap.size, heap.peek()], [array.length, array[0]])
      }
    }),
  )
})

test('waits double from 5 ms to 1000 s, with jitter on top', () => {
  const backoff = exponentialBackoff()
  assert.deepEqual([1, 2, 3, 18, 19, 400].map(backoff), [5, 10, 20, 655_360, 1_000_000, 1_000_000])
  const jittered = exponentialBackoff({ base: 100, jitter: 0.5 }, seededRandom(3))
  for (let n = 0; n < 50; n++) {
    const wait = jittered(1)
    assert.ok(wait >= 100 && wait < 150)
  }
})

test('log lines carry time, level, message and fields, errors and cycles included', () => {
  const clock = fakeClock()
  const json: string[] = []
  const log = createLogger(jsonSink((it) => json.push(it), clock)).with({ controller: 'web' })
  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  log.info('hello', { n: 1n })
  log.error('no', { error: new Error('outer', { cause: new Error('inner') }) })
  log.info('cycle', { cycle })
  assert.deepEqual(JSON.parse(json[0]!), {
    time: '2026-01-01T00:00:00.000Z',
    level: 'info',
    message: 'hello',
    controller: 'web',
    n: '1',
  })
  const { error } = JSON.parse(json[1]!) as {
    error: { message: string; cause: { message: string } }
  }
  assert.deepEqual([error.message, error.cause.message], ['outer', 'inner'])
  assert.equal(json.length, 3)
  const text: string[] = []
  createLogger(textSink((it) => text.push(it), clock)).warn('odd', {
    key: 'ns/a',
    why: 'two words',
    error: new Error('outer', { cause: new Error('inner') }),
  })
  assert.deepEqual(text, [
    '00:00:00.000 warn  odd  key=ns/a  why="two words"  error="outer: inner"\n',
  ])
})

test('a group stops all when one fails, and tells the first failure', async () => {
  const group = createGroup()
  const ended: string[] = []
  group.run(async (signal) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    ended.push('waiting')
    throw new Error('because it was stopped')
  })
  group.run(async () => {
    throw new Error('the first')
  })
  await assert.rejects(group.done(), /the first/)
  assert.deepEqual(ended, ['waiting'])
})

test('a group that is stopped ends well', async () => {
  const parent = new AbortController()
  const group = createGroup(parent.signal)
  group.run(async (signal) => {
    await aborted(signal)
    throw signal.reason
  })
  parent.abort(new Error('enough'))
  await group.done()
})
