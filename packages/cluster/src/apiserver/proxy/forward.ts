import type { Duplex } from 'node:stream'
import type { Answer, ApiRequest } from '../http/message.ts'
import type { Dial } from '../http/dial.ts'
import { askUpstream, type UpstreamAnswer, type UpstreamTls } from '../http/upstream.ts'

/** Where a request goes instead. */
export interface Target {
  /** Scheme, host, port and path; the request's query is added by whoever makes the target. */
  readonly url: URL
  readonly tls?: UpstreamTls
  readonly dial?: Dial
  /** Headers that the upstream is to see, beside those of the request or in their place. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  /** The Host that the upstream is to see; absent: the one that the client asked for. */
  readonly host?: string
}

/** Headers that concern one connection and not the message (RFC 9110 7.6.1; net/http/httputil ReverseProxy). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers that said who asks: that has been found out, and is nobody else's business. */
const CREDENTIALS = /^(?:authorization|impersonate-.*)$/

/** Whether a request asks for another protocol. */
export const isUpgrade = (request: ApiRequest): boolean =>
  /\bupgrade\b/i.test(request.header('connection') ?? '') &&
  (request.header('upgrade') ?? '') !== ''

/**
 * Hands a request on, head and body, and its answer back as it comes. An upgrade becomes a tunnel. Rejects with an Error in Go's words
 * where nobody answers.
 */
export async function forward(request: ApiRequest, target: Target): Promise<Answer> {
  const upgrade = isUpgrade(request)
  const bodiless = upgrade || !hasBody(request)
  const answer = await askUpstream({
    url: target.url,
    method: request.method,
    headers: headersFor(request, target, upgrade),
    ...(bodiless ? {} : { body: request.stream() }),
    ...(target.tls ? { tls: target.tls } : {}),
    ...(target.dial ? { dial: target.dial } : {}),
    signal: request.signal,
  })
  return answer.upgraded ? tunnelled(answer, answer.upgraded) : passedOn(answer)
}

const hasBody = (request: ApiRequest): boolean =>
  (request.header('content-length') ?? '0') !== '0' ||
  request.header('transfer-encoding') !== undefined

function headersFor(
  request: ApiRequest,
  { url, headers = [], host = request.header('host') ?? url.host }: Target,
  upgrade: boolean,
): readonly (readonly [string, string])[] {
  const replaced = new Set(headers.map(([name]) => name.toLowerCase()))
  const dropped = new Set(
    (request.header('connection') ?? '').split(',').map((it) => it.trim().toLowerCase()),
  )
  const out: (readonly [string, string])[] = [['host', host]]
  for (const [name, value] of request.headers()) {
    if (name.startsWith(':') || HOP_BY_HOP.has(name) || dropped.has(name)) continue
    if (CREDENTIALS.test(name) || replaced.has(name)) continue
    if (name !== 'host') out.push([name, value])
  }
  if (upgrade) {
    out.push(['connection', 'Upgrade'], ['upgrade', request.header('upgrade')!])
  }
  return [...out, ...headers]
}

function passedOn({ status, headers, body }: UpstreamAnswer): Answer {
  return { status, headers: grouped(headers.filter(([name]) => !HOP_BY_HOP.has(name))), body }
}

function tunnelled(
  { status, headers }: UpstreamAnswer,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
): Answer {
  if (head.length > 0) socket.unshift(head)
  return { status, headers: grouped(headers), tunnel: (client) => join(client, socket) }
}

/** Each side hears what the other says, until one of them is done. */
export function join(client: Duplex, upstream: Duplex): void {
  client.pipe(upstream)
  upstream.pipe(client)
  for (const [side, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    side.on('error', () => other.destroy())
    side.on('close', () => other.destroy())
  }
}

/** Headers by name, in the order of their first mention; several of one name are kept apart. */
export function grouped(
  headers: readonly (readonly [string, string])[],
): Record<string, string | readonly string[]> {
  const out: Record<string, string | string[]> = {}
  for (const [name, value] of headers) {
    const before = out[name]
    if (before === undefined) out[name] = value
    else if (typeof before === 'string') out[name] = [before, value]
    else before.push(value)
  }
  return out
}
