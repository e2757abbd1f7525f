/** So many digits may be more than a double holds. */
const LONG = /\d{16}/
const INTEGER = /^-?\d+$/

/** Where the engine tells a reviver how a value was written (ES2026 JSON.parse source text access). */
interface Written {
  readonly source?: string
}

/**
 * Reads JSON so that every integer of 64 bits keeps its value: those that a number cannot hold become bigints, all others stay numbers.
 * A text without long runs of digits, as nearly all are, costs no more than `JSON.parse`. Throws its SyntaxError.
 */
export function parseExact(text: string): unknown {
  return LONG.test(text) ? JSON.parse(text, revived as Reviver) : JSON.parse(text)
}

type Reviver = (key: string, value: unknown) => unknown

function revived(_key: string, value: unknown, { source }: Written = {}): unknown {
  if (typeof value !== 'number' || source === undefined) return value
  return Number.isSafeInteger(value) || !INTEGER.test(source) ? value : exactInteger(source)
}

/** The value of decimal digits, as a number where that is exact, else as a bigint of 64 bits, else as the nearest number. */
export function exactInteger(digits: string): number | bigint {
  const nearest = Number(digits)
  if (Number.isSafeInteger(nearest)) return nearest
  const exact = BigInt(digits)
  return BigInt.asIntN(64, exact) === exact ? exact : nearest
}

/** Writes JSON; bigints are written as the integers that they are. */
export function stringifyExact(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent)
  } catch (error) {
    // Looking for bigints ahead would cost every object what hardly any needs.
    if (!(error instanceof TypeError) || !/BigInt/i.test(error.message)) throw error
    return JSON.stringify(value, written, indent)
  }
}

const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown }

const written = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? rawJSON(String(value)) : value
