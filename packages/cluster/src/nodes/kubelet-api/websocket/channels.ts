import type { Duplex } from 'node:stream'
import { MultiplexedStream } from '../multiplexed-stream.ts'
import { WebSocketConnection } from './connection.ts'

/** How channels travel: raw or as text in base64, and whether a client may close one (k8s.io/streaming/pkg/httpstream/wsstream). */
export interface ChannelCodec {
  readonly base64: boolean
  readonly hasCloseSignal: boolean
}

/** Several streams over one WebSocket: the first byte of each message says which. */
export interface Channels {
  readonly streams: readonly MultiplexedStream[]
  /** Resolves when the connection is over. */
  readonly closed: Promise<void>
  /** Says goodbye and hangs up. */
  close(): void
}

/** Stands before the number of a channel that the client closes. */
const CLOSE_SIGNAL = 255
const ZERO = '0'.charCodeAt(0)

/** Opens `count` channels over a connection. What comes for others is passed over. */
export function openChannels(socket: Duplex, count: number, codec: ChannelCodec): Channels {
  const streams: MultiplexedStream[] = []
  const connection = new WebSocketConnection(socket, (payload) => {
    if (codec.hasCloseSignal && payload[0] === CLOSE_SIGNAL)
      return streams[payload[1] ?? count]?.receive(new Uint8Array(), true)
    const message = decode(payload, codec)
    if (message) streams[message.channel]?.receive(message.bytes, false)
    if (mustWait(streams)) connection.pause()
  })
  const resume = (): void => {
    if (!mustWait(streams)) connection.resume()
  }
  for (let channel = 0; channel < count; channel++) {
    const stream = new MultiplexedStream({
      // Nothing tells a client that one of several channels has ended.
      send: (bytes, fin, sent) =>
        fin ? sent() : connection.send(encode(channel, bytes, codec), sent),
      reset: () => {},
      drained: resume,
      gone: resume,
    })
    stream.on('error', () => {})
    streams.push(stream)
  }
  const closed = connection.closed.then(() => streams.forEach((it) => it.abandon()))
  return { streams, closed, close: () => connection.close() }
}

const mustWait = (streams: readonly MultiplexedStream[]): boolean =>
  streams.some((it) => it.isFull && !it.destroyed)

/** A message of a channel: its number before the bytes, or as a digit before their base64. */
export function encode(
  channel: number,
  bytes: Uint8Array,
  { base64 }: ChannelCodec,
): Uint8Array | string {
  return base64
    ? `${channel}${Buffer.from(bytes).toString('base64')}`
    : Buffer.concat([Buffer.of(channel), bytes])
}

function decode(
  payload: Buffer,
  { base64 }: ChannelCodec,
): { readonly channel: number; readonly bytes: Uint8Array } | undefined {
  const [first] = payload
  if (first === undefined) return undefined
  const rest = payload.subarray(1)
  if (!base64) return { channel: first, bytes: rest }
  return { channel: first - ZERO, bytes: Buffer.from(rest.toString('latin1'), 'base64') }
}
