import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '../base/clock.ts'
import { prometheusMetrics } from '../base/prometheus.ts'
import { createWorkqueue } from './workqueue.ts'

test('a waiting worker gets the next key as it comes', async () => {
  const queue = createWorkqueue({ clock: fakeClock(), name: 'q' })
  const first = queue.take()
  const second = queue.take()
  queue.add('a')
  queue.add('b')
  assert.deepEqual([(await first)?.key, (await second)?.key], ['a', 'b'])
})

test('a delayed key comes when its time has come, and not before', async () => {
  const clock = fakeClock()
  const queue = createWorkqueue({ clock, name: 'q' })
  const taken: string[] = []
  void queue.take().then((it) => taken.push(it!.key))
  queue.add('a', { after: 100 })
  await clock.advance(99)
  assert.deepEqual(taken, [])
  await clock.advance(1)
  assert.deepEqual(taken, ['a'])
})

test('an earlier appointment moves the alarm', async () => {
  const clock = fakeClock()
  const queue = createWorkqueue({ clock, name: 'q' })
  const taken = queue.take()
  queue.add('late', { after: 1_000 })
  queue.add('soon', { after: 10 })
  await clock.advance(10)
  assert.equal((await taken)?.key, 'soon')
  assert.equal(clock.pending, 1)
})

test('stopping frees the workers and waits for what they hold', async () => {
  const queue = createWorkqueue({ clock: fakeClock(), name: 'q' })
  queue.add('a')
  assert.equal((await queue.take())?.key, 'a')
  const idle = queue.take()
  let stopped = false
  const stopping = queue.stop().then(() => (stopped = true))
  assert.equal(await idle, undefined)
  assert.equal(await queue.take(), undefined)
  assert.equal(stopped, false)
  queue.done('a')
  await stopping
  assert.equal(stopped, true)
})

test('a stopped queue waits for nothing any more, whatever is told it', async () => {
  const clock = fakeClock()
  const queue = createWorkqueue({ clock, name: 'q' })
  queue.add('held')
  queue.add('late', { after: 1_000 })
  await queue.take()
  const stopped = queue.stop()
  queue.forget('held')
  queue.done('held')
  await stopped
  assert.equal(clock.pending, 0)
})

test('reports what dashboards of controller-runtime look for', async () => {
  const clock = fakeClock()
  const metrics = await prometheusMetrics()
  const queue = createWorkqueue({ clock, name: 'web', metrics })
  queue.add('a')
  queue.add('b', { priority: -100 })
  queue.add('c', { after: 50 })
  queue.tryTake()
  await clock.advance(2_000)
  const text = await metrics.text()
  for (const line of [
    'workqueue_depth{name="web",controller="web",priority="-100"} 1',
    'workqueue_adds_total{name="web",controller="web"} 3',
    'workqueue_retries_total{name="web",controller="web"} 1',
    'workqueue_unfinished_work_seconds{name="web",controller="web"} 2',
    'workqueue_longest_running_processor_seconds{name="web",controller="web"} 2',
    'workqueue_queue_duration_seconds_count{name="web",controller="web"} 1',
  ])
    assert.ok(text.includes(`${line}\n`), `${line} is missing in\n${text}`)
  queue.done('a')
  assert.match(
    await metrics.text(),
    /workqueue_work_duration_seconds_sum\{name="web",controller="web"\} 2\n/,
  )
})
