import { type Answer, type ApiRequest, type Chunk, NO_BODY, type User } from './message.ts'
import { queryOf } from './request-parts.ts'

/** Reads a web `Request` as the server's own, from `user`. */
export function fromFetch(request: Request, user: User, closing: AbortSignal): ApiRequest {
  const url = new URL(request.url)
  return {
    method: request.method,
    path: url.pathname,
    target: `${url.pathname}${url.search}`,
    query: queryOf(url.search.slice(1)),
    header: (name) => request.headers.get(name) ?? undefined,
    headers: () => request.headers,
    signal: AbortSignal.any([request.signal, closing]),
    peer: { kind: 'local', user },
    body: async (limit) => {
      const bytes = Buffer.from(await request.arrayBuffer())
      return bytes.length > limit ? undefined : bytes
    },
    stream: () => (request.body ?? new ReadableStream()) as AsyncIterable<Uint8Array>,
  }
}

/** An answer as a web `Response`; a stream ends when it is cancelled, and `cancelled` is told. */
export function toFetch({ status, headers, body }: Answer, cancelled?: () => void): Response {
  const fields = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    for (const each of typeof value === 'string' ? [value] : value) fields.append(name, each)
  }
  const content = NO_BODY.has(status) ? null : bodyOf(body, cancelled)
  return new Response(content, { status, headers: fields })
}

/** From this length on, in bytes, an answer is handed over, and not copied as a `Response` does. */
const LONG = 64 * 1024

const streamOfOne = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })

function bodyOf(
  body: Answer['body'],
  cancelled?: () => void,
): string | Uint8Array<ArrayBuffer> | ReadableStream | null {
  if (body === undefined) return null
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array)
    return body.length < LONG ? (body as Uint8Array<ArrayBuffer>) : streamOfOne(body)
  return streamOf(body, cancelled)
}

function streamOf(
  chunks: AsyncIterable<Chunk>,
  cancelled?: () => void,
): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) return controller.close()
      controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
    },
    // The generator may be waiting for its next chunk: only the signal ends that.
    cancel() {
      cancelled?.()
      // Nobody is left to hear how it ends.
      iterator.return?.().catch(() => {})
    },
  })
}
