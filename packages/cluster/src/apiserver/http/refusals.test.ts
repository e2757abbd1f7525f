import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectPlain, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { connect } from 'node:tls'
import fc from 'fast-check'
import { makeTls } from './certificates.ts'
import { type Listening, listen } from './listener.ts'

/** What a client sends, and how a kube-apiserver v1.36.3 answered it: its first line, and its body. */
const ASKED: Readonly<Record<string, readonly [sent: string, line: string, body: string]>> = {
  'a head that is too long': [
    `GET / HTTP/1.1\r\nHost: x\r\nA: ${'y'.repeat(1_200_000)}\r\n\r\n`,
    'HTTP/1.1 431 Request Header Fields Too Large',
    '431 Request Header Fields Too Large',
  ],
  'a path that is too long': [
    `GET /?a=${'y'.repeat(1_200_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    'HTTP/1.1 431 Request Header Fields Too Large',
    '431 Request Header Fields Too Large',
  ],
  'no host': [
    'GET / HTTP/1.1\r\n\r\n',
    'HTTP/1.1 400 Bad Request: missing required Host header',
    '400 Bad Request: missing required Host header',
  ],
  'another version': [
    'GET / HTTP/3.0\r\nHost: x\r\n\r\n',
    'HTTP/1.1 505 HTTP Version Not Supported: unsupported protocol version',
    '505 HTTP Version Not Supported: unsupported protocol version',
  ],
  'two hosts': [
    'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
    'HTTP/1.1 400 Bad Request',
    '400 Bad Request',
  ],
  'no version': ['GET /\r\n\r\n', 'HTTP/1.1 400 Bad Request', '400 Bad Request'],
  'HTTP/2 in a line': [
    'GET / HTTP/2.0\r\nHost: x\r\n\r\n',
    'HTTP/1.1 505 HTTP Version Not Supported: unsupported protocol version',
    '505 HTTP Version Not Supported: unsupported protocol version',
  ],
  'a header without a colon': [
    'GET / HTTP/1.1\r\nHost: x\r\nBad\r\n\r\n',
    'HTTP/1.1 400 Bad Request',
    '400 Bad Request',
  ],
  'a question about the server itself': [
    'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    'HTTP/1.1 200 OK',
    '',
  ],
  'an expectation that cannot be met': [
    'POST / HTTP/1.1\r\nHost: x\r\nExpect: foo\r\n\r\n',
    'HTTP/1.1 417 Expectation Failed',
    '',
  ],
  'no request': ['\0\u0001\u0002\r\n\r\n', 'HTTP/1.1 400 Bad Request', '400 Bad Request'],
  'a space in a path': [
    'GET /heal thz HTTP/1.1\r\nHost: x\r\n\r\n',
    'HTTP/1.1 400 Bad Request',
    '400 Bad Request',
  ],
  'a path that cannot be decoded': [
    'GET /api/v1/namespaces/%zz HTTP/1.1\r\nHost: x\r\n\r\n',
    'HTTP/1.1 400 Bad Request',
    '400 Bad Request',
  ],
  'a header with a space in its name': [
    'GET / HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n',
    'HTTP/1.1 400 Bad Request: invalid header name',
    '400 Bad Request: invalid header name',
  ],
  'a header with a control character': [
    'GET / HTTP/1.1\r\nHost: x\r\nA: b\u0001c\r\n\r\n',
    'HTTP/1.1 400 Bad Request',
    '400 Bad Request',
  ],
  'a length that is none': [
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n',
    'HTTP/1.1 400 Bad Request',
    '400 Bad Request',
  ],
  'two lengths': [
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',
    'HTTP/1.1 400 Bad Request',
    '400 Bad Request',
  ],
  'an encoding of transfer that nobody knows': [
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\nabcd',
    'HTTP/1.1 501 Not Implemented',
    'Unsupported transfer encoding',
  ],
  'a chunk without a length': [
    'POST /read HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n',
    'HTTP/1.1 500 Internal Server Error',
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"invalid byte in chunk length","code":500}\n',
  ],
}

async function conversation(socket: Socket, sent: string | Uint8Array): Promise<string> {
  socket.on('error', () => {})
  let heard = ''
  socket.on('data', (chunk) => (heard += String(chunk)))
  socket.write(sent)
  await once(socket, 'close')
  return heard
}

describe('what is no request', () => {
  let listening: Listening
  let ca = ''
  let answered = 0

  before(async () => {
    const tls = await makeTls('127.0.0.1', Date.now())
    ca = tls.authority
    listening = await listen({ host: '127.0.0.1', port: 0, tls }, async (request) => {
      answered++
      if (request.path === '/read') await request.body(100)
      return { status: 200, headers: { connection: 'close' }, body: request.path }
    })
  })

  after(() => listening.close())

  async function ask(sent: string | Uint8Array): Promise<string> {
    const socket = connect({ host: '127.0.0.1', port: listening.port, ca })
    await once(socket, 'secureConnect')
    return conversation(socket, sent)
  }

  const plain = (): Socket => connectPlain(listening.port, '127.0.0.1')

  for (const [name, [sent, line, body]] of Object.entries(ASKED)) {
    test(`${name} is answered as a real server does`, async () => {
      const heard = await ask(sent)
      assert.equal(heard.split('\r\n')[0], line)
      assert.equal(heard.slice(heard.indexOf('\r\n\r\n') + 4), body)
    })
  }

  test('plain HTTP is told that it is', async () => {
    const heard = await conversation(plain(), 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    assert.equal(
      heard,
      'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n',
    )
    assert.doesNotMatch(await conversation(plain(), 'hello world\r\n\r\n'), /HTTP/)
  })

  test('a client that says nothing does not hold up the end', async () => {
    const tls = await makeTls('127.0.0.1', Date.now())
    const own = await listen({ host: '127.0.0.1', port: 0, tls }, async () => ({
      status: 200,
      headers: {},
    }))
    const silent = connectPlain(own.port, '127.0.0.1')
    silent.on('error', () => {})
    await once(silent, 'connect')
    const over = once(silent, 'close')
    await own.close()
    await over
  })

  test('a target with scheme and host counts by its path, CONNECT names none', async () => {
    const absolute = await ask('GET http://foo/read?a HTTP/1.1\r\nHost: x\r\n\r\n')
    assert.match(absolute, /\r\n\r\n\/read$/)
    const connected = await ask('CONNECT foo:80 HTTP/1.1\r\nHost: foo:80\r\n\r\n')
    assert.match(connected, /^HTTP\/1.1 404 Not Found\r\n/)
  })

  test('bytes of any kind end in an answer or in nothing, and the listener goes on', async () => {
    const line = fc.constantFrom('GET / HTTP/1.1', 'POST /read HTTP/1.1', 'Host: x', 'A:', '', 'Z')
    const more = fc.oneof(
      line,
      fc.string(),
      fc.nat(99).map((it) => `Content-Length: ${it}`),
      fc.constant('Transfer-Encoding: chunked'),
    )
    const text = fc
      .tuple(line, fc.array(more, { maxLength: 6 }))
      .map(([first, rest]) => Buffer.from(`${[first, ...rest].join('\r\n')}\r\n\r\n`))
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, fc.uint8Array({ maxLength: 200 })), async (sent) => {
        for (const socket of [plain(), connect({ host: '127.0.0.1', port: listening.port, ca })]) {
          socket.on('error', () => {})
          // What waits for more is ended from this side.
          socket.end(sent)
          socket.resume()
          await once(socket, 'close')
        }
      }),
      { numRuns: 60 },
    )
    const before = answered
    assert.match(await ask('GET /here HTTP/1.1\r\nHost: x\r\n\r\n'), /\/here$/)
    assert.equal(answered, before + 1)
  })
})
