/**
 * Gives pods their addresses: the lowest free one of a `/24` or smaller, from .2 on. An address stays with its pod (by uid) until it
 * is released.
 */
export class Addresses {
  readonly #prefix: string
  readonly #byUid = new Map<string, string>()
  readonly #taken = new Set<string>()
  #next = 2

  /** `cidr` like `10.244.3.0/24`. */
  constructor(cidr: string) {
    this.#prefix = cidr.slice(0, cidr.lastIndexOf('.', cidr.indexOf('/')) + 1)
  }

  /** The pod's address: the one it has, the one that it is known to have had (`before`), or a free one. */
  of(uid: string, before?: string): string {
    const known = this.#byUid.get(uid)
    if (known) return known
    const address = before ?? this.#free()
    this.#byUid.set(uid, address)
    this.#taken.add(address)
    return address
  }

  release(uid: string): void {
    const address = this.#byUid.get(uid)
    if (address === undefined) return
    this.#byUid.delete(uid)
    this.#taken.delete(address)
  }

  /** Goes round, so that an address is not used again at once; beyond 253 pods addresses are shared. */
  #free(): string {
    for (let tries = 0; tries < 253; tries++) {
      const address = `${this.#prefix}${this.#next}`
      this.#next = this.#next >= 254 ? 2 : this.#next + 1
      if (!this.#taken.has(address)) return address
    }
    return `${this.#prefix}254`
  }
}
