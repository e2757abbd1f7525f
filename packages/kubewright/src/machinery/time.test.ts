import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { microTimeText, timeText } from './time.ts'

test('an instant is printed as Date prints it', () => {
  const instants = fc.oneof(
    fc.integer({ min: 0, max: 253_402_300_799_999 }),
    fc.integer({ min: -62_135_596_800_000, max: -1 }),
    fc.constantFrom(0, 951_782_400_000, 951_868_799_999, 4_107_542_399_000, 253_402_300_799_999),
  )
  fc.assert(
    fc.property(instants, (ms) => {
      const text = new Date(ms).toISOString()
      assert.equal(timeText(ms), `${text.slice(0, 19)}Z`)
      assert.equal(microTimeText(ms), `${text.slice(0, 23)}000Z`)
    }),
    { numRuns: 2000 },
  )
})
