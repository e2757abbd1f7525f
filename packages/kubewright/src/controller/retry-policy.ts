import type { BackoffOptions } from '../base/backoff.ts'
import { millisecondsOf, type Duration } from '../base/duration.ts'

/**
 * What happens after a failure, in plain words: `fast` is controller-runtime's own (5 ms doubling to 1000 s), `patient` is for what
 * reaches out of the cluster (750 ms doubling to 15 minutes, spread by a tenth), `never` waits for the next event; or say it yourself.
 */
export type RetryPolicy = 'fast' | 'patient' | 'never' | RetryWords

/** A policy of one's own. */
export interface RetryWords {
  /** The wait after the first failure. Default 5 ms. */
  readonly first?: Duration
  /** The longest wait. Default 1000 s. */
  readonly longest?: Duration
  /** What each further failure multiplies the wait by. Default 2. */
  readonly factor?: number
  /** How many tries there are in all; after the last, the object waits for its next event. Default: no end. */
  readonly tries?: number
  /** The share of the wait that chance may add, from 0 to 1. Default 0. */
  readonly jitter?: number
}

/** A policy as the queue and the worker need it. */
export interface Retrying {
  readonly backoff: BackoffOptions
  /** Infinity for no end. */
  readonly tries: number
}

const POLICIES: Readonly<Record<'fast' | 'patient' | 'never', Retrying>> = {
  fast: { backoff: {}, tries: Infinity },
  patient: { backoff: { base: 750, max: 900_000, jitter: 0.1 }, tries: Infinity },
  never: { backoff: {}, tries: 1 },
}

/** Reads a policy. Throws a TypeError that says what is wrong with it. */
export function retryingOf(policy: RetryPolicy, backoff: BackoffOptions = {}): Retrying {
  if (typeof policy === 'string') {
    const known = POLICIES[policy]
    if (!known)
      throw new TypeError(
        `${JSON.stringify(policy)} is no retry policy: fast, patient, never or { first, longest, factor, tries, jitter } was expected`,
      )
    return { ...known, backoff: { ...known.backoff, ...backoff } }
  }
  const { first, longest, factor, tries = Infinity, jitter } = policy
  if (!(tries >= 1)) throw new TypeError(`tries is ${tries}; 1 or more was expected`)
  return {
    tries,
    backoff: {
      ...backoff,
      ...(first === undefined ? {} : { base: millisecondsOf(first) }),
      ...(longest === undefined ? {} : { max: millisecondsOf(longest) }),
      ...(factor === undefined ? {} : { factor }),
      ...(jitter === undefined ? {} : { jitter }),
    },
  }
}
