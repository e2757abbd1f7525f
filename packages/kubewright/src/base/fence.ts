import type { Clock } from './clock.ts'

/**
 * Says whether what was granted for a time still holds, by every clock there is: a correction of the hour, a process that was paused and
 * a machine that slept must all look like the time they may have cost. `check` throws what `lapsed` makes when the time is over.
 */
export interface Fence {
  /** It was granted anew by what was sent at the reading `at` of {@link now}. */
  renew(at: Reading): void
  now(): Reading
  /** Milliseconds since it was last granted; Infinity when it never was, or is over. */
  age(): number
  /** Throws once the time is over, or after `end`. */
  check(): void
  /** It is over for good. */
  end(): void
}

/** What the clocks show. */
export interface Reading {
  readonly wall: number
  readonly steady: number
}

/** Makes a {@link Fence} that holds for `duration` ms after each renewal; nothing has been granted yet. */
export function createFence(clock: Clock, duration: number, lapsed: () => Error): Fence {
  let renewed: Reading | undefined
  const now = (): Reading => {
    const wall = clock.now()
    return { wall, steady: clock.steady?.() ?? wall }
  }
  const age = (): number => {
    if (!renewed) return Infinity
    const { wall, steady } = now()
    return Math.max(wall - renewed.wall, steady - renewed.steady)
  }
  return {
    now,
    age,
    renew: (at) => {
      renewed = at
    },
    check() {
      if (age() >= duration) throw lapsed()
    },
    end: () => {
      renewed = undefined
    },
  }
}
