import type { Dispatcher } from 'undici'
import type { Transport } from '../base/transport.ts'
import type { Credentials, Identity } from './kubeconfig/credentials.ts'

/**
 * A {@link Transport} over sockets: undici's fetch with the credentials' headers and the dispatcher that fits them. A 401 makes
 * the credentials be fetched anew and the call be made once more.
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
      const { fetch: undiciFetch } = await import('undici')
      const headers = { ...Object.fromEntries(request.headers), ...identity.headers }
      const response = await undiciFetch(request.url, {
        method: request.method,
        headers,
        body,
        signal: request.signal,
        redirect: 'manual',
        dispatcher: await dispatcherFor(identity),
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
