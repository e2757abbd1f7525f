/** Timestamps and durations as text (Go's time package: RFC 3339 and ParseDuration). */
import { goQuote } from './go-quote.ts'
import { timestamp } from './arithmetic.ts'
import { EvalError, Timestamp } from './value.ts'

const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/

/** The timestamp of an RFC 3339 text; undefined if it is none, an overflow error outside the years 1 to 9999. */
export function parseTimestamp(text: string): Timestamp | EvalError | undefined {
  const match = RFC3339.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second, fraction, sign, zoneHour, zoneMinute] = match
  const seconds = secondsOf([year, month, day, hour, minute, second].map(Number))
  const zone = Number(zoneHour ?? 0) * 60 + Number(zoneMinute ?? 0)
  if (seconds === undefined || Number(zoneHour ?? 0) > 24 || Number(zoneMinute ?? 0) > 60)
    return undefined
  const offset = sign === '-' ? -zone : zone
  const nanos = Number((fraction ?? '').slice(0, 9).padEnd(9, '0'))
  return timestamp(seconds - BigInt(offset * 60), nanos, offset)
}

/** The timestamp of a YYYY-MM-DD text at midnight UTC; undefined if it is none. */
export function parseDate(text: string): Timestamp | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  const seconds = match && secondsOf([...match.slice(1).map(Number), 0, 0, 0])
  return typeof seconds === 'bigint' ? new Timestamp(seconds, 0) : undefined
}

function secondsOf(fields: readonly number[]): bigint | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  if (!isDay || hour > 23 || minute > 59 || second > 59) return undefined
  return BigInt(date.getTime() / 1000 + hour * 3600 + minute * 60 + second)
}

/** RFC 3339 at the offset it was written with, with as many digits of a second as needed. */
export function formatTimestamp({ seconds, nanos, offset }: Timestamp): string {
  const date = new Date((Number(seconds) + offset * 60) * 1000)
  const year = String(date.getUTCFullYear()).padStart(4, '0')
  const rest = date.toISOString().slice(-20, -5)
  return `${year}${rest}${fractionOf(nanos)}${zoneText(offset)}`
}

function zoneText(offset: number): string {
  if (offset === 0) return 'Z'
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const size = Math.abs(offset)
  return `${offset < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`
}

function fractionOf(nanos: number): string {
  return nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`
}

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

/** The nanoseconds of a Go duration such as `1h30m`, `-1.5s` or `0`; undefined if it is none or does not fit in 64 bits. */
export function parseDuration(text: string): bigint | undefined {
  const negative = text.startsWith('-')
  const body = text.replace(/^[+-]/, '')
  if (body === '0') return 0n
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(body)) return undefined
  let total = 0n
  for (const [, whole = '', fraction = '', unit = ''] of body.matchAll(
    /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g,
  )) {
    const size = UNITS[unit] as bigint
    const digits = fraction.slice(0, 18)
    total += BigInt(whole === '' ? '0' : whole) * size
    total += (BigInt(digits === '' ? '0' : digits) * size) / 10n ** BigInt(digits.length)
  }
  const nanos = negative ? -total : total
  return BigInt.asIntN(64, nanos) === nanos ? nanos : undefined
}

/** Seconds with a decimal point and `s`, as `string(duration)` gives: `1.5s`. */
export function formatDuration(nanos: bigint): string {
  const size = nanos < 0n ? -nanos : nanos
  const whole = size / 1_000_000_000n
  // Seconds pass through a double in cel-go, so very long durations lose their last digits there and here.
  const seconds = Number(whole) + Number(size % 1_000_000_000n) / 1e9
  return `${nanos < 0n ? '-' : ''}${plainNumber(seconds)}s`
}

/** A number without an exponent, in as few digits as tell it apart. */
export function plainNumber(value: number): string {
  const text = String(value)
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (match === null) return text
  const [, sign = '', first = '', rest = '', exponent = '0'] = match
  const digits = first + rest
  const point = 1 + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return (
    sign +
    digits.slice(0, point).padEnd(point, '0') +
    (digits.length > point ? `.${digits.slice(point)}` : '')
  )
}

/** A time in a zone, field by field. */
export interface CalendarTime {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** 0 is Sunday. */
  readonly weekday: number
  /** 0 is the first of January. */
  readonly yearDay: number
}

/** The fields of a time in a zone: an IANA name, or an offset such as `-08:00`. An error if the zone does not exist. */
export function inZone(time: Timestamp, zone: string): CalendarTime | EvalError {
  const offset = zoneOffset(time, zone)
  if (offset instanceof EvalError) return offset
  const date = new Date((Number(time.seconds) + offset) * 1000)
  const year = date.getUTCFullYear()
  const newYear = new Date(0)
  newYear.setUTCFullYear(year, 0, 1)
  return {
    year,
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    weekday: date.getUTCDay(),
    yearDay: Math.floor((date.getTime() - newYear.getTime()) / 86_400_000),
  }
}

/** Seconds east of UTC. */
function zoneOffset(time: Timestamp, zone: string): number | EvalError {
  if (zone === '' || zone === 'UTC') return 0
  const colon = zone.indexOf(':')
  if (colon >= 0) return fixedOffset(zone, colon)
  // Intl takes offsets without a colon and Go does not.
  if (/^[+-]/.test(zone)) return new EvalError(`unknown time zone ${zone}`)
  try {
    return namedOffset(time, zone)
  } catch {
    return new EvalError(`unknown time zone ${zone}`)
  }
}

function fixedOffset(zone: string, colon: number): number | EvalError {
  const parts = [zone.slice(0, colon), zone.slice(colon + 1)]
  for (const part of parts) {
    if (!/^[+-]?\d+$/.test(part)) {
      return new EvalError(`strconv.Atoi: parsing ${goQuote(part)}: invalid syntax`)
    }
  }
  const [hours = 0, minutes = 0] = parts.map(Number)
  return (zone.startsWith('-') ? hours * 60 - minutes : hours * 60 + minutes) * 60
}

function namedOffset(time: Timestamp, zone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    era: 'short',
  })
  const instant = Number(time.seconds) * 1000
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]))
  const part = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name))
  const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year')
  const local = new Date(0)
  local.setUTCFullYear(year, part('month') - 1, part('day'))
  local.setUTCHours(part('hour'), part('minute'), part('second'))
  return Math.round((local.getTime() - instant) / 1000)
}
