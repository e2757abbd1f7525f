/**
 * An exact amount (apimachinery/pkg/api/resource Quantity): `unscaled` × 10^`exponent`, and the notation that it is printed in.
 * `text` is kept where Kubernetes prints what was written rather than the canonical form (`1.500`, `+5`).
 */
export interface Quantity {
  readonly unscaled: bigint
  readonly exponent: number
  readonly format: QuantityFormat
  readonly text?: string
}

/** `12e6`, `12Mi`, `12M`. */
export type QuantityFormat = 'DecimalExponent' | 'BinarySI' | 'DecimalSI'

/** What {@link parseQuantity} throws; its message is Kubernetes' own. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError'
}

const FORMAT_WRONG =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const SUFFIX_WRONG = "unable to parse quantity's suffix"
const NUMBER_WRONG = 'unable to parse numeric part of quantity'

const DECIMAL_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
])
const BINARY_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
])
const swap = (map: ReadonlyMap<string, number>): ReadonlyMap<number, string> =>
  new Map([...map].map(([suffix, exponent]) => [exponent, suffix]))
const DECIMAL_BY_EXPONENT = swap(DECIMAL_SUFFIXES)
const BINARY_BY_EXPONENT = swap(BINARY_SUFFIXES)

// No two parts can hold the same digits: else a long wrong text would take cubic time.
const SHAPE = /^([+-]?)([0-9]*)(?:(\.)([0-9]*))?([eEinumkKMGTP]+[-+]?[0-9]*|[-+][0-9]*|)$/
/** More digits than an int64 holds take the slow way in Go, which drops the text; so do amounts below a nano. */
const INT64_DIGITS = 18
const MAX_INT64 = 2n ** 63n - 1n
const NANO = -9

interface Suffix {
  readonly base: 2 | 10
  readonly exponent: number
  readonly format: QuantityFormat
}

function readSuffix(suffix: string): Suffix {
  const decimal = DECIMAL_SUFFIXES.get(suffix)
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: 'DecimalSI' }
  const binary = BINARY_SUFFIXES.get(suffix)
  if (binary !== undefined) return { base: 2, exponent: binary, format: 'BinarySI' }
  if (!/^[eE][-+]?[0-9]+$/.test(suffix)) throw new QuantityError(SUFFIX_WRONG)
  return { base: 10, exponent: Number(suffix.slice(1)), format: 'DecimalExponent' }
}

const ZERO: Quantity = Object.freeze({ unscaled: 0n, exponent: 0, format: 'DecimalSI', text: '0' })

/**
 * Reads `100m`, `1.5Gi`, `2e3` … exactly, down to a nano (finer amounts round away from zero). Numbers stand for their decimal
 * text, as JSON numbers do. Throws {@link QuantityError}.
 */
export function parseQuantity(input: string | number): Quantity {
  const source = typeof input === 'number' ? String(input) : input
  if (source === '0') return ZERO
  const match = source === '' ? null : SHAPE.exec(source)
  if (match === null) throw new QuantityError(FORMAT_WRONG)
  const [, sign = '', whole = '', , fraction = '', tail = ''] = match
  const suffix = readSuffix(tail)
  const digits = (whole.replace(/^0+/, '') || '0') + fraction
  const negative = sign === '-'
  return suffix.base === 10
    ? decimalQuantity(source, negative, digits, fraction.length, suffix)
    : binaryQuantity(source, negative, digits, fraction.length, suffix)
}

function decimalQuantity(
  source: string,
  negative: boolean,
  digits: string,
  fraction: number,
  suffix: Suffix,
): Quantity {
  const exponent = suffix.exponent - fraction
  const amount = BigInt(digits)
  const unscaled = negative ? -amount : amount
  const fast = digits.length <= INT64_DIGITS && exponent >= NANO
  if (!fast) return { ...roundAway(unscaled, exponent, NANO), format: suffix.format }
  const asWritten = exponent % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0')
  return asWritten
    ? { unscaled, exponent, format: suffix.format, text: source }
    : { unscaled, exponent, format: suffix.format }
}

