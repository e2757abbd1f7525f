import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { constants, createDeflate, createInflate } from 'node:zlib'
import fc from 'fast-check'
import { DICTIONARY_ID, headerDictionary } from './dictionary.ts'
import { FrameDecoder, FrameEncoder, type SpdyFrame } from './frame.ts'
import { headerBytes, HeaderCompressor, HeaderDecompressor, readHeaders } from './header-block.ts'
import { SpdyError } from './spdy-error.ts'

/** Ordinary objects, as frames are. */
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>

const id = fc.integer({ min: 0, max: 2 ** 31 - 1 })
const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/)
const value = fc.string({ unit: 'binary', maxLength: 40 }).filter((it) => !it.includes('\0'))
const headers = fc
  .array(fc.tuple(name, fc.array(value, { minLength: 1, maxLength: 3 })), { maxLength: 6 })
  .map((all) => new Map(all))
const headed = { streamId: id, fin: fc.boolean(), headers }

const frame: fc.Arbitrary<SpdyFrame> = fc.oneof(
  record({
    is: fc.constant('data' as const),
    streamId: id,
    fin: fc.boolean(),
    bytes: fc.uint8Array({ maxLength: 300 }),
  }),
  record({
    is: fc.constant('synStream' as const),
    associatedTo: id,
    priority: fc.integer({ min: 0, max: 7 }),
    unidirectional: fc.boolean(),
    ...headed,
  }),
  record({ is: fc.constant('synReply' as const), ...headed }),
  record({ is: fc.constant('headers' as const), ...headed }),
  record({ is: fc.constant('rstStream' as const), streamId: id, status: uint32 }),
  record({
    is: fc.constant('settings' as const),
    clear: fc.boolean(),
    settings: fc.array(
      record({
        id: fc.integer({ min: 0, max: 2 ** 24 - 1 }),
        flags: fc.integer({ min: 0, max: 255 }),
        value: uint32,
      }),
      { maxLength: 4 },
    ),
  }),
  record({ is: fc.constant('ping' as const), id: uint32 }),
  record({ is: fc.constant('goAway' as const), lastStreamId: id, status: uint32 }),
  record({ is: fc.constant('windowUpdate' as const), streamId: id, delta: id }),
)

const plain = (it: SpdyFrame): SpdyFrame =>
  it.is === 'data' ? { ...it, bytes: Buffer.from(it.bytes) } : it

describe('frames', () => {
  test('are read as they were written, however they are cut', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 })
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 12 }), cuts, (frames, lengths) => {
        const encoder = new FrameEncoder()
        const bytes = Buffer.concat(frames.map((it) => encoder.encode(it)))
        const decoder = new FrameDecoder()
        const got: SpdyFrame[] = []
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const end = at + lengths[i % lengths.length]!
          got.push(...decoder.push(bytes.subarray(at, end)))
          at = end
        }
        assert.deepEqual(got.map(plain), frames.map(plain))
      }),
    )
  })

  test('of unknown types are passed over, and what is no frame is refused', () => {
    const unknown = Buffer.from([0x80, 3, 0, 99, 0, 0, 0, 1, 7])
    const ping = new FrameEncoder().encode({ is: 'ping', id: 1 })
    const decoder = new FrameDecoder()
    const got = [...decoder.push(Buffer.concat([unknown, ping]))]
    assert.deepEqual(got, [{ is: 'ping', id: 1 }])
    const refused = (bytes: readonly number[], why: RegExp): void =>
      assert.throws(() => [...new FrameDecoder().push(Buffer.from(bytes))], why)
    refused([0x80, 2, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1], /version 2, and should be of version 3/)
    refused([0x80, 3, 0, 6, 0, 0, 0, 2, 0, 1], /has 2 bytes, and should have 4/)
    refused([0x80, 3, 0, 6, 0, 0x20, 0, 0], /2097152 bytes, and may have 1048576/)
    refused([0x80, 3, 0, 2, 0, 0, 0, 8, 0, 0, 0, 1, 1, 2, 3, 4], /not compressed with zlib/)
  })
})

describe('headers', () => {
  test('begin with the dictionary of SPDY/3.1', () => {
    // The figure that Go's and Chromium's dictionaries have.
    const hash = createHash('sha256').update(headerDictionary()).digest('hex')
    assert.equal(hash, '51d27341373f923f3cd88e1eb7162aeaa3723d7585ff2399201dc06498407f02')
  })

  test('are one zlib stream to who reads them so', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(headers, { minLength: 1, maxLength: 8 }), async (blocks) => {
        const compressor = new HeaderCompressor()
        const inflate = createInflate({ dictionary: headerDictionary() })
        const all: Buffer[] = []
        inflate.on('data', (it: Buffer) => void all.push(it))
        for (const it of blocks) {
          await new Promise((resolve) => inflate.write(compressor.compress(it), resolve))
        }
        assert.deepEqual(Buffer.concat(all), Buffer.concat(blocks.map((it) => headerBytes(it))))
      }),
      { numRuns: 30 },
    )
  })

  test('of one zlib stream are read block by block, beyond its window too', async () => {
    const deflate = createDeflate({ dictionary: headerDictionary(), level: 9 })
    const decompressor = new HeaderDecompressor()
    let out: Buffer[] = []
    deflate.on('data', (it: Buffer) => void out.push(it))
    for (let i = 0; i < 60; i++) {
      const it = new Map([
        ['streamtype', ['data']],
        ['port', [String(8000 + i)]],
        ['padding', [createHash('sha512').update(String(i)).digest('hex').repeat(8)]],
      ])
      deflate.write(headerBytes(it))
      await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, resolve))
      assert.deepEqual(decompressor.decompress(Buffer.concat(out)), it)
      out = []
    }
  })

  test('that are not whole are refused', () => {
    const bytes = headerBytes(new Map([['a', ['b']]]))
    assert.throws(() => readHeaders(bytes.subarray(0, -1)), SpdyError)
    assert.throws(() => readHeaders(Buffer.concat([bytes, Buffer.of(0)])), SpdyError)
    const twice = Buffer.concat([Buffer.from([0, 0, 0, 2]), bytes.subarray(4), bytes.subarray(4)])
    assert.throws(() => readHeaders(twice), /the header a is there twice/)
    const head = Buffer.from([0x78, 0xbb, 0, 0, 0, 0])
    head.writeUInt32BE(DICTIONARY_ID + 1, 2)
    assert.throws(() => new HeaderDecompressor().decompress(head), /another dictionary/)
  })
})
