import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Cache } from '../cache/cache.ts'
import type { Client } from '../client/client.ts'
import type { EventRecorder } from '../controller/event-recorder.ts'

/** What a {@link Runnable} may use. */
export interface RunnableContext {
  readonly client: Client
  readonly cache: Cache
  readonly clock: Clock
  readonly log: Logger
  /** Makes a recorder of Events, told by a component of this name. */
  readonly events: (component: string) => EventRecorder
  readonly signal: AbortSignal
}

/** Something else that runs in a manager. It must end when its signal aborts; what it throws stops the manager. */
export interface Runnable {
  readonly name: string
  /** Whether only the leader runs it. Default true. */
  readonly leaderOnly?: boolean
  readonly run: (context: RunnableContext) => Promise<void>
}
