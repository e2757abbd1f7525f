import { exponentialBackoff } from '../base/backoff.ts'
import type { Clock } from '../base/clock.ts'
import { createGroup } from '../base/lifetime.ts'
import type { Logger } from '../base/logger.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import type { Cache } from '../cache/cache.ts'
import type { Client } from '../client/client.ts'
import { groupResourceText, type Kind } from '../machinery/kind.ts'
import { keyText, parseKey } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'
import { controllerOf } from '../machinery/owner-reference.ts'
import { createWorkqueue } from '../workqueue/workqueue.ts'
import { controllerMeter } from './controller-metrics.ts'
import type { ControllerDefinition, SourceContext, WatchDefinition } from './definition.ts'
import { eventOf } from './event.ts'
import { requestTexts } from './handler.ts'
import { createIntake, LOW_PRIORITY, type Intake } from './intake.ts'
import type { ContextParts } from './apply-draft.ts'
import { keyContext, objectContext, OWNER_INDEX } from './make-context.ts'
import type { RuntimeObserver } from './observer.ts'
import { createPace } from './pace.ts'
import { recordEvents } from './record-events.ts'
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
}

/** How a run ends: no new work after `stopping`; runs under way are aborted by `aborting`. */
export interface ControllerSignals {
  readonly stopping: AbortSignal
  readonly aborting: AbortSignal
  /** Called once the watches are attached and the workers work. */
  readonly onStarted?: () => void
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
  const { maxConcurrent = 10, timeout = 600_000, pace } = options
  const log = environment.log.with({ controller: name })
  const kinds = prepareController(definition, cache)
  await waitForCaches(kinds, environment, signals.stopping, name)
  const queue = createWorkqueue({
    clock,
    name,
    metrics,
    backoff: exponentialBackoff(options.backoff, random),
  })
  const intake = createIntake(queue, name, observer)
  const parts: WorkerParts = {
    controller: name,
    queue,
    run: reconcilerOf(definition, environment, signals.aborting),
    clock,
    random,
    log,
    meter: controllerMeter(metrics, name, maxConcurrent),
    observer,
    pace: pace === false ? undefined : createPace(pace),
    timeout,
    signal: signals.aborting,
  }
  const group = createGroup(signals.stopping)
  const detach = definition.watches.map((it) => attach(it, definition, environment, intake))
  const resync = startResync(definition, environment, intake)
  for (const source of definition.sources)
    group.run(async (signal) => {
      const context: SourceContext = {
        client: environment.client,
        clock,
        log,
        signal,
        lister: (kind) => cache.lister(kind),
      }
      await source((requests, reason = 'source') => {
        for (const key of requestTexts(requests)) intake(key, { reason })
      }, context)
    })
  const workers = Promise.all(Array.from({ length: maxConcurrent }, () => work(parts)))
  log.debug('controller started', { workers: maxConcurrent })
  signals.onStarted?.()
  await new Promise<void>((resolve) => {
    if (group.signal.aborted) resolve()
    group.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  for (const end of [...detach, resync]) end()
  await queue.stop()
  await workers
  await group.done()
}

async function waitForCaches(
  kinds: readonly Kind[],
  { cache, clock, syncTimeout = 120_000 }: ControllerEnvironment,
  signal: AbortSignal,
  controller: string,
): Promise<void> {
  const late = new AbortController()
  const timer = clock.after(syncTimeout, () => {
    const missing = kinds.filter((it) => !cache.informer(it).synced)
    const why = missing
      .map((it) => {
        const { error } = cache.informer(it).health
        return `${groupResourceText(it)}${error instanceof Error ? ` (${error.message})` : ''}`
      })
      .join(', ')
    late.abort(
      new Error(
        `controller ${controller} could not list ${why} within ${syncTimeout} ms; check that the kinds are installed and that it may list and watch them`,
      ),
    )
  })
  const either = AbortSignal.any([signal, late.signal])
  try {
    await Promise.all(kinds.map((it) => cache.informer(it).waitForSync(either)))
  } finally {
    timer.cancel()
  }
}

/** Connects the events of a kind to the queue: change → event → predicate → handler → intake. */
function attach(
  { kind, where, handler }: WatchDefinition,
  { name }: ControllerDefinition,
  { cache, observer }: ControllerEnvironment,
  intake: Intake,
): () => void {
  const handle = handler({ lister: (of) => cache.lister(of) })
  return cache.informer(kind).listen((change) => {
    const event = eventOf(change)
    const { type, initial, object } = event
    observer?.({
      type: 'watched',
      controller: name,
      kind: kind.kind,
      key: keyText({
        name: object.metadata.name ?? '',
        namespace: object.metadata.namespace ?? '',
      }),
      change: type,
      initial,
    })
    if (!where(event)) return
    const reason = `${kind.kind} ${object.metadata.name ?? ''} ${initial ? 'listed' : PAST[type]}`
    for (const key of handle(event))
      intake(key, { reason, ...(initial ? { priority: LOW_PRIORITY } : {}) })
  })
}

const PAST = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  generic: 'noticed',
} as const

/** Looks at every object from time to time, spread by a tenth so that processes do not march in step. */
function startResync(
  { kind, options }: ControllerDefinition,
  { cache, clock, random }: ControllerEnvironment,
  intake: Intake,
): () => void {
  const { resync = 36_000_000 } = options
  if (!kind || resync <= 0) return () => {}
  const { lister } = cache.informer(kind)
  const start = (): { cancel(): void } =>
    clock.after(resync * (0.9 + 0.2 * random.next()), () => {
      timer = start()
      for (const key of requestTexts(lister.list()))
        intake(key, { reason: 'resync', priority: LOW_PRIORITY })
    })
  let timer = start()
  return () => timer.cancel()
}

function reconcilerOf(
  definition: ControllerDefinition,
  environment: ControllerEnvironment,
  aborting: AbortSignal,
): WorkerParts['run'] {
  const { client, cache, clock, random, observer, instance } = environment
  const { name } = definition
  const log = environment.log.with({ controller: name })
  const events = recordEvents({
    client: client.with({ signal: aborting }),
    clock,
    random,
    log,
    controller: name,
    instance,
  })
  const parts: ContextParts = {
    controller: name,
    client,
    cache,
    events,
    clock,
    observer,
    memory: new Map(),
    statuses: new Map(),
  }
  const reconcile = definition.reconcile({
    controller: name,
    contextFor: (kind, object, context) => objectContext(parts, kind, object, context),
    forget: (key) => {
      parts.memory.delete(keyText(key))
      parts.statuses.delete(keyText(key))
    },
  })
  return async (run) => {
    const key = parseKey(run.key)
    const result = await reconcile(key, keyContext(parts, { ...run, key }))
    return result ?? undefined
  }
}
