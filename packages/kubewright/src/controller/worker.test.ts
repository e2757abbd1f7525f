import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock, type FakeClock } from '../base/clock.ts'
import { createLogger, type LogEntry } from '../base/logger.ts'
import { prometheusMetrics, type PrometheusMetrics } from '../base/prometheus.ts'
import { seededRandom } from '../base/random.ts'
import { createWorkqueue, type Workqueue } from '../workqueue/workqueue.ts'
import { controllerMeter } from './controller-metrics.ts'
import { temporaryError, terminalError, type Result } from './outcome.ts'
import { createPace, type Pace } from './pace.ts'
import { work, type Run } from './worker.ts'

interface Bench {
  readonly clock: FakeClock
  readonly queue: Workqueue
  readonly log: readonly LogEntry[]
  readonly metrics: PrometheusMetrics
  readonly abort: (reason: Error) => void
  readonly workers: Promise<unknown>
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function bench(
  run: (run: Run) => Promise<Result | undefined>,
  more: {
    readonly timeout?: number
    readonly pace?: Pace
    readonly rate?: Pace
    readonly tries?: number
    readonly begin?: (key: string) => (() => void) | undefined
    readonly workers?: number
  } = {},
): Promise<Bench> {
  const clock = fakeClock()
  const metrics = await prometheusMetrics()
  const log: LogEntry[] = []
  const queue = createWorkqueue({ clock, name: 'c' })
  const aborting = new AbortController()
  const parts = {
    controller: 'c',
    queue,
    run,
    clock,
    random: seededRandom(1),
    log: createLogger((it) => log.push(it)),
    meter: controllerMeter(metrics, 'c', 1),
    observer: undefined,
    ...more,
    pace: more.pace,
    timeout: more.timeout ?? 0,
    signal: aborting.signal,
  }
  const workers = Promise.all(Array.from({ length: more.workers ?? 1 }, () => work(parts)))
  return { clock, queue, log, metrics, workers, abort: (reason) => aborting.abort(reason) }
}

test('an error brings the key back, later each time, until it goes well', async () => {
  const at: number[] = []
  const { clock, queue, metrics } = await bench(async () => {
    at.push(clock.now())
    if (at.length < 4) throw new Error('not yet')
    return undefined
  })
  const began = clock.now()
  queue.add('a')
  await clock.advance(10_000)
  assert.deepEqual(
    at.map((it) => it - began),
    [0, 5, 15, 35],
  )
  assert.equal(queue.failures('a'), 0)
  const text = await metrics.text()
  assert.match(text, /controller_runtime_reconcile_errors_total\{controller="c"\} 3/)
  assert.match(text, /controller_runtime_reconcile_total\{controller="c",result="success"\} 1/)
  assert.match(text, /controller_runtime_active_workers\{controller="c"\} 0/)
})

test('a terminal error waits for the next event; a panic is counted and tried again', async () => {
  let runs = 0
  const { clock, queue, metrics } = await bench(async () => {
    runs++
    throw runs === 1 ? terminalError('never') : 'a string'
  })
  queue.add('a')
  await clock.advance(60_000)
  assert.equal(runs, 1)
  queue.add('a')
  await clock.advance(6)
  assert.equal(runs, 3)
  const text = await metrics.text()
  assert.match(text, /controller_runtime_terminal_reconcile_errors_total\{controller="c"\} 1/)
  assert.match(text, /controller_runtime_reconcile_panics_total\{controller="c"\} 2/)
})

test('requeueAfter brings the key back when its time has come', async () => {
  const at: number[] = []
  const { clock, queue } = await bench(async () => {
    at.push(clock.now())
    return at.length === 1 ? { requeueAfter: 30_000 } : undefined
  })
  const began = clock.now()
  queue.add('a')
  await clock.advance(100_000)
  assert.deepEqual(
    at.map((it) => it - began),
    [0, 30_000],
  )
})

test('a run that never returns is aborted and reported, and its slot serves the next key', async () => {
  const done: string[] = []
  let signal: AbortSignal | undefined
  const { clock, queue, log } = await bench(
    async (run) => {
      if (run.key === 'stuck' && !signal) {
        signal = run.signal
        return new Promise(() => {})
      }
      done.push(run.key)
      return undefined
    },
    { timeout: 5_000 },
  )
  queue.add('stuck')
  queue.add('next')
  await clock.advance(5_000)
  assert.equal(signal?.aborted, true)
  assert.deepEqual(done, [])
  await clock.advance(1_000)
  assert.deepEqual(done, ['next'])
  const error = log.at(-1)?.fields['error'] as Error
  assert.match(
    error.message,
    /the reconciler did not return within 5000 ms; its signal was aborted/,
  )
  await clock.advance(1_000)
  assert.deepEqual(done, ['next', 'stuck'])
})

test('a run that heeds its signal ends at once, as a timeout', async () => {
  const { clock, queue, metrics } = await bench(
    (run) =>
      new Promise((_, reject) =>
        run.signal.addEventListener('abort', () => reject(run.signal.reason as Error)),
      ),
    { timeout: 1_000 },
  )
  queue.add('a')
  await clock.advance(1_000)
  assert.match(
    await metrics.text(),
    /controller_runtime_reconcile_timeouts_total\{controller="c"\} 1/,
  )
})

test('an object that sets itself off is held back and named', async () => {
  let runs = 0
  const { clock, queue, log } = await bench(
    async (run) => {
      runs++
      queue.add(run.key, { reason: 'ConfigMap web updated' })
      return undefined
    },
    { pace: createPace({ burst: 20, perSecond: 10 }) },
  )
  queue.add('ns/hot')
  await settle()
  assert.equal(runs, 20)
  const { message, fields } = log.at(-1)!
  assert.match(message, /reconciled again and again: it is held back/)
  assert.deepEqual(fields, { object: 'ns/hot', reasons: 'ConfigMap web updated', waitMs: 100 })
  await clock.advance(1_000)
  assert.equal(runs, 30)
})

test('stopping waits for runs under way; aborting ends them', async () => {
  let finish = (): void => {}
  const { clock, queue, workers, abort } = await bench(
    (run) =>
      run.key === 'polite'
        ? new Promise((resolve) => (finish = () => resolve(undefined)))
        : new Promise(() => {}),
    { workers: 2 },
  )
  queue.add('polite')
  queue.add('deaf')
  await settle()
  let stopped = false
  void queue.stop().then(() => (stopped = true))
  finish()
  await settle()
  assert.equal(stopped, false)
  abort(new Error('the time is over'))
  await clock.advance(1_000)
  assert.equal(stopped, true)
  await workers
})

test('the pace forgets keys that have rested', () => {
  const pace = createPace({ burst: 2, perSecond: 1 })
  assert.deepEqual(
    [pace.take('a', 0), pace.take('a', 0), pace.take('a', 0), pace.take('b', 0)],
    [0, 0, 1_000, 0],
  )
  assert.equal(pace.take('a', 1_000), 0)
  for (let n = 0; n < 5_000; n++) assert.equal(pace.take(`k${n}`, 10_000 + n), 0)
})

test('an aborted run that ends at once leaves no timer', async () => {
  const { clock, queue, abort } = await bench(
    ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined))),
  )
  queue.add('a')
  await settle()
  abort(new Error('the time is over'))
  await queue.stop()
  assert.equal(clock.pending, 0)
})

