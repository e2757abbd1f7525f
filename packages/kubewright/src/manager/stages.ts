import type { Clock } from '../base/clock.ts'
import type { Fence } from '../base/fence.ts'
import { createGroup, type Group } from '../base/lifetime.ts'
import type { Logger } from '../base/logger.ts'
import type { Metrics } from '../base/metrics.ts'
import type { PrometheusMetrics } from '../base/prometheus.ts'
import type { Random } from '../base/random.ts'
import type { Cache } from '../cache/cache.ts'
import type { Client } from '../client/client.ts'
import {
  prepareController,
  runController,
  type ControllerEnvironment,
} from '../controller/run-controller.ts'
import type { EventRecorder } from '../controller/event-recorder.ts'
import { recordEvents } from '../controller/record-events.ts'
import type { Inbound } from '../controller/inbound.ts'
import type { RuntimeObserver } from '../controller/observer.ts'
import type { Tracing } from '../controller/tracing.ts'
import type { Shards } from '../shard/run-shards.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import type { ManagerDefinition } from './manager.ts'
import type { ManagerOptions, ManagerPorts } from './manager-options.ts'
import { campaign } from './campaign.ts'
import type { DebugJournal } from './debug-journal.ts'
import type { JoinedClusters } from './joined-clusters.ts'
import type { Runnable } from './runnable.ts'
import { startServers } from './servers.ts'

/** A started manager as its stages see it. */
export interface Process {
  /** What it runs; another one after a reload. */
  definition: ManagerDefinition
  /** The controllers that run because of the definition, and how they are stopped to make room for others. */
  generation: Generation
  readonly options: ManagerOptions
  readonly client: Client
  readonly cache: Cache
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  readonly scrape: PrometheusMetrics | undefined
  readonly instance: string
  readonly ports: { -readonly [K in keyof ManagerPorts]: number }
  readonly inbound: Inbound
  /** No new work from now on. */
  readonly stopping: AbortController
  /** Runs under way end now. */
  readonly aborting: AbortController
  readonly elected: PromiseWithResolvers<void>
  /** Rejects with the first failure. */
  readonly failed: Promise<never>
  readonly fail: (error: unknown) => void
  /** How each stage that was started is stopped. */
  readonly endings: Partial<Record<StageName, () => Promise<void>>>
  /** Its part in sharing the work, where replicas do. */
  readonly shards: Shards | undefined
  /** Whether it may still act as the leader. */
  readonly leading: Fence
  readonly clusters: JoinedClusters
  readonly tracing: Tracing | undefined
  readonly debug: DebugJournal | undefined
  /** The ends of the controllers that were added while it runs. */
  readonly added: Set<Promise<void>>
}

/** Controllers of one definition. */
export interface Generation {
  readonly stop: AbortController
  readonly ended: Promise<void>[]
}

type StageName = 'servers' | 'caches' | 'always' | 'added' | 'sharing' | 'leadership'

/** A group of what runs: started and stopped together. */
export interface Stage {
  readonly name: StageName
  readonly start: (process: Process) => Promise<void>
  readonly stop: (process: Process) => Promise<void>
}

const stage = (
  name: StageName,
  begin: (process: Process) => Promise<() => Promise<void>>,
): Stage => ({
  name,
  start: async (process) => {
    process.endings[name] = await begin(process)
  },
  stop: async (process) => {
    const end = process.endings[name]
    if (!end) return
    const ended = end().catch((error: unknown) =>
      process.log.warn('stopping failed', { stage: name, error }),
    )
    const over = new AbortController()
    await Promise.race([ended, outOfPatience(process, name, over.signal)])
    over.abort()
  },
})

/** How long what was aborted may take to notice before stopping goes on without it, ms; longer than a worker gives a run. */
const GRACE = 2_000

/** Resolves when a stage has had its time: what does not heed its signal must not keep the process for ever. */
function outOfPatience(
  { aborting: { signal }, clock, log }: Process,
  name: StageName,
  over: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const begin = (): void => {
      const timer = clock.after(GRACE, () => {
        log.warn('stopping goes on, but something does not heed its signal', { stage: name })
        resolve()
      })
      over.addEventListener('abort', () => timer.cancel(), { once: true })
    }
    if (signal.aborted) begin()
    else signal.addEventListener('abort', begin, { once: true, signal: over })
  })
}

/** Health, metrics and webhooks: first, so that a slow start can be seen, and conversion works before the caches list. */
const servers = stage('servers', startServers)

