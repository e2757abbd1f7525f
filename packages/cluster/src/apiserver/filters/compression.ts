import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { Filter } from '../endpoints/exchange.ts'
import { type Answer, isWhole } from '../http/message.ts'

/** Answers that are not longer than this travel as they are, in bytes (handlers/responsewriters/writers.go). */
const THRESHOLD = 128 * 1024

const gzipped = promisify(gzip)

/** Compresses long answers for clients that take gzip; level 1, as the real server. Streams are left alone. */
export const compression: Filter = (next) => async (exchange) => {
  const answer = await next(exchange)
  const { body } = answer
  if (!isWhole(body) || body === undefined || !isObject(exchange.info.path)) return answer
  // Not one character in most texts takes more than a byte: they need not be counted.
  if (body.length * 3 <= THRESHOLD || Buffer.byteLength(body) <= THRESHOLD) return answer
  if (!takesGzip(exchange.request.header('accept-encoding'))) return answer
  const compressed = await gzipped(body, { level: constants.Z_BEST_SPEED })
  return { ...answer, headers: encoded(answer.headers), body: compressed }
}

/** Objects and discovery; what lies elsewhere has writers of its own. */
const isObject = (path: string): boolean => /^\/apis?(?:\/|$)/.test(path)

/** The name alone, as it stands: a quality or capital letters make it another one. */
const takesGzip = (accepted = ''): boolean => accepted.split(',').some((it) => it.trim() === 'gzip')

function encoded(headers: Answer['headers']): Answer['headers'] {
  const vary = [headers['vary'] ?? [], 'Accept-Encoding'].flat()
  return { ...headers, 'content-encoding': 'gzip', vary }
}
