import type { Logger } from '../base/logger.ts'
import type { Cache } from '../cache/cache.ts'
import type { Client } from '../client/client.ts'
import { keyText, parseKey, type ObjectKey } from '../machinery/object-key.ts'
import type { ContextParts, RunParts } from './apply-draft.ts'
import type { Member } from './clusters.ts'
import type { KeyContext, KeyReconciler } from './context.ts'
import type { ControllerDefinition, ReconcileRuntime } from './definition.ts'
import { watchLoops } from './loop-detector.ts'
import { keyContext, objectContext } from './make-context.ts'
import { recordCoreEvents } from './record-core-events.ts'
import { recordEvents } from './record-events.ts'
import type { ControllerEnvironment, ControllerSignals } from './run-controller.ts'
import type { Sharing } from './sharing.ts'
import type { WorkerParts } from './worker.ts'

/** The reconciler of one controller in every cluster that it works in. */
export interface Reconcilers {
  readonly run: WorkerParts['run']
  /** Begins a run of a key; undefined when its cluster has left. Call what it answers when the run has ended. */
  begin(key: string): (() => void) | undefined
  /** Whether the object of a key is gone from its cluster's cache. */
  isGone(key: string): boolean
  admit(member: Member): void
  /** Takes no more keys of a cluster; resolves when the runs under way in it have ended. */
  dismiss(cluster: string): Promise<void>
  /** Ends what runs beside reconciling. */
  stop(): Promise<void>
}

interface Place {
  readonly parts: ContextParts
  readonly reconcile: KeyReconciler
  readonly stop: () => Promise<void>
  running: number
  drained: (() => void) | undefined
}

/** What the places of one controller share. */
interface Shared {
  readonly places: Map<string, Place>
  readonly definition: ControllerDefinition
  readonly environment: ControllerEnvironment
  readonly signals: ControllerSignals
  readonly sharing: Sharing | undefined
}

/** Makes the {@link Reconcilers} of a definition; they begin with the manager's own cluster. */
export function createReconcilers(
  definition: ControllerDefinition,
  environment: ControllerEnvironment,
  signals: ControllerSignals,
  sharing: Sharing | undefined,
): Reconcilers {
  const places = new Map<string, Place>()
  const shared: Shared = { places, definition, environment, signals, sharing }
  const admit = (name: string, client: Client, cache: Cache): void => {
    places.set(name, placeOf(shared, name, client, cache))
  }
  const placeFor = (key: string): Place | undefined => places.get(parseKey(key).cluster ?? '')
  admit('', environment.client, environment.cache)
  return {
    async run(run) {
      const place = placeFor(run.key)
      if (!place) return undefined
      const key = parseKey(run.key)
      return (await place.reconcile(key, contextIn(shared, place, { ...run, key }))) ?? undefined
    },
    begin(key) {
      const place = placeFor(key)
      return place && !place.drained ? beginIn(place) : undefined
    },
    isGone(key) {
      const { cluster: _, ...rest } = parseKey(key)
      const { kind } = definition
      const informer = kind ? placeFor(key)?.parts.cache.peek(kind) : undefined
      return informer?.synced === true && !informer.lister.get(rest)
    },
    admit: ({ name, client, cache }) => admit(name, client, cache),
    async dismiss(cluster) {
      const place = places.get(cluster)
      if (!place) return
      const drained = Promise.withResolvers<void>()
      place.drained = () => drained.resolve()
      if (place.running > 0) await drained.promise
      await place.stop()
      places.delete(cluster)
    },
    async stop() {
      await Promise.all([...places.values()].map((it) => it.stop()))
    },
  }
}

function beginIn(place: Place): () => void {
  place.running++
  return () => {
    place.running--
    if (place.running === 0) place.drained?.()
  }
}

function placeOf(shared: Shared, cluster: string, client: Client, cache: Cache): Place {
  const { definition, environment } = shared
  const log = environment.log.with({
    controller: definition.name,
    ...(cluster ? { cluster } : {}),
  })
  const parts = partsOf(shared, cluster, client, cache, log)
  const ends: (() => Promise<void>)[] = []
  const place: Place = {
    parts,
    reconcile: (key, context) => reconcile(key, context),
    stop: async () => {
      await Promise.all(ends.map((it) => it()))
    },
    running: 0,
    drained: undefined,
  }
  const reconcile = definition.reconcile(runtimeOf(shared, place, log, ends))
  return place
}

function partsOf(
  { definition: { name, options }, environment, signals }: Shared,
  cluster: string,
  given: Client,
  cache: Cache,
  log: Logger,
): ContextParts {
  const { clock, random, observer, instance, guard, metrics } = environment
  const client = guard ? given.with({ beforeWrite: guard }) : given
  const record = options.events === 'v1' ? recordCoreEvents : recordEvents
  const events = record({
    client: client.with({ signal: signals.aborting }),
    clock,
    random,
    log,
    controller: name,
    instance,
  })
  return {
    controller: name,
    cluster,
    client,
    cache,
    events,
    clock,
    observer,
    memory: new Map(),
    statuses: new Map(),
    loops: watchLoops({ log, clock, controller: name, metrics }),
  }
}

function runtimeOf(
  shared: Shared,
  place: Place,
  log: Logger,
  ends: (() => Promise<void>)[],
): ReconcileRuntime {
  const { definition, environment, signals, sharing } = shared
  const { parts } = place
  const { clock, random } = environment
  const textOf = (key: ObjectKey): string => keyText({ ...key, cluster: parts.cluster })
  return {
    controller: definition.name,
    clock,
    random,
    log,
    stopping: signals.stopping,
    contextFor: (kind, object, context) => objectContext(parts, kind, object, context),
    lastingContext: (key, id, signal, own) =>
      contextIn(shared, place, { key, id, signal, log: own, attempt: 0, reasons: [] }),
    onStop: (end) => void ends.push(end),
    hold(key) {
      return sharing ? sharing.ownership.begin(sharing.idOf(textOf(key))) : () => {}
    },
    onLosing(listener) {
      const end = sharing?.ownership.onLosing((losing) =>
        listener((key) => losing(sharing.idOf(textOf(key)))),
      )
      if (end) ends.push(async () => end())
    },
    forget(key) {
      const text = keyText(key)
      parts.memory.delete(text)
      parts.statuses.delete(text)
      parts.loops.forget(text)
    },
  }
}

/** The context of a run in one cluster, from which those of the others can be had. */
function contextIn(shared: Shared, { parts }: Place, run: RunParts): KeyContext {
  const members = shared.environment.clusters?.members
  const names = (): readonly string[] => [...(members?.keys() ?? [])]
  return keyContext(parts, run, {
    names,
    to: (name) => {
      const place = placeNamed(shared, name)
      if (place) return contextIn(shared, place, run)
      throw new Error(
        `there is no cluster ${JSON.stringify(name)}: ${names().join(', ') || 'none'} joined, and '' is the manager's own`,
      )
    },
  })
}

/** The place of a cluster; one that the controller only reaches out to is made when it first does. */
function placeNamed(shared: Shared, name: string): Place | undefined {
  const { places, environment } = shared
  const known = places.get(name)
  if (name === '') return known
  const member = environment.clusters?.members.get(name)
  if (!member || known?.parts.cache === member.cache) return member ? known : undefined
  const made = placeOf(shared, name, member.client, member.cache)
  places.set(name, made)
  return made
}
