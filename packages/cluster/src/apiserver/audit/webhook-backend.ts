import type { Clock, Logger } from 'kubewright/base'
import type { Remote } from '../http/remote.ts'
import type { AuditBackend } from './sink.ts'

/** Where events are sent, and how long is waited before a first try is repeated, in milliseconds (`--audit-webhook-*`). */
export interface WebhookBackendOptions {
  readonly remote: Remote
  readonly initialBackoff: number
  readonly clock: Clock
  readonly logger: Logger
}

const PATIENCE = 30_000
const MOST_TRIES = 5
const FACTOR = 1.5

/** Sends events to a webhook as an EventList, and again where it is busy or away (apiserver/plugin/pkg/audit/webhook). */
export function webhookBackend(options: WebhookBackendOptions): AuditBackend {
  const { remote, initialBackoff, clock, logger } = options
  const closing = new AbortController()
  return {
    process: async (items) => {
      const list = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items }
      for (let tries = 1, wait = initialBackoff; ; tries++, wait *= FACTOR) {
        const problem = await attempt(remote, list)
        if (problem === undefined) return true
        // Whoever ends does not wait for who is away.
        if (tries === MOST_TRIES || !problem.again || closing.signal.aborted) {
          const error = problem.message
          logger.error('audit events could not be sent', { events: items.length, error })
          return false
        }
        await clock.sleep(wait, closing.signal).catch(() => {})
      }
    },
    close: async () => {
      closing.abort()
      await remote.close()
    },
  }
}

interface Problem {
  readonly message: string
  readonly again: boolean
}

async function attempt(remote: Remote, list: object): Promise<Problem | undefined> {
  try {
    const { status } = await remote.post(list, PATIENCE)
    if (status < 400) return undefined
    return { message: `the webhook answered ${status}`, again: status === 429 || status >= 500 }
  } catch (error) {
    return { message: (error as Error).message, again: true }
  }
}
