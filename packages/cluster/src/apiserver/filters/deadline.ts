import type { Clock } from 'kubewright/base'
import { ApiError, badRequest, failure } from 'kubewright/machinery'
import type { Exchange, Filter } from '../endpoints/exchange.ts'
import type { Answer } from '../http/message.ts'
import { goDuration } from './go-duration.ts'
import { isLongRunning } from './long-running.ts'

/** How long an answer may take, in milliseconds (apiserver/pkg/server RequestTimeout). */
const LIMIT = 60_000

/** Answers 504 for a request that takes longer than it may, or than its `timeout` says; what it began goes on. */
export const deadline =
  (clock: Clock, longest: number = LIMIT): Filter =>
  (next) =>
  (exchange) => {
    if (isLongRunning(exchange.info)) return next(exchange)
    const limit = limitOf(exchange, longest)
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const timer = clock.after(limit, () => reject(tooLate()))
    const cancel = (): void => timer.cancel()
    const answer = next({ ...exchange, deadline: clock.now() + limit })
    answer.then(cancel, cancel)
    answer.then(resolve, reject)
    return promise
  }

/** The `timeout` of a query, a Go duration such as `32s`; none, 0 and less mean the longest. Throws a 400. */
function limitOf({ request }: Exchange, longest: number): number {
  const text = request.query.get('timeout') ?? ''
  if (text === '') return longest
  const asked = goDuration(text)
  if (typeof asked === 'string') {
    throw badRequest(`invalid timeout specified in the request URL - ${asked}`)
  }
  return asked <= 0 ? longest : Math.min(asked, longest)
}

const tooLate = (): ApiError =>
  new ApiError(
    failure(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout', {}),
  )
