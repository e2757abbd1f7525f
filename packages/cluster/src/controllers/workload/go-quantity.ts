/** How many digits the quick form of a quantity may have (resource.maxInt64Factors). */
const MOST_DIGITS = 18
const MOST = 2n ** 63n - 1n

const SUFFIXES: Readonly<Record<string, readonly [base: 2 | 10, exponent: number]>> = {
  Ki: [2, 10],
  Mi: [2, 20],
  Gi: [2, 30],
  Ti: [2, 40],
  Pi: [2, 50],
  Ei: [2, 60],
  n: [10, -9],
  u: [10, -6],
  m: [10, -3],
  '': [10, 0],
  k: [10, 3],
  M: [10, 6],
  G: [10, 9],
  T: [10, 12],
  P: [10, 15],
  E: [10, 18],
}

interface Parsed {
  readonly negative: boolean
  readonly whole: string
  readonly fraction: string
  readonly base: 2 | 10
  readonly exponent: number
  readonly format: 'DecimalSI' | 'BinarySI' | 'DecimalExponent'
}

const NO_DECIMAL = '(resource.infDecAmount){Dec:(*inf.Dec)<nil>}'

/** Prints a quantity as spew does the struct that Go's resource.ParseQuantity makes of its canonical text. */
export function printQuantity(value: unknown): string {
  if (value === undefined || value === null) return struct(0n, 0, NO_DECIMAL, '', '')
  const text = String(value)
  if (text === '0') return struct(0n, 0, NO_DECIMAL, text, 'DecimalSI')
  const parsed = parse(text)
  return quick(parsed, text) ?? exact(parsed)
}

function struct(
  value: bigint,
  scale: number,
  decimal: string,
  text: string,
  format: string,
): string {
  return `{i:(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}} d:${decimal} s:(string)${text} Format:(resource.Format)${format}}`
}

function parse(text: string): Parsed {
  const [, sign = '', whole = '', fraction = '', suffix = ''] =
    /^([+-]?)(\d*)\.?(\d*)(.*)$/.exec(text) ?? []
  const parts = { negative: sign === '-', whole: whole.replace(/^0+(?=\d)/, ''), fraction }
  if (/^[eE][+-]?\d+$/.test(suffix))
    return { ...parts, base: 10, exponent: Number(suffix.slice(1)), format: 'DecimalExponent' }
  const [base, exponent] = SUFFIXES[suffix] ?? [10, 0]
  return { ...parts, base, exponent, format: base === 2 ? 'BinarySI' : 'DecimalSI' }
}

/** The form of what fits a 64-bit integer and a power of ten; the text is kept where Go sees that it is canonical. */
function quick(
  { negative, whole, fraction, base, exponent, format }: Parsed,
  text: string,
): string | undefined {
  const isBinary = base === 2
  if (isBinary && fraction !== '') return undefined
  const precision = isBinary
    ? 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1
    : MOST_DIGITS - whole.length - fraction.length
  const scale = (isBinary ? 0 : exponent) - fraction.length
  if (precision < 0 || scale < -9) return undefined
  const digits = whole + fraction
  const value = BigInt(digits)
  const amount = value * (isBinary ? 1n << BigInt(exponent) : 1n)
  if (amount > MOST) return undefined
  const isCanonical = isBinary
    ? exponent % 10 === 0 && (value & 7n) !== 0n
    : scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0')
  return struct(negative ? -amount : amount, scale, NO_DECIMAL, isCanonical ? text : '', format)
}

/** The finest scale of a quantity: what is less is rounded up (resource.Nano). */
const NANO = 9

/** The form of all others: a decimal of any size, in billionths. */
function exact({ negative, whole, fraction, base, exponent, format }: Parsed): string {
  const digits = BigInt(whole + fraction) * (base === 2 ? 1n << BigInt(exponent) : 1n)
  const finer = NANO - fraction.length + (base === 2 ? 0 : exponent)
  const divisor = 10n ** BigInt(Math.max(0, -finer))
  const unscaled = digits * 10n ** BigInt(Math.max(0, finer))
  const billionths = (unscaled + divisor - 1n) / divisor
  const words: bigint[] = []
  for (let rest = billionths; rest > 0n; rest >>= 64n) words.push(rest & (2n ** 64n - 1n))
  const abs = words.length === 0 ? '<nil>' : `[${words.join(' ')}]`
  const number = `(big.Int){neg:(bool)${negative} abs:(big.nat)${abs}}`
  const decimal = `(resource.infDecAmount){Dec:(*inf.Dec){unscaled:${number} scale:(inf.Scale)${NANO}}}`
  // What is less than one byte has no binary suffix.
  const isPart = format === 'BinarySI' && billionths < 10n ** BigInt(NANO)
  return struct(0n, 0, decimal, '', isPart ? 'DecimalSI' : format)
}
