/** A file, folder or link in a tar archive. */
export interface TarEntry {
  /** Relative, with slashes. */
  readonly name: string
  readonly type: 'file' | 'folder' | 'link'
  /** Default 0o644 for files, 0o755 for folders. */
  readonly mode?: number
  /** Of a file. */
  readonly content?: Uint8Array
  /** Where a link leads. */
  readonly target?: string
}

const BLOCK = 512
const TYPES = { file: '0', folder: '5', link: '2' } as const

/** The bytes of one entry (POSIX 1003.1 pax: a name that is too long for ustar stands in a record before it). */
export function encodeTarEntry(entry: TarEntry): Buffer {
  const { name, content = new Uint8Array(), target = '', type } = entry
  const records = [
    ...(Buffer.byteLength(name) > 100 ? [['path', name]] : []),
    ...(Buffer.byteLength(target) > 100 ? [['linkpath', target]] : []),
  ].map(([key, value]) => paxRecord(key!, value!))
  const mode = entry.mode ?? (type === 'folder' ? 0o755 : 0o644)
  const extended = Buffer.from(records.join(''))
  return Buffer.concat([
    ...(records.length > 0
      ? [header('pax', 'x', 0o644, extended.length, ''), padded(extended)]
      : []),
    header(name, TYPES[type], mode, content.length, target),
    padded(content),
  ])
}

/** What ends an archive. */
export const TAR_END: Buffer = Buffer.alloc(2 * BLOCK)

function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  const size = Buffer.byteLength(rest)
  // The length counts its own digits.
  let length = size + String(size).length
  if (size + String(length).length !== length) length = size + String(length).length
  return `${length}${rest}`
}

function header(name: string, type: string, mode: number, size: number, link: string): Buffer {
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, width: number): void =>
    void block.write(value.toString(8).padStart(width - 1, '0'), at, 'latin1')
  Buffer.from(name).copy(block, 0, 0, 100)
  octal(mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(0, 136, 12)
  block.write(type, 156, 'latin1')
  Buffer.from(link).copy(block, 157, 0, 100)
  block.write('ustar\u000000', 257, 'latin1')
  octal(checksum(block), 148, 7)
  block.write(' ', 155, 'latin1')
  return block
}

/** The sum of a header's bytes, its own field taken for spaces. */
function checksum(block: Uint8Array): number {
  let sum = 8 * 32
  block.forEach((byte, at) => (sum += at >= 148 && at < 156 ? 0 : byte))
  return sum
}

const padded = (content: Uint8Array): Buffer =>
  Buffer.concat([content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)])

/** Reads the entries of an archive as it comes. Throws for what is no tar; other kinds of entry (devices, pipes) are left out. */
export async function* decodeTar(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<TarEntry, void, undefined> {
  const take = taker(chunks)
  let long: { path?: string; linkpath?: string } = {}
  for (;;) {
    const block = await take(BLOCK, true)
    if (!block || block.every((it) => it === 0)) return
    const size = sizeIn(block)
    const content = (await take(size)) ?? Buffer.alloc(0)
    await take((BLOCK - (size % BLOCK)) % BLOCK)
    const flag = String.fromCharCode(block[156] || 48)
    if (flag === 'x') long = { ...long, ...paxIn(content) }
    else if (flag === 'L') long.path = textIn(content, 0, size)
    else if (flag === 'K') long.linkpath = textIn(content, 0, size)
    else if (flag !== 'g') {
      const entry = entryOf(block, flag, content, long)
      long = {}
      if (entry) yield entry
    }
  }
}

function entryOf(
  block: Buffer,
  flag: string,
  content: Buffer,
  long: { readonly path?: string; readonly linkpath?: string },
): TarEntry | undefined {
  const prefix = textIn(block, 345, 155)
  const short = textIn(block, 0, 100)
  const name = long.path ?? (prefix ? `${prefix}/${short}` : short)
  const mode = Number.parseInt(textIn(block, 100, 8).trim(), 8) & 0o7777
  if (flag === '0' || flag === '7') return { name, type: 'file', mode, content }
  if (flag === '5') return { name: name.replace(/\/$/, ''), type: 'folder', mode }
  if (flag === '2')
    return { name, type: 'link', mode, target: long.linkpath ?? textIn(block, 157, 100) }
  return undefined
}

function textIn(block: Buffer, at: number, width: number): string {
  const field = block.subarray(at, at + width)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? field.length : end)
}

function sizeIn(block: Buffer): number {
  // GNU writes sizes above 8 GiB in base 256.
  if ((block[124]! & 0x80) !== 0) return Number(block.readBigUInt64BE(128))
  const size = Number.parseInt(textIn(block, 124, 12).trim() || '0', 8)
  const sum = Number.parseInt(textIn(block, 148, 8).trim(), 8)
  if (sum !== checksum(block) || !Number.isSafeInteger(size))
    throw new Error('what came is no tar archive; does the container have tar?')
  return size
}

function paxIn(content: Buffer): Record<string, string> {
  const records: Record<string, string> = {}
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(32, at)
    const length = Number.parseInt(content.toString('latin1', at, space), 10)
    if (space < 0 || !(length > 0)) break
    const [, key, value] =
      /^([^=]*)=([\s\S]*)$/.exec(content.toString('utf8', space + 1, at + length - 1)) ?? []
    if (key !== undefined && value !== undefined) records[key] = value
    at += length
  }
  return records
}

/** Answers with exactly so many bytes; at the very end with undefined where that is `fine`. */
function taker(
  chunks: AsyncIterable<Uint8Array>,
): (size: number, fine?: boolean) => Promise<Buffer | undefined> {
  const source = chunks[Symbol.asyncIterator]()
  let held: Buffer[] = []
  let length = 0
  return async (size, fine = false) => {
    while (length < size) {
      const { done, value } = await source.next()
      if (done && fine && length === 0) return undefined
      if (done) throw new Error('the tar archive ended in the middle of an entry')
      held.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength))
      length += value.byteLength
    }
    const all = held.length === 1 ? held[0]! : Buffer.concat(held)
    held = [all.subarray(size)]
    length -= size
    return all.subarray(0, size)
  }
}