function binaryQuantity(
  source: string,
  negative: boolean,
  digits: string,
  fraction: number,
  suffix: Suffix,
): Quantity {
  const value = BigInt(digits)
  const product = value << BigInt(suffix.exponent)
  const fast =
    fraction === 0 && 15 - digits.length - Math.trunc((suffix.exponent * 3) / 10) - 1 >= 0
  if (fast) {
    const unscaled = negative ? -product : product
    return (value & 7n) !== 0n
      ? { unscaled, exponent: 0, format: 'BinarySI', text: source }
      : { unscaled, exponent: 0, format: 'BinarySI' }
  }
  const rounded = roundAway(product, -fraction, NANO)
  const capped = compareAmounts(rounded, { unscaled: MAX_INT64, exponent: 0 }) > 0
  const amount = capped ? { unscaled: MAX_INT64, exponent: 0 } : rounded
  const small = amount.unscaled > 0n && compareAmounts(amount, { unscaled: 1n, exponent: 0 }) < 0
  return {
    unscaled: negative ? -amount.unscaled : amount.unscaled,
    exponent: amount.exponent,
    format: small ? 'DecimalSI' : 'BinarySI',
  }
}

interface Amount {
  readonly unscaled: bigint
  readonly exponent: number
}

/** The least amount of at least this magnitude that needs no digit below 10^exponent. */
function roundAway(unscaled: bigint, exponent: number, least: number): Amount {
  if (exponent >= least) return { unscaled, exponent }
  // Beyond any digit that is there, all that can be left is one unit.
  const drop = least - exponent
  if (drop > String(unscaled).length) {
    return { unscaled: unscaled === 0n ? 0n : unscaled > 0n ? 1n : -1n, exponent: least }
  }
  const divisor = 10n ** BigInt(drop)
  const quotient = unscaled / divisor
  const rest = unscaled % divisor
  return {
    unscaled: rest === 0n ? quotient : quotient + (unscaled > 0n ? 1n : -1n),
    exponent: least,
  }
}

const magnitude = (it: Amount): number =>
  String(it.unscaled < 0n ? -it.unscaled : it.unscaled).length + it.exponent

const signOf = (value: bigint): number => (value > 0n ? 1 : value < 0n ? -1 : 0)

function compareAmounts(a: Amount, b: Amount): number {
  const sign = signOf(a.unscaled)
  if (sign !== signOf(b.unscaled)) return sign < signOf(b.unscaled) ? -1 : 1
  if (sign === 0) return 0
  // Digits before powers: `1e1000000` must not be written out.
  const apart = magnitude(a) - magnitude(b)
  if (apart !== 0) return apart > 0 ? sign : -sign
  const [left, right] = align(a, b)
  return left < right ? -1 : left > right ? 1 : 0
}

function align(a: Amount, b: Amount): readonly [bigint, bigint, number] {
  const exponent = Math.min(a.exponent, b.exponent)
  const grow = (it: Amount): bigint => it.unscaled * 10n ** BigInt(it.exponent - exponent)
  return [grow(a), grow(b), exponent]
}

/** Negative, zero or positive, as `a` is below, equal to or above `b`. */
export const compareQuantities = (a: Quantity, b: Quantity): number => compareAmounts(a, b)

/** Whether `a` and `b` are the same amount, however written. */
export const quantitiesEqual = (a: Quantity, b: Quantity): boolean => compareAmounts(a, b) === 0

/** -1, 0 or 1. */
export const quantitySign = (it: Quantity): number => signOf(it.unscaled)

/** How many powers of ten amounts may lie apart and still be written out: `1e100000000` would take minutes. */
const WIDEST = 10_000

/** The amount beside which the other is not worth a digit, if they are so far apart. */
function dwarfing(a: Amount, b: Amount): Amount | undefined {
  if (a.unscaled === 0n || b.unscaled === 0n) return a.unscaled === 0n ? b : a
  if (Math.abs(a.exponent - b.exponent) <= WIDEST) return undefined
  return magnitude(a) > magnitude(b) ? a : b
}

/** `a` + `b`, in the notation of `a` unless that is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const alone = dwarfing(a, b)
  if (alone)
    return {
      unscaled: alone.unscaled,
      exponent: alone.exponent,
      format: a.unscaled === 0n ? b.format : a.format,
    }
  const [left, right, exponent] = align(a, b)
  return { unscaled: left + right, exponent, format: a.unscaled === 0n ? b.format : a.format }
}

/** `a` - `b`, in the notation of `a` unless that is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, multiplyQuantity(b, -1n))
}

/** `a` × `factor`. */
export const multiplyQuantity = (a: Quantity, factor: bigint): Quantity => ({
  unscaled: a.unscaled * factor,
  exponent: a.exponent,
  format: a.format,
})

