import { HeaderCompressor, HeaderDecompressor, type SpdyHeaders } from './header-block.ts'
import { SpdyError } from './spdy-error.ts'

/** A frame of SPDY/3.1 (section 2.6). Numbers are unsigned, stream ids have 31 bits; `fin` says that its sender writes no more to the stream. */
export type SpdyFrame =
  | {
      readonly is: 'data'
      readonly streamId: number
      readonly fin: boolean
      readonly bytes: Uint8Array
    }
  | {
      readonly is: 'synStream'
      readonly streamId: number
      readonly associatedTo: number
      /** 0 is the highest, 7 the lowest. */
      readonly priority: number
      readonly fin: boolean
      readonly unidirectional: boolean
      readonly headers: SpdyHeaders
    }
  | HeaderFrame<'synReply'>
  | HeaderFrame<'headers'>
  | { readonly is: 'rstStream'; readonly streamId: number; readonly status: number }
  | { readonly is: 'settings'; readonly clear: boolean; readonly settings: readonly Setting[] }
  | { readonly is: 'ping'; readonly id: number }
  | { readonly is: 'goAway'; readonly lastStreamId: number; readonly status: number }
  | { readonly is: 'windowUpdate'; readonly streamId: number; readonly delta: number }

interface HeaderFrame<Is extends string> {
  readonly is: Is
  readonly streamId: number
  readonly fin: boolean
  readonly headers: SpdyHeaders
}

export interface Setting {
  readonly id: number
  readonly flags: number
  readonly value: number
}

type Control = Exclude<SpdyFrame, { readonly is: 'data' }>

/** The types of control frames by their numbers. */
const TYPES: Readonly<Record<Control['is'], number>> = Object.freeze({
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
})
const NAMES = new Map(Object.entries(TYPES).map(([name, type]) => [type, name as Control['is']]))

const VERSION = 3
const CONTROL = 0x8000
const FIN = 1
const UNIDIRECTIONAL = 2
const CLEAR = 1
const HEAD = 8
/** How long the payload of a frame can be, in bytes. */
const MAX_LENGTH = 2 ** 24 - 1
/** How long that of a control frame may be. */
const MAX_CONTROL = 1024 * 1024
const MAX_ID = 2 ** 31 - 1

/** Why a stream was reset (section 2.6.3). */
export const RESET: Readonly<
  Record<'protocolError' | 'invalidStream' | 'refused' | 'cancel', number>
> = Object.freeze({ protocolError: 1, invalidStream: 2, refused: 3, cancel: 5 })

/** Writes the frames of one side of a connection, in their order: headers refer to those before them. */
export class FrameEncoder {
  readonly #headers = new HeaderCompressor()

  /** The bytes of a frame. Throws a RangeError for data of 16 MiB or more. */
  encode(frame: SpdyFrame): Buffer {
    if (frame.is === 'data') return dataFrame(frame)
    const { flags, payload } = this.#payload(frame)
    const head = Buffer.alloc(HEAD)
    head.writeUInt16BE(CONTROL | VERSION, 0)
    head.writeUInt16BE(TYPES[frame.is], 2)
    head.writeUInt32BE(payload.length, 4)
    head[4] = flags
    return Buffer.concat([head, payload])
  }

