const CHUNK = 512

/**
 * A map that keeps its keys in code-unit order: a list of chunks of at most 512 keys, so that an insertion moves little and a range
 * is found by two binary searches. Values lie in a hash map beside it.
 */
export class SortedMap<V> {
  readonly #values = new Map<string, V>()
  #chunks: string[][] = [[]]

  get size(): number {
    return this.#values.size
  }

  get(key: string): V | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: V): void {
    if (!this.#values.has(key)) this.#insert(key)
    this.#values.set(key, value)
  }

  delete(key: string): void {
    if (!this.#values.delete(key)) return
    const at = this.#chunkOf(key)
    const chunk = this.#chunks[at]!
    chunk.splice(lowerBound(chunk, key), 1)
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(at, 1)
  }

  /** The values whose keys begin with `prefix`, in key order, from `start` on. */
  *from(prefix: string, start: string = prefix): Generator<V> {
    for (const key of this.#keys(start < prefix ? prefix : start)) {
      if (!key.startsWith(prefix)) return
      yield this.#values.get(key)!
    }
  }

  /** How many keys begin with `prefix` and stand at `start` or after it. */
  count(prefix: string, start: string = prefix): number {
    const end = this.#rank(after(prefix))
    return Math.max(end - this.#rank(start < prefix ? prefix : start), 0)
  }

  *#keys(start: string): Generator<string> {
    for (let at = this.#chunkOf(start); at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at]!
      for (let i = lowerBound(chunk, start); i < chunk.length; i++) yield chunk[i]!
    }
  }

  #insert(key: string): void {
    const at = this.#chunkOf(key)
    const chunk = this.#chunks[at]!
    chunk.splice(lowerBound(chunk, key), 0, key)
    if (chunk.length > CHUNK) this.#chunks.splice(at + 1, 0, chunk.splice(CHUNK / 2))
  }

  /** The last chunk that begins at or before `key`, or the first. */
  #chunkOf(key: string): number {
    let low = 0
    let high = this.#chunks.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (this.#chunks[middle]![0]! <= key) low = middle
      else high = middle
    }
    return low
  }

  #rank(key: string): number {
    const at = this.#chunkOf(key)
    let before = 0
    for (let i = 0; i < at; i++) before += this.#chunks[i]!.length
    return before + lowerBound(this.#chunks[at]!, key)
  }
}

/** The first string that sorts after everything that begins with `prefix`. */
const after = (prefix: string): string => `${prefix}\uffff`

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (keys[middle]! < key) low = middle + 1
    else high = middle
  }
  return low
}
