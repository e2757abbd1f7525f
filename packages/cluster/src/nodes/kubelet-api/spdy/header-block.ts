import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import { DICTIONARY_ID, headerDictionary } from './dictionary.ts'
import { SpdyError } from './spdy-error.ts'

/** Headers of a stream: lower-case names, each with its values. */
export type SpdyHeaders = ReadonlyMap<string, readonly string[]>

/** How far back deflate refers. */
const WINDOW = 32 * 1024
/** The head of a zlib stream with a preset dictionary (RFC 1950, section 2.2). */
const ZLIB_HEAD = [0x78, 0xbb] as const
const HAS_DICTIONARY = 0x20
/** How long headers may be, uncompressed, in bytes. */
const MAX_HEADERS = 1024 * 1024

const FLUSH = { finishFlush: constants.Z_SYNC_FLUSH } as const

/** What was said last, for the next block to refer to. */
const slid = (window: Buffer, more: Buffer): Buffer =>
  Buffer.concat([window, more]).subarray(-WINDOW)

/**
 * Compresses the header blocks of one connection: they are one zlib stream, cut where each block ends. Instead of a stream that has to be waited
 * for, each block is deflated at once with what came before it as its dictionary, which gives the same bytes to whoever inflates.
 */
export class HeaderCompressor {
  #window: Buffer | undefined

  compress(headers: SpdyHeaders): Buffer {
    const plain = headerBytes(headers)
    const isFirst = this.#window === undefined
    const window = this.#window ?? headerDictionary()
    const deflated = deflateRawSync(plain, { ...FLUSH, dictionary: window })
    this.#window = slid(window, plain)
    return isFirst ? Buffer.concat([zlibHead(), deflated]) : deflated
  }
}

function zlibHead(): Buffer {
  const head = Buffer.from([...ZLIB_HEAD, 0, 0, 0, 0])
  head.writeUInt32BE(DICTIONARY_ID, 2)
  return head
}

/** Reads what a {@link HeaderCompressor} of the other side wrote, block by block. Throws an SpdyError for what is none. */
export class HeaderDecompressor {
  #window: Buffer | undefined

  decompress(block: Buffer): SpdyHeaders {
    const isFirst = this.#window === undefined
    const window = this.#window ?? headerDictionary()
    const deflated = isFirst ? block.subarray(headLength(block)) : block
    const plain = inflated(deflated, window)
    this.#window = slid(window, plain)
    return readHeaders(plain)
  }
}

function headLength(block: Buffer): number {
  const isZlib = block.length >= 2 && block.readUInt16BE(0) % 31 === 0
  if (!isZlib) throw new SpdyError('headers are not compressed with zlib')
  if ((block[1]! & HAS_DICTIONARY) === 0) return 2
  if (block.length < 6 || block.readUInt32BE(2) !== DICTIONARY_ID)
    throw new SpdyError('headers are compressed with another dictionary than that of SPDY/3.1')
  return 6
}

function inflated(deflated: Buffer, dictionary: Buffer): Buffer {
  try {
    return inflateRawSync(deflated, { ...FLUSH, dictionary, maxOutputLength: MAX_HEADERS })
  } catch (cause) {
    throw new SpdyError('headers cannot be decompressed', { cause })
  }
}

/** Headers as bytes: how many, then each name and its values, which a zero byte divides; a length before each (section 2.6.10). */
export function headerBytes(headers: SpdyHeaders): Buffer {
  const parts: Buffer[] = [word(headers.size)]
  for (const [name, values] of headers) {
    for (const text of [name, values.join('\0')]) {
      const bytes = Buffer.from(text)
      parts.push(word(bytes.length), bytes)
    }
  }
  return Buffer.concat(parts)
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Reads {@link headerBytes}. Throws an SpdyError when there is less, or more, than they say. */
export function readHeaders(bytes: Buffer): SpdyHeaders {
  const headers = new Map<string, readonly string[]>()
  let at = 0
  const next = (length: number): Buffer => {
    if (at + length > bytes.length) throw new SpdyError('headers end before they should')
    at += length
    return bytes.subarray(at - length, at)
  }
  const text = (): string => next(next(4).readUInt32BE()).toString()
  for (let count = next(4).readUInt32BE(); count > 0; count--) {
    const name = text()
    if (headers.has(name)) throw new SpdyError(`the header ${name} is there twice`)
    headers.set(name.toLowerCase(), text().split('\0'))
  }
  if (at < bytes.length) throw new SpdyError('something follows the headers')
  return headers
}
