import type { BackoffOptions } from '../base/backoff.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { Lister } from '../cache/lister.ts'
import type { Client } from '../client/client.ts'
import type { Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { ObjectKey } from '../machinery/object-key.ts'
import type { Context, ReconcileAnswer, KeyReconciler } from './context.ts'
import type { Handler, Requests } from './handler.ts'
import type { PaceOptions } from './pace.ts'
import type { Via } from './cause.ts'
import type { Predicate } from './predicate.ts'
import type { RetryPolicy } from './retry-policy.ts'

/** How a controller runs. Durations are milliseconds. */
export interface ControllerOptions {
  /** In logs, metrics and as field owner; one in a manager. Default: the kind in lower case. */
  readonly name?: string
  /** How many objects are reconciled at once; one object never twice at once. Default 10. */
  readonly maxConcurrent?: number
  /** How long a run may take before its signal aborts. Default ten minutes; 0 for no limit. */
  readonly timeout?: number
  /** What happens after failures. Default `fast`: 5 ms doubling to 1000 s. */
  readonly retry?: RetryPolicy
  /** The wait after failures, in numbers; comes on top of `retry`. */
  readonly backoff?: BackoffOptions
  /** How often one object may run before it is held back and named in the log. Default 100 at once, 10 a second; false: no limit. */
  readonly pace?: PaceOptions | false
  /** How often the controller may run for all objects together. Default: no limit. */
  readonly rate?: PaceOptions
  /** How often every object is looked at though nothing happened. Default ten hours; 0 for never. */
  readonly resync?: number
  /** Whether only the leader runs it. Default true. */
  readonly leaderOnly?: boolean
  /**
   * Whose objects it is for: of the manager's own cluster, of those that joined it, or of all. Default `home`.
   */
  readonly clusters?: 'home' | 'members' | 'all'
  /** Whether the replicas share its work, where the manager is given `shards`. Default true. */
  readonly sharded?: boolean
  /**
   * As what its Events are written: `events.k8s.io/v1`, with a series where one comes again; or `v1`, with a count and a last timestamp,
   * as the older recorder of client-go has it (`GetEventRecorderFor`). Default `events.k8s.io/v1`.
   */
  readonly events?: 'events.k8s.io/v1' | 'v1'
}

/** Reads caches without waiting. */
export interface Listers {
  lister<C extends KubeObject>(kind: Kind<C>): Lister<C>
}

/** One kind whose events make the controller look at something. */
export interface WatchDefinition {
  readonly kind: Kind
  readonly where: Predicate
  /** How requests are made of its events. */
  readonly via: Via
  /** Of the requests of what happens now. Default 0. */
  readonly priority?: number | undefined
  readonly handler: (listers: Listers) => Handler
}

/** What a {@link Source} may use. */
export interface SourceContext extends Listers {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly signal: AbortSignal
  readonly random: Random
  /** Takes requests over HTTP at a path of the manager's inbound port; answers with what takes it back. */
  serve(path: string, handler: (request: Request) => Promise<Response>): () => void
}

/** How a source asks. */
export interface EnqueueOptions {
  readonly reason?: string
  /** Milliseconds from now. Default at once. */
  readonly after?: number
  /** Default 0. */
  readonly priority?: number
}

/**
 * Anything that can ask for objects to be reconciled: called once when the controller starts, with a function that takes their
 * keys. It may run until the signal aborts; what it throws ends the controller.
 */
export type Source = (
  enqueue: (requests: Requests, how?: string | EnqueueOptions) => void,
  context: SourceContext,
) => void | Promise<void>

/** An index to keep on a kind. */
export interface IndexDefinition {
  readonly kind: Kind
  readonly name: string
  readonly valuesOf: (object: KubeObject) => Iterable<string>
}

/** What runs before an object of ours may go. */
export interface FinalizerDefinition<T extends KubeObject = KubeObject> {
  readonly name: string
  readonly run: (object: T, context: Context<T>) => ReconcileAnswer
}

/** A whole controller as frozen data: it can be added to any number of managers, and runs only in one that is started. */
export interface ControllerDefinition {
  readonly name: string
  /** The kind it is for; undefined when it only has sources. */
  readonly kind: Kind | undefined
  readonly options: ControllerOptions
  readonly watches: readonly WatchDefinition[]
  /** Kinds that it reads but that set nothing off. */
  readonly reads: readonly Kind[]
  readonly owns: readonly Kind[]
  readonly sources: readonly Source[]
  readonly indexes: readonly IndexDefinition[]
  /** Whether it is called with keys, also for objects that are gone. */
  readonly byKey: boolean
  readonly reconcile: (runtime: ReconcileRuntime) => KeyReconciler
}

/** What the worker gives a definition so that it can make its reconciler. */
export interface ReconcileRuntime {
  readonly controller: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Aborts when no new work is to begin. */
  readonly stopping: AbortSignal
  /** The context of one object, made of the context of its key. */
  contextFor<T extends KubeObject>(kind: Kind<T>, object: T, context: KeyContextOf): ObjectRun<T>
  /** The context of a key for what outlives a run: good until its own signal aborts. */
  lastingContext(key: ObjectKey, id: string, signal: AbortSignal, log: Logger): KeyContextOf
  /** Calls `end`, and waits for it, when the controller stops or its cluster leaves. */
  onStop(end: () => Promise<void>): void
  /** Keeps a key this process's until what it answers is called; undefined when it is not. */
  hold(key: ObjectKey): (() => void) | undefined
  /** Calls `listener` when keys are to be handed over to another replica, with what says which. */
  onLosing(listener: (losing: (key: ObjectKey) => boolean) => void): void
  /** Forgets what was remembered for a key: its object is gone. */
  forget(key: ObjectKey): void
}

/** A run for one object: its context, and what remains to be done when the reconciler has returned. */
export interface ObjectRun<T extends KubeObject> {
  readonly context: Context<T>
  readonly finish: () => Promise<void>
}

type KeyContextOf = Parameters<KeyReconciler>[1]
