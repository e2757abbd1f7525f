import { timeText } from 'kubewright/machinery'

/** A time as its zone's clocks show it, with their offset: `2026-01-01T01:00:00+01:00`; `Z` where there is none (RFC 3339). */
export function zonedTimeText(ms: number, timeZone: string = 'UTC'): string {
  const offset = offsetOf(ms, timeZone)
  if (offset === '') return timeText(ms)
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number)
  const shift = (hours * 60 + minutes) * 60_000 * (offset.startsWith('-') ? -1 : 1)
  return timeText(ms + shift).replace('Z', offset)
}

/** `+01:00`; empty for none. */
function offsetOf(ms: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  const part = format.formatToParts(ms).find((it) => it.type === 'timeZoneName')
  const offset = part?.value.replace('GMT', '') ?? ''
  return offset === '+00:00' ? '' : offset
}
