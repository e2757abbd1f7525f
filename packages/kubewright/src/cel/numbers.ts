/** The three kinds of number compared by value. */
import type { Value } from './value.ts'
import { EvalError, Uint } from './value.ts'

const NAN_UNORDERED = new EvalError('NaN values cannot be ordered')

/** Whether the value is an int, a uint or a double. */
export function isNumeric(value: Value): value is bigint | number | Uint {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint
}

/** Whether two numbers are equal in value; NaN equals nothing. */
export function sameNumber(a: bigint | number | Uint, b: bigint | number | Uint): boolean {
  return compareNumbers(a, b) === 0
}

/** Negative, zero or positive by value; an error for NaN, which has no place in any order. */
export function compareNumbers(
  a: bigint | number | Uint,
  b: bigint | number | Uint,
): number | EvalError {
  if (Number.isNaN(a) || Number.isNaN(b)) return NAN_UNORDERED
  const x = a instanceof Uint ? a.value : a
  const y = b instanceof Uint ? b.value : b
  if (typeof x === typeof y) return x < y ? -1 : x > y ? 1 : 0
  return typeof x === 'number'
    ? compareWithDouble(x, y as bigint)
    : -compareWithDouble(y as number, x)
}

/** As cel-go: within the integer's range both are compared as doubles. */
function compareWithDouble(a: number, b: bigint): number {
  const y = Number(b)
  return a < y ? -1 : a > y ? 1 : 0
}
