import type { Duplex } from 'node:stream'
import { FrameDecoder, FrameEncoder, RESET, type SpdyFrame } from './frame.ts'
import type { SpdyHeaders } from './header-block.ts'
import { SpdyStream } from './stream.ts'

/** Which side of a connection this is; on the server's, what happens to the streams that the client opens. */
export type SpdySide =
  | { readonly is: 'client' }
  | {
      readonly is: 'server'
      /** Gets a stream before any of its data. Answers whether it is taken; it is refused otherwise. */
      readonly accept: (stream: SpdyStream) => boolean
    }

const NOTHING: SpdyHeaders = new Map()

/**
 * SPDY/3.1 over a connection that has been upgraded to it, as much of it as Kubernetes speaks (github.com/moby/spdystream): streams without
 * flow control of their own. Where one is not read, the whole connection waits.
 */
export class SpdyConnection {
  /** Resolves when the connection is over, whoever ended it. */
  readonly closed: Promise<void>
  readonly #socket: Duplex
  readonly #side: SpdySide
  readonly #encoder = new FrameEncoder()
  readonly #decoder = new FrameDecoder()
  readonly #streams = new Map<number, SpdyStream>()
  #nextId = 1
  #lastAccepted = 0
  #isOver = false

  constructor(socket: Duplex, side: SpdySide) {
    this.#socket = socket
    this.#side = side
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#abandon()
        resolve()
      })
    })
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes: Buffer) => this.#receive(bytes))
    socket.on('end', () => this.#hangUp())
  }

  /** Opens a stream: a client does. */
  open(headers: SpdyHeaders): SpdyStream {
    const id = this.#nextId
    this.#nextId += 2
    const stream = this.#add(id, headers)
    const rest = { associatedTo: 0, priority: 0, fin: false, unidirectional: false }
    this.#send({ is: 'synStream', streamId: id, headers, ...rest })
    return stream
  }

  /** Resets what streams are left, says goodbye and hangs up. */
  close(): void {
    if (this.#isOver) return
    for (const it of this.#streams.values()) it.destroy()
    this.#send({ is: 'goAway', lastStreamId: this.#lastAccepted, status: 0 })
    this.#hangUp()
  }

  #hangUp(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#abandon()
    this.#socket.end()
    // What still comes is read, so that its end is seen.
    this.#socket.resume()
  }

  #abandon(): void {
    for (const it of this.#streams.values()) it.abandon()
  }

  #receive(bytes: Buffer): void {
    if (this.#isOver) return
    try {
      for (const frame of this.#decoder.push(bytes)) this.#handle(frame)
    } catch {
      // Nothing that follows can be understood.
      this.#socket.destroy()
    }
    if (this.#mustWait()) this.#socket.pause()
  }

  #handle(frame: SpdyFrame): void {
    switch (frame.is) {
      case 'synStream':
        return this.#accept(frame)
      case 'data':
        return this.#streams.get(frame.streamId)?.receive(frame.bytes, frame.fin)
      case 'synReply':
      case 'headers':
        if (frame.fin) this.#streams.get(frame.streamId)?.receive(new Uint8Array(), true)
        return
      case 'rstStream':
        return this.#streams.get(frame.streamId)?.abandon()
      case 'ping':
        return this.#pong(frame)
      case 'goAway':
        return this.#hangUp()
      // There is no flow control, and nothing to set.
      case 'settings':
      case 'windowUpdate':
    }
  }

  #accept({ streamId, headers, fin }: Extract<SpdyFrame, { is: 'synStream' }>): void {
    const side = this.#side
    if (side.is !== 'server' || streamId % 2 === 0 || streamId <= this.#lastAccepted)
      return this.#send({ is: 'rstStream', streamId, status: RESET.protocolError })
    this.#lastAccepted = streamId
    const stream = this.#add(streamId, headers)
    if (!side.accept(stream)) return void stream.destroy()
    this.#send({ is: 'synReply', streamId, fin: false, headers: NOTHING })
    if (fin) stream.receive(new Uint8Array(), true)
  }

  /** A ping comes back to who sent it, whose ids are odd on the client's side. */
  #pong(frame: Extract<SpdyFrame, { is: 'ping' }>): void {
    const isTheirs = (frame.id % 2 === 1) === (this.#side.is === 'server')
    if (isTheirs) this.#send(frame)
  }

  #add(streamId: number, headers: SpdyHeaders): SpdyStream {
    const stream = new SpdyStream(streamId, headers, {
      send: (bytes, fin, sent) => this.#sendData(streamId, bytes, fin, sent),
      reset: () => this.#send({ is: 'rstStream', streamId, status: RESET.cancel }),
      drained: () => this.#resume(),
      gone: () => {
        this.#streams.delete(streamId)
        this.#resume()
      },
    })
    // A reset is no failure of whoever reads.
    stream.on('error', () => {})
    this.#streams.set(streamId, stream)
    return stream
  }

  #resume(): void {
    if (this.#socket.isPaused() && !this.#mustWait()) this.#socket.resume()
  }

  #mustWait(): boolean {
    return !this.#isOver && [...this.#streams.values()].some((it) => it.isFull)
  }

  #send(frame: SpdyFrame): void {
    if (this.#socket.writable) this.#socket.write(this.#encoder.encode(frame))
  }

  #sendData(streamId: number, bytes: Uint8Array, fin: boolean, sent: () => void): void {
    if (!this.#socket.writable) return sent()
    const frame = this.#encoder.encode({ is: 'data', streamId, fin, bytes })
    this.#socket.write(frame, () => sent())
  }
}
