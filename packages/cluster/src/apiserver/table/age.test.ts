import assert from 'node:assert/strict'
import { test } from 'node:test'
import { age, humanDuration } from './age.ts'

/** What HumanDuration of apimachinery v0.36.3 makes of milliseconds. */
const LENGTHS: readonly (readonly [ms: number, text: string])[] = [
  [-3000, '<invalid>'],
  [-2000, '<invalid>'],
  [-1999, '0s'],
  [-1000, '0s'],
  [-500, '0s'],
  [0, '0s'],
  [999, '0s'],
  [1000, '1s'],
  [59000, '59s'],
  [60000, '60s'],
  [119000, '119s'],
  [119999, '119s'],
  [120000, '2m'],
  [121000, '2m1s'],
  [180000, '3m'],
  [348000, '5m48s'],
  [599000, '9m59s'],
  [600000, '10m'],
  [630000, '10m'],
  [3540000, '59m'],
  [3600000, '60m'],
  [10799000, '179m'],
  [10800000, '3h'],
  [10860000, '3h1m'],
  [10859000, '3h'],
  [28799000, '7h59m'],
  [28800000, '8h'],
  [30600000, '8h'],
  [172740000, '47h'],
  [172800000, '2d'],
  [176400000, '2d1h'],
  [259200000, '3d'],
  [269940000, '3d2h'],
  [687600000, '7d23h'],
  [691200000, '8d'],
  [709200000, '8d'],
  [25920000000, '300d'],
  [63068400000, '729d'],
  [63072000000, '2y'],
  [63158400000, '2y1d'],
  [66096000000, '2y35d'],
  [157680000000, '5y'],
  [252284400000, '7y364d'],
  [252288000000, '8y'],
  [630979200000, '20y'],
]

test('a length of time reads as in Kubernetes', () => {
  for (const [ms, text] of LENGTHS) assert.equal(humanDuration(ms), text, `${ms} ms`)
})

test('an age counts from a timestamp', () => {
  const now = Date.parse('2026-11-30T18:00:00Z')
  assert.equal(age('2026-11-30T12:30:00Z', now), '5h30m')
  assert.equal(age(null, now), '<unknown>')
  assert.equal(age(undefined, now), '<unknown>')
  assert.equal(age('', now), '<unknown>')
})
