import type { UnknownObject } from 'kubewright/machinery'

/**
 * Where objects lie, by key, under one revision counter for the whole server (1, 2, 3 …). Storage calls no one: it knows no
 * kinds, schemas or callbacks. Keys are `<storageKey>/<namespace>/<name>` and sort by code unit; objects are frozen, carry the
 * resourceVersion of their revision, and are shared: nobody changes what comes out.
 */
export interface Storage {
  /** The newest revision. A new store stands at 1. */
  readonly revision: number
  /** The oldest revision that `list` and `watch` can still start from. */
  readonly compacted: number
  get(key: string): Promise<Stored | undefined>
  /** A range in key order, now or as it was at `at`. Rejects with {@link Compacted} when that is too old. */
  list(range: Range): Promise<Page>
  /**
   * Writes when the key still stands at `expected` (0: absent), else answers with what is there. `next` undefined removes it.
   * The write gets the next revision, which is put into `next` in place: the store owns the object from here on. A removal's event
   * carries the last object under the removal's revision. Rejects with a {@link StorageFailure} when the write cannot be kept;
   * then nothing has changed.
   */
  compareAndSwap(key: string, expected: number, next: UnknownObject | undefined): Promise<Swap>
  /**
   * The changes under `prefix` after revision `after`, in order, none missing; ends when the signal aborts. Throws
   * {@link Compacted} when that is too old, and to a watcher that fell too far behind; `fellBehind` is called as soon as it did, for
   * whoever does not come back to hear it.
   */
  watch(
    prefix: string,
    after: number,
    signal: AbortSignal,
    fellBehind?: () => void,
  ): AsyncIterable<Change>
  /** Forgets what happened up to `revision`. */
  compact(revision: number): Promise<void>
  /** Everything that is kept, as it stands at this revision. It stays as it is, whatever is written later. */
  snapshot(): Snapshot
  close(): Promise<void>
}

/**
 * One object as it lies there. `json` is its text, made once per revision and shared by every answer that shows it; `object` may have
 * to be read from it, `labels` need not (undefined or empty where there are none).
 */
export interface Stored {
  readonly key: string
  readonly revision: number
  readonly object: UnknownObject
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly json: string
  /** It lies there as it was created. Not known of what was there when the store was opened: false then. */
  readonly isFirst: boolean
}

/** A whole store at one revision, in key order. What another store begins with: it goes on at the next revision, without a past. */
export interface Snapshot {
  readonly revision: number
  readonly items: readonly Stored[]
}

/** Keys that begin with `prefix`, from `start` on (inclusive, default the prefix itself), at most `limit` (0: all). */
export interface Range {
  readonly prefix: string
  readonly start?: string
  readonly limit?: number
  /** A revision of the past to list at; default the newest. */
  readonly at?: number
}

/** `remaining` counts what lies beyond the page. */
export interface Page {
  readonly items: readonly Stored[]
  readonly revision: number
  readonly remaining: number
}

/** `stored` is what stands there now; for a removal, what its event shows. */
export type Swap =
  | { readonly ok: true; readonly stored: Stored; readonly revision: number }
  | { readonly ok: false; readonly current: Stored | undefined }

/** One change: what stands after it (for a removal: the last object, under the new revision) and what stood before it. */
export interface Change {
  readonly type: 'put' | 'remove'
  readonly revision: number
  readonly stored: Stored
  readonly previous: Stored | undefined
}

/** The revision asked for is older than what the store still remembers. */
export class Compacted extends Error {
  override readonly name = 'Compacted'
  readonly asked: number
  readonly oldest: number

  constructor(asked: number, oldest: number) {
    super(`revision ${asked} is no longer there: the oldest is ${oldest}`)
    this.asked = asked
    this.oldest = oldest
  }
}

/** The backend cannot open, read or keep its data; the message says what was met and what to do about it. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure'
}
