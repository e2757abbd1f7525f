const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/**
 * A length of time for people, in one or two units: `0s`, `2m5s`, `3h`, `2d4h`, `400d`, `2y35d` (apimachinery/pkg/util/duration
 * HumanDuration). `ms` is milliseconds; more than a second below zero is `<invalid>`.
 */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / SECOND)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.trunc(ms / MINUTE)
  if (minutes < 10) return `${minutes}m${rest(seconds % 60, 's')}`
  if (minutes < 180) return `${minutes}m`
  return longDuration(Math.trunc(ms / HOUR), minutes)
}

function longDuration(hours: number, minutes: number): string {
  if (hours < 8) return `${hours}h${rest(minutes % 60, 'm')}`
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(hours / 24)
  if (days < 8) return `${days}d${rest(hours % 24, 'h')}`
  if (days < 2 * 365) return `${days}d`
  const years = Math.trunc(days / 365)
  return years < 8 ? `${years}y${rest(days % 365, 'd')}` : `${years}y`
}

const rest = (amount: number, unit: string): string => (amount === 0 ? '' : `${amount}${unit}`)

/** How long ago a timestamp of an object is; `<unknown>` where it has none. */
export function age(timestamp: string | null | undefined, now: number): string {
  return timestamp ? humanDuration(now - Date.parse(timestamp)) : '<unknown>'
}
