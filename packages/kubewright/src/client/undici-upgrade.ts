import type { Duplex } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Upgrade } from './connection.ts'
import type { Credentials, Identity } from './kubeconfig/credentials.ts'
import { headersOf } from './undici-transport.ts'

type Answer = Awaited<ReturnType<Upgrade>>

/** An {@link Upgrade} over the sockets of {@link undiciTransport}: the same credentials, proxies and TLS settings, and once more after a 401. */
export function undiciUpgrade(
  credentials: Credentials,
  dispatcherFor: (identity: Identity) => Promise<Dispatcher>,
): Upgrade {
  return async (request, protocol) => {
    const send = async (identity: Identity): Promise<Answer> => {
      const headers = { ...Object.fromEntries(request.headers), ...identity.headers }
      return upgraded(await dispatcherFor(identity), request, headers, protocol)
    }
    const identity = await credentials.identity()
    const answer = await send(identity)
    if (answer.socket || answer.response.status !== 401) return answer
    credentials.refused(identity)
    return send(await credentials.identity())
  }
}

function upgraded(
  dispatcher: Dispatcher,
  { url, signal }: Request,
  headers: Record<string, string>,
  protocol: string,
): Promise<Answer> {
  const { origin, pathname, search } = new URL(url)
  const call = {
    origin,
    path: pathname + search,
    method: 'GET',
    headers,
    upgrade: protocol,
  } as const
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error)
    dispatcher.dispatch(call, handlerFor(signal, resolve, reject))
  })
}

/** Tells `resolve` of the 101's socket, or of any other answer once it is whole. */
function handlerFor(
  signal: AbortSignal,
  resolve: (answer: Answer) => void,
  reject: (error: unknown) => void,
): Dispatcher.DispatchHandler {
  let stop: (() => void) | undefined
  let head: ResponseInit = {}
  const body: Uint8Array[] = []
  const over = (): void => {
    if (stop) signal.removeEventListener('abort', stop)
  }
  return {
    onRequestStart(controller) {
      stop = () => controller.abort(signal.reason as Error)
      signal.addEventListener('abort', stop, { once: true })
    },
    onRequestUpgrade(_controller, _status, headers, socket) {
      over()
      resolve({ socket: socket as Duplex, headers: headersOf(headers) })
    },
    onResponseStart(_controller, status, headers) {
      head = { status, headers: headersOf(headers) }
    },
    onResponseData(_controller, chunk) {
      body.push(chunk)
    },
    onResponseEnd() {
      over()
      resolve({ socket: undefined, response: new Response(Buffer.concat(body), head) })
    },
    onResponseError(_controller, error) {
      over()
      reject(error)
    },
  }
}
