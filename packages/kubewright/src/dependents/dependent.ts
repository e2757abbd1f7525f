import type { Duration } from '../base/duration.ts'
import type { Context } from '../controller/context.ts'
import type { Draft } from '../machinery/contracts.ts'
import type { Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'

/** What the dependents that come before have come to, by name: an object, or several, or what is outside. Readonly. */
export type Results = Readonly<Record<string, unknown>>

/** What every dependent may say of its place. */
export interface PlaceOptions<T extends KubeObject> {
  /** The dependents that must be ready first; it is deleted before they are. */
  readonly after?: readonly string[]
  /** Whether there should be any at all. While it says no, what is there is deleted, and what comes after it waits. */
  readonly when?: (parent: T) => boolean
}

/** How a dependent of a kind is kept. C is what it is. */
export interface DependentOptions<
  T extends KubeObject,
  C extends KubeObject,
> extends PlaceOptions<T> {
  /** Whether it is ready: what comes after waits until it is, with the reason. Default: what kstatus says of it. */
  readonly ready?: (object: C, parent: T) => boolean | string
  /** Whether a deletion is complete before the object is gone. Default: when it is gone. */
  readonly deleted?: (object: C, parent: T) => boolean
}

/** Something outside of the cluster that belongs to a parent. R is what is known of it. */
export interface External<T extends KubeObject, R> extends PlaceOptions<T> {
  /** What is there; undefined when nothing is. */
  readonly read: (parent: T, context: Context<T>) => Promise<R | undefined>
  readonly create: (parent: T, context: Context<T>, results: Results) => Promise<R>
  /** Brings what is there to what should be. Default: it is never changed. */
  readonly update?: (actual: R, parent: T, context: Context<T>, results: Results) => Promise<R>
  /** Whether what is there is what should be. Default: always. */
  readonly matches?: (actual: R, parent: T, results: Results) => boolean
  readonly delete: (actual: R, parent: T, context: Context<T>) => Promise<void>
  readonly ready?: (actual: R, parent: T) => boolean | string
  /** How often to look, since nobody tells of changes. Default: only when the parent is reconciled. */
  readonly every?: Duration
}

/** One dependent: a kind of object as a function of the parent, or something outside. */
export type Dependent<T extends KubeObject> =
  | {
      readonly type: 'object'
      readonly kind: Kind
      readonly desired: (parent: T, results: Results) => readonly Draft<KubeObject>[]
      /** Whether the result is a list. */
      readonly many: boolean
      readonly options: DependentOptions<T, KubeObject>
    }
  | { readonly type: 'external'; readonly external: External<T, unknown> }

/** Dependents by name; a name is what others come `after`, and with `Ready` the type of a condition. */
export type Dependents<T extends KubeObject> = Readonly<Record<string, Dependent<T>>>

/**
 * A dependent that is an object, as a function of its parent: `undefined` when there should be none. Its name and namespace default to the
 * parent's; it is owned by the parent.
 */
export function dependent<T extends KubeObject, C extends KubeObject>(
  kind: Kind<C>,
  desired: (parent: T, results: Results) => Draft<C> | undefined,
  options: DependentOptions<T, C> = {},
): Dependent<T> {
  const all = (parent: T, results: Results): readonly Draft<C>[] => {
    const draft = desired(parent, results)
    return draft ? [draft] : []
  }
  return objects(kind, all, false, options)
}

/** As {@link dependent}, for as many objects as the parent asks for; those it no longer asks for are deleted. Each needs a name. */
export function dependentsOf<T extends KubeObject, C extends KubeObject>(
  kind: Kind<C>,
  desired: (parent: T, results: Results) => readonly Draft<C>[],
  options: DependentOptions<T, C> = {},
): Dependent<T> {
  return objects(kind, desired, true, options)
}

function objects<T extends KubeObject, C extends KubeObject>(
  kind: Kind<C>,
  desired: (parent: T, results: Results) => readonly Draft<C>[],
  many: boolean,
  options: DependentOptions<T, C>,
): Dependent<T> {
  return Object.freeze({
    type: 'object',
    kind,
    desired: desired as unknown as (parent: T, results: Results) => readonly Draft<KubeObject>[],
    many,
    options: options as unknown as DependentOptions<T, KubeObject>,
  })
}

/** A dependent outside of the cluster, under the same rules: order, conditions, and deletion before the parent goes. */
export function external<T extends KubeObject, R>(it: External<T, R>): Dependent<T> {
  return Object.freeze({ type: 'external', external: it as unknown as External<T, unknown> })
}

/** What a dependent says of its place. */
export function placeOf<T extends KubeObject>(it: Dependent<T>): PlaceOptions<T> {
  return it.type === 'object' ? it.options : it.external
}
