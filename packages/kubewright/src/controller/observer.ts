import type { WriteVerb } from '../client/write.ts'

/**
 * What a running manager did, as it happens: for a console, a demo, a test. Keys are `namespace/name`, times are milliseconds.
 * Nothing may be concluded from an event that is not there: a reconcile may do nothing at all.
 */
export type RuntimeEvent =
  | {
      readonly type: 'watched'
      readonly controller: string
      readonly kind: string
      readonly key: string
      readonly change: 'create' | 'update' | 'delete' | 'generic'
      readonly initial: boolean
    }
  | {
      readonly type: 'queued'
      readonly controller: string
      readonly key: string
      readonly reason: string
      readonly priority?: number
      readonly after?: number
    }
  | {
      readonly type: 'reconcile started'
      readonly controller: string
      readonly key: string
      readonly id: string
      readonly attempt: number
      readonly reasons: readonly string[]
      /** The reasons with all that is known of them: what changed, and which handler; worked out when it is read. */
      readonly causes: readonly string[]
    }
  | {
      readonly type: 'reconcile ended'
      readonly controller: string
      readonly key: string
      readonly id: string
      readonly outcome: 'success' | 'requeue_after' | 'error'
      readonly duration: number
      readonly error?: unknown
      /** When it comes again, if that is known. */
      readonly after?: number
    }
  | {
      readonly type: 'written'
      readonly controller: string
      readonly key: string
      readonly id: string
      readonly verb: WriteVerb
      readonly kind: string
      readonly object: string
      readonly subresource?: string
      /** False when nothing needed to be sent. */
      readonly sent: boolean
      readonly resourceVersion?: string
    }

/** Takes each event, at once; it must be quick and must not throw. */
export type RuntimeObserver = (event: RuntimeEvent) => void
