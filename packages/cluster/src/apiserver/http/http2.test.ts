import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  type ClientHttp2Session,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2'
import { after, before, describe, test } from 'node:test'
import { makeTls } from './certificates.ts'
import { type Listening, listen } from './listener.ts'
import type { Answer, ApiRequest } from './message.ts'

type Tls = Awaited<ReturnType<typeof makeTls>>

interface Reply {
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

async function ask(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: string,
): Promise<Reply> {
  const stream = session.request(headers)
  stream.end(body)
  const [received] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return { headers: received, text }
}

const ROUND_TRIPS = 20

/** Waits until the server has surely heard and done whatever it could. */
async function settled(session: ClientHttp2Session): Promise<void> {
  for (let i = 0; i < ROUND_TRIPS; i++) {
    await new Promise((resolve) => session.ping(resolve as () => void))
  }
}

const CHUNK = 16 * 1024

describe('HTTP/2', () => {
  let tls: Tls
  let listening: Listening
  let session: ClientHttp2Session
  let produced = 0
  const heard: ApiRequest[] = []

  const ANSWERS: Readonly<Record<string, (request: ApiRequest) => Promise<Answer> | Answer>> = {
    '/echo': async (request) => ({
      status: 200,
      headers: { 'content-type': 'text/plain', warning: ['one', 'two'] },
      body: `${request.method} ${request.query} ${(await request.body(100))?.toString()}`,
    }),
    '/nothing': () => ({ status: 204, headers: {} }),
    '/watch': (request) => ({ status: 200, headers: {}, body: until(request.signal) }),
    '/endless': (request) => ({ status: 200, headers: {}, body: endless(request.signal) }),
    '/broken': () => Promise.reject(new Error('broken')),
  }

  async function* until(signal: AbortSignal): AsyncGenerator<string> {
    yield 'first\n'
    if (!signal.aborted) await once(signal, 'abort')
  }

  async function* endless(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    while (!signal.aborted && produced < 10_000) {
      produced++
      yield Buffer.alloc(CHUNK)
    }
  }

  before(async () => {
    tls = await makeTls('127.0.0.1', Date.now())
    listening = await listen({ host: '127.0.0.1', port: 0, tls }, async (request) => {
      heard.push(request)
      return (
        (await ANSWERS[request.path]?.(request)) ?? { status: 404, headers: {}, body: 'nothing' }
      )
    })
    session = connect(`https://127.0.0.1:${listening.port}`, { ca: tls.authority })
    await once(session, 'connect')
  })

  after(async () => {
    session.destroy()
    await listening.close()
  })

  test('is what a client gets that asks for it, with the limits of a real server', async () => {
    assert.equal(session.alpnProtocol, 'h2')
    const reply = await ask(session, { ':path': '/echo?a=b', ':method': 'POST' }, 'body')
    assert.equal(reply.text, 'POST a=b body')
    assert.equal(reply.headers[':status'], 200)
    assert.equal(reply.headers['content-length'], String(reply.text.length))
    assert.equal(reply.headers['warning'], 'one, two')
    const { maxConcurrentStreams, initialWindowSize, maxHeaderListSize } = session.remoteSettings
    assert.deepEqual(
      [maxConcurrentStreams, initialWindowSize, maxHeaderListSize],
      [100, 262_144, 1_048_896],
    )
  })

  test('bodies that must not be are not, and one that is too long is not read', async () => {
    const nothing = await ask(session, { ':path': '/nothing' })
    assert.equal(nothing.headers['content-length'], undefined)
    const head = await ask(session, { ':path': '/echo', ':method': 'HEAD' })
    assert.deepEqual([head.text, head.headers['content-length']], ['', '6'])
    const long = await ask(session, { ':path': '/echo', ':method': 'POST' }, 'x'.repeat(101))
    assert.equal(long.text, 'POST  undefined')
  })

  test('a head may be long, a path must be one', async () => {
    const path = `/echo?a=${'x'.repeat(40_000)}`
    assert.equal((await ask(session, { ':path': path })).headers[':status'], 200)
    const bad = await ask(session, { ':path': '/%zz' })
    assert.deepEqual([bad.headers[':status'], bad.text], [400, '400 Bad Request'])
  })

  test('an answer that fails resets its stream alone', async () => {
    const stream = session.request({ ':path': '/broken' })
    stream.on('error', () => {})
    await once(stream, 'close')
    assert.equal((await ask(session, { ':path': '/nothing' })).headers[':status'], 204)
  })

  test('a hundred watches share a connection, and end when the client takes no more', async () => {
    const before = heard.length
    const streams = Array.from({ length: 100 }, () => session.request({ ':path': '/watch' }))
    await Promise.all(streams.map((it) => once(it, 'data')))
    const signals = heard.slice(before).map((it) => it.signal)
    assert.equal(signals.length, 100)
    assert.ok(signals.every((it) => !it.aborted))
    const ended = Promise.all(signals.map((it) => once(it, 'abort')))
    for (const it of streams) it.close(constants.NGHTTP2_CANCEL)
    await ended
  })

  test('a client that never reads holds up its stream, and no other', async () => {
    const stream = session.request({ ':path': '/endless' })
    stream.on('error', () => {})
    await once(stream, 'response')
    await settled(session)
    const stopped = produced
    await settled(session)
    assert.equal(produced, stopped)
    assert.ok(produced * CHUNK < 1 << 20, `${produced} chunks were made`)
    assert.equal((await ask(session, { ':path': '/nothing' })).headers[':status'], 204)
    stream.close(constants.NGHTTP2_CANCEL)
  })

  test('closing says goodbye, and ends what goes on', async () => {
    const own = await listen({ host: '127.0.0.1', port: 0, tls }, async (request) =>
      ANSWERS[request.path]!(request),
    )
    const client = connect(`https://127.0.0.1:${own.port}`, { ca: tls.authority })
    const stream = client.request({ ':path': '/watch' })
    await once(stream, 'data')
    const goodbye = once(client, 'goaway')
    const ended = once(stream, 'end')
    const closed = once(client, 'close')
    await own.close()
    assert.equal((await goodbye)[0], constants.NGHTTP2_NO_ERROR)
    await ended
    await closed
  })
})
