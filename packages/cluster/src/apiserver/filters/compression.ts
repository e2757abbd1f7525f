import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { Filter } from '../endpoints/exchange.ts'

/** Answers shorter than this travel as they are, in bytes (handlers/responsewriters/writers.go). */
const THRESHOLD = 128 * 1024

const gzipped = promisify(gzip)

/** Compresses long answers for clients that take gzip; level 1, as the real server. Streams are left alone. */
export const compression: Filter = (next) => async (exchange) => {
  const answer = await next(exchange)
  const { body } = answer
  if (body === undefined || (typeof body !== 'string' && !(body instanceof Uint8Array)))
    return answer
  if (body.length < THRESHOLD || !exchange.info.isResource) return answer
  if (!/\bgzip\b/.test(exchange.request.header('accept-encoding') ?? '')) return answer
  const compressed = await gzipped(body, { level: constants.Z_BEST_SPEED })
  const headers = { ...answer.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' }
  return { ...answer, headers, body: compressed }
}
