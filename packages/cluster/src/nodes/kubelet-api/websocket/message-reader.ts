/** What a client sends, whole: fragments are put together, masks taken off (RFC 6455, section 5). */
export type ReceivedMessage =
  | { readonly is: 'data'; readonly isText: boolean; readonly payload: Buffer }
  | { readonly is: 'ping'; readonly payload: Buffer }
  | { readonly is: 'close'; readonly payload: Buffer }

const [CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG] = [0, 1, 2, 8, 9, 10] as const

/** How long a message may be, in bytes. */
const MAX_MESSAGE = 32 * 1024 * 1024

interface Head {
  readonly fin: boolean
  readonly opcode: number
  readonly length: number
  readonly mask: Buffer | undefined
  /** Of the head itself, in bytes. */
  readonly size: number
}

/** Reads the messages of a client, however its bytes are cut. */
export class MessageReader {
  #chunks: Buffer[] = []
  #size = 0
  /** How many bytes are needed before there is anything to do. */
  #needed = 2
  #parts: Buffer[] = []
  #isText = false

  /** The messages that are whole now. Throws an Error for what is no WebSocket; nothing can be read after that. */
  push(bytes: Buffer): readonly ReceivedMessage[] {
    this.#chunks.push(bytes)
    this.#size += bytes.length
    const messages: ReceivedMessage[] = []
    while (this.#size >= this.#needed) {
      const all = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
      this.#chunks = [all]
      const head = headOf(all)
      const end = head ? head.size + head.length : all.length + 1
      this.#needed = end
      if (!head || all.length < end) break
      this.#chunks = [all.subarray(end)]
      this.#size -= end
      this.#needed = 2
      const message = this.#frame(head, unmasked(all.subarray(head.size, end), head.mask))
      if (message) messages.push(message)
    }
    return messages
  }

  #frame({ opcode, fin }: Head, payload: Buffer): ReceivedMessage | undefined {
    switch (opcode) {
      case CLOSE:
        return { is: 'close', payload }
      case PING:
        return { is: 'ping', payload }
      case PONG:
        return undefined
      case TEXT:
      case BINARY:
        this.#parts = []
        this.#isText = opcode === TEXT
        return this.#part(payload, fin)
      case CONTINUATION:
        return this.#part(payload, fin)
      default:
        throw new Error(`a frame of a WebSocket has the opcode ${opcode}, which means nothing`)
    }
  }

  #part(payload: Buffer, fin: boolean): ReceivedMessage | undefined {
    this.#parts.push(payload)
    const size = this.#parts.reduce((sum, it) => sum + it.length, 0)
    if (size > MAX_MESSAGE) throw tooLong(size)
    if (!fin) return undefined
    const whole = this.#parts.length === 1 ? payload : Buffer.concat(this.#parts)
    this.#parts = []
    return { is: 'data', isText: this.#isText, payload: whole }
  }
}

function headOf(bytes: Buffer): Head | undefined {
  const [first = 0, second = 0] = bytes
  const short = second & 0x7f
  const wide = short === 126 ? 2 : short === 127 ? 8 : 0
  const isMasked = (second & 0x80) !== 0
  const size = 2 + wide + (isMasked ? 4 : 0)
  if (bytes.length < size) return undefined
  const length =
    wide === 0 ? short : wide === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  if (length > MAX_MESSAGE) throw tooLong(length)
  return {
    fin: (first & 0x80) !== 0,
    opcode: first & 0x0f,
    length,
    mask: isMasked ? bytes.subarray(2 + wide, size) : undefined,
    size,
  }
}

const tooLong = (size: number): Error =>
  new Error(`a message of a WebSocket has ${size} bytes, and may have ${MAX_MESSAGE}`)

function unmasked(bytes: Buffer, mask: Buffer | undefined): Buffer {
  const out = Buffer.from(bytes)
  if (mask) for (let i = 0; i < out.length; i++) out[i]! ^= mask[i & 3]!
  return out
}
