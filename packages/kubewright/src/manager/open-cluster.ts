import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import type { Transport } from '../base/transport.ts'
import { createCache, type Cache, type CacheOptions } from '../cache/cache.ts'
import { createClient, type Client } from '../client/client.ts'
import { userAgentOf } from '../client/user-agent.ts'
import type { ManagerOptions } from './manager-options.ts'

/** What of a manager's options says which cluster to work in, and what to mirror of it. */
export type ClusterAddress = Pick<
  ManagerOptions,
  'transport' | 'kubeconfig' | 'context' | 'namespace' | 'cache'
>

/** What every cluster of a manager shares. */
export interface ClusterParts {
  readonly userAgent: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics | undefined
  /** Whose managed fields caches keep: the controllers', who know by them, after a restart, what they need not apply again. */
  readonly managedFields: readonly string[]
  readonly through: ((transport: Transport) => Transport) | undefined
}

/**
 * A client and a cache of one cluster: what the client writes is seen by the cache at once. Nothing is asked before the cache starts.
 * `cacheMetrics` get what the cache holds; one cluster's only, since they do not say which.
 */
export function openCluster(
  address: ClusterAddress,
  parts: ClusterParts,
  cacheMetrics?: Metrics,
): { readonly client: Client; readonly cache: Cache } {
  const { transport, kubeconfig, context, namespace } = address
  const { userAgent, managedFields, clock, random, log, metrics, through } = parts
  const client = createClient({
    ...(transport ? { transport } : {}),
    ...(kubeconfig ? { kubeconfig } : {}),
    ...(context ? { context } : {}),
    ...(through ? { through } : {}),
    ...(metrics ? { metrics } : {}),
    userAgent: userAgentOf(userAgent),
    logger: log,
    clock,
    random,
  })
  const namespaces = typeof namespace === 'string' ? [namespace] : namespace
  const cache = createCache({
    client,
    clock,
    random,
    logger: log,
    managedFields,
    ...(cacheMetrics ? { metrics: cacheMetrics } : {}),
    ...(namespaces ? { namespaces } : {}),
    ...cacheOptions(address),
  })
  return { client: client.with({ onWrite: (write) => cache.wrote(write) }), cache }
}

function cacheOptions({ cache = {} }: ClusterAddress): Pick<CacheOptions, 'kinds' | 'freeze'> {
  const { kinds, freeze } = cache
  return { ...(kinds ? { kinds } : {}), ...(freeze ? { freeze } : {}) }
}
