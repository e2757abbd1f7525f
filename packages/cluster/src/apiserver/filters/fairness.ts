import type { Filter } from '../endpoints/exchange.ts'
import type { Fairness } from '../fairness/fairness.ts'
import type { Answer } from '../http/message.ts'
import { isLongRunning } from './long-running.ts'

/** What is told to whom there is no room for, and after how many seconds he may ask again (filters/maxinflight.go tooManyRequests). */
const tooMany: Answer = Object.freeze({
  status: 429,
  headers: {
    'content-type': 'text/plain; charset=utf-8',
    'retry-after': '1',
    'x-content-type-options': 'nosniff',
  },
  body: 'Too many requests, please try again later.\n',
})

/** Gives requests their turn (apiserver/pkg/server/filters/priority-and-fairness.go). A watch has one until it begins. */
export const fairness =
  (turns: Fairness): Filter =>
  (next) =>
  async (exchange) => {
    const { info, user, request } = exchange
    if (info.verb !== 'watch' && isLongRunning(info)) return next(exchange)
    const turn = await turns.take(user, info, request.signal)
    const marks =
      turn.schemaUid === ''
        ? {}
        : {
            'x-kubernetes-pf-flowschema-uid': turn.schemaUid,
            'x-kubernetes-pf-prioritylevel-uid': turn.levelUid,
          }
    if (exchange.marks) Object.assign(exchange.marks, marks)
    if (!turn.admitted) return { ...tooMany, headers: { ...tooMany.headers, ...marks } }
    try {
      return await next(exchange)
    } finally {
      turn.release()
    }
  }

/** How many requests may be under way at once; 0: as many as come. */
export interface InFlightLimits {
  readonly reading: number
  readonly changing: number
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head'])

/** Turns away what is too much at once, but for the masters (filters/maxinflight.go), where fairness is off. */
export function maxInFlight({ reading, changing }: InFlightLimits): Filter {
  let [reads, changes] = [0, 0]
  return (next) => async (exchange) => {
    const { info, user } = exchange
    if (isLongRunning(info) || user.groups.includes('system:masters')) return next(exchange)
    const isRead = READS.has(info.verb)
    const [now, most] = isRead ? [reads, reading] : [changes, changing]
    if (most > 0 && now >= most) return tooMany
    if (isRead) reads++
    else changes++
    try {
      return await next(exchange)
    } finally {
      if (isRead) reads--
      else changes--
    }
  }
}
