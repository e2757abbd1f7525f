import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'

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

/** Finds the address behind a service; undefined where nothing is known of it, so that its name is asked for. */
export type ResolveService = (
  namespace: string,
  name: string,
  port: number,
) => Promise<{ readonly host: string; readonly port: number } | undefined>

const TLS_PORT = 443
/** The longest answer that is read, in bytes. */
const LIMIT = 16 * 1024 * 1024

/**
 * Posts a review to a webhook and answers with the parsed answer. Rejects with an Error that says which webhook, and what it met:
 * no connection, an untrusted certificate, a status other than 200, an answer that is not JSON, or none within `timeout` ms.
 */
export async function callWebhook(
  target: WebhookTarget,
  review: object,
  timeout: number,
  resolveService: ResolveService,
): Promise<unknown> {
  const shown = target.url ?? serviceUrl(target)
  const body = JSON.stringify(review)
  try {
    const { url, servername } = await placeOf(target, resolveService)
    const answer = await post(url, servername, target.caBundle, body, timeout)
    return JSON.parse(answer) as unknown
  } catch (error) {
    throw new Error(`Post "${shown}?timeout=${timeout / 1000}s": ${(error as Error).message}`, {
      cause: error,
    })
  }
}

const serviceUrl = ({ service }: WebhookTarget): string =>
  `https://${service?.name}.${service?.namespace}.svc:${service?.port ?? TLS_PORT}${service?.path ?? '/'}`

async function placeOf(
  target: WebhookTarget,
  resolveService: ResolveService,
): Promise<{ readonly url: URL; readonly servername: string | undefined }> {
  const { service } = target
  if (!service) return { url: new URL(target.url ?? ''), servername: undefined }
  const { namespace, name, port = TLS_PORT, path = '/' } = service
  const servername = `${name}.${namespace}.svc`
  const found = await resolveService(namespace, name, port)
  const host = found?.host ?? servername
  const url = new URL(`https://${host.includes(':') ? `[${host}]` : host}:${found?.port ?? port}`)
  url.pathname = path
  return { url, servername }
}

function post(
  url: URL,
  servername: string | undefined,
  caBundle: string | undefined,
  body: string,
  timeout: number,
): Promise<string> {
  const send = url.protocol === 'http:' ? plainRequest : tlsRequest
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const ca = caBundle ? { ca: Buffer.from(caBundle, 'base64').toString() } : {}
  const name = servername ? { servername } : {}
  const signal = AbortSignal.timeout(timeout)
  return new Promise((resolve, reject) => {
    const sent = send(url, { method: 'POST', headers, signal, ...ca, ...name }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (chunk: string) => {
        text += chunk
        if (text.length > LIMIT) sent.destroy(new Error(`the answer is longer than ${LIMIT} bytes`))
      })
      incoming.on('error', reject)
      incoming.on('end', () =>
        incoming.statusCode === 200
          ? resolve(text)
          : reject(new Error(`the webhook answered ${incoming.statusCode}: ${text.slice(0, 200)}`)),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
