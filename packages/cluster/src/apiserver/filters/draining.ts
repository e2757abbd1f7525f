import type { Filter } from '../endpoints/exchange.ts'
import type { Answer } from '../http/message.ts'
import { isLongRunning } from './long-running.ts'

/** What is told while a server ends that still listens (filters/with_retry_after.go), and after how many seconds one may ask again. */
const ending: Answer = Object.freeze({
  status: 429,
  headers: {
    connection: 'close',
    'content-type': 'text/plain; charset=utf-8',
    'retry-after': '5',
    'x-content-type-options': 'nosniff',
  },
  body: 'The apiserver is shutting down, please try again later.\n',
})

/** Whose requests are answered to the end: what asks the server itself, and whether it is well. */
const EXEMPT = /^\/(healthz|livez|readyz|metrics)(\/|$)/

/** Counts what is under way, so that a server can end when it is done; what lasts as long as it lasts is not waited for. */
export class Draining {
  #underWay = 0
  #refusing = false
  #idle: (() => void) | undefined

  readonly filter: Filter = (next) => async (exchange) => {
    if (this.#refusing && !EXEMPT.test(exchange.info.path)) return ending
    if (isLongRunning(exchange.info)) return next(exchange)
    this.#underWay++
    try {
      return await next(exchange)
    } finally {
      if (--this.#underWay === 0) this.#idle?.()
    }
  }

  /** From now on whoever comes is told to come again elsewhere. */
  refuse(): void {
    this.#refusing = true
  }

  /** Resolves when nothing is under way any more. */
  idle(): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve()
    return new Promise((resolve) => (this.#idle = resolve))
  }
}
