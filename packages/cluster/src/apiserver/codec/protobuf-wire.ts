/** A protobuf message that cannot be read; the message is the Go decoder's. */
export class WireProblem extends Error {
  override readonly name = 'WireProblem'
}

/** How the value of a field lies in the bytes (protobuf.dev/programming-guides/encoding). */
export const WIRE: {
  readonly varint: 0
  readonly fixed64: 1
  readonly bytes: 2
  readonly fixed32: 5
} = Object.freeze({ varint: 0, fixed64: 1, bytes: 2, fixed32: 5 })

const TWO_32 = 2 ** 32

/** Walks over the bytes of a message. Throws a {@link WireProblem} where they end too soon or mean nothing. */
export class WireReader {
  readonly #bytes: Buffer
  #at: number
  #end: number

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#at = 0
    this.#end = bytes.length
  }

  /** Whether the message has been read to its end. */
  get done(): boolean {
    return this.#at >= this.#end
  }

  /** An integer of 64 bits with its sign, as Go's int32, int64 and bool are written; exact up to 2^53. */
  varint(): number {
    let low = 0
    let high = 0
    for (let shift = 0; shift < 64; shift += 7) {
      const byte = this.#byte()
      const part = byte & 0x7f
      if (shift < 28) low |= part << shift
      else if (shift === 28) {
        low |= part << 28
        high |= part >>> 4
      } else high |= part << (shift - 32)
      if (byte < 0x80) return high * TWO_32 + (low >>> 0)
    }
    throw new WireProblem('proto: integer overflow')
  }

  /** The value of an int32 or int64: a bigint where a number is not exact. */
  integer(): number | bigint {
    const start = this.#at
    const near = this.varint()
    return Number.isSafeInteger(near) ? near : this.#exact(start)
  }

  #exact(start: number): bigint {
    let value = 0n
    for (let at = this.#at - 1; at >= start; at--) {
      value = (value << 7n) | BigInt(this.#bytes[at]! & 0x7f)
    }
    return BigInt.asIntN(64, value)
  }

  double(): number {
    const at = this.#take(8)
    return this.#bytes.readDoubleLE(at)
  }

  text(): string {
    const length = this.#length()
    const at = this.#take(length)
    return this.#bytes.toString('utf8', at, at + length)
  }

  /** The bytes of a field, not copied. */
  bytes(): Buffer {
    const length = this.#length()
    const at = this.#take(length)
    return this.#bytes.subarray(at, at + length)
  }

  /** Reads a message that lies in a field: within `read`, the reader ends where that message ends. */
  nested<T>(read: (reader: WireReader) => T): T {
    const length = this.#length()
    const outer = this.#end
    if (this.#at + length > outer) throw cutOff()
    this.#end = this.#at + length
    const value = read(this)
    this.#at = this.#end
    this.#end = outer
    return value
  }

  /** Passes over the value of a field that is not known. */
  skip(wire: number): void {
    if (wire === WIRE.varint) this.varint()
    else if (wire === WIRE.fixed64) this.#take(8)
    else if (wire === WIRE.bytes) this.bytes()
    else if (wire === WIRE.fixed32) this.#take(4)
    else throw new WireProblem(`proto: illegal wireType ${wire}`)
  }

  #length(): number {
    const length = this.varint()
    if (length < 0) throw new WireProblem('proto: negative length found during unmarshaling')
    return length
  }

  #byte(): number {
    return this.#bytes[this.#take(1)]!
  }

  #take(count: number): number {
    const at = this.#at
    if (at + count > this.#end) throw cutOff()
    this.#at = at + count
    return at
  }
}

const cutOff = (): WireProblem => new WireProblem('unexpected EOF')
