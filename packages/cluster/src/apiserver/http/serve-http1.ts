import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Departure, Departures } from './departures.ts'
import { type Answer, type ApiRequest, type Chunk, isWhole, NO_BODY } from './message.ts'
import { peerOf } from './peer.ts'
import { refuseRequest } from './refusals.ts'
import { readBody, targetOf } from './request-parts.ts'

/** Answers one request of HTTP/1.1. */
export async function serveHttp1(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: ApiRequest) => Promise<Answer>,
  departures: Departures,
): Promise<void> {
  if (refuseRequest(incoming)) return
  if (incoming.url === '*' && incoming.method === 'OPTIONS') return answerStar(outgoing)
  const departure = departures.enter()
  // A request that was answered whole has nobody left to tell.
  outgoing.on('close', () => outgoing.writableFinished || departure.go())
  outgoing.on('error', () => departure.go())
  try {
    const answered = await answer(requestOfHttp1(incoming, departure))
    const { body } = answered
    if (body instanceof Uint8Array && body.length > PIECE && incoming.method !== 'HEAD')
      await writeStream(outgoing, withLength(answered, body.length), piecesOf(body), departure)
    else if (isWhole(answered.body)) writeWhole(outgoing, answered, answered.body, incoming)
    else await writeStream(outgoing, answered, answered.body, departure)
  } catch {
    outgoing.destroy()
  } finally {
    departures.leave(departure)
  }
}

/** `OPTIONS *` is about the server itself, which has nothing to say (net/http serverHandler). */
function answerStar(outgoing: ServerResponse): void {
  outgoing.writeHead(200, { 'content-length': 0 }).end()
}

/** Reads a request of HTTP/1.1 as the server's own; `gone` has the signal that aborts when its client goes. */
export function requestOfHttp1(
  incoming: IncomingMessage,
  gone: { readonly signal: AbortSignal },
): ApiRequest {
  const { target, path, query } = targetOf(incoming.url ?? '/')
  return {
    method: incoming.method ?? 'GET',
    target,
    path,
    query,
    header: (name) => {
      const value = incoming.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    values: (name) => incoming.headersDistinct[name] ?? [],
    headers: () => headersOf(incoming),
    get signal() {
      return gone.signal
    },
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

/** Longer bodies than this, in bytes, are sent in pieces: the client reads one while the next is encrypted, and others get their turn. */
const PIECE = 256 * 1024

async function* piecesOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += PIECE) yield body.subarray(at, at + PIECE)
}

const withLength = (answer: Answer, length: number): Answer => ({
  ...answer,
  headers: { ...answer.headers, 'content-length': String(length) },
})

function writeWhole(
  outgoing: ServerResponse,
  { status, headers }: Answer,
  body: Chunk | undefined,
  incoming: IncomingMessage,
): void {
  // Text goes out with its headers in one write, bytes would be a second one.
  const length = body === undefined ? 0 : Buffer.byteLength(body)
  const sized = NO_BODY.has(status) ? headers : { ...headers, 'content-length': length }
  outgoing.writeHead(status, STATUS_TEXT[status] as never, sized as never)
  outgoing.end(incoming.method === 'HEAD' ? undefined : body)
  incoming.resume()
}

async function writeStream(
  outgoing: ServerResponse,
  { status, headers, overrun }: Answer,
  body: AsyncIterable<Chunk>,
  departure: Departure,
): Promise<void> {
  outgoing.writeHead(status, headers as never)
  outgoing.flushHeaders()
  overrun?.addEventListener('abort', () => outgoing.destroy(), { once: true })
  for await (const chunk of body) {
    if (departure.gone) break
    if (!outgoing.write(chunk satisfies Chunk)) await drained(outgoing, departure.signal)
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
