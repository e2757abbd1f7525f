import type { Transport } from '../base/transport.ts'

/** One run, as a trace tells it. Times are milliseconds since the epoch. */
export interface TracedRun {
  readonly controller: string
  readonly key: string
  readonly id: string
  readonly attempt: number
  readonly causes: readonly string[]
  /** When the key became ready in the queue, and when it was taken. */
  readonly queuedAt: number
  readonly takenAt: number
}

/** How a traced run ended. */
export interface TracedEnd {
  readonly outcome: string
  readonly error?: Error | undefined
}

/** Where traces go. Without one nothing is made, measured or kept. */
export interface Tracing {
  /** Runs within a span that began when the key became ready, so that what is called within it is told below it. */
  run<T>(run: TracedRun, work: (end: (how: TracedEnd) => void) => Promise<T>): Promise<T>
  /** A transport that tells of each request, below the span it is sent in, and hands the trace on to the server. */
  transport(transport: Transport): Transport
}
