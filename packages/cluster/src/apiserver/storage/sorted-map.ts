const CHUNK = 512

interface Chunk<V> {
  readonly keys: string[]
  readonly values: V[]
}

/**
 * A map that keeps its keys in code-unit order: a list of chunks of at most 512 keys, so that an insertion moves little and a range
 * is found by two binary searches. A hash map beside it answers for single keys.
 */
export class SortedMap<V> {
  readonly #values = new Map<string, V>()
  #chunks: Chunk<V>[] = [{ keys: [], values: [] }]

  get size(): number {
    return this.#values.size
  }

  get(key: string): V | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: V): void {
    const at = this.#chunkOf(key)
    const { keys, values } = this.#chunks[at]!
    const index = lowerBound(keys, key)
    if (this.#values.has(key)) values[index] = value
    else {
      keys.splice(index, 0, key)
      values.splice(index, 0, value)
      if (keys.length > CHUNK) this.#split(at)
    }
    this.#values.set(key, value)
  }

  delete(key: string): void {
    if (!this.#values.delete(key)) return
    const at = this.#chunkOf(key)
    const { keys, values } = this.#chunks[at]!
    const index = lowerBound(keys, key)
    keys.splice(index, 1)
    values.splice(index, 1)
    if (keys.length === 0 && this.#chunks.length > 1) this.#chunks.splice(at, 1)
  }

  /** The values of keys that begin with `prefix`, from `start` on, in order; at most `limit` (0: all). */
  range(prefix: string, start: string = prefix, limit: number = 0): V[] {
    const found: V[] = []
    const first = start < prefix ? prefix : start
    const end = after(prefix)
    let at = this.#chunkOf(first)
    let index = lowerBound(this.#chunks[at]!.keys, first)
    for (; at < this.#chunks.length; at++, index = 0) {
      const { keys, values } = this.#chunks[at]!
      for (; index < keys.length; index++) {
        if (keys[index]! >= end) return found
        if (limit > 0 && found.length === limit) return found
        found.push(values[index]!)
      }
    }
    return found
  }

  /** How many keys begin with `prefix` and are not before `start`. */
  count(prefix: string, start: string = prefix): number {
    const from = start < prefix ? prefix : start
    return Math.max(0, this.#rank(after(prefix)) - this.#rank(from))
  }

  #split(at: number): void {
    const { keys, values } = this.#chunks[at]!
    const second = { keys: keys.splice(CHUNK / 2), values: values.splice(CHUNK / 2) }
    this.#chunks.splice(at + 1, 0, second)
  }

  /** The last chunk that begins at or before `key`, or the first. */
  #chunkOf(key: string): number {
    let low = 0
    let high = this.#chunks.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (this.#chunks[middle]!.keys[0]! <= key) low = middle
      else high = middle
    }
    return low
  }

  #rank(key: string): number {
    const at = this.#chunkOf(key)
    let before = 0
    for (let i = 0; i < at; i++) before += this.#chunks[i]!.keys.length
    return before + lowerBound(this.#chunks[at]!.keys, key)
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
