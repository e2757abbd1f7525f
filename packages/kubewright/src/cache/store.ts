import { keyText, parseKey, type ObjectKey } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'
import { packing, type Kept, type Packing } from './kept.ts'
import { ObjectIndex } from './object-index.ts'
import type { Delta } from './reflector.ts'

/** What became different in a store: at least one of `old` and `new` is there. */
export interface Change<T extends KubeObject = KubeObject> {
  readonly old?: T | undefined
  readonly new?: T | undefined
  /** Whether it came with the first list, or for a listener's first look. */
  readonly initial: boolean
}

/** How a {@link Store} keeps its objects. */
export interface StoreOptions<T extends KubeObject> {
  /** How many objects are kept ready to use; all others are JSON text that is parsed when it is read. Default 1,024. */
  readonly parsed?: number
  /** Applied to each object that was parsed from its text. */
  readonly thaw?: (object: T) => T
}

const PARSED = 1_024

/** What a change came to, before anybody is told: objects are opened only when they are. */
interface Difference<T extends KubeObject> {
  readonly key: ObjectKey
  readonly old: Kept<T> | undefined
  readonly new: Kept<T> | undefined
}

/**
 * Objects of one kind by namespace and name, and what deltas make of them.
 *
 * A change is told once: an object whose resourceVersion is already here is none. An object that was deleted and made again under
 * its name while nobody watched is two changes: the old one goes, the new one comes.
 *
 * The objects that were written or read last are kept as they are, the others as text: reading one of those again and again parses it
 * once, going through all of them parses each one each time.
 */
export class Store<T extends KubeObject> {
  /** By namespace (empty for cluster-scoped), then name. */
  readonly #spaces = new Map<string, Map<string, Kept<T>>>()
  readonly #indexes = new Map<string, ObjectIndex<T>>()
  readonly #packing: Packing<T>
  readonly #parsed: number
  /** The objects that are kept parsed: those used lately, and those used before them. */
  #warm = new Set<string>()
  #cooling = new Set<string>()
  #size = 0
  #characters = 0

  constructor(options: StoreOptions<T> = {}) {
    this.#parsed = Math.max(1, options.parsed ?? PARSED)
    this.#packing = packing(options.thaw)
  }

  get size(): number {
    return this.#size
  }

