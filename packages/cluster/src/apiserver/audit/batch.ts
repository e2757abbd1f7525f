import type { Clock, Timer } from 'kubewright/base'
import type { AuditEvent } from './entry.ts'
import type { AuditBackend, AuditSink } from './sink.ts'

/** How events wait for one another (`--audit-*-batch-*`). */
export interface BatchOptions {
  /** How many may wait; what comes beyond is dropped. */
  readonly buffer: number
  /** How many go at once. */
  readonly maxSize: number
  /** How long an event may wait for others, in milliseconds; 0: for as long as it takes. */
  readonly maxWait: number
  /** Batches a second on average, and how many at once after a pause. Default: as many as come. */
  readonly throttle?: { readonly qps: number; readonly burst: number }
  readonly clock: Clock
  /** Is told of events that found no room. */
  readonly dropped: (events: number) => void
}

/** Gathers events and passes them on several at once; nobody waits for it (apiserver/plugin/pkg/audit/buffered). */
export function batched(backend: AuditBackend, options: BatchOptions): AuditSink {
  const { buffer, maxSize, maxWait, clock, dropped } = options
  const turns = options.throttle && new Turns(options.throttle, clock)
  const waiting: AuditEvent[] = []
  let timer: Timer | undefined
  const sending = new Set<Promise<unknown>>()
  const flush = (): void => {
    timer?.cancel()
    timer = undefined
    if (waiting.length === 0) return
    const events = waiting.splice(0, maxSize)
    const turn = turns?.next() ?? 0
    const sent = (turn > 0 ? clock.sleep(turn) : Promise.resolve())
      .then(() => backend.process(events))
      .finally(() => sending.delete(sent))
    sending.add(sent)
  }
  return {
    write: (event) => {
      if (waiting.length >= buffer) return dropped(1)
      waiting.push(event)
      if (waiting.length >= maxSize) flush()
      else if (maxWait > 0) timer ??= clock.after(maxWait, flush)
    },
    close: async () => {
      while (waiting.length > 0) flush()
      await Promise.all(sending)
      await backend.close()
    },
  }
}

/** Tells how long the next batch has to wait for its turn, in milliseconds: a bucket of tokens. */
class Turns {
  readonly #options: { readonly qps: number; readonly burst: number }
  readonly #clock: Clock
  #tokens: number
  #at: number

  constructor(options: { readonly qps: number; readonly burst: number }, clock: Clock) {
    this.#options = options
    this.#clock = clock
    this.#tokens = options.burst
    this.#at = clock.now()
  }

  next(): number {
    const { qps, burst } = this.#options
    const now = this.#clock.now()
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#at) / 1000) * qps) - 1
    this.#at = now
    return this.#tokens >= 0 ? 0 : (-this.#tokens / qps) * 1000
  }
}
