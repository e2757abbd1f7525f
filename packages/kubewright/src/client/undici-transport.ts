import type { Dispatcher } from 'undici'
import type { Transport } from '../base/transport.ts'
import type { Credentials, Identity } from './kubeconfig/credentials.ts'

/**
 * A {@link Transport} over sockets: with the credentials' headers and the dispatcher that fits them. A 401 makes the credentials be
 * fetched anew and the call be made once more.
 *
 * Watches and logs that are followed are streams; every other answer is read whole at once, which spares most of what fetch costs: its
 * streams are half of the work of a small call, and keep the garbage collector busy.
 */
export function undiciTransport(
  credentials: Credentials,
  dispatcherFor: (identity: Identity) => Promise<Dispatcher>,
): Transport {
  // A Request follows its caller's signal through weak references alone: once collected, aborting no longer ends the body that is
  // being read. So the Request lives as long as the body.
  const held = new WeakMap<object, Request>()
  return async (request) => {
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : null
    const send = async (identity: Identity): Promise<Response> => {
      const headers = { ...Object.fromEntries(request.headers), ...identity.headers }
      const dispatcher = await dispatcherFor(identity)
      if (!endless(request.url)) return whole(request, headers, body, dispatcher)
      const { fetch: undiciFetch } = await import('undici')
      const response = await undiciFetch(request.url, {
        method: request.method,
        headers,
        body,
        signal: request.signal,
        redirect: 'manual',
        dispatcher,
      })
      if (response.body) held.set(response.body, request)
      // The same class by the same specification, from another copy of undici than the one inside Node.
      return response as unknown as Response
    }
    const identity = await credentials.identity()
    const response = await send(identity)
    if (response.status !== 401) return response
    credentials.refused(identity)
    await response.body?.cancel()
    return send(await credentials.identity())
  }
}

/** Whether an answer goes on until somebody ends it. */
const endless = (url: string): boolean => /[?&](watch|follow)=(true|1)(&|$)/.test(url)

/** Statuses that have no body (fetch specification). */
const BODILESS = new Set([101, 204, 205, 304])

async function whole(
  request: Request,
  headers: Record<string, string>,
  body: Uint8Array | null,
  dispatcher: Dispatcher,
): Promise<Response> {
  const { request: ask } = await import('undici')
  const { method, signal, url } = request
  const answer = await ask(url, {
    method: method as Dispatcher.HttpMethod,
    headers,
    body,
    signal,
    dispatcher,
  })
  const bytes = await answer.body.bytes()
  const init = { status: answer.statusCode, headers: headersOf(answer.headers) }
  return new Response(BODILESS.has(answer.statusCode) ? null : bytes, init)
}

type RawHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** Headers as undici's dispatchers hand them out, as fetch does. */
export function headersOf(raw: RawHeaders): Headers {
  const headers = new Headers()
  for (const name in raw) for (const value of [raw[name] ?? []].flat()) headers.append(name, value)
  return headers
}
