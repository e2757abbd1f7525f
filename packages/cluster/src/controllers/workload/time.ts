/** Milliseconds since the epoch of a timestamp; undefined for an absent, null or unreadable one. */
export function parseTimestamp(text: string | null | undefined): number | undefined {
  const ms = text ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

/** Whole seconds, rounded down, between two moments. */
export function secondsBetween(from: number, to: number): number {
  return Math.floor((to - from) / 1000)
}
