import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'

/** A certificate and its key, PEM. */
export interface ServingCertificate {
  readonly cert: string
  readonly key: string
}

/** Where and how to listen. */
export interface ServeOptions {
  /** 0 takes any free port. */
  readonly port: number
  /** Default: every address. */
  readonly host?: string
  /** Serves HTTPS with this certificate; HTTP without it. */
  readonly tls?: () => ServingCertificate | Promise<ServingCertificate>
}

/** A server that listens. */
export interface Served {
  readonly port: number
  /** Serves with a newer certificate from the next connection on. */
  replaceCertificate(certificate: ServingCertificate): void
  /** Takes no more connections, lets answers under way finish for a moment, and closes. */
  close(): Promise<void>
}

/** Serves a fetch handler over sockets (HTTP/1.1). Rejects with a sentence when the port cannot be had. */
export async function serve(
  handler: (request: Request) => Promise<Response>,
  options: ServeOptions,
): Promise<Served> {
  const { port, host, tls } = options
  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    void answer(handler, message, response, tls ? 'https' : 'http')
  }
  const certificate = await tls?.()
  const secure = certificate
    ? createHttps({ ...certificate, minVersion: 'TLSv1.2' }, listener)
    : undefined
  const server = secure ?? createHttp(listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new Error(
          `cannot listen on port ${port}: ${cause.message}; choose another port, or 0 for any`,
          { cause },
        ),
      ),
    )
    server.listen(port, host, resolve)
  })
  server.unref()
  return {
    port: (server.address() as AddressInfo).port,
    replaceCertificate: (it) => secure?.setSecureContext({ ...it, minVersion: 'TLSv1.2' }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
        setTimeout(() => server.closeAllConnections(), 1_000).unref()
      }),
  }
}

async function answer(
  handler: (request: Request) => Promise<Response>,
  message: IncomingMessage,
  response: ServerResponse,
  scheme: string,
): Promise<void> {
  try {
    const result = await handler(requestOf(message, scheme))
    response.writeHead(result.status, Object.fromEntries(result.headers))
    response.end(result.body ? Buffer.from(await result.arrayBuffer()) : undefined)
  } catch {
    if (!response.headersSent) response.writeHead(500)
    response.end()
  }
}

function requestOf(message: IncomingMessage, scheme: string): Request {
  const { method = 'GET', url = '/', headers } = message
  const plain = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name.startsWith(':') ? [] : [[name, String(value)] as [string, string]],
  )
  const bodiless = method === 'GET' || method === 'HEAD'
  return new Request(`${scheme}://${headers.host ?? 'localhost'}${url}`, {
    method,
    headers: plain,
    ...(bodiless ? {} : { body: Readable.toWeb(message) as ReadableStream, duplex: 'half' }),
  })
}
