import type { Filter } from '../endpoints/exchange.ts'
import type { Answer } from '../http/message.ts'
import { warningHeaders } from './warnings.ts'

/** The headers of every answer: it is not to be cached, it can be found in a log, and it may carry warnings. */
export const headers: Filter = (next) => async (exchange) => {
  const answer = await next(exchange)
  const warnings = warningHeaders(exchange.warnings)
  return {
    ...(warnings.some(isBeyondAscii) ? asBytes(answer) : answer),
    headers: {
      'audit-id': exchange.auditId,
      'cache-control': 'no-cache, private',
      ...exchange.marks,
      ...answer.headers,
      ...(warnings.length > 0 ? { warning: warnings } : {}),
    },
  }
}

const isBeyondAscii = (text: string): boolean => /[^\0-\x7f]/.test(text)

/** Node writes headers in the encoding of a body that is text; beside bytes it writes a character a byte. */
const asBytes = (answer: Answer): Answer =>
  typeof answer.body === 'string' ? { ...answer, body: Buffer.from(answer.body) } : answer
