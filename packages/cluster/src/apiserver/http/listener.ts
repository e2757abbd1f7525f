import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import type { Answer, ApiRequest, Chunk, Peer } from './message.ts'

/** What a listener serves with, in PEM. `clientAuthority` is whose client certificates are believed. */
export interface TlsMaterial {
  readonly certificate: string
  readonly key: string
  readonly authority: string
  readonly clientAuthority: string
}

/** Where to listen; port 0 takes a free one. */
export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly tls: TlsMaterial
}

/** A listening server. `close` ends what is going on and resolves when the port is free again, within two seconds. */
export interface Listening {
  readonly host: string
  readonly port: number
  readonly close: () => Promise<void>
}

/** How long the head of a request may be: what Go allows, for a selector of many values makes a long path. */
const MAX_HEADER_BYTES = 1 << 20

/** How long requests may go on after `close`, in milliseconds. */
const LINGER = 500

/** Listens on HTTPS (HTTP/1.1, kept alive). Throws an Error with a sentence when the port cannot be had. */
export async function listen(
  { host, port, tls }: ListenOptions,
  answer: (request: ApiRequest) => Promise<Answer>,
): Promise<Listening> {
  const closing = new AbortController()
  const server = createServer(
    {
      cert: tls.certificate,
      key: tls.key,
      ca: tls.clientAuthority,
      requestCert: true,
      rejectUnauthorized: false,
      keepAliveTimeout: 180_000,
      noDelay: true,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (incoming, outgoing) => void serve(incoming, outgoing, answer, closing.signal),
  )
  await bind(server, host, port)
  const { port: bound } = server.address() as AddressInfo
  return { host, port: bound, close: () => close(server, closing) }
}

async function bind(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    throw new Error(bindSentence(error as NodeJS.ErrnoException, host, port), { cause: error })
  }
}

function bindSentence(error: NodeJS.ErrnoException, host: string, port: number): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use by another process: stop that one, or name another port (0 takes any free one)`
    case 'EACCES':
      return `port ${port} of ${host} may not be listened on by this user: name a port above 1023`
    case 'EADDRNOTAVAIL':
      return `${host} is not an address of this machine: name one that is, such as 127.0.0.1`
    default:
      return `${host}:${port} cannot be listened on: ${error.message}`
  }
}

async function close(server: Server, closing: AbortController): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  closing.abort()
  // A stream that was ended just now leaves an idle connection behind.
  const sweep = setInterval(() => server.closeIdleConnections(), 5)
  const timer = setTimeout(() => server.closeAllConnections(), LINGER)
  await closed
  clearInterval(sweep)
  clearTimeout(timer)
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: ApiRequest) => Promise<Answer>,
  closing: AbortSignal,
): Promise<void> {
  const gone = new AbortController()
  const stop = (): void => gone.abort()
  // A request that was answered whole has nobody left to tell.
  outgoing.on('close', () => outgoing.writableFinished || stop())
  outgoing.on('error', stop)
  closing.addEventListener('abort', stop, { once: true })
  try {
    await write(outgoing, await answer(requestOf(incoming, gone.signal)), incoming, gone.signal)
  } catch {
    outgoing.destroy()
  } finally {
    closing.removeEventListener('abort', stop)
  }
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): ApiRequest {
  const url = incoming.url ?? '/'
  const at = url.indexOf('?')
  return {
    method: incoming.method ?? 'GET',
    path: at < 0 ? url : url.slice(0, at),
    query: new URLSearchParams(at < 0 ? '' : url.slice(at + 1)),
    header: (name) => {
      const value = incoming.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    headers: () => headersOf(incoming),
    signal,
    peer: peerOf(incoming.socket as TLSSocket),
    body: (limit) => readBody(incoming, limit),
  }
}

function* headersOf({ headers }: IncomingMessage): Generator<readonly [string, string]> {
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) yield [name, Array.isArray(value) ? value.join(', ') : value]
  }
}

/** Whose certificate came with the connection: its common name and its organizations (authentication/request/x509). */
function peerOf(socket: TLSSocket): Peer {
  if (!socket.authorized) return { kind: 'socket' }
  const { subject } = socket.getPeerCertificate() as Partial<PeerCertificate>
  const name = [subject?.CN ?? ''].flat()[0] ?? ''
  if (name === '') return { kind: 'socket' }
  return {
    kind: 'socket',
    certificate: { subject: { name, groups: [subject?.O ?? []].flat() } },
  }
}

/** The whole body; what is too long is read to its end, so that the client can hear the answer. */
async function readBody(incoming: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= limit) chunks.push(chunk)
  }
  if (length > limit) return undefined
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length)
}

async function write(
  outgoing: ServerResponse,
  { status, headers, body }: Answer,
  incoming: IncomingMessage,
  signal: AbortSignal,
): Promise<void> {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    // Text goes out with its headers in one write, bytes would be a second one.
    const length = body === undefined ? 0 : Buffer.byteLength(body)
    outgoing.writeHead(status, { ...headers, 'content-length': length } as never)
    outgoing.end(incoming.method === 'HEAD' ? undefined : body)
    incoming.resume()
    return
  }
  outgoing.writeHead(status, headers as never)
  outgoing.flushHeaders()
  for await (const chunk of body) {
    if (signal.aborted) break
    if (!outgoing.write(chunk satisfies Chunk)) await drained(outgoing, signal)
  }
  outgoing.end()
}

async function drained(outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
  try {
    await once(outgoing, 'drain', { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