  #payload(frame: Control): { readonly flags: number; readonly payload: Buffer } {
    switch (frame.is) {
      case 'synStream': {
        const { streamId, associatedTo, priority, headers, unidirectional } = frame
        const flags = (frame.fin ? FIN : 0) | (unidirectional ? UNIDIRECTIONAL : 0)
        const start = Buffer.concat([
          words(streamId, associatedTo),
          Buffer.from([priority << 5, 0]),
        ])
        return { flags, payload: Buffer.concat([start, this.#headers.compress(headers)]) }
      }
      case 'synReply':
      case 'headers': {
        const payload = [words(frame.streamId), this.#headers.compress(frame.headers)]
        return { flags: frame.fin ? FIN : 0, payload: Buffer.concat(payload) }
      }
      case 'rstStream':
        return { flags: 0, payload: words(frame.streamId, frame.status) }
      case 'settings':
        return { flags: frame.clear ? CLEAR : 0, payload: settingsBytes(frame.settings) }
      case 'ping':
        return { flags: 0, payload: words(frame.id) }
      case 'goAway':
        return { flags: 0, payload: words(frame.lastStreamId, frame.status) }
      case 'windowUpdate':
        return { flags: 0, payload: words(frame.streamId, frame.delta) }
    }
  }
}

function dataFrame({ streamId, fin, bytes }: Extract<SpdyFrame, { is: 'data' }>): Buffer {
  if (bytes.length > MAX_LENGTH)
    throw new RangeError(`a frame of ${bytes.length} bytes is too long: ${MAX_LENGTH} is the most`)
  const head = words(streamId, bytes.length)
  head[4] = fin ? FIN : 0
  return Buffer.concat([head, bytes])
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((it, index) => void bytes.writeUInt32BE(it, index * 4))
  return bytes
}

const settingsBytes = (settings: readonly Setting[]): Buffer =>
  words(settings.length, ...settings.flatMap((it) => [it.flags * 2 ** 24 + it.id, it.value]))

/** Reads the frames of the other side of a connection, however its bytes are cut. */
export class FrameDecoder {
  readonly #headers = new HeaderDecompressor()
  #chunks: Buffer[] = []
  #size = 0
  /** How many bytes are needed before there is anything to do. */
  #needed = HEAD

  /** The frames that are whole now. Throws an SpdyError for what is no frame; nothing can be read after that. */
  push(bytes: Buffer): readonly SpdyFrame[] {
    const frames: SpdyFrame[] = []
    this.#chunks.push(bytes)
    this.#size += bytes.length
    while (this.#size >= this.#needed) {
      const all = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
      const end = HEAD + lengthOf(all)
      this.#chunks = [all]
      this.#needed = end
      if (all.length < end) break
      this.#chunks = [all.subarray(end)]
      this.#size -= end
      this.#needed = HEAD
      const frame = this.#read(all.subarray(0, HEAD), all.subarray(HEAD, end))
      if (frame) frames.push(frame)
    }
    return frames
  }

  #read(head: Buffer, payload: Buffer): SpdyFrame | undefined {
    const first = head.readUInt16BE(0)
    const flags = head[4]!
    if ((first & CONTROL) === 0)
      return {
        is: 'data',
        streamId: head.readUInt32BE(0),
        fin: (flags & FIN) !== 0,
        bytes: payload,
      }
    const version = first & ~CONTROL
    if (version !== VERSION)
      throw new SpdyError(`a frame is of version ${version}, and should be of version ${VERSION}`)
    const name = NAMES.get(head.readUInt16BE(2))
    // What is not known is to be passed over (section 2.2.1).
    return name && this.#control(name, flags, payload)
  }

  #control(is: Control['is'], flags: number, payload: Buffer): Control {
    const fin = (flags & FIN) !== 0
    switch (is) {
      case 'synStream': {
        mustHave(payload, 10)
        const [streamId, associatedTo] = [idAt(payload, 0), idAt(payload, 4)]
        const headers = this.#headers.decompress(payload.subarray(10))
        const unidirectional = (flags & UNIDIRECTIONAL) !== 0
        return {
          is,
          streamId,
          associatedTo,
          priority: payload[8]! >> 5,
          fin,
          unidirectional,
          headers,
        }
      }
      case 'synReply':
      case 'headers': {
        mustHave(payload, 4)
        const headers = this.#headers.decompress(payload.subarray(4))
        return { is, streamId: idAt(payload, 0), fin, headers }
      }
      case 'rstStream':
        return { is, streamId: idAt(mustHave(payload, 8), 0), status: payload.readUInt32BE(4) }
      case 'settings':
        return { is, clear: (flags & CLEAR) !== 0, settings: readSettings(mustHave(payload, 4)) }
      case 'ping':
        return { is, id: mustHave(payload, 4).readUInt32BE(0) }
      case 'goAway':
        return { is, lastStreamId: idAt(mustHave(payload, 8), 0), status: payload.readUInt32BE(4) }
      case 'windowUpdate':
        return { is, streamId: idAt(mustHave(payload, 8), 0), delta: idAt(payload, 4) }
    }
  }
}

function lengthOf(head: Buffer): number {
  const length = head.readUIntBE(5, 3)
  if ((head[0]! & 0x80) !== 0 && length > MAX_CONTROL)
    throw new SpdyError(`a control frame has ${length} bytes, and may have ${MAX_CONTROL}`)
  return length
}

function mustHave(payload: Buffer, length: number): Buffer {
  if (payload.length < length)
    throw new SpdyError(`a frame has ${payload.length} bytes, and should have ${length} at least`)
  return payload
}

const idAt = (payload: Buffer, at: number): number => payload.readUInt32BE(at) & MAX_ID

function readSettings(payload: Buffer): readonly Setting[] {
  const count = payload.readUInt32BE(0)
  if (payload.length !== 4 + count * 8) throw new SpdyError('settings are not as many as they say')
  return Array.from({ length: count }, (_, index) => {
    const at = 4 + index * 8
    return {
      flags: payload[at]!,
      id: payload.readUIntBE(at + 1, 3),
      value: payload.readUInt32BE(at + 4),
    }
  })
}
