import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Lister } from '../cache/lister.ts'
import type { Client } from '../client/client.ts'
import type { ConditionDraft } from '../machinery/condition.ts'
import type { Draft, DraftOf, Reader } from '../machinery/contracts.ts'
import type { Kind } from '../machinery/kind.ts'
import type { ObjectKey } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { Result } from './outcome.ts'
import type { EventRecorder, EventOptions, EventType } from './event-recorder.ts'

/**
 * What a reconciler that only knows a key gets. `get`, `find` and `list` read the cache, which is never older than what this
 * process wrote; `client` reads and writes the server.
 *
 * All of it is good for this run only: when the run times out or the process stops, `signal` aborts and every call is refused.
 */
export interface KeyContext extends Reader {
  readonly key: ObjectKey
  /** The names of the clusters that joined the manager. */
  clusters(): readonly string[]
  /** The same run in another cluster: its client and its caches. Throws when no cluster of that name joined; '' is the manager's own. */
  in(cluster: string): KeyContext
  readonly client: Client
  /** Reads a kind from the cache at once. Throws unless the controller names the kind (`.owns`, `.watches`, `.reads`). */
  lister<C extends KubeObject>(kind: Kind<C>): Lister<C>
  /** Applies an object as this controller. Nothing is sent when nothing would change. */
  apply<C extends KubeObject>(
    kind: Kind<C>,
    object: NoInfer<Draft<C>>,
    options?: ApplyOptions,
  ): Promise<C>
  readonly events: EventRecorder
  readonly log: Logger
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Failures in a row before this run. */
  readonly attempt: number
  /** What set this run off. For logs: a reconciler that decides by it is not level-triggered. */
  readonly reasons: readonly string[]
  /** This run's id, as in the log. */
  readonly id: string
}

/** How to apply. */
export interface ApplyOptions {
  /**
   * Who owns what is applied; `null` for nobody. Default: the object that is reconciled, as its controller, where it may own the
   * other (same namespace, or cluster-scoped).
   */
  readonly owner?: { readonly kind: Kind; readonly object: KubeObject } | null
  /** Default: the controller's name. */
  readonly fieldOwner?: string
  /** Takes fields over from other managers. Default true, as controllers should (KEP-555). */
  readonly force?: boolean
  readonly subresource?: string
}

/** What a reconciler of objects gets: what a {@link KeyContext} has, and what can be done for its object. */
export interface Context<T extends KubeObject> extends KeyContext {
  readonly object: T
  /**
   * Applies the object's status at once. Over a run its calls name every field that this controller owns in it: what the run
   * before named and this one has not named when it ends is removed. Conditions need type, status and reason: observedGeneration
   * is filled in, and lastTransitionTime kept while the status stays. Nothing is sent when nothing changes.
   */
  status(status: StatusDraft<T>): Promise<T>
  /** Tells people what happened to the object (an events.k8s.io/v1 Event); equal ones become a series. Never fails the run. */
  event(type: EventType, reason: string, message: string, options?: EventOptions): void
  /** The objects of a kind that this object controls, from the cache. The controller must own the kind (`.owns`). */
  owned<C extends KubeObject>(kind: Kind<C>): readonly C[]
}

/** The status of T as an author writes it: any part may be left out, and conditions are drafts. */
export type StatusDraft<T> = T extends { readonly status?: infer S }
  ? { readonly [K in keyof NonNullable<S>]?: StatusPart<K, NonNullable<S>[K]> | undefined }
  : never

type StatusPart<K, V> = K extends 'conditions' ? readonly ConditionDraft[] : DraftOf<V>

/** What a reconciler may answer. */
export type ReconcileAnswer = Promise<Result | void> | Result | void

/**
 * Brings the world to what the object asks for. Called with the object as the cache has it, never for one that is gone or being
 * deleted. Level-triggered: it may be called for no reason, and once for many. Throwing makes it come again, later each time;
 * a TerminalError waits for the next event.
 */
export type Reconciler<T extends KubeObject> = (object: T, context: Context<T>) => ReconcileAnswer

/** As {@link Reconciler}, by key alone: the object may be absent, or be deleted. */
export type KeyReconciler = (key: ObjectKey, context: KeyContext) => ReconcileAnswer
