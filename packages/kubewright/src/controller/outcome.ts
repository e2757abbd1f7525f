import { isConflict } from '../machinery/status.ts'

/** What a reconciler answers: nothing, or when to look again. */
export interface Result {
  /** Look again after this many milliseconds, at the latest; an earlier event comes first. */
  readonly requeueAfter?: number
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
  | { readonly type: 'after'; readonly ms: number }
  | { readonly type: 'retry' }

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

/** The outcome of a run: a function of how it ended and of nothing else. */
export function outcomeOf(settled: Settled): Outcome {
  switch (settled.type) {
    case 'returned': {
      const after = settled.result?.requeueAfter
      return after !== undefined && after > 0
        ? { label: 'requeue_after', next: { type: 'after', ms: after } }
        : { label: 'success', next: { type: 'forget' } }
    }
    case 'stopped':
      return { label: 'success', next: { type: 'forget' } }
    case 'timed out':
      return { label: 'error', next: { type: 'retry' }, error: settled.error, timeout: true }
    case 'threw':
      return outcomeOfThrown(settled.error)
  }
}

function outcomeOfThrown(thrown: unknown): Outcome {
  if (thrown instanceof TerminalError)
    return { label: 'error', next: { type: 'forget' }, error: thrown, terminal: true }
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
    return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  } catch {
    return String(value)
  }
}
