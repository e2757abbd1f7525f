import type { Clock } from '../base/clock.ts'
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
import type { ControllerDefinition } from '../controller/definition.ts'
import type { ManagerDefinition } from './manager.ts'
import type { ManagerOptions, ManagerPorts } from './manager-options.ts'
import { LeadershipLostError, runElection } from './run-election.ts'
import type { Runnable } from './runnable.ts'
import { startServers } from './servers.ts'

/** A started manager as its stages see it. */
export interface Process {
  readonly definition: ManagerDefinition
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
  /** The ends of the controllers that were added while it runs. */
  readonly added: Set<Promise<void>>
}

type StageName = 'servers' | 'caches' | 'always' | 'added' | 'leadership'

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
  for (const it of process.definition.controllers) prepareController(it, process.cache)
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
  const { controllers, runnables } = process.definition
  const begin = (): Promise<() => Promise<void>> =>
    runAll(
      process,
      controllers.filter((it) => it.options.leaderOnly !== false),
      runnables.filter((it) => it.leaderOnly !== false),
    )
  const { leaderElection } = process.options
  if (leaderElection) return campaign(process, begin)
  process.elected.resolve()
  return begin()
})

/** In the order in which they start. */
export const START: readonly Stage[] = [servers, caches, always, added, leadership]

/** In the order in which they stop: first what writes, last what is asked whether we live. */
export const STOP: readonly Stage[] = [added, leadership, always, caches, servers]

/** Runs controllers and runnables; resolves when the controllers work, with a function that waits for their end. */
async function runAll(
  process: Process,
  controllers: readonly ControllerDefinition[],
  runnables: readonly Runnable[],
): Promise<() => Promise<void>> {
  const group = createGroup()
  const started = controllers.map((it) => runOne(process, it, group))
  for (const it of runnables) group.run(() => runRunnable(process, it))
  void group.done().catch(process.fail)
  await Promise.race([Promise.all(started), group.done().then(() => undefined)])
  return () => group.done().catch(() => {})
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
  stopping: AbortSignal = process.stopping.signal,
): Promise<void> {
  const { client, cache, clock, random, log, metrics, instance, aborting } = process
  const { observer, cache: { syncTimeout } = {} } = process.options
  const environment: ControllerEnvironment = {
    client,
    cache,
    clock,
    random,
    log,
    metrics,
    observer,
    instance,
    ...(typeof process.options.ports?.inbound === 'number' ? { inbound: process.inbound } : {}),
    ...(syncTimeout === undefined ? {} : { syncTimeout }),
  }
  return new Promise((resolve) => {
    group.run(() =>
      runController(definition, environment, {
        stopping,
        aborting: aborting.signal,
        onStarted: resolve,
      }).catch((error: unknown) => {
        if (!stopping.aborted) throw error
      }),
    )
  })
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

/** Campaigns in the background; what only the leader runs begins when the lease is won, and losing it is a failure. */
async function campaign(
  process: Process,
  begin: () => Promise<() => Promise<void>>,
): Promise<() => Promise<void>> {
  const { options, client, clock, random, log, stopping } = process
  const given = typeof options.leaderElection === 'object' ? options.leaderElection : {}
  const election = { ...given, name: given.name ?? options.name ?? 'kubewright' }
  const identity = election.identity ?? `${process.instance}_${random.uuid()}`
  const status = process.metrics.gauge({
    name: 'leader_election_master_status',
    help: "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make sure to group by name.",
    labels: ['name'],
  })
  status.set(0, { name: election.name })
  let led: Promise<() => Promise<void>> | undefined
  // The lease is renewed until those who act under it have stopped.
  const over = new AbortController()
  const campaigning = new AbortController()
  stopping.signal.addEventListener('abort', () => (led ? undefined : campaigning.abort()), {
    once: true,
  })
  const running = runElection({
    options: election,
    client,
    clock,
    random,
    log,
    identity,
    signal: AbortSignal.any([over.signal, campaigning.signal]),
    onElected: () => {
      status.set(1, { name: election.name })
      process.elected.resolve()
      led = begin()
      led.catch(process.fail)
    },
  })
  running.catch((error: unknown) => {
    status.set(0, { name: election.name })
    process.fail(error)
  })
  return async () => {
    const end = await led?.catch(() => undefined)
    await end?.()
    over.abort()
    const release = await running.catch((error: unknown) => {
      if (!(error instanceof LeadershipLostError))
        log.warn('leader election ended badly', { error })
      return undefined
    })
    await release?.()
  }
}
