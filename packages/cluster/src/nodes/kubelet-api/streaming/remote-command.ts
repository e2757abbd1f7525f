import type { Duplex, Writable } from 'node:stream'
import type { Answer, ApiRequest } from '../../../apiserver/http/message.ts'
import { plainAnswer } from '../plain-answer.ts'
import { SpdyConnection } from '../spdy/connection.ts'
import type { SpdyStream } from '../spdy/stream.ts'
import { openChannels } from '../websocket/channels.ts'
import { asksForWebSocket, webSocketHandshake } from '../websocket/handshake.ts'
import type { OutcomeFormat } from './outcome.ts'
import { spdyHandshake } from './spdy-handshake.ts'

/** Which streams a client wants. */
export interface WantedStreams {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

/** A client whose streams are all there. */
export interface Session {
  readonly stdin: Duplex | undefined
  readonly stdout: Duplex | undefined
  readonly stderr: Duplex | undefined
  readonly resize: Duplex | undefined
  readonly error: Duplex
  readonly format: OutcomeFormat
  /** Resolves when the client is gone. */
  readonly closed: Promise<void>
  /** Hangs up, once all that was written is on its way. */
  readonly close: () => void
}

/** Answers a client that wants the streams of a command, over SPDY or a WebSocket, and hands them over once they are there. */
export function openSession(
  request: ApiRequest,
  wanted: WantedStreams,
  begin: (session: Session) => void,
): Answer {
  return asksForWebSocket(request)
    ? overWebSocket(request, wanted, begin)
    : overSpdy(request, wanted, begin)
}

interface ChannelProtocol {
  readonly base64: boolean
  readonly hasCloseSignal: boolean
  readonly format: OutcomeFormat
}

const channelProtocol = (base64: boolean, format: OutcomeFormat): ChannelProtocol => ({
  base64,
  hasCloseSignal: format === 'translatedStatus',
  format,
})

/** The subprotocols of a WebSocket with channels, the newest first. */
const CHANNEL_PROTOCOLS: Readonly<Record<string, ChannelProtocol>> = {
  'v5.channel.k8s.io': channelProtocol(false, 'translatedStatus'),
  'v4.channel.k8s.io': channelProtocol(false, 'status'),
  'v4.base64.channel.k8s.io': channelProtocol(true, 'status'),
  'channel.k8s.io': channelProtocol(false, 'text'),
  'base64.channel.k8s.io': channelProtocol(true, 'text'),
  '': channelProtocol(false, 'text'),
}

/** Their numbers. */
const [STDIN, STDOUT, STDERR, ERROR, RESIZE] = [0, 1, 2, 3, 4] as const

function overWebSocket(
  request: ApiRequest,
  wanted: WantedStreams,
  begin: (session: Session) => void,
): Answer {
  const handshake = webSocketHandshake(request, Object.keys(CHANNEL_PROTOCOLS))
  if ('refused' in handshake) return handshake.refused
  const protocol = CHANNEL_PROTOCOLS[handshake.protocol]!
  const tunnel = (socket: Duplex): void => {
    const { streams, closed, close } = openChannels(socket, 5, protocol)
    // An empty message says that the connection stands.
    streams[wanted.stdout ? STDOUT : wanted.stderr ? STDERR : ERROR]!.write(Buffer.alloc(0))
    begin({
      stdin: wanted.stdin ? streams[STDIN] : undefined,
      stdout: wanted.stdout ? streams[STDOUT] : undefined,
      stderr: wanted.stderr ? streams[STDERR] : undefined,
      resize: wanted.tty ? streams[RESIZE] : undefined,
      error: streams[ERROR]!,
      format: protocol.format,
      closed,
      close,
    })
  }
  return { ...handshake.head, tunnel }
}

const SPDY_PROTOCOLS = [
  'v4.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'channel.k8s.io',
] as const

function overSpdy(
  request: ApiRequest,
  wanted: WantedStreams,
  begin: (session: Session) => void,
): Answer {
  const handshake = spdyHandshake(request, SPDY_PROTOCOLS)
  if ('refused' in handshake) return handshake.refused
  const { protocol } = handshake
  const canResize = protocol === 'v4.channel.k8s.io' || protocol === 'v3.channel.k8s.io'
  const expected = [
    'error',
    ...(['stdin', 'stdout', 'stderr'] as const).filter((it) => wanted[it]),
    ...(wanted.tty && canResize ? ['resize'] : []),
  ]
  const tunnel = (socket: Duplex): void => {
    const streams = new Map<string, SpdyStream>()
    const accept = (stream: SpdyStream): boolean => {
      const type = stream.header('streamtype') ?? ''
      if (!expected.includes(type) || streams.has(type)) return false
      streams.set(type, stream)
      // The last one is answered before anything is sent to it.
      if (streams.size === expected.length) queueMicrotask(() => begin(sessionOf()))
      return true
    }
    const connection = new SpdyConnection(socket, { is: 'server', accept })
    const sessionOf = (): Session => ({
      stdin: streams.get('stdin'),
      stdout: streams.get('stdout'),
      stderr: streams.get('stderr'),
      resize: streams.get('resize'),
      error: streams.get('error')!,
      format: protocol === 'v4.channel.k8s.io' ? 'status' : 'text',
      closed: connection.closed,
      close: () => connection.close(),
    })
  }
  return { ...handshake.head, tunnel }
}

/** The streams that a client asks for in a query. Answers with a sentence where there is none. */
export function wantedStreams(query: URLSearchParams): WantedStreams | Answer {
  const on = (name: string): boolean => query.get(name) === '1'
  const tty = on('tty')
  const wanted = { stdin: on('input'), stdout: on('output'), stderr: on('error') && !tty, tty }
  return wanted.stdin || wanted.stdout || wanted.stderr
    ? wanted
    : plainAnswer(400, 'you must specify at least 1 of stdin, stdout, stderr')
}

/** Resolves when all that was written to a stream is on its way. */
export function flushed(stream: Writable | undefined): Promise<void> {
  if (!stream || stream.destroyed || stream.writableFinished) return Promise.resolve()
  return new Promise((resolve) => {
    stream.once('close', resolve)
    stream.end(resolve)
  })
}
