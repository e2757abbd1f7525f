import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalTime } from './decode-time.ts'

test('a time that a server printed is read as it stands, whatever the day', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => {
      const text = `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
      assert.equal(canonicalTime(text), text)
    }),
  )
  assert.equal(canonicalTime('2024-02-29T00:00:00Z'), '2024-02-29T00:00:00Z')
  assert.equal(canonicalTime('2026-11-30T23:59:59.9+01:00'), '2026-11-30T22:59:59Z')
})

test('a day or an hour that there is not is refused', () => {
  const texts = ['2026-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-02-30T00:00:00Z']
  for (const text of texts) assert.throws(() => canonicalTime(text), /day out of range/)
  assert.throws(() => canonicalTime('2026-13-01T00:00:00Z'), /month out of range/)
  assert.throws(() => canonicalTime('2026-12-01T24:00:00Z'), /hour out of range/)
  assert.equal(canonicalTime('0001-01-01T00:00:00Z'), null)
})
