import { keyText, type ObjectKey } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { Delta } from './reflector.ts'

/** What became different in a store: at least one of `old` and `new` is there. */
export interface Change<T extends KubeObject = KubeObject> {
  readonly old?: T | undefined
  readonly new?: T | undefined
  /** Whether it came with the first list, or for a listener's first look. */
  readonly initial: boolean
}

/**
 * Objects of one kind by namespace and name, and what deltas make of them.
 *
 * A change is told once: an object whose resourceVersion is already here is none. An object that was deleted and made again under
 * its name while nobody watched is two changes: the old one goes, the new one comes.
 */
export class Store<T extends KubeObject> {
  /** By namespace (empty for cluster-scoped), then name. */
  readonly #spaces = new Map<string, Map<string, T>>()
  readonly #indexes = new Map<string, Index<T>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get(key: ObjectKey): T | undefined {
    return this.#spaces.get(key.namespace ?? '')?.get(key.name)
  }

  /** Every object, of one namespace if given. */
  *values(namespace: string = ''): Generator<T, void, undefined> {
    if (namespace !== '') {
      yield* this.#spaces.get(namespace)?.values() ?? []
      return
    }
    for (const space of this.#spaces.values()) yield* space.values()
  }

  /** Adds an index; objects that are already here are indexed at once. Throws when the name is taken. */
  addIndex(name: string, valuesOf: (object: T) => Iterable<string>): void {
    if (this.#indexes.has(name)) throw new Error(`there is already an index named ${name}`)
    const index = new Index(valuesOf)
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
  byIndex(name: string, value: string): Iterable<T> {
    return this.#index(name).get(value)
  }

  /** Does what a delta says. `within` limits a replacement to one namespace. */
  apply(delta: Delta<T>, initial: boolean, within: string = ''): readonly Change<T>[] {
    switch (delta.type) {
      case 'put':
        return this.#put(delta.object, initial)
      case 'remove':
        return this.#remove(delta.object)
      case 'replace':
        return this.#replace(delta.objects, initial, within)
      case 'seen':
        return []
    }
  }

  #index(name: string): Index<T> {
    const index = this.#indexes.get(name)
    if (index) return index
    const names = [...this.#indexes.keys()].join(', ') || 'none'
    throw new Error(
      `there is no index named ${name} (there are: ${names}); declare it before start`,
    )
  }

  #put(object: T, initial: boolean): readonly Change<T>[] {
    const { namespace = '', name = '', uid, resourceVersion } = object.metadata
    const old = this.#spaces.get(namespace)?.get(name)
    this.#set(namespace, name, object, old)
    if (!old) return [{ new: object, initial }]
    if (old.metadata.uid !== uid)
      return [
        { old, initial: false },
        { new: object, initial },
      ]
    return old.metadata.resourceVersion === resourceVersion ? [] : [{ old, new: object, initial }]
  }

  #set(namespace: string, name: string, object: T, old: T | undefined): void {
    let space = this.#spaces.get(namespace)
    if (!space) this.#spaces.set(namespace, (space = new Map()))
    space.set(name, object)
    if (!old) this.#size++
    for (const index of this.#indexes.values()) index.move(old, object)
  }

  /** The change shows the object as the deletion showed it: its last state. */
  #remove(object: T): readonly Change<T>[] {
    const { namespace = '', name = '' } = object.metadata
    return this.#drop(namespace, name) ? [{ old: object, initial: false }] : []
  }

  #drop(namespace: string, name: string): T | undefined {
    const space = this.#spaces.get(namespace)
    const old = space?.get(name)
    if (!space || !old) return undefined
    space.delete(name)
    if (space.size === 0) this.#spaces.delete(namespace)
    this.#size--
    for (const index of this.#indexes.values()) index.move(old, undefined)
    return old
  }

  #replace(objects: readonly T[], initial: boolean, within: string): readonly Change<T>[] {
    const kept = new Set(
      objects.map(({ metadata: { namespace = '', name = '' } }) => `${namespace}/${name}`),
    )
    const gone = [...this.values(within)].filter(
      ({ metadata: { namespace = '', name = '' } }) => !kept.has(`${namespace}/${name}`),
    )
    const removed = gone.flatMap((it) => {
      const old = this.#drop(it.metadata.namespace ?? '', it.metadata.name ?? '')
      return old ? [{ old, initial: false }] : []
    })
    return [...removed, ...objects.flatMap((it) => this.#put(it, initial))]
  }
}

/** Objects by the values that a function reads off them. */
class Index<T extends KubeObject> {
  readonly valuesOf: (object: T) => Iterable<string>
  readonly #filed = new Map<string, Map<string, T>>()

  constructor(valuesOf: (object: T) => Iterable<string>) {
    this.valuesOf = valuesOf
  }

  get(value: string): Iterable<T> {
    return this.#filed.get(value)?.values() ?? []
  }

  move(old: T | undefined, next: T | undefined): void {
    if (old) this.#unfile(old)
    if (!next) return
    const key = textOf(next)
    for (const value of this.valuesOf(next)) {
      let shelf = this.#filed.get(value)
      if (!shelf) this.#filed.set(value, (shelf = new Map()))
      shelf.set(key, next)
    }
  }

  #unfile(old: T): void {
    const key = textOf(old)
    for (const value of this.valuesOf(old)) {
      const shelf = this.#filed.get(value)
      if (shelf?.delete(key) && shelf.size === 0) this.#filed.delete(value)
    }
  }
}

const textOf = ({ metadata: { namespace = '', name = '' } }: KubeObject): string =>
  keyText({ namespace, name })
