/** What was made of the latest few things, for whoever asks for the same again soon: many watchers are told of one change. */
export class Recent<K extends object, V extends object> {
  readonly #limit: number
  readonly #made = new Map<K, V>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** What was made of a thing, or `make()`, kept until `limit` newer things have come. */
  of(key: K, make: () => V): V {
    let made = this.#made.get(key)
    if (made === undefined) {
      made = make()
      this.#made.set(key, made)
      if (this.#made.size > this.#limit) this.#made.delete(this.#made.keys().next().value!)
    }
    return made
  }
}
