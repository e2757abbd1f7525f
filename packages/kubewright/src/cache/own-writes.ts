import { keyText, type ObjectKey } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'
import { compareResourceVersions } from '../machinery/resource-version.ts'

/** What a write left behind: the object as the server answered, or nothing. */
export interface OwnWrite<T extends KubeObject> {
  readonly key: ObjectKey
  /** Undefined: the object is gone. */
  readonly object: T | undefined
  /** The revision of the write; empty for a deletion that the server did not number. */
  readonly resourceVersion: string
  /** Of the object that went. */
  readonly uid?: string | undefined
}

/** How many departed objects, and unnumbered deletions, are remembered. */
const LIMIT = 1024

/**
 * What this process wrote and its watch has not shown yet. Reads look here first, so they are never older than a write.
 *
 * An entry goes as soon as the watch has seen its revision, whatever it showed (events come in order of revision), or, for an
 * unnumbered deletion, when the object's removal is seen. Where the store already has a newer object than the entry, the store is
 * right.
 */
export class OwnWrites<T extends KubeObject> {
  readonly #writes = new Map<string, OwnWrite<T>>()
  /** The uids of the objects that went last: their deletions need not be remembered. */
  readonly #departed = new Set<string | undefined>()

  get size(): number {
    return this.#writes.size
  }

  /** Remembers a write, unless the watch or a later write is already past it. */
  add(write: OwnWrite<T>, seen: string): void {
    const { resourceVersion } = write
    if (resourceVersion === '') return this.#addUnnumbered(write)
    if (compareResourceVersions(resourceVersion, seen) <= 0) return
    const text = keyText(write.key)
    const earlier = this.#writes.get(text)
    const late = earlier && compareResourceVersions(resourceVersion, earlier.resourceVersion) < 0
    if (!late) this.#writes.set(text, write)
  }

  #addUnnumbered(write: OwnWrite<T>): void {
    if (this.#departed.has(write.uid)) return
    const text = keyText(write.key)
    const earlier = this.#writes.get(text)
    // An object made since under its name: the answer to its deletion came late.
    if (earlier?.object && earlier.uid !== write.uid) return
    this.#writes.delete(text)
    this.#writes.set(text, write)
    // The removal of an object that the watch never shows is never seen: such entries hide nothing and must not pile up.
    const [oldest, it] = this.#writes.entries().next().value ?? []
    if (this.#writes.size > LIMIT && oldest !== undefined && it?.resourceVersion === '')
      this.#writes.delete(oldest)
  }

  /** Forgets what the watch of a namespace (empty: of all of them) has caught up with. */
  seen(resourceVersion: string, namespace: string = ''): void {
    if (this.#writes.size === 0) return
    for (const [text, write] of this.#writes) {
      if (namespace !== '' && write.key.namespace !== namespace) continue
      if (write.resourceVersion === '') continue
      if (compareResourceVersions(write.resourceVersion, resourceVersion) <= 0)
        this.#writes.delete(text)
    }
  }

  /** Forgets an unnumbered deletion: the watch showed that the object went. */
  removed(object: KubeObject): void {
    const { namespace = '', name = '', uid } = object.metadata
    this.#departed.add(uid)
    if (this.#departed.size > LIMIT) this.#departed.delete(this.#departed.values().next().value)
    if (this.#writes.size === 0) return
    const text = keyText({ namespace, name })
    const write = this.#writes.get(text)
    if (write && write.resourceVersion === '' && write.uid === uid) this.#writes.delete(text)
  }

  clear(): void {
    this.#writes.clear()
  }

  /** What a read of `key` should show, given what the store has. */
  resolve(key: ObjectKey, stored: T | undefined): T | undefined {
    if (this.#writes.size === 0) return stored
    const write = this.#writes.get(keyText(key))
    return write ? newer(write, stored) : stored
  }

  /** The objects that writes added or changed, for lists; `hidden` says whether a stored object is out of date. */
  entries(): Iterable<OwnWrite<T>> {
    return this.#writes.values()
  }
}

/** The later of a write and what the store has. */
export function newer<T extends KubeObject>(
  write: OwnWrite<T>,
  stored: T | undefined,
): T | undefined {
  if (write.resourceVersion === '') {
    // An unnumbered deletion covers the object that went, not one made since under its name.
    return stored && stored.metadata.uid !== write.uid ? stored : undefined
  }
  const version = stored?.metadata.resourceVersion ?? ''
  return stored && compareResourceVersions(version, write.resourceVersion) >= 0
    ? stored
    : write.object
}
