import assert from 'node:assert/strict'
import { once } from 'node:events'
import { duplexPair } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { test } from 'node:test'
import fc from 'fast-check'
import { SpdyConnection } from './connection.ts'
import { FrameDecoder, FrameEncoder, type SpdyFrame } from './frame.ts'
import type { SpdyStream } from './stream.ts'

interface Pair {
  readonly client: SpdyConnection
  readonly server: SpdyConnection
  readonly accepted: SpdyStream[]
}

function pair(accept: (stream: SpdyStream) => boolean = () => true): Pair {
  const [near, far] = duplexPair()
  const accepted: SpdyStream[] = []
  const server = new SpdyConnection(far, {
    is: 'server',
    accept: (stream) => {
      accepted.push(stream)
      return accept(stream)
    },
  })
  return { client: new SpdyConnection(near, { is: 'client' }), server, accepted }
}

const named = (name: string): Map<string, readonly string[]> => new Map([['name', [name]]])

test('streams carry their headers and what is written to them, both ways, each for itself', async () => {
  const payload = fc.uint8Array({ maxLength: 200 })
  const plan = fc.array(fc.record({ up: fc.array(payload), down: fc.array(payload) }), {
    maxLength: 5,
  })
  await fc.assert(
    fc.asyncProperty(plan, async (plans) => {
      const { client, server } = pair((stream) => {
        const { down } = plans[Number(stream.header('name'))]!
        for (const it of down) stream.write(it)
        void buffer(stream).then((got) => stream.end(got))
        return true
      })
      const got = plans.map(async ({ up }, index) => {
        const stream = client.open(named(String(index)))
        for (const it of up) stream.write(it)
        stream.end()
        return buffer(stream)
      })
      const wanted = plans.map(({ up, down }) => Buffer.concat([...down, ...up]))
      assert.deepEqual(await Promise.all(got), wanted)
      client.close()
      await Promise.all([client.closed, server.closed])
    }),
    { numRuns: 40 },
  )
})

test('long writes are cut, and come whole', async () => {
  const { client, accepted } = pair()
  const stream = client.open(named('long'))
  const sent = Buffer.alloc(3_000_000, 'abcdefg')
  stream.end(sent)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(await text(accepted[0]!), sent.toString())
  client.close()
})

test('a stream that is not taken is reset', async () => {
  const { client } = pair(() => false)
  const stream = client.open(named('unwanted'))
  await once(stream, 'close')
  assert.equal(stream.destroyed, true)
  client.close()
})

test('what was sent before a reset or an end can still be read', async () => {
  const { client, accepted } = pair()
  const stream = client.open(named('a'))
  stream.write('hello')
  await new Promise((resolve) => setImmediate(resolve))
  client.close()
  assert.equal(await text(accepted[0]!), 'hello')
})

test('a connection of which one stream is not read waits, and goes on', async () => {
  const { client, accepted } = pair()
  const [slow, quick] = [client.open(named('slow')), client.open(named('quick'))]
  slow.end(Buffer.alloc(5_000_000, 'x'))
  quick.end('quick')
  await new Promise((resolve) => setImmediate(resolve))
  const [first, second] = accepted
  const later = text(second!)
  assert.equal((await text(first!)).length, 5_000_000)
  assert.equal(await later, 'quick')
  client.close()
})

test('pings of the client come back, and what is no SPDY ends the connection', async () => {
  const [near, far] = duplexPair()
  const server = new SpdyConnection(far, { is: 'server', accept: () => true })
  const encoder = new FrameEncoder()
  const decoder = new FrameDecoder()
  const ping = (id: number): void => void near.write(encoder.encode({ is: 'ping', id }))
  const got: SpdyFrame[] = []
  near.on('data', (bytes: Buffer) => got.push(...decoder.push(bytes)))
  ping(2)
  ping(7)
  await once(near, 'data')
  assert.deepEqual(got, [{ is: 'ping', id: 7 }])
  near.write('HTTP/1.1 200 OK\r\n\r\n never\x80\x80')
  near.write(Buffer.from([0x80, 9, 0, 1, 0, 0, 0, 0]))
  near.end()
  await server.closed
})
