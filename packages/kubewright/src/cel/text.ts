/** Values as text: as Go's %v prints them in messages, and doubles as Go's %g. */
import { formatDuration, formatTimestamp } from './time.ts'
import type { Value } from './value.ts'
import {
  Duration,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  isError,
  isList,
  isMap,
  listItems,
} from './value.ts'

/** A double as `string(x)` gives it: the fewest digits that tell it apart, with an exponent below 1e-4 and from 1e6 on. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [digits = '', exponentText = '0'] = value.toExponential().split('e')
  const exponent = Number(exponentText)
  if (exponent >= -4 && exponent < 6) return String(value)
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** A value as Go's %v prints it in a message: as {@link displayText}, but for null, which is a zero there. */
export function goText(value: Value): string {
  return value === null ? '0' : displayText(value)
}

/** A value as text. */
export function displayText(value: Value): string {
  if (value === null) return 'null'
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return formatDouble(value)
    case 'bigint':
    case 'boolean':
      return String(value)
    default:
      return displayObject(value)
  }
}

function displayObject(value: Value & object): string {
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof Duration) return formatDuration(value.nanos)
  if (value instanceof TypeValue) return value.name
  if (value instanceof Uint8Array) return `[${value.join(' ')}]`
  if (isError(value)) return value.message
  if (value instanceof OptionalValue) {
    return value.value === undefined ? 'optional.none()' : `optional(${displayText(value.value)})`
  }
  if (isList(value)) return `[${listItems(value).map(displayText).join(', ')}]`
  if (isMap(value)) {
    const entries = value
      .keys()
      .map((key) => `${displayText(key)}: ${displayText(value.find(key) ?? null)}`)
    return `{${entries.join(', ')}}`
  }
  return value.toString()
}
