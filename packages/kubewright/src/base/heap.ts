/** A binary heap: the least item by `before` is always first. Adding and taking cost a logarithm of the size. */
export interface Heap<T> {
  readonly size: number
  push(item: T): void
  /** Takes the least item; undefined when empty. */
  pop(): T | undefined
  /** The least item, left where it is. */
  peek(): T | undefined
}

/** Makes an empty {@link Heap}. `before(a, b)` says whether a comes out before b, and must be a strict order. */
export function createHeap<T>(before: (a: T, b: T) => boolean): Heap<T> {
  const items: T[] = []
  return {
    get size() {
      return items.length
    },
    push(item) {
      items.push(item)
      rise(items, items.length - 1, before)
    },
    pop() {
      const first = items[0]
      const last = items.pop()
      if (items.length > 0 && last !== undefined) {
        items[0] = last
        sink(items, before)
      }
      return first
    },
    peek: () => items[0],
  }
}

function rise<T>(items: T[], from: number, before: (a: T, b: T) => boolean): void {
  const item = items[from]!
  let at = from
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!before(item, items[parent]!)) break
    items[at] = items[parent]!
    at = parent
  }
  items[at] = item
}

function sink<T>(items: T[], before: (a: T, b: T) => boolean): void {
  const item = items[0]!
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= items.length) break
    if (child + 1 < items.length && before(items[child + 1]!, items[child]!)) child++
    if (!before(items[child]!, item)) break
    items[at] = items[child]!
    at = child
  }
  items[at] = item
}
