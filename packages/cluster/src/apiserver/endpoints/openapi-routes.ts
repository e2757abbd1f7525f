import type { Answer } from '../http/message.ts'
import type { OpenApiPublisher } from '../openapi/publisher.ts'
import { pageNotFound } from './answers.ts'
import type { Exchange } from './exchange.ts'

/** `/openapi/v2`, and `/openapi/v3` with its documents; undefined for a path outside `/openapi/`. */
export function openApi(
  { info, request }: Exchange,
  publisher: OpenApiPublisher,
  now: number,
): Answer | undefined {
  const path = info.path.replace(/\/$/, '')
  const accept = request.header('accept') ?? null
  const ifNoneMatch = request.header('if-none-match') ?? null
  if (path === '/openapi/v3') return publisher.index()
  if (path === '/openapi/v2') return publisher.documentV2({ accept, ifNoneMatch })
  if (!path.startsWith('/openapi/v3/')) {
    return path.startsWith('/openapi/') ? pageNotFound : undefined
  }
  const answer = publisher.document({
    path: path.slice('/openapi/v3/'.length),
    hash: request.query.get('hash'),
    accept,
    ifNoneMatch,
    now,
  })
  return answer.status === 404 ? pageNotFound : answer
}
