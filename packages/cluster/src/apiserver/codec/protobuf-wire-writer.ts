/** Small enough to come out of Node's pool. */
const FIRST_SIZE = 2048
const TWO_7 = 0x80
const TWO_32 = 2 ** 32
/** Up to this length a text is copied letter by letter, which is cheaper than a call out of JavaScript. */
const SHORT = 40

/**
 * Writes a message from its end to its beginning: what lies in a field is written before its length and its number, so nothing is
 * measured ahead. (Go writes the same way.)
 */
export class WireWriter {
  #bytes: Buffer = Buffer.allocUnsafe(FIRST_SIZE)
  #start: number = FIRST_SIZE

  /** How many bytes have been written. */
  get length(): number {
    return this.#bytes.length - this.#start
  }

  /** A length, a field's number with its wire type, or an integer; negative ones take ten bytes, as Go's int32 and int64 do. */
  varint(value: number | bigint): void {
    if (typeof value === 'bigint' || !(value >= 0 && value < TWO_32)) return this.#wide(value)
    this.#room(5)
    let at = (this.#start -= sizeOf(value))
    let rest = value
    while (rest >= TWO_7) {
      this.#bytes[at++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.#bytes[at] = rest
  }

  /** A text, without its length. */
  text(text: string): void {
    if (text.length <= SHORT && this.#ascii(text)) return
    const length = Buffer.byteLength(text)
    this.#room(length)
    this.#start -= length
    this.#bytes.write(text, this.#start, length)
  }

  /** Bytes as they are. */
  raw(bytes: Uint8Array): void {
    this.#room(bytes.length)
    this.#start -= bytes.length
    this.#bytes.set(bytes, this.#start)
  }

  double(value: number): void {
    this.#room(8)
    this.#bytes.writeDoubleLE(value, (this.#start -= 8))
  }

  /** What has been written, in bytes that hold no more memory than they need. */
  bytes(): Buffer {
    const copy = Buffer.allocUnsafe(this.length)
    this.#bytes.copy(copy, 0, this.#start)
    return copy
  }

  #wide(value: number | bigint): void {
    let rest = BigInt.asUintN(64, BigInt(value))
    const bytes: number[] = []
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | TWO_7)
    bytes.push(Number(rest))
    this.raw(Uint8Array.from(bytes))
  }

  /** Writes a short text if it is plain ASCII. */
  #ascii(text: string): boolean {
    const { length } = text
    this.#room(length)
    const bytes = this.#bytes
    const start = this.#start - length
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code >= TWO_7) return false
      bytes[start + i] = code
    }
    this.#start = start
    return true
  }

  #room(count: number): void {
    if (this.#start >= count) return
    const { length } = this
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, length + count))
    this.#bytes.copy(grown, grown.length - length, this.#start)
    this.#bytes = grown
    this.#start = grown.length - length
  }
}

function sizeOf(value: number): number {
  if (value < TWO_7) return 1
  if (value < 0x4000) return 2
  if (value < 0x200000) return 3
  return value < 0x10000000 ? 4 : 5
}
