import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Decimal } from './decimal-quantity.ts'
import {
  addDecimals,
  asInteger,
  compareDecimals,
  formatDecimal,
  negateDecimal,
  parseQuantity,
} from './decimal-quantity.ts'

const POWERS: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}

/** The value in nanos, by the definition. */
function nanosOf(count: number, suffix: string): bigint {
  return BigInt(count) * 10n ** BigInt((POWERS[suffix] ?? 0) + 9)
}

function parsed(text: string): Decimal {
  const amount = parseQuantity(text)
  assert.ok(!('error' in amount), text)
  return amount
}

const quantity = fc.tuple(
  fc.integer({ min: -1_000_000, max: 1_000_000 }),
  fc.constantFrom(...Object.keys(POWERS)),
)

test('sums and order are those of exact numbers', () => {
  fc.assert(
    fc.property(quantity, quantity, ([a, x], [b, y]) => {
      const [left, right] = [parsed(`${a}${x}`), parsed(`${b}${y}`)]
      const [exactLeft, exactRight] = [nanosOf(a, x), nanosOf(b, y)]
      const order = exactLeft < exactRight ? -1 : exactLeft > exactRight ? 1 : 0
      assert.equal(compareDecimals(left, right), order)
      const sum = addDecimals(left, right)
      assert.equal(sum.unscaled * 10n ** BigInt(sum.exponent + 9), exactLeft + exactRight)
      assert.equal(compareDecimals(addDecimals(left, negateDecimal(left)), parsed('0')), 0)
    }),
  )
})

test('what is written plainly reads as the same amount', () => {
  fc.assert(
    fc.property(quantity, ([count, suffix]) => {
      const amount = parsed(`${count}${suffix}`)
      assert.equal(compareDecimals(parsed(formatDecimal(amount)), amount), 0)
    }),
  )
})

test('integers are those without decimals that fit in 64 bits', () => {
  assert.equal(asInteger(parsed('5k')), 5000n)
  assert.equal(asInteger(parsed('1Ki')), 1024n)
  assert.equal(asInteger(parsed('1.0')), undefined)
  assert.equal(asInteger(parsed('1m')), undefined)
  assert.equal(asInteger(parsed('9223372036854775808')), undefined)
})
