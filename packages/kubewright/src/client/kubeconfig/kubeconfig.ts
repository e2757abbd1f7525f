/** A kubeconfig as it is written (client-go tools/clientcmd/api/v1), relative paths already made absolute. */
export interface KubeConfig {
  readonly apiVersion?: string
  readonly kind?: string
  readonly clusters?: readonly { readonly name: string; readonly cluster: ClusterEntry }[]
  readonly users?: readonly { readonly name: string; readonly user: UserEntry }[]
  readonly contexts?: readonly { readonly name: string; readonly context: ContextEntry }[]
  readonly 'current-context'?: string
  /** Where it was read, for sentences; not part of what is written. */
  readonly [ORIGIN]?: string
}

/** The key under which a {@link KubeConfig} remembers its file. */
export const ORIGIN: unique symbol = Symbol('origin')

/** Where a server is and how to trust it. */
export interface ClusterEntry {
  readonly server?: string
  readonly 'certificate-authority'?: string
  readonly 'certificate-authority-data'?: string
  readonly 'insecure-skip-tls-verify'?: boolean
  readonly 'tls-server-name'?: string
  readonly 'proxy-url'?: string
  /** `client.authentication.k8s.io/exec` is what a credential program is told of the cluster. */
  readonly extensions?: readonly { readonly name: string; readonly extension?: unknown }[]
}

/** Who one is to the server. */
export interface UserEntry {
  readonly 'client-certificate'?: string
  readonly 'client-certificate-data'?: string
  readonly 'client-key'?: string
  readonly 'client-key-data'?: string
  readonly token?: string
  readonly tokenFile?: string
  readonly username?: string
  readonly password?: string
  readonly as?: string
  readonly 'as-uid'?: string
  readonly 'as-groups'?: readonly string[]
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>>
  readonly exec?: ExecEntry
  readonly 'auth-provider'?: AuthProviderEntry
}

/** A provider of tokens that is built in; `oidc` is the only one left. */
export interface AuthProviderEntry {
  readonly name: string
  readonly config?: Readonly<Record<string, string>>
}

/** A program that hands out credentials (client.authentication.k8s.io). */
export interface ExecEntry {
  readonly apiVersion?: string
  readonly command: string
  readonly args?: readonly string[] | null
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null
  readonly installHint?: string
  readonly provideClusterInfo?: boolean
  readonly interactiveMode?: 'Never' | 'IfAvailable' | 'Always'
}

/** A cluster, a user and a namespace. */
export interface ContextEntry {
  readonly cluster?: string
  readonly user?: string
  readonly namespace?: string
}

/** Joins several files: the first that sets `current-context` or defines a name wins (kubectl's rule for KUBECONFIG lists). */
export function mergeKubeConfigs(configs: readonly KubeConfig[]): KubeConfig {
  const firsts = <T extends { readonly name: string }>(lists: readonly (readonly T[])[]): T[] => {
    const byName = new Map<string, T>()
    for (const it of lists.flat()) if (!byName.has(it.name)) byName.set(it.name, it)
    return [...byName.values()]
  }
  const current = configs.map((it) => it['current-context']).find((it) => it)
  const origins = configs.flatMap((it) => it[ORIGIN] ?? [])
  return {
    apiVersion: 'v1',
    kind: 'Config',
    ...(origins.length > 0 ? { [ORIGIN]: origins.join(', ') } : {}),
    clusters: firsts(configs.map((it) => it.clusters ?? [])),
    users: firsts(configs.map((it) => it.users ?? [])),
    contexts: firsts(configs.map((it) => it.contexts ?? [])),
    ...(current ? { 'current-context': current } : {}),
  }
}
