import { hostname } from 'node:os'
import { systemClock } from '../base/clock.ts'
import { silentLogger } from '../base/logger.ts'
import { noMetrics } from '../base/metrics.ts'
import { prometheusMetrics } from '../base/prometheus.ts'
import { systemRandom } from '../base/random.ts'
import { createCache, type Cache, type CacheOptions } from '../cache/cache.ts'
import { createClient, type Client, type ClientOptions } from '../client/client.ts'
import { createInbound } from '../controller/inbound.ts'
import type { ManagerDefinition } from './manager.ts'
import type { ManagerOptions, ManagerPorts } from './manager-options.ts'
import { LeadershipLostError } from './run-election.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { addController, START, STOP, type Process } from './stages.ts'

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
  /** Runs one more controller; resolves when it works, with a function that stops it again. */
  add(definition: ControllerDefinition): Promise<() => Promise<void>>
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
  return {
    client: process.client,
    cache: process.cache,
    done,
    elected: process.elected.promise,
    ports: process.ports,
    add: (it) => addController(process, it),
    stop,
    [Symbol.asyncDispose]: stop,
  }
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
  if (failure?.error instanceof LeadershipLostError) process.aborting.abort(failure.error)
  const limit = process.clock.after(options.shutdownTimeout ?? 30_000, () =>
    process.aborting.abort(new Error('the manager stops: the time for runs under way is over')),
  )
  for (const stage of STOP) await stage.stop(process)
  limit.cancel()
  process.aborting.abort(STOPPED)
  if (failure) throw failure.error
}

async function assemble(definition: ManagerDefinition): Promise<Process> {
  const { options } = definition
  const clock = options.clock ?? systemClock
  const random = options.random ?? systemRandom
  const log = options.logger ?? silentLogger
  const measured = typeof options.ports?.metrics === 'number'
  const scrape = measured ? await prometheusMetrics({ process: true }) : undefined
  const raw = createClient({
    ...clientOptions(options),
    userAgent: options.name ?? 'kubewright',
    logger: log,
    clock,
    random,
    ...(scrape ? { metrics: scrape } : {}),
  })
  const namespaces = typeof options.namespace === 'string' ? [options.namespace] : options.namespace
  const cache = createCache({
    client: raw,
    clock,
    random,
    logger: log,
    ...(namespaces ? { namespaces } : {}),
    ...cacheOptions(options),
  })
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
  return {
    definition,
    options,
    client: raw.with({ onWrite: (write) => cache.wrote(write) }),
    cache,
    clock,
    random,
    log,
    metrics: scrape ?? noMetrics,
    scrape,
    instance: options.instance ?? hostname(),
    ports: {},
    inbound: createInbound(),
    stopping,
    aborting,
    elected: Promise.withResolvers<void>(),
    failed: failed.promise,
    fail: failed.reject,
    endings: {},
    added: new Set(),
  }
}

function clientOptions({ transport, kubeconfig, context }: ManagerOptions): ClientOptions {
  return {
    ...(transport ? { transport } : {}),
    ...(kubeconfig ? { kubeconfig } : {}),
    ...(context ? { context } : {}),
  }
}

function cacheOptions({ cache = {} }: ManagerOptions): Pick<CacheOptions, 'kinds' | 'freeze'> {
  const { kinds, freeze } = cache
  return { ...(kinds ? { kinds } : {}), ...(freeze ? { freeze } : {}) }
}