/** The informers of every controller, of leaders and candidates alike: who is elected starts with full caches. */
const caches = stage('caches', async (process) => {
  for (const it of process.definition.controllers)
    if (it.options.clusters !== 'members') prepareController(it, process.cache)
  process.cache.start()
  return async () => {
    await process.cache.stop()
    await process.client.close()
  }
})

/** What runs in every process, leader or not. */
const always = stage('always', async (process) => {
  const { controllers, runnables } = process.definition
  return runAll(
    process,
    controllers.filter((it) => it.options.leaderOnly === false),
    runnables.filter((it) => it.leaderOnly === false),
  )
})

/** What was added while the process runs: nothing to start, but they must have ended before the caches go. */
const added = stage('added', async (process) => async () => {
  await Promise.all(process.added)
})

/** What only the leader runs; without leader election this process is it. */
const leadership = stage('leadership', async (process) => {
  const ours = process.definition.runnables.filter((it) => it.leaderOnly !== false)
  const begin = (): Promise<() => Promise<void>> => runAll(process, ledControllers(process), ours)
  if (process.shards && !process.options.leaderElection) {
    refuseLeaderless([...ledControllers(process), ...ours])
    return async () => {}
  }
  const { leaderElection } = process.options
  if (leaderElection) return campaign(process, begin)
  process.elected.resolve()
  return begin()
})

function ledControllers({ definition, shards }: Process): readonly ControllerDefinition[] {
  const led = definition.controllers.filter((it) => it.options.leaderOnly !== false)
  return shards ? led.filter((it) => !isShared(it)) : led
}

/** What the replicas share: each works on what it holds, and hands the rest over when it stops. */
const sharing = stage('sharing', async (process) => {
  const { controllers } = process.definition
  const { shards } = process
  if (!shards) return async () => {}
  shards.done.catch(process.fail)
  void shards.holds.then(process.elected.resolve)
  process.stopping.signal.addEventListener('abort', () => shards.leave(), { once: true })
  const end = await runAll(process, controllers.filter(isShared), [])
  return async () => {
    await end()
    await shards.release()
  }
})

const isShared = ({ options }: ControllerDefinition): boolean =>
  options.sharded !== false && options.leaderOnly !== false

/** What only one process may run needs one to be chosen: shards choose none. */
function refuseLeaderless(parts: readonly { readonly name: string }[]): void {
  if (parts.length === 0) return
  throw new Error(
    `${parts.map((it) => it.name).join(', ')} run${parts.length === 1 ? 's' : ''} only in a leader, and replicas that share the work have none: add leaderElection: true beside shards, or give ${parts.length === 1 ? 'it' : 'them'} leaderOnly: false`,
  )
}

/** In the order in which they start. */
export const START: readonly Stage[] = [servers, caches, always, added, sharing, leadership]

/** In the order in which they stop: first what writes, last what is asked whether we live. */
export const STOP: readonly Stage[] = [added, leadership, sharing, always, caches, servers]

/** Runs controllers and runnables; resolves when the controllers work, with a function that waits for their end. */
async function runAll(
  process: Process,
  controllers: readonly ControllerDefinition[],
  runnables: readonly Runnable[],
): Promise<() => Promise<void>> {
  const group = createGroup()
  const { generation } = process
  const started = controllers.map((it) =>
    runOne(process, it, group, stopsWith(process, generation)),
  )
  if (controllers.length > 0) generation.ended.push(group.done().catch(() => {}))
  for (const it of runnables) group.run(() => runRunnable(process, it))
  void group.done().catch(process.fail)
  await Promise.race([Promise.all(started), group.done().then(() => undefined)])
  return () => group.done().catch(() => {})
}

const stopsWith = ({ stopping }: Process, { stop }: Generation): AbortSignal =>
  AbortSignal.any([stopping.signal, stop.signal])

/**
 * Runs the controllers of another definition instead of those that run: they end first, and client, caches, ports, shards and lease stay as
 * they are. Resolves when the new ones work, or wait for the lease. What else the definition declares is not changed.
 */
