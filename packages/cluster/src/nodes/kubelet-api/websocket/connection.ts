import type { Duplex } from 'node:stream'
import { frame } from '../../../apiserver/http/websocket.ts'
import { MessageReader } from './message-reader.ts'

/** Gets the messages of the client. */
export type OnMessage = (payload: Buffer, isText: boolean) => void

/** The close of a server that has nothing more to say: 1000. */
const NORMAL = Buffer.from([0x03, 0xe8])

/** The server's side of a WebSocket whose handshake is over. */
export class WebSocketConnection {
  /** Resolves when the connection is over, whoever ended it. */
  readonly closed: Promise<void>
  readonly #socket: Duplex
  readonly #reader = new MessageReader()
  readonly #onMessage: OnMessage
  #isClosing = false

  constructor(socket: Duplex, onMessage: OnMessage) {
    this.#socket = socket
    this.#onMessage = onMessage
    this.closed = new Promise((resolve) => void socket.once('close', resolve))
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes: Buffer) => this.#receive(bytes))
    socket.on('end', () => this.#hangUp())
  }

  /** Sends a message; `sent` is called when there is room for more, and when there is nobody to send to. */
  send(payload: Uint8Array | string, sent: () => void = () => {}): void {
    if (!this.#socket.writable || this.#isClosing) return sent()
    const isText = typeof payload === 'string'
    const bytes = isText ? Buffer.from(payload) : payload
    this.#socket.write(frame(isText ? 'text' : 'binary', bytes), () => sent())
  }

  /** Stops the client, until `resume`. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    if (this.#socket.isPaused()) this.#socket.resume()
  }

  /** Says goodbye and hangs up. */
  close(): void {
    if (this.#isClosing) return
    if (this.#socket.writable) this.#socket.write(frame('close', NORMAL))
    this.#hangUp()
  }

  #receive(bytes: Buffer): void {
    if (this.#isClosing) return
    try {
      for (const it of this.#reader.push(bytes)) {
        if (it.is === 'data') this.#onMessage(it.payload, it.isText)
        else if (it.is === 'ping') this.#socket.write(frame('pong', it.payload))
        else return this.close()
      }
    } catch {
      // Nothing that follows can be understood.
      this.#socket.destroy()
    }
  }

  #hangUp(): void {
    this.#isClosing = true
    this.#socket.end()
    // What still comes is read, so that its end is seen.
    this.#socket.resume()
  }
}
