import { stringifyExact } from 'kubewright/base'
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { connectionOf, type Dial } from './dial.ts'
import { goNetworkError } from './go-network-error.ts'
import { type Received, reviewIn } from './webhook-answer.ts'

/** Where a webhook is (apiextensions and admissionregistration WebhookClientConfig). */
export interface WebhookTarget {
  readonly url?: string
  readonly service?: {
    readonly namespace: string
    readonly name: string
    readonly path?: string
    readonly port?: number
  }
  /** PEM in base64; absent: the machine's own authorities. */
  readonly caBundle?: string
}

/** How the server proves itself to one webhook; PEM, and the value of an Authorization header. */
export interface WebhookCredentials {
  readonly cert?: string
  readonly key?: string
  readonly authorization?: string
}

/** Finds the credentials for `host:port`; undefined where the server has none to show. */
export type FindCredentials = (place: string) => WebhookCredentials | undefined

/** Finds the address behind a service; undefined where nothing is known of it, so that its name is asked for. */
export type ResolveService = (
  namespace: string,
  name: string,
  port: number,
) => Promise<Resolved | undefined>

/** Where a service is, and how one connects to it where it is not of the machine's network. */
export interface Resolved {
  readonly host: string
  readonly port: number
  readonly dial?: Dial
}

const TLS_PORT = 443
/** The longest answer that is read, in bytes. */
const LIMIT = 16 * 1024 * 1024
/** How often a webhook may send the review elsewhere. */
const MOST_REDIRECTS = 10

/**
 * Posts a review to a webhook and answers with the parsed answer. Rejects with an Error in Go's words, or an ApiError where the webhook
 * answers with a Status or a failing code: no connection, an untrusted certificate, an answer that is no object, or none within
 * `timeout` ms.
 */
export async function callWebhook(
  target: WebhookTarget,
  review: object,
  timeout: number,
  resolveService: ResolveService,
  findCredentials: FindCredentials = () => undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const shown = `${target.url ?? serviceUrl(target)}?timeout=${Math.ceil(timeout / 1000)}s`
  const body = stringifyExact(review)
  let received: Received
  try {
    const { url, servername, dial } = await placeOf(target, resolveService)
    url.search = `?timeout=${Math.ceil(timeout / 1000)}s`
    const credentials = findCredentials(
      servername === undefined
        ? `${url.hostname}:${url.port || TLS_PORT}`
        : `${servername}:${target.service?.port ?? TLS_PORT}`,
    )
    const call = {
      servername,
      ca: target.caBundle,
      dial,
      body,
      signal: AbortSignal.timeout(timeout),
      credentials,
    }
    received = await persistently(() => follow(url, call), call.signal)
  } catch (error) {
    throw new Error(`Post "${shown}": ${goNetworkError(error as Error)}`, { cause: error })
  }
  return reviewIn(received)
}

const serviceUrl = ({ service }: WebhookTarget): string =>
  `https://${service?.name}.${service?.namespace}.svc:${service?.port ?? TLS_PORT}${service?.path ?? '/'}`

async function placeOf(
  target: WebhookTarget,
  resolveService: ResolveService,
): Promise<{
  readonly url: URL
  readonly servername: string | undefined
  readonly dial: Dial | undefined
}> {
  const { service } = target
  if (!service) return { url: new URL(target.url ?? ''), servername: undefined, dial: undefined }
  const { namespace, name, port = TLS_PORT, path = '/' } = service
  const servername = `${name}.${namespace}.svc`
  const found = await resolveService(namespace, name, port)
  const host = found?.host ?? servername
  const url = new URL(`https://${host.includes(':') ? `[${host}]` : host}:${found?.port ?? port}`)
  url.pathname = path
  return { url, servername, dial: found?.dial }
}

/** A `caBundle` that holds no certificate: nobody can be asked with it. */
export class ClientProblem extends Error {
  override readonly name = 'ClientProblem'
}

/** Throws a {@link ClientProblem} for an authority that cannot be read. */
export function checkAuthority({ caBundle }: WebhookTarget): void {
  if (!caBundle) return
  const pem = Buffer.from(caBundle, 'base64').toString('latin1')
  if (/-----BEGIN CERTIFICATE-----/.test(pem)) return
  throw new ClientProblem('unable to load root certificates: unable to parse bytes as PEM block')
}

interface Call {
  readonly servername: string | undefined
  readonly ca: string | undefined
  readonly dial: Dial | undefined
  readonly body: string
  readonly signal: AbortSignal
  readonly credentials: WebhookCredentials | undefined
}

/** How often a webhook that is busy is asked again. */
const MOST_RETRIES = 10

/** Asks again where an answer says when, as client-go does (rest/with_retry.go). */
async function persistently(ask: () => Promise<Received>, signal: AbortSignal): Promise<Received> {
  for (let tries = 0; ; tries++) {
    const received = await ask()
    const { status, retryAfter } = received
    const isBusy = status === 429 || status >= 500
    if (!isBusy || retryAfter === undefined || tries === MOST_RETRIES) return received
    await wait(retryAfter * 1000, undefined, { signal })
  }
}

/** Posts, and goes where the answer points, as Go's client does: with the body again for a 307 or 308, without it for the others. */
async function follow(first: URL, call: Call): Promise<Received> {
  let url = first
  let method = 'POST'
  for (let hops = 0; ; hops++) {
    const received = await send(url, method, call)
    const { status, location } = received
    if (status < 301 || status > 308 || !REDIRECTS.has(status) || !location) return received
    if (hops === MOST_REDIRECTS) throw new Error(`stopped after ${MOST_REDIRECTS} redirects`)
    url = new URL(location, url)
    if (status < 307) method = 'GET'
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

function send(
  url: URL,
  method: string,
  { servername, ca, dial, body, signal, credentials: { authorization, ...proof } = {} }: Call,
): Promise<Received> {
  const ask = url.protocol === 'http:' ? plainRequest : tlsRequest
  const accept = {
    accept: 'application/json, */*',
    ...(authorization === undefined ? {} : { authorization }),
  }
  const headers =
    method === 'POST'
      ? { ...accept, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      : accept
  // As in Go, any certificate of the bundle may be believed, a server's own too.
  const trusted = ca
    ? { ca: Buffer.from(ca, 'base64').toString(), allowPartialTrustChain: true }
    : {}
  const name = servername ? { servername } : {}
  const tls = { ...trusted, ...proof, ...name }
  const options = { method, headers, signal, ...tls }
  const connection = dial ? connectionOf(dial, url, tls) : {}
  return new Promise((resolve, reject) => {
    const sent = ask(url, { ...options, ...connection }, (incoming) => {
      const chunks: Buffer[] = []
      let length = 0
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        length += chunk.length
        if (length > LIMIT) sent.destroy(new Error(`the answer is longer than ${LIMIT} bytes`))
      })
      incoming.on('error', reject)
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          contentType: incoming.headers['content-type'] ?? '',
          location: incoming.headers.location,
          retryAfter: secondsIn(incoming.headers['retry-after']),
          text: Buffer.concat(chunks).toString(),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(method === 'POST' ? body : undefined)
  })
}

const secondsIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
