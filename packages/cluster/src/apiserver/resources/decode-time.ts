import { DecodeError } from './decode-state.ts'

/** One part of a layout of Go's time package: how it reads, and what must stand before it. */
interface Part {
  readonly name: string
  readonly before: string
  /** Reads from the start of the text: how much was taken, and a number; undefined where it does not fit. */
  readonly read: (text: string) => { readonly length: number; readonly value: number } | undefined
  /** What is out of range, if the value is. */
  readonly range?: (value: number) => string | undefined
}

const digits = (pattern: RegExp) => (text: string) => {
  const found = pattern.exec(text)
  return found ? { length: found[0].length, value: Number(found[0]) } : undefined
}

const below =
  (name: string, end: number, start = 0) =>
  (value: number) =>
    value < start || value >= end ? `${name} out of range` : undefined

const DATE_AND_TIME: readonly Part[] = [
  { name: '2006', before: '', read: digits(/^\d{4}/) },
  { name: '01', before: '-', read: digits(/^\d{2}/), range: below('month', 13, 1) },
  { name: '02', before: '-', read: digits(/^\d{2}/) },
  { name: '15', before: 'T', read: digits(/^\d{1,2}/), range: below('hour', 24) },
  { name: '04', before: ':', read: digits(/^\d{2}/), range: below('minute', 60) },
  { name: '05', before: ':', read: digits(/^\d{2}/), range: below('second', 60) },
]

/** Any number of digits after a point or comma, or nothing; in microseconds, finer ones cut off. */
const ANY_FRACTION: Part = { name: '', before: '', read: (text) => fraction(/^[.,](\d+)/, text) }
const SIX_DIGITS: Part = {
  name: '.000000',
  before: '',
  read: (text) => {
    const found = fraction(/^[.,](\d{6})/, text)
    return found.length === 0 ? undefined : found
  },
}
const ZONE: Part = { name: 'Z07:00', before: '', read: zone, range: zoneRange }

const LAYOUTS = {
  seconds: { text: '2006-01-02T15:04:05Z07:00', parts: [...DATE_AND_TIME, ANY_FRACTION, ZONE] },
  micros: {
    text: '2006-01-02T15:04:05.000000Z07:00',
    parts: [...DATE_AND_TIME, SIX_DIGITS, ZONE],
  },
} as const

/** Reads an RFC 3339 time as meta/v1 Time does, and prints it in UTC with whole seconds. Throws a {@link DecodeError}. */
export function canonicalTime(text: string): string | null {
  if (CANONICAL.test(text)) return text
  const { ms } = parse(text, LAYOUTS.seconds)
  return isZero(text, ms) ? null : `${isoText(ms)}Z`
}

/** What most times are: printed by a server, in UTC, on a day that every year has. */
const CANONICAL =
  /^[1-9]\d{3}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/

/** Reads a time with exactly six digits of a second as meta/v1 MicroTime does, and prints it in UTC. Throws a {@link DecodeError}. */
export function canonicalMicroTime(text: string): string | null {
  const { ms, micros } = parse(text, LAYOUTS.micros)
  return isZero(text, ms) && micros === 0
    ? null
    : `${isoText(ms)}.${String(micros).padStart(6, '0')}Z`
}

const isoText = (ms: number): string => new Date(ms).toISOString().slice(0, 19)

/** The first instant of the year 1 is Go's zero time, which is printed as null. */
const isZero = (text: string, ms: number): boolean => text.startsWith('000') && ms === ZERO_TIME
const ZERO_TIME = Date.parse('0001-01-01T00:00:00Z')

interface Layout {
  readonly text: string
  readonly parts: readonly Part[]
}

function parse(text: string, layout: Layout): { readonly ms: number; readonly micros: number } {
  const values: number[] = []
  let rest = text
  for (const part of layout.parts) {
    if (!rest.startsWith(part.before)) throw unfit(text, layout, rest, part.before)
    rest = rest.slice(part.before.length)
    const found = part.read(rest)
    if (!found) throw unfit(text, layout, rest, part.name)
    const outside = part.range?.(found.value)
    if (outside) throw new DecodeError(`parsing time "${text}": ${outside}`)
    rest = rest.slice(found.length)
    values.push(found.value)
  }
  if (rest !== '')
    throw new DecodeError(`parsing time "${text}": extra text: ${JSON.stringify(rest)}`)
  return instant(text, values)
}

function instant(text: string, values: readonly number[]): { ms: number; micros: number } {
  const [year, month, day, hour, minute, second, micros, offset] = values as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second)
  if (date.getUTCDate() !== day || day < 1) {
    throw new DecodeError(`parsing time "${text}": day out of range`)
  }
  return { ms: date.getTime() - offset * 60_000, micros }
}

function unfit(text: string, layout: Layout, rest: string, name: string): DecodeError {
  const quoted = [text, layout.text, rest, name].map((it) => JSON.stringify(it))
  return new DecodeError(
    `parsing time ${quoted[0]} as ${quoted[1]}: cannot parse ${quoted[2]} as ${quoted[3]}`,
  )
}

function fraction(pattern: RegExp, text: string): { length: number; value: number } {
  const found = pattern.exec(text)
  if (!found) return { length: 0, value: 0 }
  return { length: found[0].length, value: Number(found[1]!.slice(0, 6).padEnd(6, '0')) }
}

/** Minutes east of UTC; hours and minutes out of range are left to {@link zoneRange}, in one number. */
function zone(text: string): { length: number; value: number } | undefined {
  if (text.startsWith('Z')) return { length: 1, value: 0 }
  const found = /^([+-])(\d{2}):(\d{2})/.exec(text)
  if (!found) return undefined
  const hours = Number(found[2])
  const minutes = Number(found[3])
  if (hours > 24) return { length: 6, value: BAD_HOURS }
  if (minutes > 60) return { length: 6, value: BAD_MINUTES }
  return { length: 6, value: (hours * 60 + minutes) * (found[1] === '-' ? -1 : 1) }
}

const BAD_HOURS = 1e6
const BAD_MINUTES = 2e6

function zoneRange(value: number): string | undefined {
  if (value === BAD_HOURS) return 'time zone offset hour out of range'
  return value === BAD_MINUTES ? 'time zone offset minute out of range' : undefined
}
