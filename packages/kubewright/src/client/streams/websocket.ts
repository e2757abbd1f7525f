import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../base/clock.ts'
import { acceptOf, encodeFrame, OPCODE } from '../../base/websocket-frame.ts'
import { errorOf, UnreachableError } from '../answer.ts'
import type { Connection } from '../connection.ts'
import type { Call } from '../exchange.ts'
import { queryText } from '../path.ts'
import { userAgentOf } from '../user-agent.ts'
import { createFrameDecoder, type Frame } from './websocket-frames.ts'

/** A WebSocket to the API server. Messages come as fast as they are read: a reader that rests makes the server wait. */
export interface WebSocketConnection {
  /** The protocol that the server chose. */
  readonly protocol: string
  /** Each message, whole; ends when the server closes, rejects with an UnreachableError when the connection breaks. Read once. */
  readonly messages: AsyncIterable<Buffer>
  /** Resolves when the message is on its way, and what was sent before has not piled up. */
  send(message: Uint8Array | string): Promise<void>
  /** Says goodbye and ends the connection; closing twice does nothing. */
  close(): void
}

/** How often a silent connection is asked whether it still is one, ms; after two rounds without a word it is given up. */
const HEARTBEAT = 30_000

/**
 * Opens a {@link WebSocketConnection}. Rejects with the ApiError that the server answered instead, with an UnreachableError, or with
 * the reason of the call's signal; aborting that later ends the connection.
 */
export async function openWebSocket(
  connection: Connection,
  call: Call,
  protocols: readonly string[],
  clock: Clock,
): Promise<WebSocketConnection> {
  const { upgrade, server } = connection
  if (!upgrade)
    throw new Error(
      `${call.path} needs a connection of its own, which a client of an in-process server has not; let the server listen and use its kubeconfig`,
    )
  const key = randomBytes(16).toString('base64')
  const answer = await upgrade(requestOf(connection, call, protocols, key), 'websocket').catch(
    (error: unknown) => {
      throw call.signal?.aborted ? call.signal.reason : new UnreachableError(server, error)
    },
  )
  if (!answer.socket) throw await refusal(answer.response, server, call.path)
  const protocol = answer.headers.get('sec-websocket-protocol') ?? ''
  if (answer.headers.get('sec-websocket-accept') !== acceptOf(key)) {
    answer.socket.destroy()
    throw new UnreachableError(server, new Error('what answered is no WebSocket server'))
  }
  return connectionOver(answer.socket, protocol, { server, clock, signal: call.signal })
}

function requestOf(
  { server }: Connection,
  call: Call,
  protocols: readonly string[],
  key: string,
): Request {
  const headers: Record<string, string> = {
    'user-agent': userAgentOf(),
    origin: new URL(server).origin,
    'sec-websocket-version': '13',
    'sec-websocket-key': key,
    ...(protocols.length > 0 ? { 'sec-websocket-protocol': protocols.join(', ') } : {}),
  }
  const url = server.replace(/\/$/, '') + call.path + queryText(call.query)
  return new Request(url, { headers, ...(call.signal ? { signal: call.signal } : {}) })
}

function refusal(response: Response, server: string, path: string): Promise<Error> {
  if (response.status < 400)
    return Promise.resolve(
      new UnreachableError(
        server,
        new Error(`${path} answered ${response.status} where a WebSocket (101) was expected`),
      ),
    )
  return errorOf(response, { method: 'GET', server, path })
}

interface Around {
  readonly server: string
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
}

function connectionOver(
  socket: Duplex,
  protocol: string,
  { server, clock, signal }: Around,
): WebSocketConnection {
  let closed = false
  let heard = clock.now()
  const write = (opcode: number, payload: Uint8Array): boolean =>
    socket.writable && socket.write(encodeFrame(opcode, payload, randomBytes(4).readUInt32BE()))
  const abort = (): void => void socket.destroy(signal?.reason as Error)
  let timer = clock.after(HEARTBEAT, beat)
  function beat(): void {
    if (clock.now() - heard >= 2 * HEARTBEAT)
      return void socket.destroy(new Error(`nothing was heard for ${(2 * HEARTBEAT) / 1000} s`))
    write(OPCODE.ping, Buffer.alloc(0))
    timer = clock.after(HEARTBEAT, beat)
  }
  socket.once('close', () => {
    timer.cancel()
    signal?.removeEventListener('abort', abort)
  })
  // Whoever reads is told; without this a break before that would end the process.
  socket.on('error', () => {})
  signal?.addEventListener('abort', abort, { once: true })
  const close = (): void => {
    if (closed) return
    closed = true
    write(OPCODE.close, Buffer.from([0x03, 0xe8]))
    // Who has said goodbye hears nothing any more, and does not wait for the other side to go.
    socket.end(() => socket.destroy())
  }
  const onFrame = (frame: Frame): void => {
    if (frame.opcode === OPCODE.ping) write(OPCODE.pong, frame.payload)
    if (frame.opcode === OPCODE.close) close()
  }
  return {
    protocol,
    messages: messagesOf(socket, {
      onFrame,
      onBytes: () => (heard = clock.now()),
      closed: () => closed,
      broken: (error) => (signal?.aborted ? signal.reason : new UnreachableError(server, error)),
    }),
    close,
    async send(message) {
      if (closed || !socket.writable)
        throw new UnreachableError(server, new Error('the WebSocket has been closed'))
      const text = typeof message === 'string'
      const room = write(text ? OPCODE.text : OPCODE.binary, text ? Buffer.from(message) : message)
      if (!room) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
    },
  }
}

interface Listening {
  readonly onFrame: (frame: Frame) => void
  readonly onBytes: () => void
  readonly closed: () => boolean
  readonly broken: (error: unknown) => unknown
}

async function* messagesOf(
  socket: Duplex,
  { onFrame, onBytes, closed, broken }: Listening,
): AsyncGenerator<Buffer, void, undefined> {
  const decode = createFrameDecoder()
  let parts: Buffer[] = []
  try {
    for await (const bytes of socket as AsyncIterable<Buffer>) {
      onBytes()
      for (const frame of decode(bytes)) {
        onFrame(frame)
        if (frame.opcode === OPCODE.close) return
        if (frame.opcode > OPCODE.binary) continue
        parts.push(frame.payload)
        if (!frame.final) continue
        const message = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
        parts = []
        yield message
      }
    }
  } catch (error) {
    if (!closed()) throw broken(error)
  } finally {
    socket.destroy()
  }
}
