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

/** How many departed objects, and deletions that are not yet seen, are remembered. */
const LIMIT = 1024

/**
 * What this process wrote and its watch has not shown yet. Reads look here too, so they are never older than a write.
 *
 * - A write has a revision: it is forgotten as soon as the watch has seen that revision, whatever it showed (events come in order).
 *   Where the store already has something newer, the store is right.
 * - A deletion that the server answered without the object has none: the uid of what went hides that object until its removal is
 *   seen.
 *
 * Writes of one object are taken to have happened in the order in which they are told: who writes one object from two places at
 * once may see one of the two late.
 */
export class OwnWrites<T extends KubeObject> {
  readonly #writes = new Map<string, OwnWrite<T>>()
  /** The uids that hide their objects. */
  readonly #deleted = new Set<string>()
  /** The uids of the objects that went last: their deletions need not be remembered. */
  readonly #departed = new Set<string>()

  /** Zero when reads need not look here. */
  get size(): number {
    return this.#writes.size + this.#deleted.size
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

  /**
   * Remembers a deletion by the uid of what went, unless its removal was seen before its answer came. What is shown under the name
   * until then is that object or one before it: `stored`, and what was written earlier, are hidden too.
   */
  addDeletion(key: ObjectKey, uid: string, stored: T | undefined): void {
    if (this.#departed.has(uid)) return
    remember(this.#deleted, uid)
    if (stored?.metadata.uid) remember(this.#deleted, stored.metadata.uid)
    this.#writes.delete(keyText(key))
  }

  /** Forgets what the watch of a namespace (empty: of all of them) has caught up with. */
  seen(resourceVersion: string, namespace: string = ''): void {
    if (this.#writes.size === 0) return
    for (const [text, write] of this.#writes) {
      if (namespace !== '' && write.key.namespace !== namespace) continue
      if (compareResourceVersions(write.resourceVersion, resourceVersion) <= 0)
        this.#writes.delete(text)
    }
  }

  /** The watch showed that an object went. */
  removed({ metadata: { uid } }: KubeObject): void {
    if (uid === undefined) return
    remember(this.#departed, uid)
    this.#deleted.delete(uid)
  }

  /** What a read of `key` should show, given what the store has. */
  resolve(key: ObjectKey, stored: T | undefined): T | undefined {
    if (this.size === 0) return stored
    const write = this.#writes.get(keyText(key))
    const latest = write ? newer(write, stored) : stored
    return latest && this.hides(latest) ? undefined : latest
  }

  /** Whether an object is known to be gone. */
  hides({ metadata: { uid } }: KubeObject): boolean {
    return this.#deleted.size > 0 && uid !== undefined && this.#deleted.has(uid)
  }

  /** The writes with a revision, for lists. */
  entries(): Iterable<OwnWrite<T>> {
    return this.#writes.values()
  }
}

function remember(uids: Set<string>, uid: string): void {
  uids.add(uid)
  const [oldest] = uids
  if (uids.size > LIMIT && oldest !== undefined) uids.delete(oldest)
}

/** The later of a write and what the store has. */
function newer<T extends KubeObject>(write: OwnWrite<T>, stored: T | undefined): T | undefined {
  const version = stored?.metadata.resourceVersion ?? ''
  return stored && compareResourceVersions(version, write.resourceVersion) >= 0
    ? stored
    : write.object
}