test('an object that was tried often enough waits for its next event', async () => {
  let runs = 0
  const failing = async (): Promise<undefined> => {
    runs++
    throw new Error('no')
  }
  const { clock, queue, log } = await bench(failing, { tries: 3 })
  queue.add('a')
  await clock.advance(60_000)
  assert.equal(runs, 3)
  assert.match(log.at(-1)!.message, /was tried often enough; waiting for the next event/)
  queue.add('a')
  await clock.advance(60_000)
  assert.equal(runs, 6)
})

test('a temporary error brings the key back when it says, and not as an error in the log', async () => {
  const at: number[] = []
  const { clock, queue, log } = await bench(async () => {
    at.push(clock.now())
    if (at.length < 3) throw temporaryError('not there yet', '10s')
    return undefined
  })
  queue.add('a')
  await clock.advance(60_000)
  assert.deepEqual(
    at.map((it) => it - at[0]!),
    [0, 10_000, 20_000],
  )
  assert.deepEqual(
    log.map((it) => it.level),
    ['info', 'info'],
  )
})

test('a rate holds the controller back as a whole, and loses nothing', async () => {
  const ran: string[] = []
  const { clock, queue } = await bench(
    async ({ key }) => {
      ran.push(`${key} ${clock.now() - began}`)
      return undefined
    },
    { rate: createPace({ burst: 2, perSecond: 1 }) },
  )
  const began = clock.now()
  for (const key of ['a', 'b', 'c', 'd']) queue.add(key)
  await clock.advance(10_000)
  assert.deepEqual(ran, ['a 0', 'b 0', 'c 1000', 'd 2000'])
})

test('a key that is not this process’s is not run, and one that is ends its hold whatever happens', async () => {
  const ran: string[] = []
  let held = 0
  const { clock, queue } = await bench(
    async ({ key }) => {
      ran.push(key)
      assert.equal(held, 1)
      throw terminalError('no')
    },
    {
      begin: (key) => {
        if (key === 'other') return undefined
        held++
        return () => held--
      },
    },
  )
  queue.add('other')
  queue.add('mine')
  await clock.advance(1_000)
  assert.deepEqual([ran, held, queue.length], [['mine'], 0, 0])
})
