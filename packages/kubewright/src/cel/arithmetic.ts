/** Arithmetic and order, with range checks, on values whose types are not known before (cel-go's common/types). */
import { addLists } from './equality.ts'
import { compareNumbers, isNumeric } from './numbers.ts'
import { compareBytes, compareStrings } from './utf8.ts'
import type { ListValue, Value } from './value.ts'
import { Duration, EvalError, NO_SUCH_OVERLOAD, Timestamp, Uint, isError, isList } from './value.ts'

const INT_OVERFLOW = new EvalError('integer overflow')
const UINT_OVERFLOW = new EvalError('unsigned integer overflow')
const DIVISION_BY_ZERO = new EvalError('division by zero')
const MODULUS_BY_ZERO = new EvalError('modulus by zero')
const TIMESTAMP_OVERFLOW = new EvalError('timestamp overflow')

const MIN_TIME = -62_135_596_800n
const MAX_TIME = 253_402_300_799n
const NANOS = 1_000_000_000n

/** The int, or an overflow. */
export function int(value: bigint): bigint | EvalError {
  return BigInt.asIntN(64, value) === value ? value : INT_OVERFLOW
}

/** The uint, or an overflow. */
export function uint(value: bigint): Uint | EvalError {
  return BigInt.asUintN(64, value) === value ? new Uint(value) : UINT_OVERFLOW
}

/** The duration of so many nanoseconds, or an overflow. */
export function duration(nanos: bigint): Duration | EvalError {
  return BigInt.asIntN(64, nanos) === nanos ? new Duration(nanos) : INT_OVERFLOW
}

/** The timestamp, or an overflow outside the years 1 to 9999. */
export function timestamp(seconds: bigint, nanos: number, offset = 0): Timestamp | EvalError {
  return seconds < MIN_TIME || seconds > MAX_TIME
    ? TIMESTAMP_OVERFLOW
    : new Timestamp(seconds, nanos, offset)
}

/** All nanoseconds since 1970. */
function nanosOf(time: Timestamp): bigint {
  return time.seconds * NANOS + BigInt(time.nanos)
}

function later(time: Timestamp, by: bigint): Timestamp | EvalError {
  const nanos = nanosOf(time) + by
  const rest = ((nanos % NANOS) + NANOS) % NANOS
  return timestamp((nanos - rest) / NANOS, Number(rest), time.offset)
}

/** `a + b`. */
export function addValues(a: Value, b: Value): Value {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a + b) : NO_SUCH_OVERLOAD
  if (typeof a === 'string') return typeof b === 'string' ? a + b : NO_SUCH_OVERLOAD
  if (typeof a === 'number') return typeof b === 'number' ? a + b : NO_SUCH_OVERLOAD
  if (a instanceof Uint) return b instanceof Uint ? uint(a.value + b.value) : NO_SUCH_OVERLOAD
  if (a instanceof Duration) {
    if (b instanceof Duration) return duration(a.nanos + b.nanos)
    return b instanceof Timestamp ? later(b, a.nanos) : NO_SUCH_OVERLOAD
  }
  if (a instanceof Timestamp) {
    return b instanceof Duration ? later(a, b.nanos) : NO_SUCH_OVERLOAD
  }
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? joined(a, b) : NO_SUCH_OVERLOAD
  return isList(a) && isList(b) ? addLists(a as ListValue, b) : NO_SUCH_OVERLOAD
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length)
  bytes.set(a)
  bytes.set(b, a.length)
  return bytes
}

/** `a - b`. */
export function subtractValues(a: Value, b: Value): Value {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a - b) : NO_SUCH_OVERLOAD
  if (typeof a === 'number') return typeof b === 'number' ? a - b : NO_SUCH_OVERLOAD
  if (a instanceof Uint) return b instanceof Uint ? uint(a.value - b.value) : NO_SUCH_OVERLOAD
  if (a instanceof Duration) {
    return b instanceof Duration ? duration(a.nanos - b.nanos) : NO_SUCH_OVERLOAD
  }
  if (a instanceof Timestamp) {
    if (b instanceof Duration) return later(a, -b.nanos)
    return b instanceof Timestamp ? duration(nanosOf(a) - nanosOf(b)) : NO_SUCH_OVERLOAD
  }
  return NO_SUCH_OVERLOAD
}