/** Rounds away from zero to 10^exponent (`Quantity.RoundUp`); an amount that needs no finer digit keeps its text. */
export function roundUpQuantity(it: Quantity, exponent: number): Quantity {
  return it.exponent >= exponent
    ? it
    : { ...roundAway(it.unscaled, it.exponent, exponent), format: it.format }
}

/**
 * The amount in units of 10^exponent, rounded away from zero: `-3` gives millis. Amounts of thousands of digits are 0, as Kubernetes'
 * are once they overflow.
 */
export function scaledValue(it: Quantity, exponent: number): bigint {
  const rounded = roundAway(it.unscaled, it.exponent, exponent)
  if (rounded.exponent - exponent > WIDEST) return 0n
  return rounded.unscaled * 10n ** BigInt(rounded.exponent - exponent)
}

/** The amount in whole units, rounded away from zero (`Quantity.Value`). */
export const quantityValue = (it: Quantity): bigint => scaledValue(it, 0)

/** The amount in thousandths, rounded away from zero (`Quantity.MilliValue`). */
export const quantityMilliValue = (it: Quantity): bigint => scaledValue(it, -3)

/** An amount of `value` × 10^`exponent`. */
export const quantityOf = (
  value: bigint | number,
  format: QuantityFormat = 'DecimalSI',
  exponent: number = 0,
): Quantity => ({ unscaled: BigInt(value), exponent, format })

/** How Kubernetes prints the amount: as written where that was canonical enough, else in canonical form. */
export function formatQuantity(it: Quantity): string {
  if (it.text !== undefined) return it.text
  if (it.unscaled === 0n) return '0'
  return printsBinary(it) ? formatBinary(quantityValue(it)) : formatDecimal(it)
}

function printsBinary(it: Quantity): boolean {
  if (it.format !== 'BinarySI' || it.exponent > WIDEST) return false
  const kibi = { unscaled: 1024n, exponent: 0 }
  const below = compareAmounts(it, kibi) < 0
  const above = compareAmounts(it, { unscaled: -1024n, exponent: 0 }) > 0
  return !(below && above) && it.unscaled === alignedWhole(it)
}

const alignedWhole = (it: Quantity): bigint =>
  it.exponent >= 0
    ? it.unscaled
    : (it.unscaled / 10n ** BigInt(-it.exponent)) * 10n ** BigInt(-it.exponent)

function formatBinary(value: bigint): string {
  let amount = value
  let exponent = 0
  while (amount % 1024n === 0n) {
    amount /= 1024n
    exponent += 10
  }
  return `${amount}${BINARY_BY_EXPONENT.get(exponent) ?? ''}`
}

function formatDecimal(it: Quantity): string {
  // By its text: to divide a long amount by ten again and again takes quadratic time.
  const digits = String(it.unscaled)
  let zeros = 0
  while (digits.at(-1 - zeros) === '0') zeros++
  let amount = BigInt(digits.slice(0, digits.length - zeros))
  let exponent = it.exponent + zeros
  while (exponent % 3 !== 0) {
    amount *= 10n
    exponent--
  }
  if (it.format === 'DecimalExponent') return exponent === 0 ? `${amount}` : `${amount}e${exponent}`
  // Kubernetes has no suffix beyond E, and prints none.
  return `${amount}${DECIMAL_BY_EXPONENT.get(exponent) ?? ''}`
}

/** What is wrong with the text of a quantity, in Kubernetes' words, or undefined. */
export function quantityProblem(text: string | number): string | undefined {
  try {
    parseQuantity(text)
    return undefined
  } catch (error) {
    return error instanceof QuantityError ? error.message : NUMBER_WRONG
  }
}

/** The text that Kubernetes stores for the text of a quantity: `1024Mi` → `1Gi`. Throws {@link QuantityError}. */
export const canonicalQuantity = (text: string | number): string =>
  formatQuantity(parseQuantity(text))
