import type { Kind } from './kind.ts'
import type { KubeObject, ListOf } from './object.ts'
import type { ObjectKey } from './object-key.ts'
import type { WatchEvent } from './watch-event.ts'

/** Where and what to list. Selectors are strings in Kubernetes' syntax; an absent namespace means all of them. */
export interface ListOptions {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Part of the collection, where the server can tell (KEP-5866). */
  readonly shardSelector?: string
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan'
  readonly signal?: AbortSignal
}

/** How to read one object. */
export interface ReadOptions {
  readonly signal?: AbortSignal
}

/** Where and what to watch; `sendInitialEvents` asks for a WatchList (KEP-3157). */
export interface WatchOptions {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Part of the collection, where the server can tell (KEP-5866). */
  readonly shardSelector?: string
  readonly resourceVersion?: string
  readonly allowWatchBookmarks?: boolean
  readonly sendInitialEvents?: boolean
  readonly timeoutSeconds?: number
  readonly signal?: AbortSignal
}

/** How to write. `fieldOwner` defaults to the client's own; `force` takes fields over from other managers (apply only). */
export interface WriteOptions {
  readonly fieldOwner?: string
  readonly force?: boolean
  readonly dryRun?: boolean
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  readonly subresource?: string
  readonly signal?: AbortSignal
}

/** How to delete. `propagation` defaults to the kind's own (background for nearly all). */
export interface DeleteOptions {
  readonly propagation?: 'Foreground' | 'Background' | 'Orphan'
  readonly gracePeriodSeconds?: number
  readonly uid?: string
  readonly resourceVersion?: string
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
}

/** A patch and the dialect it is written in. */
export type Patch =
  | { readonly type: 'json'; readonly body: readonly object[] }
  | { readonly type: 'merge'; readonly body: object }
  | { readonly type: 'strategic'; readonly body: object }

/**
 * Reads objects; what it returns is readonly and may be shared. A client reads from the server, a cache from its store.
 * `get` rejects with a NotFound ApiError; `find` answers undefined instead.
 */
export interface Reader {
  get<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey | string,
    options?: ReadOptions,
  ): Promise<T>
  find<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey | string,
    options?: ReadOptions,
  ): Promise<T | undefined>
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<ListOf<T>>
}

/**
 * What an author hands to a write of T: T without its apiVersion and kind, which the token knows, and with any part left out that
 * the server fills in or that another manager owns. `metadata.name` (or generateName, to create) is needed.
 */
export type Draft<T> = DraftOf<Omit<T, 'apiVersion' | 'kind'>>

/** A deep partial of JSON: objects lose their promises, arrays keep whole items. */
export type DraftOf<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: DraftOf<T[K]> | undefined }
    : T

/** Writes objects; each call is one request, and answers with what the server stored. */
export interface Writer {
  create<T extends KubeObject>(
    kind: Kind<T>,
    object: NoInfer<Draft<T>>,
    options?: WriteOptions,
  ): Promise<T>
  /** Replaces the object; with its resourceVersion, only if nobody changed it since (Conflict otherwise). */
  update<T extends KubeObject>(
    kind: Kind<T>,
    object: NoInfer<T>,
    options?: WriteOptions,
  ): Promise<T>
  patch<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey | string,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>
  /** Server-side apply: the ordinary write. The draft names every field that its owner wants. */
  apply<T extends KubeObject>(
    kind: Kind<T>,
    object: NoInfer<Draft<T>>,
    options?: WriteOptions,
  ): Promise<T>
  /** Answers with the object where the server shows it once more (it lingers, or its kind is shown last), else undefined. */
  delete<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey | string,
    options?: DeleteOptions,
  ): Promise<T | undefined>
  deleteCollection<T extends KubeObject>(
    kind: Kind<T>,
    list?: ListOptions,
    options?: DeleteOptions,
  ): Promise<void>
}

/** What a reflector needs of a server: a page of a list, and a stream of events after it. */
export interface ListerWatcher<T extends KubeObject = KubeObject> {
  list(options: ListOptions): Promise<ListOf<T>>
  watch(options: WatchOptions): AsyncIterable<WatchEvent<T>>
}