export async function reload(process: Process, next: ManagerDefinition): Promise<void> {
  const { generation: old, cache } = process
  process.stopping.signal.throwIfAborted()
  for (const it of next.controllers)
    if (it.options.clusters !== 'members') prepareController(it, cache)
  const generation = newGeneration()
  process.generation = generation
  process.definition = { ...next, options: process.options }
  old.stop.abort(new Error('other controllers take over'))
  await Promise.all(old.ended)
  const leads = await isSettled(process.elected.promise)
  const wanted = next.controllers.filter(
    (it) => leads || it.options.leaderOnly === false || (process.shards && isShared(it)),
  )
  const end = await runAll(process, wanted, [])
  const settled = end()
  process.added.add(settled)
  void settled.then(() => process.added.delete(settled))
}

/** A {@link Generation} before anything runs in it. */
export function newGeneration(): Generation {
  return { stop: new AbortController(), ended: [] }
}

/** Whether a promise has been kept already. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false
  void promise.then(() => (settled = true))
  await Promise.resolve()
  await Promise.resolve()
  return settled
}

/**
 * Runs one more controller, once this process leads if only leaders run it. Resolves when it works, with a function that stops it
 * alone; rejects when it cannot start. It stops with the manager too.
 */
export async function addController(
  process: Process,
  definition: ControllerDefinition,
): Promise<() => Promise<void>> {
  if (definition.options.leaderOnly !== false) await leading(process)
  const own = new AbortController()
  const group = createGroup()
  const stopping = AbortSignal.any([process.stopping.signal, own.signal])
  const started = runOne(process, definition, group, stopping)
  const ended = group.done()
  const settled = ended.catch(process.fail)
  process.added.add(settled)
  void settled.then(() => process.added.delete(settled))
  await Promise.race([started, ended])
  return async () => {
    own.abort(new Error(`the controller ${definition.name} is stopped`))
    await ended
  }
}

/** Resolves when this process leads; rejects when it stops before. */
async function leading({ elected, stopping: { signal } }: Process): Promise<void> {
  const over = new AbortController()
  const stopped = new Promise<never>((_, reject) => {
    const stop = (): void => reject(signal.reason as Error)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true, signal: over.signal })
  })
  await Promise.race([elected.promise, stopped])
  over.abort()
}

function runOne(
  process: Process,
  definition: ControllerDefinition,
  group: Group,
  stopping: AbortSignal,
): Promise<void> {
  const { aborting, debug } = process
  const environment = environmentFor(process, definition)
  return new Promise((resolve) => {
    group.run(() =>
      runController(definition, environment, {
        stopping,
        aborting: aborting.signal,
        onStarted: resolve,
        ...(debug ? { onQueue: (queue) => debug.addQueue(definition.name, queue) } : {}),
      }).catch((error: unknown) => {
        if (!stopping.aborted) throw error
      }),
    )
  })
}

/** What a controller runs in: as a replica's, as the leader's, or as anybody's. */
function environmentFor(process: Process, definition: ControllerDefinition): ControllerEnvironment {
  const { client, cache, clock, random, log, metrics, instance, options, shards } = process
  const { cache: { syncTimeout } = {}, leaderElection, waitForKinds } = options
  const shared = shards && isShared(definition) ? shards : undefined
  const led = leaderElection && !shared && definition.options.leaderOnly !== false
  const fence = shared?.fence ?? (led ? process.leading : undefined)
  return {
    client,
    cache,
    clock,
    random,
    log,
    metrics,
    observer: observerOf(process),
    instance,
    clusters: process.clusters,
    tracing: process.tracing,
    ...(fence ? { guard: () => fence.check() } : {}),
    ...(shared ? { ownership: shared.ownership } : {}),
    ...(typeof options.ports?.inbound === 'number' ? { inbound: process.inbound } : {}),
    ...(syncTimeout === undefined ? {} : { syncTimeout }),
    ...(waitForKinds ? { waitForKinds } : {}),
  }
}

function observerOf({ options: { observer }, debug }: Process): RuntimeObserver | undefined {
  if (!debug) return observer
  if (!observer) return debug.observer
  return (event) => {
    debug.observer(event)
    observer(event)
  }
}

async function runRunnable(process: Process, it: Runnable): Promise<void> {
  const { client, cache, clock, random, stopping, instance } = process
  const log = process.log.with({ runnable: it.name })
  const { signal } = stopping
  const telling = { client: client.with({ signal }), clock, random, log, instance }
  const events = (controller: string): EventRecorder => recordEvents({ ...telling, controller })
  try {
    await it.run({ client, cache, clock, log, events, signal })
  } catch (error) {
    if (!stopping.signal.aborted) throw error
  }
}
