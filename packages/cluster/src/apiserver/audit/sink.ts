import type { AuditEvent } from './entry.ts'

/** Where events go. `write` never throws; `close` resolves when everything is out. */
export interface AuditSink {
  readonly write: (event: AuditEvent) => void
  readonly close: () => Promise<void>
}

/** How an event is written on a line: as JSON, or in the short form of old (`--audit-log-format`). */
export type AuditFormat = 'json' | 'legacy'

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** An event as JSON on one line, escaped as Go escapes it. */
export const jsonLine = (event: AuditEvent): string =>
  `${JSON.stringify(event).replace(/[<>&\u2028\u2029]/g, (it) => ESCAPES[it]!)}\n`

interface Named {
  readonly username?: string
  readonly groups?: readonly string[]
}

/** An event in the form of old (apiserver/pkg/audit EventString). */
export function legacyLine(event: AuditEvent): string {
  const quoted = (text: string): string => JSON.stringify(text)
  const list = (groups: readonly string[] | undefined, none: string): string =>
    groups && groups.length > 0 ? quoted(groups.map(quoted).join(',')) : quoted(none)
  const user = event['user'] as Named
  const as = event['impersonatedUser'] as Named | undefined
  const { namespace = '<none>' } = (event['objectRef'] ?? {}) as { readonly namespace?: string }
  const { code } = (event['responseStatus'] ?? {}) as { readonly code?: number }
  const [ip = '<unknown>'] = (event['sourceIPs'] ?? []) as readonly string[]
  const fields = [
    `id=${quoted(String(event['auditID']))}`,
    `stage=${quoted(String(event['stage']))}`,
    `ip=${quoted(ip)}`,
    `method=${quoted(String(event['verb']))}`,
    `user=${quoted(user.username || '<none>')}`,
    `groups=${list(user.groups, '<none>')}`,
    `as=${quoted(as?.username ?? '<self>')}`,
    `asgroups=${list(as?.groups, '<lookup>')}`,
    `user-agent=${quoted(String(event['userAgent'] ?? ''))}`,
    `namespace=${quoted(namespace)}`,
    `uri=${quoted(String(event['requestURI']))}`,
    `response=${quoted(code === undefined ? '<deferred>' : String(code))}`,
  ]
  return `${String(event['requestReceivedTimestamp'])} AUDIT: ${fields.join(' ')}\n`
}

/** Writes lines to wherever `write` puts them. */
export const lineSink = (
  write: (line: string) => void,
  format: AuditFormat,
  close: () => Promise<void> = async () => {},
): AuditSink => ({
  write: (event) => write(format === 'json' ? jsonLine(event) : legacyLine(event)),
  close,
})

/** Writes to several. */
export const sinksOf = (sinks: readonly AuditSink[]): AuditSink => ({
  write: (event) => {
    for (const sink of sinks) sink.write(event)
  },
  close: async () => {
    await Promise.all(sinks.map((it) => it.close()))
  },
})
