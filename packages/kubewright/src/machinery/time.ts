/** An instant as Kubernetes' `Time` prints it: RFC 3339 in UTC with whole seconds. `ms` is milliseconds since the epoch. */
export function timeText(ms: number): string {
  return `${secondText(ms)}Z`
}

/** An instant as Kubernetes' `MicroTime` prints it: RFC 3339 in UTC with six digits of a second. */
export function microTimeText(ms: number): string {
  const part = Math.floor(ms) % 1000
  return `${secondText(ms)}.${String(part < 0 ? part + 1000 : part).padStart(3, '0')}000Z`
}

const DAY = 86_400_000
/** The last instant of the year 9999. */
const LAST = 253_402_300_799_999

/** `2026-01-31T23:59:59`. Every write prints the time several times, and Date takes microseconds to do so. */
function secondText(ms: number): string {
  if (!(ms >= 0 && ms <= LAST)) return new Date(ms).toISOString().slice(0, 19)
  const days = Math.floor(ms / DAY)
  const seconds = Math.floor((ms - days * DAY) / 1000)
  const minutes = Math.floor(seconds / 60)
  const time = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`
  return `${dayText(days)}T${time}`
}

/** A day since 1970, by counting from March, so that the odd day of a leap year is the last (H. Hinnant, days_from_civil). */
function dayText(days: number): string {
  const since = days + 719_468
  const era = Math.floor(since / 146_097)
  const dayOfEra = since - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shifted = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1
  const month = shifted < 10 ? shifted + 3 : shifted - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return `${year}-${two(month)}-${two(day)}`
}

const two = (value: number): string => (value < 10 ? `0${value}` : `${value}`)
