import { millisecondsOf, type Duration } from '../base/duration.ts'
import type { Kind } from '../machinery/kind.ts'
import type { Via } from './cause.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { KeyReconciler, Reconciler } from './context.ts'
import type {
  ControllerDefinition,
  ControllerOptions,
  FinalizerDefinition,
  Listers,
  Source,
  WatchDefinition,
} from './definition.ts'
import { forObject, forOwner, mapped, type Handler, type Requests } from './handler.ts'
import { and, type Predicate } from './predicate.ts'
import type { DaemonDefinition, DaemonOptions } from './daemons.ts'
import { reconcileKey, reconcileObject, type Beside } from './reconcile-object.ts'
import type { TimerDefinition, TimerOptions } from './timers.ts'

/** How to watch another kind. */
export interface WatchingOptions<C extends KubeObject> {
  /** Which events count. Default: all. */
  readonly where?: Predicate<C>
  /** Higher goes first in the queue. Default 0; what a first list brings goes last. */
  readonly priority?: number
}

/** How to watch what is owned. */
export interface OwningOptions<C extends KubeObject> extends WatchingOptions<C> {
  /** Looks at every owner of the kind, not only at the one that controls. Default false. */
  readonly every?: boolean
}

/**
 * Says what a controller is for and what sets it off; `reconcile` ends the sentence and gives the definition. Each call answers
 * with a new builder and leaves the old one as it was.
 */
export interface ControllerBuilder<T extends KubeObject> {
  /** Looks at the owner when something it owns changes. */
  owns<C extends KubeObject>(kind: Kind<C>, options?: OwningOptions<C>): ControllerBuilder<T>
  /** Looks at what `map` names when an object of another kind changes, before and after the change. `map` is pure and quick. */
  watches<C extends KubeObject>(
    kind: Kind<C>,
    map: (object: C, listers: Listers) => Requests,
    options?: WatchingOptions<C>,
  ): ControllerBuilder<T>
  /** Looks at what a source asks for. */
  watchesSource(source: Source): ControllerBuilder<T>
  /** Keeps a kind in the cache that sets nothing off. */
  reads(...kinds: readonly Kind[]): ControllerBuilder<T>
  /** Keeps an index, for `lister(kind).byIndex(name, value)`; an index named for a field makes field selectors work on it. */
  index<C extends KubeObject>(
    kind: Kind<C>,
    name: string,
    valuesOf: (object: C) => Iterable<string>,
  ): ControllerBuilder<T>
  /** Looks at an object of the controller's own kind only for events that pass; several must all pass. */
  where(predicate: Predicate<T>): ControllerBuilder<T>
  /**
   * Holds objects back with the finalizer `name` (`example.com/cleanup`) until `run` has returned; a throw keeps the object and
   * tries again. A returned `requeueAfter` keeps it too, and looks again.
   */
  finalize(name: string, run: FinalizerDefinition<T>['run']): ControllerBuilder<T>
  /**
   * Does something for each object from time to time: in the object's own runs, after `reconcile`, so never beside it, and under the
   * same rules of retrying, sharing and stopping.
   */
  timer(
    name: string,
    options: TimerOptions<T>,
    run: TimerDefinition<T>['run'],
  ): ControllerBuilder<T>
  /** Keeps something running beside each object for as long as it lives; see {@link DaemonDefinition}. */
  daemon(
    name: string,
    run: DaemonDefinition<T>['run'],
    options?: DaemonOptions<T>,
  ): ControllerBuilder<T>
  /** Ends the definition: `fn` is called with the object. */
  reconcile(fn: Reconciler<T>): ControllerDefinition
  /** Ends the definition: `fn` is called with the key, also for objects that are gone or going. */
  reconcileKey(fn: KeyReconciler): ControllerDefinition
}

interface Parts {
  readonly kind: Kind | undefined
  readonly options: ControllerOptions
  readonly where: readonly Predicate[]
  readonly watches: readonly WatchDefinition[]
  readonly owns: readonly Kind[]
  readonly reads: readonly Kind[]
  readonly sources: readonly Source[]
  readonly indexes: ControllerDefinition['indexes']
  readonly finalizers: readonly FinalizerDefinition[]
  readonly timers: readonly TimerDefinition[]
  readonly daemons: readonly DaemonDefinition[]
}

/** Begins a controller for a kind, or, by a name alone, one that only sources and other kinds set off. */
export function controller<T extends KubeObject>(
  kind: Kind<T> | string,
  options: ControllerOptions = {},
): ControllerBuilder<T> {
  const named = typeof kind === 'string' ? { name: kind, ...options } : options
  return build<T>(
    {
      kind: typeof kind === 'string' ? undefined : kind,
      options: named,
      where: [],
      watches: [],
      owns: [],
      reads: [],
      sources: [],
      indexes: [],
      finalizers: [],
      timers: [],
      daemons: [],
    },
    (definition) => definition,
  )
}

