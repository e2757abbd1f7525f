import assert from 'node:assert/strict'
import { test } from 'node:test'
import { millisecondsOf } from './duration.ts'

test('a length of time is milliseconds, or numbers with units', () => {
  assert.deepEqual(
    [0, 250, '750ms', '30s', '15m', '2h', '1h30m', '1.5s', '1d'].map(millisecondsOf),
    [0, 250, 750, 30_000, 900_000, 7_200_000, 5_400_000, 1_500, 86_400_000],
  )
})

test('anything else is refused with a sentence', () => {
  for (const wrong of ['', 'soon', '10', '5 m', '-1s', -1, NaN, Infinity])
    assert.throws(() => millisecondsOf(wrong), /is no length of time: .* was expected/)
})
