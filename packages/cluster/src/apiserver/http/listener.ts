import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { Connections } from './connections.ts'
import { Departures } from './departures.ts'
import type { Answer, ApiRequest } from './message.ts'
import { refuseConnect, refuseExpectation, refuseUnparsed } from './refusals.ts'
import { requestOfHttp1, serveHttp1 } from './serve-http1.ts'
import { serveUpgrades } from './upgrade.ts'

/** What a listener serves with, in PEM. `clientAuthority` is whose client certificates are believed. */
export interface TlsMaterial {
  readonly certificate: string
  readonly key: string
  readonly authority: string
  readonly clientAuthority: string
  /** The authority's own key, where the server made it: it can sign more certificates then. */
  readonly authorityKey?: string
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
  /** Whoever connects from now on is shown another certificate, and asked for one of other authorities. */
  readonly replaceTls: (tls: TlsMaterial) => void
  readonly close: () => Promise<void>
}

/** How long the head of a request may be: what Go allows, for a selector of many values makes a long path. */
const MAX_HEADER_BYTES = 1 << 20

/** How long requests may go on after `close`, in milliseconds. */
const LINGER = 500

/** How long a client may take for its handshake, and for the head of a request, in milliseconds (secure_serving.go). */
const PATIENCE = 32_000
/** How long a connection may stand without a request, in milliseconds. */
const IDLE = 90_000

/** Listens on HTTPS, for HTTP/2 and HTTP/1.1. Throws an Error with a sentence when the port cannot be had. */
export async function listen(
  { host, port, tls }: ListenOptions,
  answer: (request: ApiRequest) => Promise<Answer>,
): Promise<Listening> {
  const closing = new AbortController()
  const departures = new Departures(closing.signal)
  const server = createServer(
    {
      cert: tls.certificate,
      key: tls.key,
      ca: tls.clientAuthority,
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ['h2', 'http/1.1'],
      handshakeTimeout: PATIENCE,
      headersTimeout: PATIENCE,
      requestTimeout: 0,
      keepAliveTimeout: IDLE,
      noDelay: true,
      // A client that is gone without a word is found out, and its watches end (net/http, 15 s).
      keepAlive: true,
      keepAliveInitialDelay: 15_000,
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
    },
    (incoming, outgoing) => void serveHttp1(incoming, outgoing, answer, departures),
  )
  server.on('clientError', (error, socket) => refuseUnparsed(error, socket as Socket))
  server.on('connect', (_, socket) => refuseConnect(socket))
  server.on('checkExpectation', (_, outgoing: ServerResponse) => refuseExpectation(outgoing))
  serveUpgrades(server, requestOfHttp1, answer, closing.signal)
  const connections = new Connections(server, answer, closing.signal, PATIENCE)
  await bind(server, host, port)
  const { port: bound } = server.address() as AddressInfo
  return {
    host,
    port: bound,
    replaceTls: (next) =>
      server.setSecureContext({
        cert: next.certificate,
        key: next.key,
        ca: next.clientAuthority,
      }),
    close: () => close(server, connections, closing),
  }
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

async function close(
  server: Server,
  connections: Connections,
  closing: AbortController,
): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  closing.abort()
  await connections.sayGoodbye()
  // A stream that was ended just now leaves an idle connection behind.
  const sweep = setInterval(() => server.closeIdleConnections(), 5)
  const timer = setTimeout(() => connections.destroy(), LINGER)
  await closed
  clearInterval(sweep)
  clearTimeout(timer)
}
