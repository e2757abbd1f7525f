import { keyText, type ObjectKey } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'
import { compareResourceVersions } from '../machinery/resource-version.ts'

/** What a write left behind. */
export interface OwnWrite<T extends KubeObject> {
  readonly key: ObjectKey
  /** The object as the server answered; undefined when it is gone, or no longer among those that the informer mirrors. */
  readonly object: T | undefined
  /** The revision of the write. */
  readonly resourceVersion: string
}

/** A deletion whose removal the watch has not shown. */
interface Deletion {
  readonly key: ObjectKey
  readonly uid: string
  /** Not older than the deletion, once somebody has asked the server; empty before. */
  revision: string
}

/** How many departed objects are remembered. */
const LIMIT = 1024

/**
 * What this process wrote and its watch has not shown yet. Reads look here too, so they are never older than a write.
 *
 * - A write has a revision: it is forgotten as soon as the watch has seen that revision, whatever it showed (events come in order).
 *   Where the store already has something newer, the store is right.
 * - A deletion that the server answered without the object has none: until the removal of just that object is seen (or a revision
 *   that cannot be older), whatever the store has under its name is older, and hidden.
 *
 * Writes of one object are taken to have happened in the order in which they are told: who writes one object from two places at
 * once may see one of the two late.
 */
export class OwnWrites<T extends KubeObject> {
  readonly #writes = new Map<string, OwnWrite<T>>()
  readonly #deletions = new Map<string, Deletion>()
  /** The uids of the objects that went last: their deletions need not be remembered. */
  readonly #departed = new Set<string>()

  /** Zero when reads need not look here. */
  get size(): number {
    return this.#writes.size + this.#deletions.size
  }

  /** Whether there are deletions that only a removal can end. */
  get unnumbered(): boolean {
    return [...this.#deletions.values()].some((it) => it.revision === '')
  }

  /** Remembers a write, unless the watch, which has seen `seen`, or a later write is already past it. */
  add(write: OwnWrite<T>, seen: string): void {
    if (compareResourceVersions(write.resourceVersion, seen) <= 0) return
    const text = keyText(write.key)
    const earlier = this.#writes.get(text)
    const late =
      earlier && compareResourceVersions(write.resourceVersion, earlier.resourceVersion) < 0
    if (!late) this.#writes.set(text, write)
  }

  /** Remembers a deletion by the uid of what went, unless its removal was seen before its answer came. */
  addDeletion(key: ObjectKey, uid: string): void {
    if (this.#departed.has(uid)) return
    this.#deletions.set(keyText(key), { key, uid, revision: '' })
    this.#writes.delete(keyText(key))
  }

  /** Answers with a function that gives the deletions so far a revision: one that the server had no earlier than now. */
  numbering(): (revision: string) => void {
    const unnumbered = [...this.#deletions.values()].filter((it) => it.revision === '')
    return (revision) => {
      for (const it of unnumbered) it.revision = revision
    }
  }

  /** Forgets what the watch of a namespace (empty: of all of them) has caught up with. */
  seen(resourceVersion: string, namespace: string = ''): void {
    if (this.size === 0) return
    const past = (key: ObjectKey, revision: string): boolean =>
      revision !== '' &&
      (namespace === '' || key.namespace === namespace) &&
      compareResourceVersions(revision, resourceVersion) <= 0
    for (const [text, it] of this.#writes)
      if (past(it.key, it.resourceVersion)) this.#writes.delete(text)
    for (const [text, it] of this.#deletions)
      if (past(it.key, it.revision)) this.#deletions.delete(text)
  }

  /** The watch showed that an object went. */
  removed({ metadata: { namespace = '', name = '', uid } }: KubeObject): void {
    if (uid === undefined) return
    this.#departed.add(uid)
    const [oldest] = this.#departed
    if (this.#departed.size > LIMIT && oldest !== undefined) this.#departed.delete(oldest)
    const text = keyText({ namespace, name })
    if (this.#deletions.get(text)?.uid === uid) this.#deletions.delete(text)
  }

  /** What a read of `key` should show, given what the store has. */
  resolve(key: ObjectKey, stored: T | undefined): T | undefined {
    if (this.size === 0) return stored
    const text = keyText(key)
    const shown = this.#deletions.has(text) ? undefined : stored
    const write = this.#writes.get(text)
    return write ? newer(write, shown) : shown
  }

  /** The keys that reads must look up here. */
  *keys(): Generator<ObjectKey, void, undefined> {
    for (const { key } of this.#writes.values()) yield key
    for (const { key } of this.#deletions.values()) yield key
  }
}

/** The later of a write and what the store has. */
function newer<T extends KubeObject>(write: OwnWrite<T>, stored: T | undefined): T | undefined {
  const version = stored?.metadata.resourceVersion ?? ''
  return stored && compareResourceVersions(version, write.resourceVersion) >= 0
    ? stored
    : write.object
}
