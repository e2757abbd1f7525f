import type { Clock } from '../base/clock.ts'
import type { Transport } from '../base/transport.ts'

/** How much a client may ask. The server's own priority and fairness usually does this better: there is none unless it is asked for. */
export interface RateLimit {
  /** Requests a second that are fine for ever. */
  readonly perSecond: number
  /** Requests at once after a rest. Default: twice `perSecond`. */
  readonly burst?: number
}

/** A transport that lets requests go one by one as tokens come (client-go util/flowcontrol); who waits goes in order. */
export function rateLimited(transport: Transport, limit: RateLimit, clock: Clock): Transport {
  const { perSecond, burst = perSecond * 2 } = limit
  if (!(perSecond > 0 && burst >= 1))
    throw new Error(
      `a rate limit of ${perSecond} a second with a burst of ${burst} lets nothing through; perSecond above 0 and a burst of 1 or more were expected`,
    )
  /** When the bucket would be full if nobody asked any more, ms. */
  let full = -Infinity
  return async (request) => {
    const now = clock.now()
    full = Math.max(full, now) + 1000 / perSecond
    const wait = full - now - (burst * 1000) / perSecond
    if (wait > 0) await clock.sleep(wait, request.signal)
    return transport(request)
  }
}
