import type { Backoff } from '../base/backoff.ts'
import type { Clock } from '../base/clock.ts'

/** How {@link withRetries} waits and when it gives up. */
export interface RetryOptions {
  readonly clock: Clock
  /** How long to wait after a broken connection. */
  readonly backoff: Backoff
  /** Whether an error may be gone the next time. */
  readonly passing: (error: unknown) => boolean
  /** How often to try again. Default 10, as client-go. */
  readonly limit?: number
}

/**
 * Sends, and sends again in the two cases in which the server did nothing (client-go rest/with_retry.go): it asks for it (429, or
 * 5xx with Retry-After), or the connection of a GET broke before any answer and may hold the next time. Every other answer and error passes.
 */
export async function withRetries(
  send: () => Promise<Response>,
  request: { readonly method: string; readonly signal?: AbortSignal | undefined },
  options: RetryOptions,
): Promise<Response> {
  const { clock, backoff, passing, limit = 10 } = options
  for (let tried = 1; ; tried++) {
    const repeatable = tried <= limit && !request.signal?.aborted
    const answer = await send().catch((error: unknown) => {
      const again = request.method === 'GET' && passing(error)
      if (!repeatable || !again || request.signal?.aborted) throw error
      return undefined
    })
    const wait = answer ? retryAfter(answer) : backoff(tried)
    if (answer && (!repeatable || wait === undefined)) return answer
    await answer?.body?.cancel()
    await clock.sleep(wait ?? 0, request.signal)
  }
}

/** How long the server asks to wait, in milliseconds; undefined when it does not ask. */
export function retryAfter(response: Response): number | undefined {
  if (response.status !== 429 && response.status < 500) return undefined
  const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10)
  return Number.isFinite(seconds) ? Math.max(0, seconds) * 1000 : undefined
}
