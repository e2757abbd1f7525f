import { createHash, timingSafeEqual } from 'node:crypto'
import { aborted } from '../../base/lifetime.ts'
import type { Source, SourceContext } from '../definition.ts'
import type { Requests } from '../handler.ts'

/** Who may ask over HTTP, and how. */
export interface InboundOptions {
  /** Under the manager's inbound port (`ports: { inbound: 9080 }`). */
  readonly path: string
  /** Lets in only who sends `Authorization: Bearer <token>`. */
  readonly token?: string
  /** Lets in only what passes; for signatures of a body, for instance. The body has been read already and is handed along. */
  readonly verify?: (request: Request, body: string) => boolean | Promise<boolean>
  /** The longest body, in bytes of UTF-8. Default 1 MiB. */
  readonly limit?: number
}

/** Reads one call: whom to look at because of it. What it throws is answered with 400 and its message. */
export type InboundMap = (
  call: { readonly request: Request; readonly body: string },
  context: SourceContext,
) => Requests | Promise<Requests>

/**
 * A source that takes POSTs: 202 when what it asks for is in the queue, 400 for what the map cannot read, 401 for who may not, 405, 413.
 * A call says only that something is to be looked at; it is not kept over a restart.
 */
export function inbound(options: InboundOptions, map: InboundMap): Source {
  return async (enqueue, context) => {
    const remove = context.serve(options.path, async (request) => {
      if (request.method !== 'POST') return plain(405, 'only POST is taken here', { allow: 'POST' })
      const body = await request.text()
      const { limit = 1 << 20 } = options
      if (Buffer.byteLength(body) > limit) return plain(413, `more than ${limit} bytes`)
      if (!(await mayAsk(options, request, body))) return plain(401, 'Unauthorized')
      try {
        enqueue(await map({ request, body }, context), `POST ${options.path}`)
        return plain(202, 'accepted')
      } catch (error) {
        return plain(400, error instanceof Error ? error.message : String(error))
      }
    })
    await aborted(context.signal)
    remove()
  }
}

async function mayAsk(
  { token, verify }: InboundOptions,
  request: Request,
  body: string,
): Promise<boolean> {
  if (token !== undefined) {
    const given = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? ''
    // Of equal length, so that the time it takes tells nothing.
    const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
    if (!timingSafeEqual(hash(given), hash(token))) return false
  }
  return verify ? verify(request, body) : true
}

const plain = (status: number, text: string, headers: Record<string, string> = {}): Response =>
  new Response(`${text}\n`, { status, headers })
