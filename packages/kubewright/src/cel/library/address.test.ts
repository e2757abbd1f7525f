import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatAddress, holds, masked, parseAddress, parsePrefix } from './address.ts'

const bytes = (length: number): fc.Arbitrary<readonly number[]> =>
  fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 255 })), {
    minLength: length,
    maxLength: length,
  })

test('an address is what its text says', () => {
  fc.assert(
    fc.property(fc.oneof(bytes(4), bytes(16)), (address) => {
      const text = formatAddress({ bytes: address, zone: '' })
      assert.equal(isIP(text), address.length === 4 ? 4 : 6)
      assert.deepEqual(parseAddress(text), { bytes: address, zone: '' })
    }),
  )
})

test('what is read is what Node reads', () => {
  const text = fc
    .array(fc.constantFrom(...'0123456789abf:.'), { maxLength: 20 })
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, (value) => {
      assert.equal(!('error' in parseAddress(value)), isIP(value) !== 0, value)
    }),
    { numRuns: 2000 },
  )
})

test('a prefix holds the addresses whose leading bits are its own', () => {
  const bit = ({ address, i }: { address: readonly number[]; i: number }): number =>
    ((address[i >> 3] ?? 0) >> (7 - (i & 7))) & 1
  fc.assert(
    fc.property(bytes(4), bytes(4), fc.integer({ min: 0, max: 32 }), (a, b, bits) => {
      const prefix = parsePrefix(`${a.join('.')}/${bits}`)
      assert.ok(!('error' in prefix))
      const same = Array.from(
        { length: bits },
        (_, i) => bit({ address: a, i }) === bit({ address: b, i }),
      )
      assert.equal(holds(prefix, { bytes: b, zone: '' }), same.every(Boolean))
      assert.ok(holds(prefix, masked(prefix)))
    }),
  )
})
