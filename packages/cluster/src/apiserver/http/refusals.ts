import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** What a request is answered with that is none, before anybody looks at what it asks. */
interface Refusal {
  readonly status: string
  readonly body?: string
  readonly type?: string
}

const BAD: Refusal = { status: '400 Bad Request' }
const INVALID_NAME: Refusal = { status: '400 Bad Request: invalid header name' }
const BAD_CHUNK = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'invalid byte in chunk length',
  code: 500,
}

/** By the code of Node's parser: what Go's server says (net/http server.go, transfer.go). */
const BY_CODE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large' },
  HPE_INVALID_VERSION: {
    status: '505 HTTP Version Not Supported: unsupported protocol version',
  },
  HPE_INVALID_TRANSFER_ENCODING: {
    status: '501 Not Implemented',
    body: 'Unsupported transfer encoding',
  },
  HPE_INVALID_CHUNK_SIZE: {
    status: '500 Internal Server Error',
    type: 'application/json',
    body: `${JSON.stringify(BAD_CHUNK)}\n`,
  },
}

/** Which reason of a code its refusal is for, where the code has several. */
const ONE_REASON: Readonly<Record<string, RegExp>> = {
  HPE_INVALID_VERSION: /^Invalid HTTP version$/,
  HPE_INVALID_TRANSFER_ENCODING: /^Request has invalid/,
}

interface ParseError extends Error {
  readonly code?: string
  readonly reason?: string
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/** Answers bytes that are no request, and ends the connection; one that was only too slow is ended without a word. */
export function refuseUnparsed(error: ParseError, socket: Socket): void {
  // What follows is no request either, and has had its answer.
  if (socket.writableEnded) return
  if (!error.code?.startsWith('HPE_')) {
    socket.destroy()
    return
  }
  socket.end(textOf(refusalOf(error)))
  drain(socket)
}

const SPACE = 0x20

function refusalOf({ code = '', reason = '', rawPacket, bytesParsed = 0 }: ParseError): Refusal {
  if (reason === 'Invalid header token' && rawPacket?.[bytesParsed] === SPACE) return INVALID_NAME
  // Node gives several flaws one code.
  return ONE_REASON[code]?.test(reason) === false ? BAD : (BY_CODE[code] ?? BAD)
}

/** How long what a client still sends is read, so that it can hear the answer, in milliseconds (net/http rstAvoidanceDelay). */
const DRAIN = 500

function drain(socket: Socket): void {
  socket.resume()
  socket.setTimeout(DRAIN, () => socket.destroy())
}

const textOf = ({ status, body = status, type = 'text/plain; charset=utf-8' }: Refusal): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nConnection: close\r\n\r\n${body}`

/** Ends a connection whose request is one for the parser, but none for Go: without a host, or with a path that cannot be decoded. */
export function refuseRequest(incoming: IncomingMessage): boolean {
  const refusal = flawOf(incoming)
  if (!refusal) return false
  incoming.socket.end(textOf(refusal))
  return true
}

function flawOf({ httpVersion, rawHeaders, url = '' }: IncomingMessage): Refusal | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return httpVersion === '2.0' ? BY_CODE['HPE_INVALID_VERSION'] : BAD
  }
  const hosts = countHosts(rawHeaders)
  if (hosts === 0 && httpVersion === '1.1') {
    return { status: '400 Bad Request: missing required Host header' }
  }
  return hosts <= 1 && isDecodable(url) ? undefined : BAD
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

/** Whether every `%` of the path of a URL has its two digits. */
export const isDecodable = (url: string): boolean =>
  !url.includes('%') || !/%(?![0-9A-Fa-f]{2})/.test(url.split('?', 1)[0]!)

/** CONNECT names no path that there is; the connection is not taken over. */
export function refuseConnect(socket: Duplex): void {
  socket.on('error', () => socket.destroy())
  socket.end(textOf({ status: '404 Not Found', body: '404 page not found\n' }))
}

/** What a client expects that is not `100-continue` cannot be met. */
export function refuseExpectation(outgoing: ServerResponse): void {
  outgoing.writeHead(417, { 'content-length': 0, connection: 'close' }).end()
}
