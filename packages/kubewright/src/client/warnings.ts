import type { Logger } from '../base/logger.ts'

/** The texts of a response's `Warning: 299 - "…"` headers (RFC 7234 5.5), unescaped. */
export function warningsOf(headers: Headers): readonly string[] {
  const header = headers.get('warning')
  if (header === null) return []
  return [...header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map((it) =>
    it[1]!.replace(/\\(.)/g, '$1'),
  )
}

/** Takes each warning of the server. */
export type WarningHandler = (warning: string) => void

/** Logs each distinct warning once; remembers the last 512 of them. */
export function logWarnings(logger: Logger): WarningHandler {
  const seen = new Set<string>()
  return (warning) => {
    if (seen.has(warning)) return
    if (seen.size >= 512) seen.delete(seen.values().next().value ?? '')
    seen.add(warning)
    logger.warn('the API server warns', { warning })
  }
}
