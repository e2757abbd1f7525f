import type { Clock } from './clock.ts'
import type { LogEntry } from './logger.ts'

/** Where finished lines go, newline included: `process.stderr.write` bound, or an array in a test. */
export type LineWriter = (line: string) => void

/** A sink of JSON lines: `time`, `level`, `message`, then the fields. Errors become their name, message, stack and cause. */
export function jsonSink(write: LineWriter, clock: Clock): (entry: LogEntry) => void {
  return ({ level, message, fields }) => {
    const time = new Date(clock.now()).toISOString()
    write(`${safeJson({ time, level, message, ...fields })}\n`)
  }
}

/** A sink of lines for people: `12:00:00.000 info  message  key=value …`. */
export function textSink(write: LineWriter, clock: Clock): (entry: LogEntry) => void {
  return ({ level, message, fields }) => {
    const time = new Date(clock.now()).toISOString().slice(11, 23)
    const rest = Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `${key}=${fieldText(value)}`)
    write(`${[`${time} ${level.padEnd(5)} ${message}`, ...rest].join('  ')}\n`)
  }
}

function fieldText(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(errorText(value))
  if (typeof value === 'string') return /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value)
  return safeJson(value)
}

function errorText(error: Error): string {
  const cause = error.cause instanceof Error ? `: ${errorText(error.cause)}` : ''
  return `${error.message}${cause}`
}

const plain = (_key: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return String(value)
  if (!(value instanceof Error)) return value
  const { name, message, stack, cause } = value
  return { name, message, stack, ...(cause === undefined ? {} : { cause }) }
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value, plain) ?? 'undefined'
  } catch {
    // A cycle: a log line must never throw.
    return JSON.stringify(String(value))
  }
}
