/**
 * Orders two resourceVersions of one resource (KEP-5504: decimal digits without leading zeros, so the longer is the greater):
 * negative when a is older than b, 0 when equal. An empty one is older than all others.
 */
export function compareResourceVersions(a: string, b: string): number {
  if (a === b) return 0
  if (a.length !== b.length) return a.length - b.length
  return a < b ? -1 : 1
}
