import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:https'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createApiServer } from '../index.ts'
import { asksForWebSocket, eventsIn, frame, frameReader, shakeHands } from './websocket.ts'

const ASKED = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  origin: 'https://dashboard.example',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'MDEyMzQ1Njc4OWFiY2RlZg==',
}

/** What kube-apiserver v1.36.3 answers to the handshake of a watch. */
const ACCEPTED =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: BACScCJPNqyz+UBoqMH89VmURoA=\r\n'

test('a handshake is answered as by kube-apiserver', () => {
  const text = (headers: object): string => {
    const { origin, ...rest } = ASKED
    const shaken = shakeHands({ ...rest, origin, ...headers })
    return shaken.accepted ? shaken.head : shaken.text
  }
  assert.equal(text({}), `${ACCEPTED}\r\n`)
  const one = { 'sec-websocket-protocol': 'base64.binary.k8s.io' }
  assert.equal(text(one), `${ACCEPTED}Sec-WebSocket-Protocol: base64.binary.k8s.io\r\n\r\n`)
  assert.equal(text({ 'sec-websocket-protocol': 'foo, bar' }), 'HTTP/1.1 400 Bad Request\r\n\r\n')
  for (const origin of [undefined, 'null', 'foo'])
    assert.equal(text({ origin }), 'HTTP/1.1 403 Forbidden\r\n\r\n')
  assert.equal(
    text({ 'sec-websocket-key': undefined }),
    'HTTP/1.1 400 Bad Request\r\n\r\nmismatch challenge/response',
  )
  assert.ok(asksForWebSocket({ connection: 'keep-alive, Upgrade', upgrade: 'WebSocket' }))
  assert.ok(!asksForWebSocket({ connection: 'keep-alive', upgrade: 'websocket' }))
  assert.ok(!asksForWebSocket({ connection: 'Upgrade', upgrade: 'SPDY/3.1' }))
})

/** A frame as a client sends it: masked. */
function masked(opcode: number, payload: Uint8Array): Buffer {
  const mask = Buffer.from([1, 2, 3, 4])
  const plain = frame('text', payload)
  const start = plain.length - payload.length
  const head = Buffer.from(plain.subarray(0, start))
  head[0] = 0x80 | opcode
  head[1]! |= 0x80
  return Buffer.concat([head, mask, payload.map((it, i) => it ^ mask[i % 4]!)])
}

test('what a client sends is read however it is cut', () => {
  const sent = fc.array(
    fc.record({
      opcode: fc.constantFrom(1, 2, 8, 9, 10),
      payload: fc.uint8Array({ maxLength: 300 }),
    }),
    { maxLength: 8 },
  )
  fc.assert(
    fc.property(sent, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (all, cuts) => {
      const bytes = Buffer.concat(all.map((it) => masked(it.opcode, it.payload)))
      const read = frameReader()
      const got = []
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const end = at + cuts[i % cuts.length]!
        got.push(...read(bytes.subarray(at, end)))
        at = end
      }
      const wanted = all.flatMap(({ opcode, payload }) =>
        opcode === 8
          ? [{ kind: 'close' }]
          : opcode === 9
            ? [{ kind: 'ping', payload: Buffer.from(payload) }]
            : [],
      )
      assert.deepEqual(got, wanted)
    }),
  )
})

test('a chunk is cut into its events', () => {
  const texts = [...eventsIn('{"a":1}\n{"b":2}\n', true)].map(String)
  assert.deepEqual(texts, ['{"a":1}\n', '{"b":2}\n'])
  const framed = Buffer.from([0, 0, 0, 2, 7, 8, 0, 0, 0, 1, 9])
  assert.deepEqual(
    [...eventsIn(framed, false)].map((it) => [...it]),
    [[7, 8], [9]],
  )
})

test('a long frame says how long it is', () => {
  assert.deepEqual([...frame('close', Buffer.from([3, 232]))], [0x88, 2, 3, 232])
  assert.deepEqual([...frame('text', Buffer.alloc(126)).subarray(0, 4)], [0x81, 126, 0, 126])
  const longest = frame('binary', Buffer.alloc(65_536))
  assert.deepEqual([...longest.subarray(0, 10)], [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0])
})

describe('a watch over a WebSocket', { timeout: 30_000 }, () => {
  test('sends one event a message, answers pings, and closes when the client does', async () => {
    await using server = createApiServer({ admission: [] })
    const { url, kubeconfig } = await server.listen()
    const token = /token: (\S+)/.exec(kubeconfig)![1]!
    const ca = Buffer.from(
      /certificate-authority-data: (\S+)/.exec(kubeconfig)![1]!,
      'base64',
    ).toString()
    const path = '/api/v1/namespaces?watch=1&fieldSelector=metadata.name=default'
    const asked = request(`${url}${path}`, {
      ca,
      headers: { ...ASKED, authorization: `Bearer ${token}` },
    })
    asked.end()
    const [answer, socket, first] = (await once(asked, 'upgrade')) as [
      IncomingMessage,
      Duplex,
      Buffer,
    ]
    assert.equal(answer.statusCode, 101)
    let bytes = first
    const until = async (length: () => number): Promise<void> => {
      while (bytes.length < length()) {
        const [more] = (await once(socket, 'data')) as [Buffer]
        bytes = Buffer.concat([bytes, more])
      }
    }
    await until(() => 4)
    assert.equal(bytes[0], 0x81)
    const size = 4 + bytes.readUInt16BE(2)
    await until(() => size)
    const text = bytes.subarray(4, size).toString()
    assert.ok(text.endsWith('}\n'))
    const { type, object } = JSON.parse(text) as {
      type: string
      object: { metadata: { name: string } }
    }
    assert.deepEqual([type, object.metadata.name], ['ADDED', 'default'])

    bytes = bytes.subarray(size)
    socket.write(masked(9, Buffer.from('hi')))
    await until(() => 4)
    assert.equal(bytes.toString('latin1'), '\x8a\x02hi')
    bytes = bytes.subarray(4)
    socket.write(masked(8, Buffer.from([3, 232])))
    await until(() => 4)
    assert.deepEqual([...bytes], [0x88, 2, 3, 232])
    socket.destroy()
  })
})
