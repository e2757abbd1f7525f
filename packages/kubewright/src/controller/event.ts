import type { Change } from '../cache/store.ts'
import type { KubeObject } from '../machinery/object.ts'

/** What a source saw happen to an object. Predicates and handlers see it; a reconciler never does. */
export type ChangeEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'create'; readonly object: T; readonly initial: boolean }
  | { readonly type: 'update'; readonly old: T; readonly object: T; readonly initial: boolean }
  | { readonly type: 'delete'; readonly object: T; readonly initial: false }
  /** Something outside the cluster, or the passing of time. */
  | { readonly type: 'generic'; readonly object: T; readonly initial: false }

/** The event that a change of a store is. */
export function eventOf<T extends KubeObject>(change: Change<T>): ChangeEvent<T> {
  const { old, new: object, initial } = change
  if (object && old) return { type: 'update', old, object, initial }
  if (object) return { type: 'create', object, initial }
  return { type: 'delete', object: old!, initial: false }
}
