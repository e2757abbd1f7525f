import type { Random } from './random.ts'

/** How waiting grows with failure. All durations are milliseconds. */
export interface BackoffOptions {
  /** The first wait. Default 5. */
  readonly base?: number
  /** The longest wait. Default 1,000,000. */
  readonly max?: number
  /** What each further failure multiplies the wait by. Default 2. */
  readonly factor?: number
  /** The share of the wait that chance may add, from 0 to 1. Default 0. */
  readonly jitter?: number
}

/** Says how long to wait, in milliseconds, after `failures` failures in a row (1 is the first). */
export type Backoff = (failures: number) => number

/**
 * Makes an exponential {@link Backoff}: `base * factor^(failures-1)`, at most `max`, plus up to `jitter` of itself. Defaults are
 * controller-runtime's per-item limiter (5 ms doubling to 1000 s).
 */
export function exponentialBackoff(options: BackoffOptions = {}, random?: Random): Backoff {
  const { base = 5, max = 1_000_000, factor = 2, jitter = 0 } = options
  return (failures) => {
    const wait = Math.min(max, base * factor ** Math.max(0, failures - 1))
    return jitter > 0 && random ? wait * (1 + jitter * random.next()) : wait
  }
}
