import type { Clock, Logger, Timer } from 'kubewright/base'
import type { Remote } from '../http/remote.ts'
import type { AuditEvent } from './entry.ts'
import type { AuditSink } from './sink.ts'

/** How events are sent away (`--audit-webhook-*`). */
export interface WebhookSinkOptions {
  readonly remote: Remote
  /** How many go at once, and how many may wait; what comes beyond is dropped. */
  readonly maxBatch: number
  readonly buffer: number
  /** How long an event may wait for others, in milliseconds. */
  readonly maxWait: number
  readonly clock: Clock
  readonly logger: Logger
}

const PATIENCE = 30_000

/** Sends events to a webhook, several at once (apiserver/plugin/pkg/audit/webhook with buffered). Nobody waits for it. */
export function webhookSink(options: WebhookSinkOptions): AuditSink {
  const { remote, maxBatch, buffer, maxWait, clock, logger } = options
  let waiting: AuditEvent[] = []
  let timer: Timer | undefined
  const sending = new Set<Promise<void>>()
  const send = async (items: readonly AuditEvent[]): Promise<void> => {
    const list = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items }
    try {
      const { status } = await remote.post(list, PATIENCE)
      if (status >= 400) throw new Error(`the webhook answered ${status}`)
    } catch (error) {
      const { message } = error as Error
      logger.error('audit events could not be sent', { events: items.length, error: message })
    }
  }
  const flush = (): void => {
    timer?.cancel()
    timer = undefined
    if (waiting.length === 0) return
    const sent = send(waiting).finally(() => sending.delete(sent))
    waiting = []
    sending.add(sent)
  }
  return {
    write: (event) => {
      if (waiting.length >= buffer) return
      waiting.push(event)
      if (waiting.length >= maxBatch) flush()
      else timer ??= clock.after(maxWait, flush)
    },
    close: async () => {
      flush()
      await Promise.all(sending)
      await remote.close()
    },
  }
}
