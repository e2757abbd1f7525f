import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { type Answer, type ApiRequest, type Chunk, isWhole, NO_BODY } from './message.ts'
import { peerOf } from './peer.ts'
import { refuseRequest } from './refusals.ts'
import { readBody, targetOf } from './request-parts.ts'

/** Answers one request of HTTP/1.1. */
export async function serveHttp1(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: ApiRequest) => Promise<Answer>,
  closing: AbortSignal,
): Promise<void> {
  if (refuseRequest(incoming)) return
  if (incoming.url === '*' && incoming.method === 'OPTIONS') return answerStar(outgoing)
  const gone = new AbortController()
  const stop = (): void => gone.abort()
  // A request that was answered whole has nobody left to tell.
  outgoing.on('close', () => outgoing.writableFinished || stop())
  outgoing.on('error', stop)
  closing.addEventListener('abort', stop, { once: true })
  try {
    await write(
      outgoing,
      await answer(requestOfHttp1(incoming, gone.signal)),
      incoming,
      gone.signal,
    )
  } catch {
    outgoing.destroy()
  } finally {
    closing.removeEventListener('abort', stop)
  }
}

/** `OPTIONS *` is about the server itself, which has nothing to say (net/http serverHandler). */
function answerStar(outgoing: ServerResponse): void {
  outgoing.writeHead(200, { 'content-length': 0 }).end()
}

/** Reads a request of HTTP/1.1 as the server's own. */
export function requestOfHttp1(incoming: IncomingMessage, signal: AbortSignal): ApiRequest {
  return {
    method: incoming.method ?? 'GET',
    ...targetOf(incoming.url ?? '/'),
    header: (name) => {
      const value = incoming.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    values: (name) => incoming.headersDistinct[name] ?? [],
    headers: () => headersOf(incoming),
    signal,
    peer: peerOf(incoming.socket as TLSSocket),
    body: (limit) => readBody(incoming, limit),
    stream: () => incoming as AsyncIterable<Uint8Array>,
  }
}

function* headersOf({ headers }: IncomingMessage): Generator<readonly [string, string]> {
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) yield [name, Array.isArray(value) ? value.join(', ') : value]
  }
}

/** Where Go words a status otherwise than Node. */
const STATUS_TEXT: Readonly<Record<number, string>> = { 413: 'Request Entity Too Large' }

async function write(
  outgoing: ServerResponse,
  { status, headers, body, overrun }: Answer,
  incoming: IncomingMessage,
  signal: AbortSignal,
): Promise<void> {
  if (isWhole(body)) {
    // Text goes out with its headers in one write, bytes would be a second one.
    const length = body === undefined ? 0 : Buffer.byteLength(body)
    const sized = NO_BODY.has(status) ? headers : { ...headers, 'content-length': length }
    outgoing.writeHead(status, STATUS_TEXT[status] as never, sized as never)
    outgoing.end(incoming.method === 'HEAD' ? undefined : body)
    incoming.resume()
    return
  }
  outgoing.writeHead(status, headers as never)
  outgoing.flushHeaders()
  overrun?.addEventListener('abort', () => outgoing.destroy(), { once: true })
  for await (const chunk of body) {
    if (signal.aborted) break
    if (!outgoing.write(chunk satisfies Chunk)) await drained(outgoing, signal)
  }
  outgoing.end()
}

async function drained(outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
  try {
    await once(outgoing, 'drain', { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
