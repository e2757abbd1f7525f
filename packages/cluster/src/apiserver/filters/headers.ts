import type { Filter } from '../endpoints/exchange.ts'
import { warningHeaders } from './warnings.ts'

/** The headers of every answer: it is not to be cached, it can be found in a log, and it may carry warnings. */
export const headers: Filter = (next) => async (exchange) => {
  const answer = await next(exchange)
  const warnings = warningHeaders(exchange.warnings)
  return {
    ...answer,
    headers: {
      'audit-id': exchange.auditId,
      'cache-control': 'no-cache, private',
      ...answer.headers,
      ...(warnings.length > 0 ? { warning: warnings } : {}),
    },
  }
}
