/**
 * Time as a seam: everything that waits or reads the hour takes a Clock, so that a test can turn the hands.
 *
 * `now` is milliseconds since the epoch. A cancelled timer never runs. `sleep` resolves after `ms`, or rejects with the
 * signal's reason as soon as the signal aborts.
 */
export interface Clock {
  now(): number
  after(ms: number, run: () => void): Timer
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Milliseconds since some moment, that no correction of the hour moves. Default: `now`. */
  steady?(): number
}

/** A pending call of a {@link Clock}. Cancelling twice, or after it ran, does nothing. */
export interface Timer {
  cancel(): void
}

/** The machine's own clock. A timer that waits keeps the process alive: who stops, cancels. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  steady: () => performance.now(),
  after: (ms: number, run: () => void) => {
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), 0x7fffffff))
    return { cancel: () => clearTimeout(timer) }
  },
  sleep: (ms: number, signal?: AbortSignal) => sleepOn(systemClock, ms, signal),
})

/** A clock that stands still until it is told to move: `advance` runs what falls due, in order of time, then of arrival. */
export interface FakeClock extends Clock {
  advance(ms: number): Promise<void>
  /** Sets the hour forward or back, as an administrator would: timers do not notice. */
  correct(ms: number): void
  /** How many timers wait. */
  readonly pending: number
}

interface Waiting {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

/** Makes a {@link FakeClock} that shows `start` (milliseconds since the epoch; default 2026-01-01T00:00:00Z). */
export function fakeClock(start: number = Date.UTC(2026, 0, 1)): FakeClock {
  let time = start
  let correction = 0
  let order = 0
  const waiting = new Set<Waiting>()
  const due = (until: number): Waiting | undefined =>
    [...waiting].filter((it) => it.at <= until).sort((a, b) => a.at - b.at || a.order - b.order)[0]
  const clock: FakeClock = {
    now: () => time + correction,
    steady: () => time,
    after(ms, run) {
      const entry = { at: time + Math.max(ms, 0), order: order++, run }
      waiting.add(entry)
      return { cancel: () => void waiting.delete(entry) }
    },
    sleep: (ms, signal) => sleepOn(clock, ms, signal),
    async advance(ms) {
      const until = time + ms
      // What is under way may be about to set a timer.
      await new Promise((resolve) => setImmediate(resolve))
      for (let next = due(until); next; next = due(until)) {
        waiting.delete(next)
        time = Math.max(time, next.at)
        next.run()
        await new Promise((resolve) => setImmediate(resolve))
      }
      time = until
    },
    correct: (ms) => {
      correction += ms
    },
    get pending() {
      return waiting.size
    },
  }
  return clock
}

function sleepOn(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const timer = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    const stop = (): void => {
      timer.cancel()
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}
