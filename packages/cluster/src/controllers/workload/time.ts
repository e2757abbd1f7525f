/** Milliseconds since the epoch of a timestamp; undefined for an absent, null or unreadable one. */
export function parseTimestamp(text: string | null | undefined): number | undefined {
  const ms = text ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