/** `a * b`. */
export function multiplyValues(a: Value, b: Value): Value {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a * b) : NO_SUCH_OVERLOAD
  if (typeof a === 'number') return typeof b === 'number' ? a * b : NO_SUCH_OVERLOAD
  if (a instanceof Uint) return b instanceof Uint ? uint(a.value * b.value) : NO_SUCH_OVERLOAD
  return NO_SUCH_OVERLOAD
}

/** `a / b`; integers round toward zero. */
export function divideValues(a: Value, b: Value): Value {
  if (typeof a === 'bigint') {
    if (typeof b !== 'bigint') return NO_SUCH_OVERLOAD
    return b === 0n ? DIVISION_BY_ZERO : int(a / b)
  }
  if (typeof a === 'number') return typeof b === 'number' ? a / b : NO_SUCH_OVERLOAD
  if (!(a instanceof Uint) || !(b instanceof Uint)) return NO_SUCH_OVERLOAD
  return b.value === 0n ? DIVISION_BY_ZERO : new Uint(a.value / b.value)
}

/** `a % b`, with the sign of `a`. */
export function moduloValues(a: Value, b: Value): Value {
  if (typeof a === 'bigint') {
    if (typeof b !== 'bigint') return NO_SUCH_OVERLOAD
    if (b === 0n) return MODULUS_BY_ZERO
    return b === -1n && a === -(2n ** 63n) ? INT_OVERFLOW : a % b
  }
  if (!(a instanceof Uint) || !(b instanceof Uint)) return NO_SUCH_OVERLOAD
  return b.value === 0n ? MODULUS_BY_ZERO : new Uint(a.value % b.value)
}

/** `-a`. */
export function negateValue(a: Value): Value {
  if (typeof a === 'bigint') return int(-a)
  if (typeof a === 'number') return -a
  return a instanceof Duration ? duration(-a.nanos) : NO_SUCH_OVERLOAD
}

/** Whether values of this kind have an order. */
export function isComparable(value: Value): boolean {
  switch (typeof value) {
    case 'bigint':
    case 'number':
    case 'string':
    case 'boolean':
      return true
    default:
      return (
        value instanceof Uint ||
        value instanceof Timestamp ||
        value instanceof Duration ||
        value instanceof Uint8Array
      )
  }
}

/** Negative, zero or positive; an error if the two have no order. Numbers of different types compare by value. */
export function compareValues(a: Value, b: Value): number | EvalError {
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : a > b ? 1 : 0
  if (typeof a === 'string') return typeof b === 'string' ? compareStrings(a, b) : NO_SUCH_OVERLOAD
  if (isNumeric(a)) return isNumeric(b) ? compareNumbers(a, b) : NO_SUCH_OVERLOAD
  if (typeof a === 'boolean') {
    return typeof b === 'boolean' ? Number(a) - Number(b) : NO_SUCH_OVERLOAD
  }
  if (a instanceof Timestamp) {
    return b instanceof Timestamp ? sign(nanosOf(a) - nanosOf(b)) : NO_SUCH_OVERLOAD
  }
  if (a instanceof Duration) {
    return b instanceof Duration ? sign(a.nanos - b.nanos) : NO_SUCH_OVERLOAD
  }
  if (a instanceof Uint8Array) {
    return b instanceof Uint8Array ? compareBytes(a, b) : NO_SUCH_OVERLOAD
  }
  return isError(a) ? a : NO_SUCH_OVERLOAD
}

function sign(value: bigint): number {
  return value < 0n ? -1 : value > 0n ? 1 : 0
}
