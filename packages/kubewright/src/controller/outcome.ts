import { millisecondsOf, type Duration } from '../base/duration.ts'
import { isConflict } from '../machinery/status.ts'

/** What a reconciler answers: nothing, or when to look again. */
export interface Result {
  /** Look again after this many milliseconds, at the latest; an earlier event comes first. */
  readonly requeueAfter?: number
  /** The priority with which it comes again. Default: that of this run. */
  readonly priority?: number
}

/** How a run ended. */
export type Settled =
  | { readonly type: 'returned'; readonly result: Result | undefined }
  | { readonly type: 'threw'; readonly error: unknown }
  | { readonly type: 'timed out'; readonly error: Error }
  /** The process is stopping: no outcome. */
  | { readonly type: 'stopped' }

/** What the queue should do with the key. */
export type NextStep =
  | { readonly type: 'forget' }
  | { readonly type: 'after'; readonly ms: number; readonly priority?: number }
  | { readonly type: 'retry'; readonly after?: number }

/** What came of a run: for the queue, the metrics and the log. */
export interface Outcome {
  readonly label: 'success' | 'requeue_after' | 'error'
  readonly next: NextStep
  readonly error?: Error
  readonly terminal?: boolean
  readonly panic?: boolean
  readonly timeout?: boolean
  /** Another writer was first: expected, and not worth an error in the log. */
  readonly conflict?: boolean
  /** Expected too: the reconciler itself said when to try again. */
  readonly temporary?: boolean
}

/** An error that trying again cannot mend: it is reported, and the object waits for its next event. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError'
}

/** Makes a {@link TerminalError} of a message or an error: `throw terminalError('spec.size cannot shrink')`. */
export function terminalError(cause: string | Error): TerminalError {
  return typeof cause === 'string'
    ? new TerminalError(cause)
    : new TerminalError(cause.message, { cause })
}

/** An error that time mends, and how much of it, in milliseconds. */
export class TemporaryError extends Error {
  override readonly name = 'TemporaryError'
  readonly retryAfter: number

  constructor(message: string, retryAfter: number, options?: ErrorOptions) {
    super(message, options)
    this.retryAfter = retryAfter
  }
}

/** Makes a {@link TemporaryError}: `throw temporaryError('the bucket is not there yet', '30s')`. */
export function temporaryError(cause: string | Error, after: Duration): TemporaryError {
  const ms = millisecondsOf(after)
  return typeof cause === 'string'
    ? new TemporaryError(cause, ms)
    : new TemporaryError(cause.message, ms, { cause })
}

/** The outcome of a run: a function of how it ended and of nothing else. */
export function outcomeOf(settled: Settled): Outcome {
  switch (settled.type) {
    case 'returned':
      return outcomeOfResult(settled.result)
    case 'stopped':
      return { label: 'success', next: { type: 'forget' } }
    case 'timed out':
      return { label: 'error', next: { type: 'retry' }, error: settled.error, timeout: true }
    case 'threw':
      return outcomeOfThrown(settled.error)
  }
}

/** What is no answer at all (an object, a text) counts as none; one that says `requeueAfter` must say it right. */
function outcomeOfResult(result: Result | undefined): Outcome {
  if (typeof result !== 'object' || result === null || result.requeueAfter === undefined)
    return { label: 'success', next: { type: 'forget' } }
  const { requeueAfter: ms, priority } = result
  if (typeof ms !== 'number' || !Number.isFinite(ms) || ms < 0) {
    const error = new Error(
      `the reconciler returned requeueAfter ${printed(ms)}: milliseconds, 0 or more, were expected`,
    )
    return { label: 'error', next: { type: 'retry' }, error }
  }
  if (ms === 0) return { label: 'success', next: { type: 'forget' } }
  const next = { type: 'after', ms, ...(priority === undefined ? {} : { priority }) } as const
  return { label: 'requeue_after', next }
}

function outcomeOfThrown(thrown: unknown): Outcome {
  if (thrown instanceof TerminalError)
    return { label: 'error', next: { type: 'forget' }, error: thrown, terminal: true }
  if (thrown instanceof TemporaryError)
    return {
      label: 'error',
      next: { type: 'retry', after: thrown.retryAfter },
      error: thrown,
      temporary: true,
    }
  if (thrown instanceof Error)
    return {
      label: 'error',
      next: { type: 'retry' },
      error: thrown,
      ...(isConflict(thrown) ? { conflict: true } : {}),
    }
  const error = new Error(
    `panic: ${printed(thrown)} [recovered]: the reconciler threw something that is no Error`,
  )
  return { label: 'error', next: { type: 'retry' }, error, panic: true }
}

function printed(value: unknown): string {
  try {
    return typeof value === 'string' || typeof value === 'number'
      ? String(value)
      : (JSON.stringify(value) ?? String(value))
  } catch {
    return String(value)
  }
}
