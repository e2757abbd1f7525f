import { type Duplex, pipeline } from 'node:stream'
import type { Answer, ApiRequest } from '../../../apiserver/http/message.ts'
import { messageOf, plainAnswer } from '../plain-answer.ts'
import type { PodAccess, PodRef } from '../pod-access.ts'
import { SpdyConnection } from '../spdy/connection.ts'
import type { SpdyStream } from '../spdy/stream.ts'
import { openChannels } from '../websocket/channels.ts'
import { askedProtocols, asksForWebSocket, webSocketHandshake } from '../websocket/handshake.ts'
import { webSocketTunnel } from '../websocket/tunnel.ts'
import { flushed } from './remote-command.ts'
import { spdyHandshake } from './spdy-handshake.ts'

const FORWARD = 'portforward.k8s.io'
/** Before a subprotocol that is SPDY inside of a WebSocket. */
const TUNNELLED = 'SPDY/3.1+'

/** Answers `/portForward`: over SPDY, SPDY in a WebSocket, or channels of a WebSocket. */
export function portForwardAnswer(access: PodAccess, of: PodRef, request: ApiRequest): Answer {
  const serve = (socket: Duplex): void => servePairs(access, of, socket)
  if (!asksForWebSocket(request)) {
    const handshake = spdyHandshake(request, [FORWARD])
    return 'refused' in handshake ? handshake.refused : { ...handshake.head, tunnel: serve }
  }
  if (!askedProtocols(request).some((it) => it.startsWith(TUNNELLED)))
    return overChannels(access, of, request)
  const handshake = webSocketHandshake(request, [`${TUNNELLED}${FORWARD}`])
  if ('refused' in handshake) return handshake.refused
  return { ...handshake.head, tunnel: (socket) => serve(webSocketTunnel(socket)) }
}

/** What a connection to a port consists of. */
interface Pair {
  readonly data: SpdyStream
  readonly error: SpdyStream
}

/** Waits for pairs of streams, one to carry data and one to tell of errors, and connects each to a port. */
function servePairs(access: PodAccess, of: PodRef, socket: Duplex): void {
  const waiting = new Map<string, SpdyStream>()
  const accept = (stream: SpdyStream): boolean => {
    const type = stream.header('streamtype')
    const port = portOf(stream.header('port') ?? '')
    if (port === undefined || (type !== 'data' && type !== 'error')) return false
    const request = requestOf(stream, type)
    const other = waiting.get(request)
    if (!other) {
      waiting.set(request, stream)
      return true
    }
    if (other.header('streamtype') === type) return false
    waiting.delete(request)
    const pair: Pair =
      type === 'data' ? { data: stream, error: other } : { data: other, error: stream }
    // The stream is answered before anything is sent to it.
    queueMicrotask(() => void connect(access, of, port, pair, gone.signal))
    return true
  }
  const gone = new AbortController()
  const connection = new SpdyConnection(socket, { is: 'server', accept })
  void connection.closed.then(() => gone.abort())
}

/** Old clients do not say which streams belong together: their ids are neighbours then, the error's first. */
const requestOf = (stream: SpdyStream, type: 'data' | 'error'): string =>
  stream.header('requestid') ?? String(type === 'error' ? stream.id : stream.id - 2)

function portOf(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return port >= 1 && port <= 65_535 ? port : undefined
}

async function connect(
  access: PodAccess,
  of: PodRef,
  port: number,
  { data, error }: Pair,
  signal: AbortSignal,
): Promise<void> {
  // Nothing comes there: reading shows its end.
  error.resume()
  try {
    await joined(data, await access.dial(of, port, signal))
    await flushed(error)
  } catch (cause) {
    error.write(failure(of, port, cause))
    await flushed(error)
    data.destroy()
  }
}

const failure = ({ name, uid }: PodRef, port: number, cause: unknown): string =>
  `error forwarding port ${port} to pod ${name}, uid ${uid}: ${messageOf(cause)}`

/** Carries bytes both ways until both sides have ended, or one of them is gone. */
async function joined(client: Duplex, server: Duplex): Promise<void> {
  client.once('close', () => server.destroy())
  await Promise.all([carried(client, server), carried(server, client)])
  server.destroy()
}

const carried = (from: Duplex, to: Duplex): Promise<void> =>
  new Promise((resolve) => void pipeline(from, to, () => resolve()))

// The older way: a WebSocket with two channels for each port that the query names.

const CHANNEL_PROTOCOLS = ['v4.channel.k8s.io', 'v4.base64.channel.k8s.io', ''] as const

function overChannels(access: PodAccess, of: PodRef, request: ApiRequest): Answer {
  const ports = portsOf(request.query)
  if (typeof ports === 'string') return plainAnswer(400, ports)
  const handshake = webSocketHandshake(request, CHANNEL_PROTOCOLS)
  if ('refused' in handshake) return handshake.refused
  const base64 = handshake.protocol === 'v4.base64.channel.k8s.io'
  const tunnel = (socket: Duplex): void => {
    const channels = openChannels(socket, ports.length * 2, { base64, hasCloseSignal: false })
    const gone = new AbortController()
    void channels.closed.then(() => gone.abort())
    const all = ports.map(async (port, index) => {
      const [data, error] = [channels.streams[index * 2]!, channels.streams[index * 2 + 1]!]
      for (const it of [data, error]) it.write(littleEndian(port))
      try {
        await joined(data, await access.dial(of, port, gone.signal))
      } catch (cause) {
        error.write(failure(of, port, cause))
      }
      await flushed(error)
    })
    void Promise.all(all).then(() => channels.close())
  }
  return { ...handshake.head, tunnel }
}

const littleEndian = (port: number): Buffer => Buffer.of(port & 255, port >> 8)

/** The ports of a query, or a sentence that says why there are none. */
function portsOf(query: URLSearchParams): readonly number[] | string {
  const texts = query.getAll('port')
  if (texts.length === 0) return 'query parameter "port" is required'
  if (texts.includes('')) return 'query parameter "port" cannot be empty'
  const ports = texts.flatMap((it) => it.split(',').map((one) => [it, portOf(one)] as const))
  const bad = ports.find(([, port]) => port === undefined)
  if (bad) return `unable to parse ${JSON.stringify(bad[0])} as a port`
  return ports.map(([, port]) => port!)
}
