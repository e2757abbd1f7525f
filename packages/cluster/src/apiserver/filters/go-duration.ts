/** Nanoseconds of each unit of Go's durations. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['µs', 1e3],
  ['μs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 60e9],
  ['h', 3600e9],
])

/** The longest that 64 bits of nanoseconds hold. */
const MAX = 2 ** 63
const NANOS_PER_MS = 1e6

/** A duration as Go's time.ParseDuration reads it (`1h30m`, `-1.5s`, `0`), in milliseconds; or what Go says is wrong with it. */
export function goDuration(text: string): number | string {
  const sign = /^[+-]/.exec(text)?.[0] ?? ''
  let rest = text.slice(sign.length)
  if (rest === '0') return 0
  if (rest === '') return invalid(text)
  let nanos = 0
  while (rest !== '') {
    const amount = /^(?:\d+\.?\d*|\.\d+)/.exec(rest)?.[0]
    if (amount === undefined) return invalid(text)
    rest = rest.slice(amount.length)
    const unit = /^[^.\d]+/.exec(rest)?.[0]
    if (unit === undefined) return `time: missing unit in duration ${quoted(text)}`
    const worth = UNITS.get(unit)
    if (worth === undefined) {
      return `time: unknown unit ${quoted(unit)} in duration ${quoted(text)}`
    }
    nanos += Number(amount) * worth
    rest = rest.slice(unit.length)
  }
  if (nanos > MAX || (nanos === MAX && sign !== '-')) return invalid(text)
  return (sign === '-' ? -nanos : nanos) / NANOS_PER_MS
}

const quoted = (text: string): string => JSON.stringify(text)

const invalid = (text: string): string => `time: invalid duration ${quoted(text)}`
