/** Quantities with the exactness, and the limits, of apimachinery's resource.Quantity. */

/**
 * `unscaled · 10^exponent`. `small` says that apimachinery holds it as a 64-bit integer and an exponent, which
 * decides whether it counts as an integer.
 */
export interface Decimal {
  readonly unscaled: bigint
  readonly exponent: number
  readonly small: boolean
}

const FORMAT_WRONG =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const BAD_SUFFIX = "unable to parse quantity's suffix"

const DECIMAL_SUFFIXES: Readonly<Record<string, number>> = {
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
const BINARY_SUFFIXES: Readonly<Record<string, number>> = {
  Ki: 10,
  Mi: 20,
  Gi: 30,
  Ti: 40,
  Pi: 50,
  Ei: 60,
}
const MAX_DIGITS = 18
/** Powers of ten beyond this are held for this one: `1e100000000` would take minutes to write out. */
const WIDEST = 10_000
const NANO = -9

// No two parts can hold the same digits: else a long wrong text would take quadratic time.
const SHAPE = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]+[-+]?\d*|[-+]\d*|)$/

/** A quantity such as `1.5Gi`, `100m` or `2e3`, or why the text is none. */
export function parseQuantity(text: string): Decimal | { readonly error: string } {
  const match = SHAPE.exec(text)
  if (text === '' || match === null) return { error: FORMAT_WRONG }
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match
  const scale = suffixScale(suffix)
  if (scale === undefined) return { error: BAD_SUFFIX }
  const digits = whole.replace(/^0+/, '') || '0'
  const negative = sign === '-'
  const value = BigInt(digits + fraction)
  const small = smallAmount(value, digits, fraction, scale)
  if (small !== undefined)
    return { ...small, unscaled: negative ? -small.unscaled : small.unscaled }
  return largeAmount(value, fraction.length, scale, negative)
}

/** A power of ten or of two. */
interface Scale {
  readonly base: 2 | 10
  readonly power: number
}

function suffixScale(suffix: string): Scale | undefined {
  const binary = BINARY_SUFFIXES[suffix]
  if (binary !== undefined) return { base: 2, power: binary }
  const decimal = DECIMAL_SUFFIXES[suffix]
  if (decimal !== undefined) return { base: 10, power: decimal }
  const match = /^[eE]([-+]?\d+)$/.exec(suffix)
  if (match === null) return undefined
  const power = Math.max(-WIDEST, Math.min(WIDEST, Number(match[1])))
  return { base: 10, power }
}

function smallAmount(
  value: bigint,
  digits: string,
  fraction: string,
  { base, power }: Scale,
): Decimal | undefined {
  let precision: number
  let factor = 1n
  if (base === 10) precision = MAX_DIGITS - digits.length - fraction.length
  else {
    if (fraction !== '') return undefined
    factor = 1n << BigInt(power)
    precision = 15 - digits.length - Math.trunc((power * 3) / 10) - 1
  }
  const exponent = (base === 10 ? power : 0) - fraction.length
  if (precision < 0 || exponent < NANO) return undefined
  const unscaled = value * factor
  return isInt64(unscaled) ? { unscaled, exponent, small: true } : undefined
}

/** Rounded away from zero to nanos; binary amounts are held below 2^63. */
function largeAmount(value: bigint, decimals: number, scale: Scale, negative: boolean): Decimal {
  const factor = scale.base === 2 ? 1n << BigInt(scale.power) : 1n
  const exponent = (scale.base === 10 ? scale.power : 0) - decimals
  let unscaled = rescale(value * factor, exponent, NANO)
  if (scale.base === 2 && unscaled > MAX_ALLOWED) unscaled = MAX_ALLOWED
  return { unscaled: negative ? -unscaled : unscaled, exponent: NANO, small: false }
}

const MAX_ALLOWED = (2n ** 63n - 1n) * 10n ** 9n

/** The same value under another exponent, rounded up where digits are lost. */
function rescale(unscaled: bigint, from: number, to: number): bigint {
  if (from >= to) return unscaled * 10n ** BigInt(from - to)
  const divisor = 10n ** BigInt(to - from)
  return (unscaled + divisor - 1n) / divisor
}

function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value
}

/** -1, 0 or 1. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const exponent = Math.min(a.exponent, b.exponent)
  const [x, y] = [aligned(a, exponent), aligned(b, exponent)]
  return x < y ? -1 : x > y ? 1 : 0
}

function aligned({ unscaled, exponent }: Decimal, to: number): bigint {
  return unscaled * 10n ** BigInt(exponent - to)
}

/** a + b. */
export function addDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.small && b.small) {
    if (b.unscaled === 0n) return a
    if (a.unscaled === 0n) return b
  }
  const exponent = Math.min(a.exponent, b.exponent)
  const unscaled = aligned(a, exponent) + aligned(b, exponent)
  return { unscaled, exponent, small: a.small && b.small && isInt64(unscaled) }
}

/** -a. */
export function negateDecimal(a: Decimal): Decimal {
  return { ...a, unscaled: -a.unscaled }
}

/** The value as a 64-bit integer, undefined if it is held with decimals or does not fit. */
export function asInteger({ unscaled, exponent, small }: Decimal): bigint | undefined {
  if (!small || exponent < 0) return undefined
  const value = unscaled * 10n ** BigInt(exponent)
  return isInt64(value) ? value : undefined
}

/** The nearest double, by one multiplication as apimachinery does. */
export function asDouble({ unscaled, exponent }: Decimal): number {
  return exponent === 0 ? Number(unscaled) : Number(unscaled) * Number(`1e${exponent}`)
}

/** The plain decimal number, without a suffix. */
export function formatDecimal({ unscaled, exponent }: Decimal): string {
  if (exponent >= 0) return String(unscaled * 10n ** BigInt(exponent))
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(1 - exponent, '0')
  const text = `${digits.slice(0, exponent)}.${digits.slice(exponent)}`.replace(/\.?(?<!0)0+$/, '')
  return unscaled < 0n ? `-${text}` : text
}
