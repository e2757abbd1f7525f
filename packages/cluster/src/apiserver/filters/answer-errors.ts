import type { Logger } from 'kubewright/base'
import { ApiError, badRequest, internalError } from 'kubewright/machinery'
import { statusAnswer } from '../endpoints/answers.ts'
import type { Filter } from '../endpoints/exchange.ts'

/** Panic recovery: an ApiError is answered with its Status, anything else with a 500 and a line in the log. */
export const answerErrors =
  (logger: Logger): Filter =>
  (next) =>
  async (exchange) => {
    try {
      return await next(exchange)
    } catch (error) {
      return statusAnswer(exchange, errorOf(error, logger, exchange.info.path).status)
    }
  }

/** What a client sends may be deeper than the stack that walks it. */
const isTooDeep = (error: unknown): boolean =>
  error instanceof RangeError && error.message === 'Maximum call stack size exceeded'

function errorOf(error: unknown, logger: Logger, path: string): ApiError {
  if (error instanceof ApiError) return error
  const { message, stack } = error as Error
  logger.error('request failed', { path, error: message, stack })
  return isTooDeep(error)
    ? badRequest('the object provided is nested too deep: exceeded max depth')
    : internalError(message)
}
