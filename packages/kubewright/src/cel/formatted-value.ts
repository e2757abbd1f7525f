/** JSON strings of the formats that expressions see as other types (kube-openapi's strfmt, more lenient than the language). */
import { parseDate, parseDuration, parseTimestamp } from './time.ts'
import type { Value } from './value.ts'
import { Duration, EvalError, Timestamp } from './value.ts'

/** The value of a formatted text, or an error. `format` tells a date from a date and time. */
export function formattedValue(
  text: string,
  kind: 'bytes' | 'timestamp' | 'duration',
  format: string | undefined,
): Value {
  switch (kind) {
    case 'bytes':
      return bytes(text)
    case 'duration': {
      const nanos = parseDuration(text) ?? parseLooseDuration(text)
      return nanos === undefined
        ? new EvalError(`Invalid duration ${text}: unable to parse ${text} as duration`)
        : new Duration(nanos)
    }
    default:
      return format === 'date' ? date(text) : dateTime(text)
  }
}

function date(text: string): Value {
  return parseDate(text) ?? new EvalError(`Invalid date formatted string ${text}: cannot parse`)
}

/** RFC 3339, also without a zone; nothing at all is 1970. */
function dateTime(text: string): Value {
  if (text === '') return new Timestamp(0n, 0)
  const local = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(text)
  const parsed = parseTimestamp(local ? `${text}Z` : text)
  if (parsed instanceof Timestamp) return parsed
  return new EvalError(`Invalid date-time formatted string ${text}: cannot parse`)
}

const SECOND = 1_000_000_000n
const UNITS: readonly (readonly [size: bigint, ...names: readonly string[]])[] = [
  [1n, 'ns', 'nano'],
  [1_000n, 'us', 'µs', 'micro'],
  [1_000_000n, 'ms', 'milli'],
  [SECOND, 's', 'sec'],
  [60n * SECOND, 'm', 'min'],
  [3600n * SECOND, 'h', 'hr', 'hour'],
  [86_400n * SECOND, 'd', 'day'],
  [7n * 86_400n * SECOND, 'w', 'wk', 'week'],
]

/** `2 weeks 3 days`: of each unit the last name may be a beginning. */
function parseLooseDuration(text: string): bigint | undefined {
  let total: bigint | undefined
  for (const [, count = '', word = ''] of text.matchAll(/(?<!\d)(\d+)\s*([A-Za-zµ]+)/g)) {
    const unit = word.toLowerCase()
    const size = UNITS.find(
      ([, ...names]) => names.includes(unit) || unit.startsWith(names.at(-1) ?? ''),
    )
    if (size !== undefined) total = (total ?? 0n) + BigInt(count) * size[0]
  }
  return total
}

/** Base64 with the alphabet for URLs, as strfmt reads it. */
function bytes(text: string): Value {
  const whole = /^(?:[A-Za-z0-9_-]{4})*(?=(?:[A-Za-z0-9_-]{2}==|[A-Za-z0-9_-]{3}=)?$)/.exec(text)
  if (whole !== null) {
    const standard = text.replaceAll('-', '+').replaceAll('_', '/')
    return Uint8Array.from(atob(standard), (character) => character.charCodeAt(0))
  }
  const good = /^(?:[A-Za-z0-9_-]{4})*/.exec(text)?.[0].length ?? 0
  return new EvalError(
    `Invalid byte formatted string ${text}: illegal base64 data at input byte ${good}`,
  )
}
