interface Bounds {
  readonly least: number
  readonly most: number
  readonly names?: Readonly<Record<string, number>>
}

const MONTHS = names('jan feb mar apr may jun jul aug sep oct nov dec', 1)
const DAYS = names('sun mon tue wed thu fri sat', 0)
/** Minute, hour, day of the month, month, day of the week. */
const FIELDS: readonly Bounds[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: MONTHS },
  { least: 0, most: 6, names: DAYS },
]
const DESCRIPTORS = [
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]

function names(text: string, first: number): Readonly<Record<string, number>> {
  return Object.fromEntries(text.split(' ').map((it, i) => [it, first + i]))
}

/**
 * What is wrong with a schedule in cron's syntax, in the words of the parser that Kubernetes uses (robfig/cron), or undefined.
 */
export function scheduleProblem(schedule: string): string | undefined {
  const [, zone] = /^(?:CRON_)?TZ=(\S+)\s/.exec(schedule) ?? []
  if (zone !== undefined && !isZone(zone)) {
    return `provided bad location ${zone}: unknown time zone ${zone}`
  }
  const text = schedule.replace(/^(CRON_)?TZ=\S+\s+/, '')
  if (text === '') return 'empty spec string'
  if (text.startsWith('@')) return descriptorProblem(text)
  const fields = text.trim().split(/\s+/)
  if (fields.length !== FIELDS.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`
  }
  for (const [i, bounds] of FIELDS.entries()) {
    const problem = fieldProblem(fields[i] ?? '', bounds)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Whether the system knows a time zone. */
export function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

function descriptorProblem(text: string): string | undefined {
  if (DESCRIPTORS.includes(text)) return undefined
  if (!text.startsWith('@every ')) return `unrecognized descriptor: ${text}`
  const duration = text.slice('@every '.length)
  return /^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$/.test(duration)
    ? undefined
    : `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`
}

function fieldProblem(field: string, bounds: Bounds): string | undefined {
  for (const part of field.split(',')) {
    const problem = part === '' ? undefined : rangeProblem(part, bounds)
    if (problem !== undefined) return problem
  }
  return undefined
}

function rangeProblem(text: string, bounds: Bounds): string | undefined {
  const [range = '', step, ...rest] = text.split('/')
  const [low = '', high, ...more] = range.split('-')
  if (rest.length > 0) return `too many slashes: ${text}`
  if (more.length > 0) return `too many hyphens: ${text}`
  const every = low === '*' || low === '?'
  const start = every ? bounds.least : numberOf(low, bounds)
  if (typeof start === 'string') return start
  const end = every ? bounds.most : high === undefined ? start : numberOf(high, bounds)
  if (typeof end === 'string') return end
  const size = step === undefined ? 1 : numberOf(step, { least: 0, most: 0 })
  if (typeof size === 'string') return size
  const last = step !== undefined && high === undefined ? bounds.most : end
  return boundsProblem(text, start, last, size, bounds)
}

function boundsProblem(
  text: string,
  start: number,
  end: number,
  step: number,
  bounds: Bounds,
): string | undefined {
  if (start < bounds.least) {
    return `beginning of range (${start}) below minimum (${bounds.least}): ${text}`
  }
  if (end > bounds.most) return `end of range (${end}) above maximum (${bounds.most}): ${text}`
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`
  return step === 0 ? `step of range should be a positive number: ${text}` : undefined
}

function numberOf(text: string, bounds: Bounds): number | string {
  const named = bounds.names?.[text.toLowerCase()]
  if (named !== undefined) return named
  if (/^[+]?[0-9]+$/.test(text)) return Number(text)
  if (/^-[0-9]+$/.test(text)) return `negative number (${text}) not allowed: ${text}`
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`
}
