import { Duplex } from 'node:stream'

/** How a stream reaches its connection. */
export interface StreamPort {
  /** Writes a part of the stream; `sent` is called when there is room for more. */
  readonly send: (bytes: Uint8Array, fin: boolean, sent: () => void) => void
  /** Tells the other side that the stream is of no use any more. */
  readonly reset: () => void
  /** There is room again for what the other side sends. */
  readonly drained: () => void
  /** The stream has ended in both directions, or was reset. */
  readonly gone: () => void
}

/** How much of a stream waits to be read before the whole connection waits, in bytes. */
const HIGH_WATER_MARK = 1024 * 1024
/** How long the data of a frame is at most, in bytes: others get their turn in between. */
const MAX_DATA = 64 * 1024

/** One of the streams that share a connection. `end` half-closes it; `destroy` resets it. */
export class MultiplexedStream extends Duplex {
  readonly #port: StreamPort
  #remoteEnded = false
  #isFull = false
  #isReset = false

  constructor(port: StreamPort) {
    // Reading it to its end must not reset what is still to be written.
    super({ allowHalfOpen: true, autoDestroy: false, readableHighWaterMark: HIGH_WATER_MARK })
    this.#port = port
    const over = (): void => {
      if (this.readableEnded && this.writableFinished) this.destroy()
    }
    this.on('end', over).on('finish', over)
  }

  /** Whether so much waits to be read that no more should come. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Takes what the other side sent. */
  receive(bytes: Uint8Array, fin: boolean): void {
    if (this.#remoteEnded || this.destroyed) return
    if (bytes.length > 0) this.#isFull = !this.push(bytes)
    if (!fin) return
    this.#remoteEnded = true
    this.push(null)
  }

  /** The other side has given the stream up, or is gone: what came can still be read, and nothing is sent any more. */
  abandon(): void {
    this.#isReset = true
    this.receive(new Uint8Array(), true)
    if (this.readableEnded || this.readableLength === 0) this.destroy()
    else this.once('end', () => this.destroy())
  }

  override _read(): void {
    this.#isFull = false
    this.#port.drained()
  }

  override _write(
    bytes: Buffer,
    _encoding: BufferEncoding,
    sent: (error?: Error | null) => void,
  ): void {
    if (this.#isReset) return sent()
    for (let at = 0; at + MAX_DATA < bytes.length; at += MAX_DATA)
      this.#port.send(bytes.subarray(at, at + MAX_DATA), false, () => {})
    const last = Math.max(0, Math.ceil(bytes.length / MAX_DATA) - 1) * MAX_DATA
    this.#port.send(bytes.subarray(last), false, sent)
  }

  override _final(sent: (error?: Error | null) => void): void {
    if (this.#isReset) return sent()
    this.#port.send(new Uint8Array(), true, sent)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const isOver = this.#isReset || (this.writableFinished && this.#remoteEnded)
    if (!isOver) this.#port.reset()
    this.#isReset = true
    this.#port.gone()
    done(error)
  }
}
