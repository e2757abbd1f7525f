import { exponentialBackoff } from '../base/backoff.ts'
import type { Clock } from '../base/clock.ts'
import { aborted, createGroup, type Group } from '../base/lifetime.ts'
import type { Logger } from '../base/logger.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import type { Cache } from '../cache/cache.ts'
import type { Client } from '../client/client.ts'
import type { Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import { controllerOf } from '../machinery/owner-reference.ts'
import { createWorkqueue, type Workqueue } from '../workqueue/workqueue.ts'
import { attachWatch, inCluster, runSource, startResync, type Origin } from './attach-watches.ts'
import type { Clusters, Member } from './clusters.ts'
import { controllerMeter } from './controller-metrics.ts'
import type { ControllerDefinition } from './definition.ts'
import { requestTexts } from './handler.ts'
import type { Inbound } from './inbound.ts'
import { createIntake, LOW_PRIORITY, type Intake } from './intake.ts'
import { OWNER_INDEX } from './make-context.ts'
import type { RuntimeObserver } from './observer.ts'
import type { Ownership } from './ownership.ts'
import { createPace } from './pace.ts'
import { createReconcilers, type Reconcilers } from './reconcilers.ts'
import { retryingOf } from './retry-policy.ts'
import { shareWork, type Sharing } from './sharing.ts'
import type { Tracing } from './tracing.ts'
import { waitForCaches } from './wait-for-caches.ts'
import { work, type WorkerParts } from './worker.ts'

/** What a controller runs in. */
export interface ControllerEnvironment {
  /** Its writes must be told to the cache. */
  readonly client: Client
  readonly cache: Cache
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  readonly observer?: RuntimeObserver | undefined
  /** Which process, for Events. */
  readonly instance: string
  /** How long the first lists may take, ms. Default two minutes. */
  readonly syncTimeout?: number
  /** Whether a kind that is missing is waited for after that. Default false: the start fails. */
  readonly waitForKinds?: boolean
  /** Throws when this process may write no more: another one may act already. */
  readonly guard?: (() => void) | undefined
  /** Which objects are this process's, where replicas share the work. */
  readonly ownership?: Ownership | undefined
  readonly clusters?: Clusters | undefined
  readonly tracing?: Tracing | undefined
  readonly inbound?: Inbound | undefined
}

/** How a run ends: no new work after `stopping`; runs under way are aborted by `aborting`. */
export interface ControllerSignals {
  readonly stopping: AbortSignal
  readonly aborting: AbortSignal
  /** Called once the watches are attached and the workers work, or once the controller waits for kinds that are missing. */
  readonly onStarted?: () => void
  /** Called with the queue, for people who look. */
  readonly onQueue?: (queue: Workqueue) => void
}

/** The kinds whose informers a controller needs: asked of the cache before it starts, so that they are there and indexed. */
export function prepareController(definition: ControllerDefinition, cache: Cache): readonly Kind[] {
  const kinds = [
    ...definition.watches.map((it) => it.kind),
    ...definition.reads,
    ...definition.owns,
  ]
  for (const kind of kinds) cache.informer(kind)
  for (const kind of definition.owns) cache.index(kind, OWNER_INDEX, controllerUid)
  for (const { kind, name, valuesOf } of definition.indexes) cache.index(kind, name, valuesOf)
  return kinds
}

function controllerUid(object: KubeObject): readonly string[] {
  const uid = controllerOf(object)?.uid
  return uid ? [uid] : []
}

/** A controller at work. */
interface Work {
  readonly definition: ControllerDefinition
  readonly environment: ControllerEnvironment
  readonly signals: ControllerSignals
  readonly intake: Intake
  readonly reconcilers: Reconcilers
  readonly sharing: Sharing | undefined
  readonly group: Group
}

/**
 * Runs a controller: waits for its caches, then attaches its watches and sources and works until `stopping`; resolves when the
 * runs under way have ended. Rejects when the caches do not fill in time.
 */
export async function runController(
  definition: ControllerDefinition,
  environment: ControllerEnvironment,
  signals: ControllerSignals,
): Promise<void> {
  const { clock, random, cache, metrics, observer } = environment
  const { name, options } = definition
  const { maxConcurrent = 10, pace, rate, clusters = 'home' } = options
  const log = environment.log.with({ controller: name })
  const retrying = retryingOf(options.retry ?? 'fast', options.backoff)
  if (clusters !== 'members') {
    const kinds = prepareController(definition, cache)
    await waitForCaches(kinds, environment, cache, signals.stopping, name, signals.onStarted)
  }
  const queue = createWorkqueue({
    clock,
    name,
    metrics,
    backoff: exponentialBackoff(retrying.backoff, random),
  })
  signals.onQueue?.(queue)
  const sharing = sharingOf(definition, environment, log)
  const reconcilers = createReconcilers(definition, environment, signals, sharing)
  const intake = createIntake(queue, name, observer, sharing?.admit)
  const group = createGroup(signals.stopping)
  const it: Work = { definition, environment, signals, intake, reconcilers, sharing, group }
  const parts: WorkerParts = {
    controller: name,
    queue,
    run: reconcilers.run,
    begin: (key) => begin(it, key),
    clock,
    random,
    log,
    meter: controllerMeter(metrics, name, maxConcurrent),
    observer,
    tracing: environment.tracing,
    pace: pace === false ? undefined : createPace(pace),
    rate: rate ? createPace(rate) : undefined,
    tries: retrying.tries,
    timeout: options.timeout ?? 600_000,
    signal: signals.aborting,
  }
  const endings = engageAll(it)
  const workers = Promise.all(Array.from({ length: maxConcurrent }, () => work(parts)))
  log.debug('controller started', { workers: maxConcurrent })
  signals.onStarted?.()
  await aborted(group.signal)
  for (const end of endings) end()
  await queue.stop()
  await workers
  await group.done()
  await reconcilers.stop()
}

/** Attaches the watches of every cluster that the controller is for, and its sources; answers with what detaches them. */
function engageAll(it: Work): readonly (() => void)[] {
  const { definition, environment, group, intake } = it
  const { clusters = 'home' } = definition.options
  const endings: (() => void)[] = []
  if (clusters !== 'members') endings.push(engage(it, { cluster: '', cache: environment.cache }))
  if (clusters !== 'home' && environment.clusters)
    endings.push(environment.clusters.each((member, signal) => admitMember(it, member, signal)))
  for (const source of definition.sources)
    group.run((signal) => runSource(source, environment, definition.name, intake, signal))
  return endings
}

function engage(it: Work, origin: Origin): () => void {
  const { definition, environment, intake, sharing } = it
  const endings = [
    ...definition.watches.map((watch) =>
      attachWatch(watch, definition, environment, origin, intake),
    ),
    startResync(definition, environment, origin, intake),
  ]
  if (sharing)
    endings.push(sharing.ownership.onGained((gained) => takeUp(it, origin, sharing, gained)))
  return () => endings.forEach((end) => end())
}

/** What became ours is looked at, whoever worked on it before. */
function takeUp(
  { definition: { kind }, intake }: Work,
  { cluster, cache }: Origin,
  sharing: Sharing,
  gained: (id: string) => boolean,
): void {
  const informer = kind ? cache.peek(kind) : undefined
  if (!informer?.synced) return
  for (const text of requestTexts(informer.lister.list())) {
    const key = inCluster(cluster, text)
    if (gained(sharing.idOf(key)))
      intake(key, { reason: { text: 'taken over' }, priority: LOW_PRIORITY })
  }
}

/** A cluster joins: its caches fill, its watches are attached; when it leaves, its runs end before it goes. */
async function admitMember(
  it: Work,
  member: Member,
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const { definition, environment, reconcilers } = it
  const kinds = prepareController(definition, member.cache)
  const both = AbortSignal.any([signal, it.group.signal])
  await waitForCaches(kinds, environment, member.cache, both, definition.name)
  reconcilers.admit(member)
  const detach = engage(it, { cluster: member.name, cache: member.cache })
  return async () => {
    detach()
    await reconcilers.dismiss(member.name)
  }
}

/** Takes a key up, if it is this process's and its cluster is still there; answers with what must be called at the end of the run. */
function begin({ sharing, reconcilers }: Work, key: string): (() => void) | undefined {
  const left = reconcilers.begin(key)
  if (!left) return undefined
  if (!sharing) return left
  const ended = sharing.ownership.begin(sharing.idOf(key))
  if (!ended) {
    left()
    return undefined
  }
  return () => {
    ended()
    left()
    if (reconcilers.isGone(key)) sharing.forget(key)
  }
}

function sharingOf(
  { kind, options }: ControllerDefinition,
  { ownership, cache, clusters }: ControllerEnvironment,
  log: Logger,
): Sharing | undefined {
  if (!ownership || options.sharded === false) return undefined
  const cacheOf = (cluster: string): Cache | undefined =>
    cluster === '' ? cache : clusters?.members.get(cluster)?.cache
  return shareWork({ ownership, kind, log, cacheOf })
}
