import type { AuditEvent } from './entry.ts'

/** Where events go. `write` never throws; `close` resolves when everything is out. */
export interface AuditSink {
  /** Answers nothing where nobody has to wait for it, or else whether the event is where it belongs. */
  readonly write: (event: AuditEvent) => void | Promise<boolean>
  /** Whether a request is refused that cannot be written down. Default false. */
  readonly isStrict?: boolean
  readonly close: () => Promise<void>
}

/** Takes several events at once; resolves to whether they are where they belong, and never rejects. */
export interface AuditBackend {
  readonly process: (events: readonly AuditEvent[]) => Promise<boolean>
  readonly close: () => Promise<void>
}

/** Every event at once, and whoever is served waits for it (the modes `blocking` and `blocking-strict`). */
export const blocking = (backend: AuditBackend, isStrict: boolean): AuditSink => ({
  write: (event) => backend.process([event]),
  isStrict,
  close: backend.close,
})

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

/** Writes lines to wherever `write` puts them; `failed` is told of what could not be written. */
export const lineBackend = (
  write: (line: string) => void,
  format: AuditFormat,
  failed: (error: Error, events: number) => void,
  close: () => Promise<void> = async () => {},
): AuditBackend => ({
  process: async (events) => {
    try {
      for (const it of events) write(format === 'json' ? jsonLine(it) : legacyLine(it))
      return true
    } catch (error) {
      failed(error as Error, events.length)
      return false
    }
  },
  close,
})

/** Writes to several: an event is where it belongs when all of them have it. */
export const sinksOf = (sinks: readonly AuditSink[]): AuditSink => ({
  write: (event) => {
    const pending = sinks.map((it) => it.write(event)).filter((it) => it instanceof Promise)
    if (pending.length === 0) return undefined
    return Promise.all(pending).then((kept) => kept.every(Boolean))
  },
  isStrict: sinks.some((it) => it.isStrict === true),
  close: async () => {
    await Promise.all(sinks.map((it) => it.close()))
  },
})
