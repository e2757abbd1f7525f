import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exponentialBackoff } from '../base/backoff.ts'
import { retryingOf, type RetryPolicy } from './retry-policy.ts'

const waits = (policy: RetryPolicy, failures: readonly number[]): readonly number[] =>
  failures.map(exponentialBackoff(retryingOf(policy).backoff))

test('policies in words are the waits that they say', () => {
  assert.deepEqual(waits('fast', [1, 2, 3, 40]), [5, 10, 20, 1_000_000])
  assert.deepEqual(waits('patient', [1, 2, 40]), [750, 1_500, 900_000])
  assert.equal(retryingOf('never').tries, 1)
  const own = { first: '1s', longest: '5m', factor: 3, tries: 4 } as const
  assert.deepEqual(waits(own, [1, 2, 3, 9]), [1_000, 3_000, 9_000, 300_000])
  assert.equal(retryingOf(own).tries, 4)
  assert.deepEqual(retryingOf('fast', { base: 7 }).backoff, { base: 7 })
})

test('what is no policy is refused with a sentence', () => {
  assert.throws(() => retryingOf('soon' as 'fast'), /"soon" is no retry policy: fast, patient/)
  assert.throws(() => retryingOf({ tries: 0 }), /tries is 0; 1 or more was expected/)
  assert.throws(() => retryingOf({ first: 'a while' }), /is no length of time/)
})
