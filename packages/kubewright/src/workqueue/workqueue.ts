import { exponentialBackoff, type Backoff } from '../base/backoff.ts'
import type { Clock, Timer } from '../base/clock.ts'
import { noMetrics, type Metrics } from '../base/metrics.ts'
import { createRing } from '../base/ring.ts'
import {
  entriesOf,
  failuresOf,
  newQueue,
  stepQueue,
  type QueueEntry,
  type QueueInput,
  type Reason,
  type Taken,
} from './queue-machine.ts'
import { queueMetrics } from './queue-metrics.ts'

/** How to add a key. */
export interface AddOptions {
  /** Milliseconds from now; default at once. */
  readonly after?: number | undefined
  /** Higher goes first; default 0. */
  readonly priority?: number | undefined
  /** Why, for logs and observers. */
  readonly reason?: Reason | string | undefined
}

/**
 * Keys that want work. Adding never blocks; `take` waits for a key and hands it to one worker at a time, who says `done` when
 * finished, whatever the outcome. See queue-machine.ts for what is promised about order and merging.
 */
export interface Workqueue {
  readonly name: string
  /** How many keys are ready; those that wait for their time do not count. */
  readonly length: number
  add(key: string, options?: AddOptions): void
  /** Adds after a wait that grows with each failure in a row, or after `after` ms. Called while the key is processed. */
  retry(key: string, after?: number): void
  /** Ends the row of failures. */
  forget(key: string): void
  /** How many failures in a row a key has. */
  failures(key: string): number
  /** Every key that is not idle, and where it is: for people who look. */
  entries(): readonly QueueEntry[]
  /** The next key; undefined once the queue is stopped. */
  take(): Promise<Taken | undefined>
  /** The next key, if one is ready. */
  tryTake(): Taken | undefined
  done(key: string): void
  /** Adds nothing and hands out nothing from now on; resolves when every key that was handed out is done. */
  stop(): Promise<void>
}

/** What a {@link Workqueue} is made of. */
export interface WorkqueueOptions {
  readonly clock: Clock
  /** The `name` and `controller` of its metrics. */
  readonly name: string
  /** Default 5 ms doubling to 1000 s. */
  readonly backoff?: Backoff
  readonly metrics?: Metrics
}

/** Makes an empty {@link Workqueue}. */
export function createWorkqueue(options: WorkqueueOptions): Workqueue {
  const { clock, name, backoff = exponentialBackoff(), metrics = noMetrics } = options
  const state = newQueue(backoff)
  const meter = queueMetrics(metrics, name, clock, state)
  const takers = createRing<(taken: Taken | undefined) => void>()
  const drained: (() => void)[] = []
  let alarm: { readonly at: number; readonly timer: Timer } | undefined

  const step = (input: QueueInput): Taken | undefined => {
    const { taken, wakeAt } = stepQueue(state, input)
    if (wakeAt !== alarm?.at) setAlarm(wakeAt)
    return taken
  }
  const setAlarm = (at: number | undefined): void => {
    alarm?.timer.cancel()
    alarm = at === undefined ? undefined : { at, timer: clock.after(at - clock.now(), ring) }
  }
  const ring = (): void => {
    alarm = undefined
    pump()
  }
  const tryTake = (): Taken | undefined => {
    const taken = step({ type: 'take', now: clock.now() })
    if (taken) meter.taken(taken)
    return taken
  }
  const pump = (): void => {
    while (takers.size > 0) {
      const taken = tryTake()
      if (!taken) return
      takers.shift()?.(taken)
    }
    // Nobody takes: the alarm must not ring again for keys that are due but not yet promoted.
  }

  return {
    name,
    get length() {
      return state.length
    },
    add(key, { after, priority, reason } = {}) {
      const why = typeof reason === 'string' ? { text: reason } : reason
      step({ type: 'add', key, now: clock.now(), after, priority, reason: why })
      meter.added(after)
      pump()
    },
    retry(key, after) {
      step({ type: 'retry', key, now: clock.now(), after })
      meter.retried()
      pump()
    },
    forget: (key) => void step({ type: 'forget', key }),
    failures: (key) => failuresOf(state, key),
    entries: () => entriesOf(state),
    take: () => {
      const taken = takers.size === 0 ? tryTake() : undefined
      if (taken || state.stopped) return Promise.resolve(taken)
      return new Promise((resolve) => takers.push(resolve))
    },
    tryTake,
    done(key) {
      meter.done(key)
      step({ type: 'done', key, now: clock.now() })
      if (state.stopped && state.processing === 0)
        for (const resolve of drained.splice(0)) resolve()
      else pump()
    },
    stop() {
      step({ type: 'stop' })
      while (takers.size > 0) takers.shift()?.(undefined)
      if (state.processing === 0) return Promise.resolve()
      return new Promise((resolve) => drained.push(resolve))
    },
  }
}
