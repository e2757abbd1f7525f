import type { Clock } from '../base/clock.ts'

/** The calls that may have a time limit; a watch ends by its own `timeoutSeconds`. */
export type TimedVerb =
  'get' | 'list' | 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'deleteCollection'

/** How long a call may take, answer and all, in milliseconds: all of them, or by verb. */
export type CallTimeout = number | Readonly<Partial<Record<TimedVerb, number>>>

/** The limit of a verb; undefined when it has none. */
export const limitOf = (timeout: CallTimeout | undefined, verb: TimedVerb): number | undefined =>
  typeof timeout === 'object' ? timeout[verb] : timeout

/** Does something with a signal that aborts with `late()` after `limit` ms, or as `outer` does. */
export async function within<T>(
  clock: Clock,
  limit: number,
  outer: AbortSignal | undefined,
  late: () => Error,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController()
  const timer = clock.after(limit, () => own.abort(late()))
  try {
    return await task(outer ? AbortSignal.any([outer, own.signal]) : own.signal)
  } catch (error) {
    throw own.signal.aborted && !outer?.aborted ? own.signal.reason : error
  } finally {
    timer.cancel()
  }
}
