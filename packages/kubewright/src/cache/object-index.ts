import { keyText } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'

/** Keys of objects (`namespace/name`) by the values that a function reads off them. Most values have one object: it has no set of its own. */
export class ObjectIndex<T extends KubeObject> {
  readonly valuesOf: (object: T) => Iterable<string>
  readonly #filed = new Map<string, string | Set<string>>()

  constructor(valuesOf: (object: T) => Iterable<string>) {
    this.valuesOf = valuesOf
  }

  /** The keys that are filed under a value. */
  get(value: string): Iterable<string> {
    const shelf = this.#filed.get(value)
    return typeof shelf === 'string' ? [shelf] : (shelf ?? [])
  }

  /** Files what an object has become; `old` is what it was. */
  move(old: T | undefined, next: T | undefined): void {
    if (old) this.#unfile(old)
    if (!next) return
    const key = textOf(next)
    for (const value of this.valuesOf(next)) {
      const shelf = this.#filed.get(value)
      if (shelf === undefined) this.#filed.set(value, key)
      else if (typeof shelf !== 'string') shelf.add(key)
      else if (shelf !== key) this.#filed.set(value, new Set([shelf, key]))
    }
  }

  #unfile(old: T): void {
    const key = textOf(old)
    for (const value of this.valuesOf(old)) {
      const shelf = this.#filed.get(value)
      if (shelf === key) this.#filed.delete(value)
      else if (typeof shelf === 'object' && shelf.delete(key) && shelf.size === 0)
        this.#filed.delete(value)
    }
  }
}

const textOf = ({ metadata: { namespace = '', name = '' } }: KubeObject): string =>
  keyText({ namespace, name })
