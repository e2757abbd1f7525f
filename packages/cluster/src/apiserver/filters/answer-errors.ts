import type { Logger } from 'kubewright/base'
import { ApiError, internalError } from 'kubewright/machinery'
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

function errorOf(error: unknown, logger: Logger, path: string): ApiError {
  if (error instanceof ApiError) return error
  const { message, stack } = error as Error
  logger.error('request failed', { path, error: message, stack })
  return internalError(message)
}