/** As {@link controller}, telling `finished` of the definition: how a manager adds what is defined on it. */
export function controllerFor<T extends KubeObject>(
  kind: Kind<T> | string,
  options: ControllerOptions,
  finished: (definition: ControllerDefinition) => void,
): ControllerBuilder<T> {
  const start = controller<T>(kind, options) as ControllerBuilder<T> & Rebindable<T>
  return start.rebind((definition) => {
    finished(definition)
    return definition
  })
}

type Finish = (definition: ControllerDefinition) => ControllerDefinition

interface Rebindable<T extends KubeObject> {
  rebind(finish: Finish): ControllerBuilder<T>
}

function build<T extends KubeObject>(
  parts: Parts,
  finish: Finish,
): ControllerBuilder<T> & Rebindable<T> {
  const plus = (more: Partial<Parts>): ControllerBuilder<T> => build({ ...parts, ...more }, finish)
  const watch = (
    kind: Kind,
    { where, priority }: WatchingOptions<never>,
    via: Via,
    handler: WatchDefinition['handler'],
  ): Partial<Parts> => ({
    watches: [
      ...parts.watches,
      { kind, where: (where ?? always) as Predicate, priority, via, handler },
    ],
  })
  return {
    rebind: (other) => build(parts, other),
    owns(kind, options = {}) {
      const owner = ownKind(parts)
      const handler = forOwner(owner, options.every ? { every: true } : {})
      const watching = watch(kind, options, 'owner', () => handler)
      return plus({ ...watching, owns: [...parts.owns, kind] })
    },
    watches: (kind, map, options = {}) =>
      plus(
        watch(kind, options, 'map', (listers) =>
          mapped(((it) => map(it as never, listers)) as (it: KubeObject) => Requests),
        ),
      ),
    watchesSource: (source) => plus({ sources: [...parts.sources, source] }),
    reads: (...kinds) => plus({ reads: [...parts.reads, ...kinds] }),
    index: (kind, name, valuesOf) =>
      plus({
        indexes: [
          ...parts.indexes,
          { kind, name, valuesOf: valuesOf as unknown as (object: KubeObject) => Iterable<string> },
        ],
      }),
    where: (predicate) => plus({ where: [...parts.where, predicate as Predicate] }),
    finalize(name, run) {
      checkFinalizer(name)
      return plus({
        finalizers: [
          ...parts.finalizers,
          { name, run: run as unknown as FinalizerDefinition['run'] },
        ],
      })
    },
    timer(name, options, run) {
      checkTimer(name, options.every)
      const timer = { name, options, run } as unknown as TimerDefinition
      return plus({ timers: [...parts.timers, timer] })
    },
    daemon(name, run, options = {}) {
      const daemon = { name, options, run } as unknown as DaemonDefinition
      return plus({ daemons: [...parts.daemons, daemon] })
    },
    reconcile(fn) {
      const kind = ownKind(parts) as Kind<T>
      const finalizers = parts.finalizers as unknown as readonly FinalizerDefinition<T>[]
      const beside = { timers: parts.timers, daemons: parts.daemons } as unknown as Beside<T>
      return finish(definitionOf(parts, false, reconcileObject(kind, finalizers, fn, beside)))
    },
    reconcileKey(fn) {
      if (parts.finalizers.length > 0)
        throw new Error(
          'reconcileKey sees objects that are being deleted itself: use .reconcile with .finalize, or keep the finalizer in the function',
        )
      if (parts.timers.length + parts.daemons.length > 0)
        throw new Error(
          'timers and daemons are for objects: end the definition with .reconcile, not with .reconcileKey',
        )
      return finish(definitionOf(parts, true, reconcileKey(parts.kind, fn)))
    },
  }
}

const always: Predicate = () => true
const own: Handler = forObject

function ownKind(parts: Parts): Kind {
  if (parts.kind) return parts.kind
  throw new Error(
    `the controller ${parts.options.name} is for no kind: begin it with controller(Kind), or use .watches and .reconcileKey`,
  )
}

function definitionOf(
  parts: Parts,
  byKey: boolean,
  reconcile: ControllerDefinition['reconcile'],
): ControllerDefinition {
  const { kind, options, where, watches, owns, reads, sources, indexes } = parts
  const self = kind
    ? [{ kind, where: and(...where), via: 'itself' as const, handler: () => own }]
    : []
  return Object.freeze({
    name: options.name ?? kind?.kind.toLowerCase() ?? '',
    kind,
    options,
    watches: [...self, ...watches],
    owns,
    reads,
    sources,
    indexes,
    byKey,
    reconcile,
  })
}

function checkTimer(name: string, every: Duration): void {
  if (millisecondsOf(every) >= 1) return
  throw new Error(`the timer ${name} runs every ${every}: a millisecond or more was expected`)
}

function checkFinalizer(name: string): void {
  if (/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name))
    return
  throw new Error(
    `${JSON.stringify(name)} cannot name a finalizer: a domain, a slash and a name were expected, such as example.com/cleanup`,
  )
}
