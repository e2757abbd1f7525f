import { once } from 'node:events'
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { type Departure, Departures } from './departures.ts'
import { type Answer, type ApiRequest, isWhole, NO_BODY, type Peer } from './message.ts'
import { peerOf } from './peer.ts'
import { isDecodable } from './refusals.ts'
import { readBody, targetOf } from './request-parts.ts'

/** How many requests one connection may have open (apiserver/pkg/server/secure_serving.go). */
const MAX_STREAMS = 100
/** What a client may send of one body, and of all, before somebody reads it, in bytes. */
const WINDOW = 256 * 1024
/** What Go allows for a head, and how it is counted. */
const MAX_HEADER_BYTES = (1 << 20) + 320
const MAX_HEADER_PAIRS = 4096
/** How long a connection may stand without a request, in milliseconds. */
const IDLE = 90_000
/** Megabytes that one connection may hold; a list on its way counts, and must not stop others. */
const MAX_SESSION_MEMORY = 1000

/** The connections of HTTP/2 that a listener has. */
export interface Http2Connections {
  /** Takes a connection over that has agreed on `h2`. */
  readonly accept: (socket: TLSSocket) => void
  /** Says goodbye (GOAWAY): what is going on may end, nothing new begins. */
  readonly close: () => void
}

/** Answers requests of HTTP/2. */
export function http2Connections(
  answer: (request: ApiRequest) => Promise<Answer>,
  closing: AbortSignal,
): Http2Connections {
  const sessions = new Set<ServerHttp2Session>()
  const departures = new Departures(closing)
  const server = makeServer()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => session.destroy())
    session.setLocalWindowSize(WINDOW * MAX_STREAMS)
    keepWhileUsed(session)
    if (closing.aborted) session.close()
  })
  server.on('stream', (stream, headers, _, raw) => {
    void serve(stream as ServerHttp2Stream, { headers, raw }, answer, departures)
  })
  return {
    accept: (socket) => void server.emit('connection', socket),
    close: () => sessions.forEach((it) => it.close()),
  }
}

const makeServer = (): Http2Server =>
  createServer({
    maxHeaderListPairs: MAX_HEADER_PAIRS,
    maxSessionMemory: MAX_SESSION_MEMORY,
    settings: {
      maxConcurrentStreams: MAX_STREAMS,
      initialWindowSize: WINDOW,
      maxHeaderListSize: MAX_HEADER_BYTES,
    },
  })

/** A connection without a request is closed in time; a watch on which nothing happens is a request. */
function keepWhileUsed(session: ServerHttp2Session): void {
  let open = 0
  session.on('stream', (stream) => {
    open++
    stream.on('close', () => open--)
  })
  session.setTimeout(IDLE, () => open > 0 || session.close())
}

async function serve(
  stream: ServerHttp2Stream,
  received: ReceivedHeaders,
  answer: (request: ApiRequest) => Promise<Answer>,
  departures: Departures,
): Promise<void> {
  const departure = departures.enter()
  let answered = false
  stream.on('error', () => departure.go())
  // A stream that its client cancels counts as finished.
  stream.on('close', () => answered || departure.go())
  try {
    const request = requestOf(stream, received, departure)
    const { path } = request
    const told = isDecodable(path) ? await answer(request) : UNDECODABLE
    await write(stream, told, request.method === 'HEAD', departure)
    answered = true
  } catch {
    stream.close()
  } finally {
    departures.leave(departure)
  }
}

const UNDECODABLE: Answer = {
  status: 400,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: '400 Bad Request',
}

/** Headers by name, several of one name joined; and one by one, as they came: name, value, name, value. */
interface ReceivedHeaders {
  readonly headers: IncomingHttpHeaders
  readonly raw: readonly string[]
}

function requestOf(
  stream: ServerHttp2Stream,
  { headers, raw }: ReceivedHeaders,
  departure: Departure,
): ApiRequest {
  const { target, path, query } = targetOf(headers[':path'] ?? '/')
  return {
    method: headers[':method'] ?? 'GET',
    target,
    path,
    query,
    header: (name) => {
      const value = headers[name === 'host' ? ':authority' : name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    values: (name) => raw.filter((_, i) => i % 2 === 1 && raw[i - 1] === name),
    headers: () => headersOf(headers),
    get signal() {
      return departure.signal
    },
    peer: peerOfStream(stream),
    body: (limit) => readBody(stream, limit),
    stream: () => stream as AsyncIterable<Uint8Array>,
  }
}

const peerOfStream = ({ session }: ServerHttp2Stream): Peer =>
  session ? peerOf(socketOf(session)) : { kind: 'socket' }

/** The session shows its socket through a proxy of its own, the same one every time. */
const socketOf = (session: { readonly socket: unknown }): TLSSocket => session.socket as TLSSocket

function* headersOf(headers: IncomingHttpHeaders): Generator<readonly [string, string]> {
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':')) continue
    yield [name, Array.isArray(value) ? value.join(', ') : value]
  }
}

async function write(
  stream: ServerHttp2Stream,
  { status, headers, body, overrun }: Answer,
  isHead: boolean,
  departure: Departure,
): Promise<void> {
  if (stream.destroyed) return
  const head = { ...(headers as Record<string, string | string[]>), ':status': status }
  if (isWhole(body)) {
    const length = body === undefined ? 0 : Buffer.byteLength(body)
    const sized = NO_BODY.has(status) ? head : { ...head, 'content-length': length }
    const empty = length === 0 || isHead
    stream.respond(sized, { endStream: empty })
    if (!empty) stream.end(body)
    stream.resume()
    return
  }
  stream.respond(head)
  overrun?.addEventListener('abort', () => stream.destroy(), { once: true })
  for await (const chunk of body) {
    if (departure.gone || stream.destroyed) break
    // The client's window is what holds a stream back: nothing more is made before it has been taken.
    if (!stream.write(chunk)) await drained(stream, departure.signal)
  }
  stream.end()
}

async function drained(stream: ServerHttp2Stream, signal: AbortSignal): Promise<void> {
  try {
    await once(stream, 'drain', { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
