import { createHash } from 'node:crypto'

/** The kinds of frame (RFC 6455 5.2). */
export const OPCODE: Readonly<
  Record<'continuation' | 'text' | 'binary' | 'close' | 'ping' | 'pong', number>
> = Object.freeze({
  continuation: 0,
  text: 1,
  binary: 2,
  close: 8,
  ping: 9,
  pong: 10,
})

/** What a frame says of itself before its payload. */
export interface FrameHead {
  readonly opcode: number
  /** Whether the message ends with it. */
  readonly final: boolean
  /** Of the payload, in bytes. */
  readonly length: number
  readonly mask: Buffer | undefined
  /** Of the head itself, in bytes. */
  readonly size: number
}

/** Reads the head of a frame at the beginning of some bytes; undefined until it is whole. Limits are the reader's affair. */
export function frameHead(bytes: Buffer): FrameHead | undefined {
  const [first, second] = bytes
  if (first === undefined || second === undefined) return undefined
  const short = second & 0x7f
  const wide = short === 126 ? 2 : short === 127 ? 8 : 0
  const isMasked = (second & 0x80) !== 0
  const size = 2 + wide + (isMasked ? 4 : 0)
  if (bytes.length < size) return undefined
  const length =
    wide === 0 ? short : wide === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  return {
    opcode: first & 0x0f,
    final: (first & 0x80) !== 0,
    length,
    mask: isMasked ? bytes.subarray(2 + wide, size) : undefined,
    size,
  }
}

/** A copy of a payload, its mask taken off. */
export function unmasked(bytes: Uint8Array, mask: Uint8Array | undefined): Buffer {
  const out = Buffer.from(bytes)
  if (mask) xor(bytes, mask, out, 0)
  return out
}

/** The bytes of a whole message. A client masks them, as it must (RFC 6455 5.3), by any 32 bits; a server does not. */
export function encodeFrame(opcode: number, payload: Uint8Array, mask?: number): Buffer {
  const { length } = payload
  const wide = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const start = 2 + wide + (mask === undefined ? 0 : 4)
  const frame = Buffer.alloc(start + length)
  frame[0] = 0x80 | opcode
  frame[1] = (mask === undefined ? 0 : 0x80) | (wide === 0 ? length : wide === 2 ? 126 : 127)
  if (wide === 2) frame.writeUInt16BE(length, 2)
  if (wide === 8) frame.writeBigUInt64BE(BigInt(length), 2)
  if (mask === undefined) frame.set(payload, start)
  else {
    frame.writeUInt32BE(mask >>> 0, 2 + wide)
    xor(payload, frame.subarray(2 + wide, start), frame, start)
  }
  return frame
}

function xor(from: Uint8Array, key: Uint8Array, into: Uint8Array, offset: number): void {
  for (let i = 0; i < from.length; i++) into[offset + i] = from[i]! ^ key[i & 3]!
}

/** What makes a key into its answer (RFC 6455 1.3). */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** What proves that a server has understood a handshake (RFC 6455 1.3): `Sec-WebSocket-Accept` for a `Sec-WebSocket-Key`. */
export const acceptOf = (key: string): string =>
  createHash('sha1')
    .update(key + GUID)
    .digest('base64')
