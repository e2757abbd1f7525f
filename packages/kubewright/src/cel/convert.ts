/** Conversions between scalars: `int(x)`, `string(x)`, … (cel-go's ConvertToType). */
import { timestamp } from './arithmetic.ts'
import type { CelType } from './cel-type.ts'
import { runtimeTypeName } from './cel-type.ts'
import { typeNameOf } from './runtime-type.ts'
import { formatDouble } from './text.ts'
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from './time.ts'
import { decodeUtf8, encodeUtf8 } from './utf8.ts'
import type { Value } from './value.ts'
import { Duration, EvalError, Timestamp, TypeValue, Uint } from './value.ts'

const INT_OVERFLOW = new EvalError('integer overflow')
const UINT_OVERFLOW = new EvalError('unsigned integer overflow')

function failed(value: Value, target: CelType): EvalError {
  return new EvalError(
    `type conversion error from '${typeNameOf(value)}' to '${runtimeTypeName(target)}'`,
  )
}

/** `int(x)`. */
export function toInt(value: Value): Value {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') {
    // Both ends are left out: neither is an int64 that a double can tell from its neighbours.
    const inRange = value > -(2 ** 63) && value < 2 ** 63
    return inRange ? BigInt(Math.trunc(value)) : INT_OVERFLOW
  }
  if (value instanceof Uint) return value.value < 2n ** 63n ? value.value : INT_OVERFLOW
  if (value instanceof Timestamp) return value.seconds
  if (value instanceof Duration) return value.nanos
  if (typeof value === 'string' && /^[+-]?\d+$/.test(value)) {
    const number = BigInt(value.replace(/^\+/, ''))
    if (BigInt.asIntN(64, number) === number) return number
  }
  return failed(value, { kind: 'int' })
}

/** `uint(x)`. */
export function toUint(value: Value): Value {
  if (value instanceof Uint) return value
  if (typeof value === 'bigint') return value >= 0n ? new Uint(value) : UINT_OVERFLOW
  if (typeof value === 'number') {
    return value >= 0 && value < 2 ** 64 ? new Uint(BigInt(Math.trunc(value))) : UINT_OVERFLOW
  }
  if (typeof value === 'string' && /^\d+$/.test(value)) {
    const number = BigInt(value)
    if (BigInt.asUintN(64, number) === number) return new Uint(number)
  }
  return failed(value, { kind: 'uint' })
}

/** `double(x)`. */
export function toDouble(value: Value): Value {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Uint) return Number(value.value)
  if (typeof value === 'string') return parseDouble(value) ?? failed(value, { kind: 'double' })
  return failed(value, { kind: 'double' })
}

/** Go's ParseFloat, without hexadecimal floats. */
function parseDouble(text: string): number | undefined {
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(text)
  if (special !== null) {
    if (special[2]?.toLowerCase() === 'nan') return special[1] === '' ? Number.NaN : undefined
    return special[1] === '-' ? -Infinity : Infinity
  }
  const digits = text.replaceAll(/(?<=\d)_(?=\d)/g, '')
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(digits)) return undefined
  const value = Number(digits)
  return Number.isFinite(value) ? value : undefined
}

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False'])

/** `bool(x)`. */
export function toBool(value: Value): Value {
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') {
    if (TRUE.has(value)) return true
    if (FALSE.has(value)) return false
  }
  return failed(value, { kind: 'bool' })
}

/** `string(x)`. */
export function toStringValue(value: Value): Value {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return formatDouble(value)
    case 'bigint':
    case 'boolean':
      return String(value)
    default:
  }
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof Duration) return formatDuration(value.nanos)
  if (value instanceof TypeValue) return value.name
  if (value instanceof Uint8Array) {
    return decodeUtf8(value) ?? new EvalError('invalid UTF-8 in bytes, cannot convert to string')
  }
  return value === null ? 'null' : failed(value, { kind: 'string' })
}

/** `bytes(x)`. */
export function toBytes(value: Value): Value {
  if (value instanceof Uint8Array) return value
  return typeof value === 'string' ? encodeUtf8(value) : failed(value, { kind: 'bytes' })
}

/** `timestamp(x)`: of RFC 3339 text, or of seconds since 1970. */
export function toTimestamp(value: Value): Value {
  if (value instanceof Timestamp) return value
  if (typeof value === 'bigint') return timestamp(value, 0)
  const parsed = typeof value === 'string' ? parseTimestamp(value) : undefined
  return parsed ?? failed(value, { kind: 'timestamp' })
}

/** `duration(x)`: of text such as `1h30m`. An int type-checks and then fails, as in cel-go. */
export function toDuration(value: Value): Value {
  if (value instanceof Duration) return value
  const nanos = typeof value === 'string' ? parseDuration(value) : undefined
  return nanos === undefined ? failed(value, { kind: 'duration' }) : new Duration(nanos)
}
