/** How often one object may be reconciled before it is held back. */
export interface PaceOptions {
  /** Runs in quick succession that are fine. Default 100. */
  readonly burst?: number
  /** Runs a second that are fine for ever. Default 10. */
  readonly perSecond?: number
}

/** Holds back an object that makes itself run again and again: a token bucket for each key. */
export interface Pace {
  /** Takes a token for `key` at `now` (ms): 0 when it may run, else how long it must wait, in milliseconds. */
  take(key: string, now: number): number
}

interface Bucket {
  tokens: number
  at: number
}

/** Makes a {@link Pace}. Keys that have rested are forgotten, so that memory is bounded by what runs now. */
export function createPace(options: PaceOptions = {}): Pace {
  const { burst = 100, perSecond = 10 } = options
  const buckets = new Map<string, Bucket>()
  let sweepAt = 1024
  const filled = (it: Bucket, now: number): number =>
    Math.min(burst, it.tokens + ((now - it.at) / 1000) * perSecond)
  const sweep = (now: number): void => {
    for (const [key, it] of buckets) if (filled(it, now) >= burst) buckets.delete(key)
    sweepAt = Math.max(1024, buckets.size * 2)
  }
  return {
    take(key, now) {
      const bucket = buckets.get(key)
      if (!bucket) {
        if (buckets.size >= sweepAt) sweep(now)
        buckets.set(key, { tokens: burst - 1, at: now })
        return 0
      }
      bucket.tokens = filled(bucket, now)
      bucket.at = now
      if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) / perSecond) * 1000)
      bucket.tokens--
      return 0
    },
  }
}
