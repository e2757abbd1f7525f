/** When something recurs: by minute, hour, day, month and weekday, in a time zone (robfig/cron's standard form). */
export interface Schedule {
  /** The first time after `after`, both milliseconds since the epoch; undefined when there is none within five years. */
  next(after: number): number | undefined
}

interface Field {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const DAYS = 'sun mon tue wed thu fri sat'.split(' ')
const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of week', min: 0, max: 6, names: DAYS },
]
const SHORTHANDS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}
const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

/** Reads a schedule. Throws a RangeError that says what is wrong with it. */
export function parseSchedule(text: string, timeZone: string = 'UTC'): Schedule {
  const [, zone, rest] = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/.exec(text) ?? []
  if (zone !== undefined && rest !== undefined) return parseSchedule(rest, zone)
  const every = /^@every\s+(.+)$/.exec(text)?.[1]
  if (every !== undefined) return everyFew(duration(every))
  const fields = (SHORTHANDS[text] ?? text).trim().split(/\s+/)
  if (fields.length !== FIELDS.length || (text.startsWith('@') && !SHORTHANDS[text])) {
    throw new RangeError(
      `expected exactly 5 fields, found ${fields.length}: ${JSON.stringify(fields)}`,
    )
  }
  const sets = fields.map((field, index) => parseField(field, FIELDS[index]!))
  const free = (index: number): boolean => /^[*?]/.test(fields[index]!)
  return calendar(sets, free(2), free(4), localTime(timeZone))
}

function duration(text: string): number {
  const parts = [...text.matchAll(/([0-9]+)(ms|h|m|s)/g)]
  const total = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit!]!, 0)
  if (parts.length === 0) throw new RangeError(`failed to parse duration @every ${text}`)
  return Math.max(1000, total - (total % 1000))
}

const everyFew = (ms: number): Schedule => ({ next: (after) => after - (after % 1000) + ms })

function parseField(text: string, field: Field): ReadonlySet<number> {
  const members = text.split(',').flatMap((part) => parsePart(part, field))
  return new Set(members)
}

function parsePart(part: string, field: Field): readonly number[] {
  const [range = '', step, more] = part.split('/')
  if (more !== undefined) throw new RangeError(`too many slashes: ${part}`)
  const stride = step === undefined ? 1 : integer(step)
  if (stride === 0) throw new RangeError(`step of range should be a positive number: ${part}`)
  const [first, last] = bounds(range, field, step !== undefined)
  if (first < field.min || last > field.max) {
    const [end, at] = first < field.min ? ['beginning', first] : ['end', last]
    const limit =
      first < field.min ? `below minimum (${field.min})` : `above maximum (${field.max})`
    throw new RangeError(`${end} of range (${at}) ${limit}: ${part}`)
  }
  if (first > last)
    throw new RangeError(`beginning of range (${first}) beyond end of range (${last}): ${part}`)
  return Array.from(
    { length: Math.floor((last - first) / stride) + 1 },
    (_, i) => first + i * stride,
  )
}

function bounds(range: string, field: Field, stepped: boolean): readonly [number, number] {
  if (range === '*' || range === '?') return [field.min, field.max]
  const [low = '', high, more] = range.split('-')
  if (more !== undefined) throw new RangeError(`too many hyphens: ${range}`)
  const first = named(low, field)
  if (high !== undefined) return [first, named(high, field)]
  return [first, stepped ? field.max : first]
}

function named(text: string, { names, min }: Field): number {
  const place = names?.indexOf(text.toLowerCase()) ?? -1
  return place >= 0 ? place + min : integer(text)
}

function integer(text: string): number {
  if (!/^[0-9]+$/.test(text)) throw new RangeError(`failed to parse int from ${text}`)
  return Number(text)
}

interface LocalTime {
  readonly minute: number
  readonly hour: number
  readonly day: number
  readonly month: number
  readonly weekday: number
}

type ToLocal = (ms: number) => LocalTime

/** Clocks of a time zone. Throws a RangeError for one that does not exist. */
function localTime(timeZone: string): ToLocal {
  if (timeZone === 'UTC' || timeZone === 'Etc/UTC' || timeZone === '') return utc
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    weekday: 'short',
  })
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map((it) => [it.type, it.value]))
    const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type))
    return {
      minute: number('minute'),
      hour: number('hour'),
      day: number('day'),
      month: number('month'),
      weekday: DAYS.indexOf((parts.get('weekday') ?? '').toLowerCase()),
    }
  }
}

const utc: ToLocal = (ms) => {
  const date = new Date(ms)
  return {
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    weekday: date.getUTCDay(),
  }
}

const MINUTE = 60_000
const FIVE_YEARS = 5 * 366 * 24 * 60 * MINUTE

function calendar(
  sets: readonly ReadonlySet<number>[],
  anyDay: boolean,
  anyWeekday: boolean,
  toLocal: ToLocal,
): Schedule {
  const [minutes, hours, days, months, weekdays] = sets as readonly [
    ReadonlySet<number>,
    ReadonlySet<number>,
    ReadonlySet<number>,
    ReadonlySet<number>,
    ReadonlySet<number>,
  ]
  // Day and weekday: both, when one of them is free; either, when neither is.
  const onDay = (it: LocalTime): boolean =>
    anyDay || anyWeekday
      ? days.has(it.day) && weekdays.has(it.weekday)
      : days.has(it.day) || weekdays.has(it.weekday)
  return {
    next(after) {
      let at = after - (after % MINUTE) + MINUTE
      while (at <= after + FIVE_YEARS) {
        const local = toLocal(at)
        if (!months.has(local.month) || !onDay(local) || !hours.has(local.hour)) {
          at += (60 - local.minute) * MINUTE
        } else if (minutes.has(local.minute)) return at
        else at += MINUTE
      }
      return undefined
    },
  }
}
