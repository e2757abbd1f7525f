import type { Dispatcher } from 'undici'
import type { Clock } from '../../base/clock.ts'
import type { Identity } from './credentials.ts'
import type { TlsSettings, TlsSource } from './tls.ts'

/** The sockets of a connection: one pool for the settings and the identity of now. */
export interface Sockets {
  dispatcherFor(identity: Identity): Promise<Dispatcher>
  /** Closes idle sockets at once, the others when their calls have ended, but not later than a moment from now. */
  close(): Promise<void>
}

/** What {@link Sockets} are made of. */
export interface SocketOptions {
  readonly clock: Clock
  readonly tls: TlsSource
  readonly proxy: string | undefined
  /** Sent with every request; an array is sent as so many header lines. */
  readonly headers: Readonly<Record<string, readonly string[]>>
}

interface Pool {
  readonly tls: TlsSettings
  readonly cert: string | undefined
  readonly dispatcher: Promise<Dispatcher>
}

/** Makes {@link Sockets}. When certificates change, calls under way have a moment to end, and watches come again by new sockets. */
export function createSockets({ clock, tls, proxy, headers }: SocketOptions): Sockets {
  let pool: Pool | undefined
  const closePool = async (it: Pool): Promise<void> => closed(await it.dispatcher, clock)
  return {
    dispatcherFor({ cert, key }) {
      const settings = tls.current()
      if (pool && pool.tls === settings && pool.cert === cert) return pool.dispatcher
      if (pool) void closePool(pool)
      const own = cert ? { ...settings, cert, key } : settings
      const dispatcher = dispatcherOf(proxy, own).then((it) => withHeaders(it, headers))
      pool = { tls: settings, cert, dispatcher }
      return dispatcher
    },
    close: async () => {
      if (pool) await closePool(pool)
    },
  }
}

/** Watches are silent for minutes: no timeout on bodies; keep-alive sockets are used again for half a minute. */
const TIMES = { bodyTimeout: 0, headersTimeout: 60_000, keepAliveTimeout: 30_000 } as const

/** The library is loaded only when there are sockets: clients of an in-process server never need it. */
async function dispatcherOf(proxy: string | undefined, tls: TlsSettings): Promise<Dispatcher> {
  const { Agent, ProxyAgent, Socks5ProxyAgent } = await import('undici')
  const requestTls = tls as object
  if (!proxy) return new Agent({ ...TIMES, connect: { ...tls, timeout: 10_000 } as object })
  if (!proxy.startsWith('socks5:')) return new ProxyAgent({ ...TIMES, uri: proxy, requestTls })
  const { bodyTimeout, headersTimeout } = TIMES
  const options: object = { requestTls }
  return new Socks5ProxyAgent(proxy, options).compose(
    (dispatch) => (call, handler) => dispatch({ bodyTimeout, headersTimeout, ...call }, handler),
  )
}

/** A dispatcher that adds headers: several values of one name on lines of their own, which fetch would join by commas. */
function withHeaders(
  dispatcher: Dispatcher,
  added: Readonly<Record<string, readonly string[]>>,
): Dispatcher {
  if (Object.keys(added).length === 0) return dispatcher
  const lines = Object.fromEntries(Object.entries(added).map(([name, it]) => [name, [...it]]))
  return dispatcher.compose((dispatch) => (call, handler) => {
    const given = call.headers as Readonly<Record<string, string>> | undefined
    return dispatch({ ...call, headers: { ...given, ...lines } }, handler)
  })
}

/** How long a call under way may take to end after `close`, ms. */
const LINGER = 500

function closed(dispatcher: Dispatcher, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const late = clock.after(LINGER, () => void dispatcher.destroy().then(resolve, resolve))
    const end = (): void => {
      late.cancel()
      resolve()
    }
    dispatcher.close().then(end, end)
  })
}
