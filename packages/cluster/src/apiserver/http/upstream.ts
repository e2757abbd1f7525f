import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connectionOf, type Dial } from './dial.ts'
import { goNetworkError } from './go-network-error.ts'

/** Whom an upstream may be over TLS, and who we are to it; PEM. */
export interface UpstreamTls {
  /** Its authorities; absent: those of the machine. */
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  /** The name that its certificate must be for; absent: the host that is dialled. */
  readonly servername?: string
  /** Believes any certificate. */
  readonly insecure?: boolean
}

/** A request to another server. */
export interface UpstreamRequest {
  /** Scheme, host and port; path and query go out as they stand. */
  readonly url: URL
  readonly method: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: AsyncIterable<Uint8Array>
  readonly tls?: UpstreamTls
  /** Connects to addresses that are not of the machine's network. */
  readonly dial?: Dial
  /** Ends the connection when it aborts. */
  readonly signal: AbortSignal
  /** How long connecting may take, in milliseconds. Default 30,000, as Go's dialer. */
  readonly connectTimeout?: number
  /** How long the whole exchange may take, in milliseconds. Default: as long as it takes. */
  readonly timeout?: number
}

/** What another server answered: a message, or a connection that now speaks another protocol. */
export interface UpstreamAnswer {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: AsyncIterable<Uint8Array>
  /** Set for status 101; `head` is what came right after the answer. */
  readonly upgraded?: { readonly socket: Duplex; readonly head: Buffer }
}

/**
 * Asks another server. Resolves with its head, while its body is still on its way. Rejects with an Error in Go's words: `dial tcp
 * 10.0.0.7:80: connect: connection refused`.
 */
export function askUpstream(request: UpstreamRequest): Promise<UpstreamAnswer> {
  const { url, method, headers, tls, dial, connectTimeout = 30_000, timeout } = request
  const signal =
    timeout === undefined
      ? request.signal
      : AbortSignal.any([request.signal, AbortSignal.timeout(timeout)])
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest
  return new Promise((resolve, reject) => {
    const sent = send(url, {
      method,
      headers: headers.flat(),
      signal,
      timeout: connectTimeout,
      ...(tls ? tlsOptions(tls) : {}),
      ...connectionOf(dial, url, {
        servername: isIP(url.hostname) ? '' : url.hostname,
        ...(tls ? tlsOptions(tls) : {}),
      }),
    })
    const fail = (error: unknown): void =>
      reject(new Error(goDialError(error as Error, url), { cause: error }))
    sent.on('timeout', () =>
      sent.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })),
    )
    sent.on('socket', (socket) => socket.once('connect', () => socket.setTimeout(0)))
    sent.on('error', fail)
    sent.on('response', (message) => resolve({ ...headOf(message), body: message }))
    sent.on('upgrade', (message, socket: Duplex, head) =>
      resolve({ ...headOf(message), body: message, upgraded: { socket, head } }),
    )
    void sendBody(sent, request.body).catch(fail)
  })
}

function tlsOptions({ ca, cert, key, servername, insecure }: UpstreamTls): object {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(servername === undefined ? {} : { servername }),
    ...(insecure ? { rejectUnauthorized: false } : {}),
  }
}

async function sendBody(
  sent: ReturnType<typeof plainRequest>,
  body: AsyncIterable<Uint8Array> | undefined,
): Promise<void> {
  // An upgrade waits for its answer with the head alone.
  if (body === undefined) return void sent.end()
  for await (const chunk of body) {
    if (sent.destroyed) return
    if (!sent.write(chunk))
      await new Promise((resolve) => sent.once('drain', resolve).once('close', resolve))
  }
  sent.end()
}

function headOf(message: IncomingMessage): Pick<UpstreamAnswer, 'status' | 'headers'> {
  const { statusCode, rawHeaders } = message
  const headers: [string, string][] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    headers.push([rawHeaders[i]!.toLowerCase(), rawHeaders[i + 1]!])
  }
  return { status: statusCode ?? 502, headers }
}

/** A failed connection in Go's words. */
function goDialError(error: Error, url: URL): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ETIMEDOUT') return `dial tcp ${url.host}: i/o timeout`
  if (message.includes('wrong version number'))
    return 'http: server gave HTTP response to HTTPS client'
  return goNetworkError(error)
}

/** The addresses of a host. Rejects with an Error in Go's words. */
export async function addressesOf(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map((it) => it.address)
  } catch (error) {
    throw new Error(`lookup ${host}: no such host`, { cause: error })
  }
}
