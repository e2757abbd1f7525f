import type { KubeObject } from './object.ts'
import type { Status } from './status.ts'

/** What a watch says (meta/v1 WatchEvent). A bookmark's object carries only its resourceVersion and perhaps annotations. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }
  | { readonly type: 'ERROR'; readonly object: Status }

/** The annotation of the bookmark that ends the initial events of a WatchList (KEP-3157). */
export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end'
