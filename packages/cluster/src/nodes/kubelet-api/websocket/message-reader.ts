import { type FrameHead, frameHead, OPCODE, unmasked } from 'kubewright/base'

/** What a client sends, whole: fragments are put together, masks taken off (RFC 6455, section 5). */
export type ReceivedMessage =
  | { readonly is: 'data'; readonly isText: boolean; readonly payload: Buffer }
  | { readonly is: 'ping'; readonly payload: Buffer }
  | { readonly is: 'close'; readonly payload: Buffer }

/** How long a message may be, in bytes. */
const MAX_MESSAGE = 32 * 1024 * 1024

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

  #frame({ opcode, final }: FrameHead, payload: Buffer): ReceivedMessage | undefined {
    switch (opcode) {
      case OPCODE.close:
        return { is: 'close', payload }
      case OPCODE.ping:
        return { is: 'ping', payload }
      case OPCODE.pong:
        return undefined
      case OPCODE.text:
      case OPCODE.binary:
        this.#parts = []
        this.#isText = opcode === OPCODE.text
        return this.#part(payload, final)
      case OPCODE.continuation:
        return this.#part(payload, final)
      default:
        throw new Error(`a frame of a WebSocket has the opcode ${opcode}, which means nothing`)
    }
  }

  #part(payload: Buffer, final: boolean): ReceivedMessage | undefined {
    this.#parts.push(payload)
    const size = this.#parts.reduce((sum, it) => sum + it.length, 0)
    if (size > MAX_MESSAGE) throw tooLong(size)
    if (!final) return undefined
    const whole = this.#parts.length === 1 ? payload : Buffer.concat(this.#parts)
    this.#parts = []
    return { is: 'data', isText: this.#isText, payload: whole }
  }
}

/** The head of a frame, if it is whole, of one that may be so long. */
function headOf(bytes: Buffer): FrameHead | undefined {
  const head = frameHead(bytes)
  if (head && head.length > MAX_MESSAGE) throw tooLong(head.length)
  return head
}

const tooLong = (size: number): Error =>
  new Error(`a message of a WebSocket has ${size} bytes, and may have ${MAX_MESSAGE}`)
