import type { Clock } from 'kubewright/base'
import { ApiError, badRequest, failure } from 'kubewright/machinery'
import type { Exchange, Filter } from '../endpoints/exchange.ts'

/** How long an answer may take, in milliseconds (apiserver/pkg/server RequestTimeout). */
const LIMIT = 60_000

/** What lasts as long as it lasts (apiserver/pkg/server/config.go LongRunningFunc). */
const LONG_VERBS: ReadonlySet<string> = new Set(['watch', 'proxy'])
const LONG_SUBRESOURCES: ReadonlySet<string> = new Set([
  'attach',
  'exec',
  'proxy',
  'log',
  'portforward',
])

/** Answers 504 for a request that takes longer than it may, or than its `timeout` says; what it began goes on. */
export const deadline =
  (clock: Clock): Filter =>
  (next) =>
  (exchange) => {
    const { verb, subresource } = exchange.info
    if (LONG_VERBS.has(verb) || LONG_SUBRESOURCES.has(subresource)) return next(exchange)
    const limit = limitOf(exchange)
    return new Promise((resolve, reject) => {
      const timer = clock.after(limit, () => reject(tooLate()))
      next(exchange)
        .then(resolve, reject)
        .finally(() => timer.cancel())
    })
  }

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** The `timeout` of a query, a Go duration such as `32s`. Throws a 400. */
function limitOf({ request }: Exchange): number {
  const text = request.query.get('timeout') ?? ''
  if (text === '') return LIMIT
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)]
  const whole = parts.map((it) => it[0]).join('')
  if (whole !== text && text !== '0') {
    throw badRequest(`invalid timeout specified in the request URL - timeout: ${text}`)
  }
  const asked = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit!]!, 0)
  return asked === 0 ? LIMIT : Math.min(asked, LIMIT)
}

const tooLate = (): ApiError =>
  new ApiError(
    failure(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout', {}),
  )
