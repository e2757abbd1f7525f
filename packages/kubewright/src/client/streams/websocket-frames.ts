import { frameHead, unmasked } from '../../base/websocket-frame.ts'

/** One frame as it was received, unmasked. */
export interface Frame {
  readonly opcode: number
  /** Whether the message ends with it. */
  readonly final: boolean
  readonly payload: Buffer
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
  if ((bytes[0]! & 0x70) !== 0)
    throw new Error('a WebSocket frame has reserved bits that were not agreed on')
  const head = frameHead(bytes)
  if (!head) return undefined
  const { opcode, final, length, mask } = head
  if (length > LARGEST)
    throw new Error(`a WebSocket frame of ${length} bytes: at most ${LARGEST} were expected`)
  const size = head.size + length
  if (bytes.length < size) return undefined
  return {
    frame: { opcode, final, payload: unmasked(bytes.subarray(head.size, size), mask) },
    size,
  }
}
