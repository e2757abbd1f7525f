import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityProblem,
  quantitySign,
  quantityValue,
  subtractQuantities,
} from './quantity.ts'
import table from './testdata/quantity.json' with { type: 'json' }

const fits = (value: bigint): boolean => BigInt.asIntN(64, value) === value

test('amounts are read and written as resource.Quantity does', () => {
  for (const { in: text, out, err, value, milli } of table.parsed as readonly Parsed[]) {
    assert.equal(quantityProblem(text), err, text)
    if (err !== undefined) continue
    assert.equal(canonicalQuantity(text), out, text)
    const quantity = parseQuantity(text)
    // Go's int64 runs over where a bigint does not, and it rounds what is negative its own way.
    if (value < 0 || text.startsWith('-')) continue
    const [whole, thousandths] = [quantityValue(quantity), quantityMilliValue(quantity)]
    if (fits(whole)) assert.equal(Number(whole), value, `value of ${text}`)
    if (fits(thousandths)) assert.equal(Number(thousandths), milli, `milli of ${text}`)
  }
})

interface Parsed {
  readonly in: string
  readonly out?: string
  readonly err?: string
  readonly value: number
  readonly milli: number
}

test('amounts are added, subtracted and compared as resource.Quantity does', () => {
  for (const { a, b, sum, diff, cmp } of table.sums) {
    const [x, y] = [parseQuantity(a), parseQuantity(b)]
    assert.equal(formatQuantity(addQuantities(x, y)), sum, `${a} + ${b}`)
    assert.equal(formatQuantity(subtractQuantities(x, y)), diff, `${a} - ${b}`)
    assert.equal(compareQuantities(x, y), cmp, `${a} <=> ${b}`)
  }
})

const SUFFIXES = ['', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'E-2']

const amount = fc
  .tuple(
    fc.integer({ min: -99_999, max: 99_999 }),
    fc.option(fc.integer({ min: 0, max: 999 })),
    fc.constantFrom(...SUFFIXES),
  )
  .map(([whole, part, suffix]) => `${whole}${part === null ? '' : `.${part}`}${suffix}`)

test('the canonical form is a fixed point and means the same', () => {
  fc.assert(
    fc.property(amount, (text) => {
      const once = canonicalQuantity(text)
      assert.equal(canonicalQuantity(once), once)
      assert.equal(compareQuantities(parseQuantity(once), parseQuantity(text)), 0)
    }),
  )
})

test('adding and subtracting are inverse, and order is total', () => {
  fc.assert(
    fc.property(amount, amount, amount, (...texts) => {
      const [a, b, c] = texts.map(parseQuantity) as [Amount, Amount, Amount]
      assert.equal(compareQuantities(subtractQuantities(addQuantities(a, b), b), a), 0)
      assert.equal(compareQuantities(addQuantities(a, b), addQuantities(b, a)), 0)
      assert.equal(compareQuantities(a, b), -compareQuantities(b, a) + 0)
      if (compareQuantities(a, b) <= 0 && compareQuantities(b, c) <= 0) {
        assert.ok(compareQuantities(a, c) <= 0)
      }
    }),
  )
})

type Amount = ReturnType<typeof parseQuantity>

test('any text is either an amount or told to be none', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const problem = quantityProblem(text)
      if (problem === undefined) assert.equal(typeof canonicalQuantity(text), 'string')
      else assert.throws(() => parseQuantity(text))
    }),
  )
})

test('long and huge amounts take no time', () => {
  assert.equal(quantityProblem(`${'0'.repeat(200_000)}x`)?.startsWith('quantities must'), true)
  const long = parseQuantity(`1${'0'.repeat(300_000)}`)
  assert.equal(formatQuantity(long), '1')
  const huge = parseQuantity('1e999999999')
  assert.equal(quantityValue(huge), 0n)
  assert.equal(formatQuantity(addQuantities(parseQuantity('1Gi'), huge)), '1')
  assert.equal(compareQuantities(huge, long), 1)
  assert.equal(quantitySign(subtractQuantities(parseQuantity('1'), huge)), -1)
})
