/** Milliseconds as Go prints a duration of whole seconds: `10s`, `1m20s`, `5m0s`. */
export function durationText(ms: number): string {
  const seconds = ms / 1000
  const minutes = Math.floor(seconds / 60)
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`
}
