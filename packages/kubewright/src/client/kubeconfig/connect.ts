import type { Clock } from '../../base/clock.ts'
import type { Connection } from '../connection.ts'
import { ConfigurationError } from '../exchange.ts'
import { undiciTransport } from '../undici-transport.ts'
import { undiciUpgrade } from '../undici-upgrade.ts'
import { credentialsOf, impersonationHeaders, type Credentials } from './credentials.ts'
import {
  ORIGIN,
  type ClusterEntry,
  type ContextEntry,
  type KubeConfig,
  type UserEntry,
} from './kubeconfig.ts'
import { proxyFor } from './proxy.ts'
import { createSockets } from './sockets.ts'
import { tlsSource, type TlsSource } from './tls.ts'

/** How to use a kubeconfig. */
export interface ConnectOptions {
  readonly clock: Clock
  /** Default: its `current-context`, or its only context. */
  readonly context?: string
  /** Where HTTPS_PROXY and NO_PROXY are looked for. Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Makes the {@link Connection} that a kubeconfig describes. Throws a ConfigurationError when it points nowhere. */
export function connect(config: KubeConfig, options: ConnectOptions): Connection {
  const { clock, env = process.env } = options
  const { cluster, user, context, name } = resolveContext(config, options.context)
  return placed(config, name, context, () => {
    const server = serverOf(cluster, context)
    const tls = tlsSource(cluster, user, server, clock)
    const credentials = credentialsOf(user, { ...cluster, ...trustOf(tls) }, clock)
    const told = explained(credentials, (task) => placed(config, name, context, task))
    const refusing: Credentials = {
      identity: told.identity,
      refused(identity) {
        tls.suspect()
        credentials.refused(identity)
      },
    }
    const sockets = createSockets({
      clock,
      tls,
      proxy: proxyFor(server, cluster['proxy-url'], env),
      headers: impersonationHeaders(user),
    })
    return {
      server,
      namespace: context.namespace || 'default',
      transport: undiciTransport(refusing, sockets.dispatcherFor),
      upgrade: undiciUpgrade(refusing, sockets.dispatcherFor),
      close: sockets.close,
    }
  })
}

/** A credential program is told the authority whose file the cluster names, too. */
const trustOf = (tls: TlsSource): ClusterEntry => {
  const { ca } = tls.current()
  return ca ? { 'certificate-authority-data': Buffer.from(ca).toString('base64') } : {}
}

/** Credentials whose errors say in which file, context and user they stand. */
function explained(
  credentials: Credentials,
  place: <T>(task: () => T) => T,
): Pick<Credentials, 'identity'> {
  return {
    identity: () =>
      credentials.identity().catch((error: unknown) =>
        place((): never => {
          throw error
        }),
      ),
  }
}

/** Does something, and adds to a ConfigurationError of it where what is wrong stands. */
function placed<T>(config: KubeConfig, name: string, context: ContextEntry, task: () => T): T {
  try {
    return task()
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    const file = config[ORIGIN] ? `kubeconfig ${config[ORIGIN]}, ` : ''
    const user = context.user ? `, user "${context.user}"` : ''
    throw new ConfigurationError(`${error.message} (${file}context "${name}"${user})`, {
      cause: error,
    })
  }
}

/** The parts of a context. Throws a ConfigurationError that lists what there is when a name leads nowhere. */
export function resolveContext(
  config: KubeConfig,
  wanted?: string,
): {
  readonly cluster: ClusterEntry
  readonly user: UserEntry
  readonly context: ContextEntry
  readonly name: string
} {
  const contexts = config.contexts ?? []
  const file = config[ORIGIN] ? ` ${config[ORIGIN]}` : ''
  const name =
    wanted ?? (config['current-context'] || (contexts.length === 1 ? contexts[0]?.name : ''))
  if (!name)
    throw new ConfigurationError(
      `the kubeconfig${file} has no current-context; set one (kubectl config use-context NAME) or pass a context${choices(contexts)}`,
    )
  const context = contexts.find((it) => it.name === name)?.context
  if (!context)
    throw new ConfigurationError(
      `the kubeconfig${file} has no context "${name}"${choices(contexts)}`,
    )
  const cluster = config.clusters?.find((it) => it.name === context.cluster)?.cluster
  if (!cluster)
    throw new ConfigurationError(
      `context "${name}" names the cluster "${context.cluster ?? ''}", which the kubeconfig${file} does not define${choices(config.clusters ?? [])}`,
    )
  const user = config.users?.find((it) => it.name === context.user)?.user
  if (!user && context.user)
    throw new ConfigurationError(
      `context "${name}" names the user "${context.user}", whom the kubeconfig${file} does not define${choices(config.users ?? [])}`,
    )
  return { cluster, user: user ?? {}, context, name }
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
