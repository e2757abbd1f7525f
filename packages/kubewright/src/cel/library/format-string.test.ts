import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ArrayList } from '../value.ts'
import { formatString } from './format-string.ts'

/** A double as a fraction: numerator and denominator, exactly. */
function fractionOf(value: number): readonly [bigint, bigint] {
  let denominator = 1n
  let scaled = value
  while (!Number.isInteger(scaled)) {
    scaled *= 2
    denominator *= 2n
  }
  return [BigInt(scaled), denominator]
}

/** Rounds half to even with exact integers. */
function fixedByDefinition(value: number, precision: number): string {
  const [numerator, denominator] = fractionOf(Math.abs(value))
  const scaled = numerator * 10n ** BigInt(precision)
  const [whole, twice] = [scaled / denominator, (scaled % denominator) * 2n]
  const isUp = twice > denominator || (twice === denominator && whole % 2n === 1n)
  const digits = String(isUp ? whole + 1n : whole).padStart(precision + 1, '0')
  const cut = digits.length - precision
  const grouped = digits.slice(0, cut).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  return (value < 0 ? '-' : '') + grouped + (precision === 0 ? '' : `.${digits.slice(cut)}`)
}

test('%f rounds exactly, ties to even', () => {
  const ties = fc
    .tuple(fc.integer({ min: -4000, max: 4000 }), fc.constantFrom(2, 4, 8, 16))
    .map(([a, b]) => a / b)
  const value = fc.oneof(ties, fc.double({ min: -1e15, max: 1e15, noNaN: true }))
  fc.assert(
    fc.property(value, fc.integer({ min: 0, max: 12 }), (number, precision) => {
      // x/text prints no sign for what rounds to zero from minus zero.
      if (Object.is(number, -0)) return
      const text = formatString(`%.${precision}f`, new ArrayList([number]))
      assert.equal(text, fixedByDefinition(number, precision))
    }),
  )
})
