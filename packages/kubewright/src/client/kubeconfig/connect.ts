import { readFileSync } from 'node:fs'
import type { Dispatcher } from 'undici'
import type { Clock } from '../../base/clock.ts'
import type { Connection } from '../connection.ts'
import { ConfigurationError } from '../exchange.ts'
import { reasonOf } from '../answer.ts'
import { undiciTransport } from '../undici-transport.ts'
import { credentialsOf, type Identity } from './credentials.ts'
import type { ClusterEntry, ContextEntry, KubeConfig, UserEntry } from './kubeconfig.ts'

/** How to use a kubeconfig. */
export interface ConnectOptions {
  readonly clock: Clock
  /** Default: its `current-context`, or its only context. */
  readonly context?: string
}

/** Makes the {@link Connection} that a kubeconfig describes. Throws a ConfigurationError when it points nowhere. */
export function connect(config: KubeConfig, options: ConnectOptions): Connection {
  const { cluster, user, context } = resolveContext(config, options.context)
  const server = serverOf(cluster, context)
  const credentials = credentialsOf(user, cluster, options.clock)
  const tls = tlsOf(cluster, user, server)
  const proxy = checkProxy(cluster)
  const dispatchers = new Map<string, Promise<Dispatcher>>()
  const closeOf = async (it: Promise<Dispatcher>): Promise<void> => closed(await it, options.clock)
  const dispatcherFor = (identity: Identity): Promise<Dispatcher> => {
    const id = identity.cert ?? ''
    const known = dispatchers.get(id)
    if (known) return known
    for (const [old, it] of dispatchers) {
      if (old === '') continue
      dispatchers.delete(old)
      void closeOf(it)
    }
    const own = identity.cert ? { cert: identity.cert, key: identity.key } : {}
    const made = dispatcherOf(proxy, { ...tls, ...own })
    dispatchers.set(id, made)
    return made
  }
  return {
    server,
    namespace: context.namespace || 'default',
    transport: undiciTransport(credentials, dispatcherFor),
    close: async () => {
      await Promise.all([...dispatchers.values()].map(closeOf))
    },
  }
}

/** The parts of a context. Throws a ConfigurationError that lists what there is when a name leads nowhere. */
export function resolveContext(
  config: KubeConfig,
  wanted?: string,
): { readonly cluster: ClusterEntry; readonly user: UserEntry; readonly context: ContextEntry } {
  const contexts = config.contexts ?? []
  const name =
    wanted ?? (config['current-context'] || (contexts.length === 1 ? contexts[0]?.name : ''))
  if (!name)
    throw new ConfigurationError(
      `the kubeconfig has no current-context; set one (kubectl config use-context NAME) or pass a context${choices(contexts)}`,
    )
  const context = contexts.find((it) => it.name === name)?.context
  if (!context)
    throw new ConfigurationError(`the kubeconfig has no context "${name}"${choices(contexts)}`)
  const cluster = config.clusters?.find((it) => it.name === context.cluster)?.cluster
  if (!cluster)
    throw new ConfigurationError(
      `context "${name}" names the cluster "${context.cluster ?? ''}", which the kubeconfig does not define${choices(config.clusters ?? [])}`,
    )
  const user = config.users?.find((it) => it.name === context.user)?.user
  if (!user && context.user)
    throw new ConfigurationError(
      `context "${name}" names the user "${context.user}", whom the kubeconfig does not define${choices(config.users ?? [])}`,
    )
  return { cluster, user: user ?? {}, context }
}

const choices = (entries: readonly { readonly name: string }[]): string =>
  entries.length > 0 ? `; it has ${entries.map((it) => it.name).join(', ')}` : '; it has none'

function serverOf(cluster: ClusterEntry, context: ContextEntry): string {
  const server = cluster.server ?? ''
  const url = URL.canParse(server) ? new URL(server) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new ConfigurationError(
      `cluster "${context.cluster ?? ''}" has the server ${JSON.stringify(server)}; a URL such as https://10.0.0.1:6443 was expected`,
    )
  return server.replace(/\/$/, '')
}

interface TlsSettings {
  readonly ca?: string
  readonly cert?: string | undefined
  readonly key?: string | undefined
  readonly rejectUnauthorized?: boolean
  readonly servername?: string
}

function tlsOf(cluster: ClusterEntry, user: UserEntry, server: string): TlsSettings {
  if (!server.startsWith('https:')) return {}
  const ca = material(cluster, 'certificate-authority', 'certificate-authority-data')
  const cert = material(user, 'client-certificate', 'client-certificate-data')
  const key = material(user, 'client-key', 'client-key-data')
  if (Boolean(cert) !== Boolean(key))
    throw new ConfigurationError(
      'the kubeconfig user has a client certificate without a key, or a key without a certificate',
    )
  const servername = cluster['tls-server-name']
  return {
    ...(ca ? { ca } : {}),
    ...(cert && key ? { cert, key } : {}),
    ...(cluster['insecure-skip-tls-verify'] ? { rejectUnauthorized: false } : {}),
    ...(servername ? { servername } : {}),
  }
}

function material<T extends object>(entry: T, file: keyof T, data: keyof T): string | undefined {
  const inline = entry[data]
  if (typeof inline === 'string' && inline !== '')
    return Buffer.from(inline, 'base64').toString('utf8')
  const path = entry[file]
  if (typeof path !== 'string' || path === '') return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new ConfigurationError(
      `${String(file)} ${path} of the kubeconfig cannot be read: ${reasonOf(cause)}`,
      { cause },
    )
  }
}

/** Watches are silent for minutes: no timeout on bodies; keep-alive sockets are used again for half a minute. */
const SOCKETS = { bodyTimeout: 0, headersTimeout: 60_000, keepAliveTimeout: 30_000 } as const

function checkProxy(cluster: ClusterEntry): string | undefined {
  const proxy = cluster['proxy-url']
  if (proxy && !/^https?:/.test(proxy))
    throw new ConfigurationError(
      `proxy-url ${proxy} is not supported: an http: or https: proxy was expected`,
    )
  return proxy
}

/** How long a call under way may take to end after `close`, ms. */
const LINGER = 500

/** Closes the sockets: idle ones at once, the others when their calls have ended, but not later than a moment from now. */
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

/** The sockets; the library is loaded only when there are any: clients of an in-process server never need it. */
async function dispatcherOf(proxy: string | undefined, tls: TlsSettings): Promise<Dispatcher> {
  const { Agent, ProxyAgent } = await import('undici')
  return proxy
    ? new ProxyAgent({ ...SOCKETS, uri: proxy, requestTls: tls as object })
    : new Agent({ ...SOCKETS, connect: { ...tls, timeout: 10_000 } as object })
}
