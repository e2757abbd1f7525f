import { hostname } from 'node:os'
import { systemClock } from '../base/clock.ts'
import { createFence } from '../base/fence.ts'
import { silentLogger } from '../base/logger.ts'
import { noMetrics } from '../base/metrics.ts'
import { prometheusMetrics } from '../base/prometheus.ts'
import { systemRandom } from '../base/random.ts'
import type { Cache } from '../cache/cache.ts'
import type { Client } from '../client/client.ts'
import { createInbound } from '../controller/inbound.ts'
import { ShardsLostError } from '../shard/run-shards.ts'
import { debugJournal } from './debug-journal.ts'
import { joinedClusters, type ClusterSet } from './joined-clusters.ts'
import type { Manager, ManagerDefinition } from './manager.ts'
import type { ManagerPorts } from './manager-options.ts'
import { openCluster, type ClusterParts } from './open-cluster.ts'
import { tracingOf } from './open-telemetry.ts'
import { rightsOf, tellMissingRights } from './rights.ts'
import { LeadershipLostError } from './run-election.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { shardsOf } from './shards-of.ts'
import { addController, newGeneration, reload, START, STOP, type Process } from './stages.ts'

/** A manager at work. `await using running = await app.start(…)` stops it at the end of the block. */
export interface Running extends AsyncDisposable {
  /** Reads and writes the server; its writes are seen by `cache` at once. */
  readonly client: Client
  readonly cache: Cache
  /** Resolves when it has stopped after `stop`; rejects with what made it stop otherwise. */
  readonly done: Promise<void>
  /** Resolves when this process leads; at once without leader election. */
  readonly elected: Promise<void>
  /** The ports that it listens on. */
  readonly ports: { readonly [K in keyof ManagerPorts]: number }
  /** The clusters besides its own that it works in. */
  readonly clusters: ClusterSet
  /** Runs one more controller; resolves when it works, with a function that stops it again. */
  add(definition: ControllerDefinition): Promise<() => Promise<void>>
  /**
   * Runs another declaration's controllers instead of its own: they end first; caches stay warm, and client, ports and lease stay as they
   * are. For development, and for operators that put themselves together anew. What else it declares is not changed.
   */
  reload(next: Pick<Manager, 'describe'>): Promise<void>
  /** Stops in good order (see STOP in stages.ts); runs under way get `shutdownTimeout`. */
  stop(): Promise<void>
}

/** Starts what a manager declares; resolves when it works, rejects (after stopping again) when it cannot. */
export async function startManager(definition: ManagerDefinition): Promise<Running> {
  const process = await assemble(definition)
  const done = live(process)
  done.catch(() => {})
  const stop = (): Promise<void> => {
    process.stopping.abort(STOPPED)
    return done.catch(() => {})
  }
  try {
    for (const stage of START) {
      process.stopping.signal.throwIfAborted()
      await Promise.race([stage.start(process), process.failed])
    }
  } catch (error) {
    process.fail(error)
    await stop()
    throw error
  }
  if (definition.options.checkAccess) void checkAccess(process)
  const running: Running = {
    client: process.client,
    cache: process.cache,
    done,
    elected: process.elected.promise,
    ports: process.ports,
    clusters: process.clusters,
    add: (it) => addController(process, it),
    reload: (next) => reload(process, next.describe()),
    stop,
    [Symbol.asyncDispose]: stop,
  }
  definition.options.onStarted?.(running)
  return running
}

/** Says what the server does not allow, beside the work: a right may come any time. */
function checkAccess({ definition, client, log, stopping, options }: Process): Promise<void> {
  const { namespace = [] } = options
  const given = typeof namespace === 'string' ? [namespace] : namespace
  // Which namespaces carry labels is not known beforehand: rights in all of them are what is needed.
  const namespaces = 'labelSelector' in given ? [] : given
  return tellMissingRights(
    client,
    rightsOf(definition.controllers),
    namespaces,
    log,
    stopping.signal,
  )
}

const STOPPED = new Error('the manager is stopping')

/** Waits for the end, then stops all in order. */
async function live(process: Process): Promise<void> {
  const { stopping, options } = process
  const failure = await Promise.race([
    process.failed.catch((error: unknown) => ({ error })),
    new Promise<undefined>((resolve) => {
      stopping.signal.addEventListener('abort', () => resolve(undefined), { once: true })
    }),
  ])
  stopping.abort(STOPPED)
  // Who lost the lease must not finish anything: another process acts already.
  if (failure?.error instanceof LeadershipLostError || failure?.error instanceof ShardsLostError)
    process.aborting.abort(failure.error)
  const limit = process.clock.after(options.shutdownTimeout ?? 30_000, () =>
    process.aborting.abort(new Error('the manager stops: the time for runs under way is over')),
  )
  for (const stage of STOP) await stage.stop(process)
  await process.clusters.stop()
  limit.cancel()
  process.aborting.abort(STOPPED)
  if (failure) throw failure.error
}

async function assemble(definition: ManagerDefinition): Promise<Process> {
  const { options } = definition
  const { clock = systemClock, random = systemRandom, logger: log = silentLogger } = options
  const measured = typeof options.ports?.metrics === 'number'
  const scrape = measured ? await prometheusMetrics({ process: true }) : undefined
  const tracing = await tracingOf(options.tracing)
  const metrics = scrape ?? noMetrics
  const name = options.name ?? 'kubewright'
  const parts: ClusterParts = {
    userAgent: name,
    clock,
    random,
    log,
    metrics: scrape,
    managedFields: definition.controllers.map((it) => it.name),
    through: tracing ? (it) => tracing.transport(it) : undefined,
  }
  const { client, cache } = openCluster(options, parts, scrape)
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  const stopping = new AbortController()
  const aborting = new AbortController()
  options.signal?.addEventListener('abort', () => stopping.abort(STOPPED), {
    once: true,
    // The signal may outlive many starts: its listener goes with this one.
    signal: aborting.signal,
  })
  if (options.signal?.aborted) stopping.abort(STOPPED)
  const instance = options.instance ?? hostname()
  const { renewDeadline = 10_000 } =
    typeof options.leaderElection === 'object' ? options.leaderElection : {}
  return {
    definition,
    generation: newGeneration(),
    options,
    client,
    cache,
    clock,
    random,
    log,
    metrics,
    scrape,
    instance,
    ports: {},
    inbound: createInbound(),
    stopping,
    aborting,
    elected: Promise.withResolvers<void>(),
    failed: failed.promise,
    fail: failed.reject,
    endings: {},
    shards: shardsOf(definition, {
      client,
      cache,
      clock,
      random,
      log,
      metrics,
      instance,
      signal: aborting.signal,
    }),
    leading: createFence(clock, renewDeadline, () => notLeading(name)),
    clusters: joinedClusters(parts),
    tracing,
    debug: options.debug ? debugJournal(clock) : undefined,
    added: new Set(),
  }
}

const notLeading = (name: string): LeadershipLostError =>
  new LeadershipLostError(
    `this process does not hold the lease of ${name} any more: it may write nothing as its leader`,
  )