  /** How large the objects are as JSON, in characters: what text there is, and what those that are ready to use would be (they are counted now). */
  get characters(): number {
    let characters = this.#characters
    for (const space of this.#spaces.values())
      for (const kept of space.values())
        if (typeof kept !== 'string') characters += this.#packing.pack(kept).length
    return characters
  }

  get(key: ObjectKey): T | undefined {
    const space = this.#spaces.get(key.namespace ?? '')
    const kept = space?.get(key.name)
    if (typeof kept !== 'string') return kept
    const object = this.#packing.open(kept)
    this.#characters -= kept.length
    space?.set(key.name, object)
    this.#warmUp(keyText(key))
    return object
  }

  /** Every object, of one namespace if given. */
  *values(namespace: string = ''): Generator<T, void, undefined> {
    for (const space of this.#spacesOf(namespace))
      for (const kept of space.values()) yield this.#packing.open(kept)
  }

  /** Adds an index; objects that are already here are indexed at once. Throws when the name is taken. */
  addIndex(name: string, valuesOf: (object: T) => Iterable<string>): void {
    if (this.#indexes.has(name)) throw new Error(`there is already an index named ${name}`)
    const index = new ObjectIndex(valuesOf)
    for (const object of this.values()) index.move(undefined, object)
    this.#indexes.set(name, index)
  }

  hasIndex(name: string): boolean {
    return this.#indexes.has(name)
  }

  /** The values under which an index files an object. Throws when there is no such index. */
  indexValues(name: string, object: T): readonly string[] {
    return [...this.#index(name).valuesOf(object)]
  }

  /** The objects that an index files under a value. Throws when there is no such index. */
  *byIndex(name: string, value: string): Generator<T, void, undefined> {
    for (const key of this.#index(name).get(value)) {
      const object = this.get(parseKey(key))
      if (object) yield object
    }
  }

  /** How an object is kept while the list it came with is not complete: those beyond the first few as text. */
  keep(object: T, at: number): Kept<T> {
    return at < this.#parsed ? object : this.#packing.pack(object)
  }

  /**
   * Does what a delta says, then tells of each change; with `onlyGone`, of those that took something away. `within` limits a replacement
   * to one namespace.
   */
  apply(
    delta: Delta<T, Kept<T>>,
    initial: boolean,
    within: string,
    tell: (change: Change<T>) => void,
    onlyGone: boolean = false,
  ): void {
    for (const it of this.#differences(delta, within))
      if (!onlyGone || it.old !== undefined) this.#tell(it, initial, tell)
  }

  #differences(delta: Delta<T, Kept<T>>, within: string): readonly Difference<T>[] {
    switch (delta.type) {
      case 'put':
        return this.#put(keyIn(delta.object), delta.object)
      case 'remove':
        return this.#remove(delta.object)
      case 'replace':
        return this.#replace(delta.objects, within)
      case 'seen':
        return []
    }
  }

  #tell(it: Difference<T>, initial: boolean, tell: (change: Change<T>) => void): void {
    const old = it.old === undefined ? undefined : this.#packing.open(it.old)
    const next = it.new === undefined ? undefined : this.#packing.open(it.new)
    if (!old || !next) return tell(next ? { new: next, initial } : { old, initial: false })
    if (old.metadata.uid !== next.metadata.uid) {
      tell({ old, initial: false })
      tell({ new: next, initial })
    } else if (old.metadata.resourceVersion !== next.metadata.resourceVersion)
      tell({ old, new: next, initial })
  }

  #index(name: string): ObjectIndex<T> {
    const index = this.#indexes.get(name)
    if (index) return index
    const names = [...this.#indexes.keys()].join(', ') || 'none'
    throw new Error(
      `there is no index named ${name} (there are: ${names}); declare it before start`,
    )
  }

  #spacesOf(namespace: string): Iterable<Map<string, Kept<T>>> {
    if (namespace === '') return this.#spaces.values()
    const space = this.#spaces.get(namespace)
    return space ? [space] : []
  }

  #put(key: ObjectKey, next: Kept<T>): readonly Difference<T>[] {
    const { namespace = '', name } = key
    let space = this.#spaces.get(namespace)
    if (!space) this.#spaces.set(namespace, (space = new Map()))
    const old = space.get(name)
    if (typeof next === 'string' && old === next) return []
    space.set(name, next)
    this.#count(old, -1)
    this.#count(next, 1)
    if (typeof next !== 'string') this.#warmUp(keyText(key))
    if (this.#indexes.size > 0) this.#refile(old, next)
    return [{ key, old, new: next }]
  }

  #count(kept: Kept<T> | undefined, sign: 1 | -1): void {
    if (kept === undefined) return
    this.#size += sign
    if (typeof kept === 'string') this.#characters += sign * kept.length
  }

  #refile(old: Kept<T> | undefined, next: Kept<T> | undefined): void {
    const [was, is] = [old, next].map((it) => (it === undefined ? it : this.#packing.open(it)))
    for (const index of this.#indexes.values()) index.move(was, is)
  }

  /** The change shows the object as the deletion showed it: its last state. */
  #remove(object: T): readonly Difference<T>[] {
    const key = keyIn(object)
    return this.#drop(key) === undefined ? [] : [{ key, old: object, new: undefined }]
  }

  #drop(key: ObjectKey): Kept<T> | undefined {
    const { namespace = '', name } = key
    const space = this.#spaces.get(namespace)
    const old = space?.get(name)
    if (!space || old === undefined) return undefined
    space.delete(name)
    if (space.size === 0) this.#spaces.delete(namespace)
    this.#count(old, -1)
    if (this.#indexes.size > 0) this.#refile(old, undefined)
    return old
  }

  #replace(objects: ReadonlyMap<string, Kept<T>>, within: string): readonly Difference<T>[] {
    const gone: ObjectKey[] = []
    for (const [namespace, space] of this.#spaces) {
      if (within !== '' && namespace !== within) continue
      for (const name of space.keys())
        if (!objects.has(keyText({ namespace, name }))) gone.push({ namespace, name })
    }
    const differences: Difference<T>[] = []
    for (const key of gone) {
      const old = this.#drop(key)
      if (old !== undefined) differences.push({ key, old, new: undefined })
    }
    for (const [text, object] of objects) differences.push(...this.#put(parseKey(text), object))
    return differences
  }

  /** An object is in use: it stays parsed at least until as many others have been as may be. */
  #warmUp(key: string): void {
    this.#warm.add(key)
    if (this.#warm.size * 2 <= this.#parsed) return
    for (const old of this.#cooling) if (!this.#warm.has(old)) this.#coolDown(parseKey(old))
    this.#cooling = this.#warm
    this.#warm = new Set()
  }

  #coolDown({ namespace = '', name }: ObjectKey): void {
    const space = this.#spaces.get(namespace)
    const kept = space?.get(name)
    if (!space || kept === undefined || typeof kept === 'string') return
    const text = this.#packing.pack(kept)
    this.#characters += text.length
    space.set(name, text)
  }
}

const keyIn = ({ metadata: { namespace = '', name = '' } }: KubeObject): ObjectKey => ({
  namespace,
  name,
})
