import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { parse } from 'yaml'
import { ConfigurationError } from '../exchange.ts'
import { reasonOf } from '../answer.ts'
import { inClusterConfig } from './in-cluster.ts'
import {
  mergeKubeConfigs,
  ORIGIN,
  type ClusterEntry,
  type KubeConfig,
  type UserEntry,
} from './kubeconfig.ts'

/** Where to look for a kubeconfig. */
export interface LoadOptions {
  /** One file, as `--kubeconfig` gives it: it must exist. */
  readonly path?: string | undefined
  /** Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Default: the user's home directory. */
  readonly home?: string
}

/**
 * Finds and reads the kubeconfig: `path`, else the files of KUBECONFIG (missing ones are skipped), else the service account of
 * the pod this runs in, else `~/.kube/config`. Throws a ConfigurationError that says where it looked.
 */
export function loadKubeConfig(options: LoadOptions = {}): KubeConfig {
  const { path, env = process.env, home = homedir() } = options
  if (path) return readKubeConfig(path)
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((it) => it !== '')
  if (listed.length > 0) {
    const present = listed.filter((it) => existsSync(it))
    if (present.length > 0) return mergeKubeConfigs(present.map(readKubeConfig))
    throw new ConfigurationError(
      `KUBECONFIG is ${listed.join(delimiter)}, and no such file exists; correct it, or unset it to use ~/.kube/config`,
    )
  }
  const pod = inClusterConfig(env)
  if (pod) return pod
  const usual = join(home, '.kube', 'config')
  if (existsSync(usual)) return readKubeConfig(usual)
  throw new ConfigurationError(
    `no kubeconfig: KUBECONFIG is not set, this is no pod with a service account, and ${usual} does not exist; pass --kubeconfig FILE or set KUBECONFIG`,
  )
}

/** Reads one file; its relative paths are taken from its folder. Throws a ConfigurationError when it cannot be read. */
export function readKubeConfig(path: string): KubeConfig {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new ConfigurationError(`the kubeconfig ${path} cannot be read: ${reasonOf(cause)}`, {
      cause,
    })
  }
  return parseKubeConfig(text, dirname(resolve(path)), path)
}

/** Parses YAML or JSON. `folder` is where relative paths start; `name` is what errors call it. */
export function parseKubeConfig(text: string, folder: string, name: string): KubeConfig {
  let parsed: unknown
  try {
    parsed = parse(text)
  } catch (cause) {
    throw new ConfigurationError(`the kubeconfig ${name} is not YAML: ${reasonOf(cause)}`, {
      cause,
    })
  }
  if (parsed === null || parsed === undefined) return {}
  if (typeof parsed !== 'object' || Array.isArray(parsed))
    throw new ConfigurationError(
      `the kubeconfig ${name} holds ${Array.isArray(parsed) ? 'a list' : `a ${typeof parsed}`}; a mapping with clusters, users and contexts was expected`,
    )
  return { ...anchored(parsed as KubeConfig, folder), [ORIGIN]: name }
}

const CLUSTER_PATHS = ['certificate-authority'] as const satisfies readonly (keyof ClusterEntry)[]
const USER_PATHS = [
  'client-certificate',
  'client-key',
  'tokenFile',
] as const satisfies readonly (keyof UserEntry)[]

function anchored(config: KubeConfig, folder: string): KubeConfig {
  const absolute = <T extends object>(entry: T, names: readonly (keyof T)[]): T => {
    const moved = names.flatMap((name) => {
      const path = entry[name]
      return typeof path === 'string' && path !== '' && !isAbsolute(path)
        ? [[name, join(folder, path)]]
        : []
    })
    return moved.length > 0 ? { ...entry, ...Object.fromEntries(moved) } : entry
  }
  return {
    ...config,
    clusters: (config.clusters ?? []).map((it) => ({
      ...it,
      cluster: absolute(it.cluster ?? {}, CLUSTER_PATHS),
    })),
    users: (config.users ?? []).map((it) => ({ ...it, user: anchoredUser(it.user ?? {}) })),
  }

  function anchoredUser(user: UserEntry): UserEntry {
    const moved = absolute(user, USER_PATHS)
    const command = moved.exec?.command ?? ''
    // As a shell does: a name alone is looked up in PATH, a path with a slash is relative to the file.
    return moved.exec && command.includes('/') && !isAbsolute(command)
      ? { ...moved, exec: { ...moved.exec, command: join(folder, command) } }
      : moved
  }
}
