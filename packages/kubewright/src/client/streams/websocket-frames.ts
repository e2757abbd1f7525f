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

/** One frame as it was received, unmasked. */
export interface Frame {
  readonly opcode: number
  /** Whether the message ends with it. */
  readonly final: boolean
  readonly payload: Buffer
}

/** The bytes of a whole message from a client: masked, as clients must (RFC 6455 5.3). `mask` is any 32 bits. */
export function encodeFrame(opcode: number, payload: Uint8Array, mask: number): Buffer {
  const { length } = payload
  const extra = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const frame = Buffer.alloc(2 + extra + 4 + length)
  frame[0] = 0x80 | opcode
  frame[1] = 0x80 | (extra === 0 ? length : extra === 2 ? 126 : 127)
  if (extra === 2) frame.writeUInt16BE(length, 2)
  if (extra === 8) frame.writeBigUInt64BE(BigInt(length), 2)
  frame.writeUInt32BE(mask >>> 0, 2 + extra)
  xor(payload, frame.subarray(2 + extra, 6 + extra), frame, 6 + extra)
  return frame
}

function xor(from: Uint8Array, key: Uint8Array, into: Uint8Array, offset: number): void {
  for (let i = 0; i < from.length; i++) into[offset + i] = from[i]! ^ key[i & 3]!
}

/** The most that one frame of a server may hold, bytes: above it something else than a Kubernetes server speaks. */
const LARGEST = 64 << 20

/** Cuts a stream of bytes into frames; what is not complete waits for more. Throws for what is no WebSocket. */
export function createFrameDecoder(): (bytes: Buffer) => readonly Frame[] {
  let held: Buffer = Buffer.alloc(0)
  return (bytes) => {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes])
    const frames: Frame[] = []
    for (let next = frameAt(held); next; next = frameAt(held)) {
      frames.push(next.frame)
      held = held.subarray(next.size)
    }
    return frames
  }
}

function frameAt(bytes: Buffer): { readonly frame: Frame; readonly size: number } | undefined {
  if (bytes.length < 2) return undefined
  const first = bytes[0]!
  if ((first & 0x70) !== 0)
    throw new Error('a WebSocket frame has reserved bits that were not agreed on')
  const short = bytes[1]! & 0x7f
  const masked = (bytes[1]! & 0x80) !== 0
  const extra = short === 126 ? 2 : short === 127 ? 8 : 0
  const start = 2 + extra + (masked ? 4 : 0)
  if (bytes.length < start) return undefined
  const length =
    extra === 0 ? short : extra === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  if (length > LARGEST)
    throw new Error(`a WebSocket frame of ${length} bytes: at most ${LARGEST} were expected`)
  if (bytes.length < start + length) return undefined
  const payload = Buffer.from(bytes.subarray(start, start + length))
  if (masked) xor(payload, bytes.subarray(start - 4, start), payload, 0)
  return {
    frame: { opcode: first & 0x0f, final: (first & 0x80) !== 0, payload },
    size: start + length,
  }
}
