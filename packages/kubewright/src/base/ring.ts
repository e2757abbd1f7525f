/** A first-in first-out buffer that grows by doubling: adding and taking cost constant time, whatever its length. */
export interface Ring<T> {
  readonly size: number
  push(item: T): void
  /** Takes the oldest item; undefined when empty. */
  shift(): T | undefined
  /** The oldest item, left where it is. */
  peek(): T | undefined
}

/** Makes an empty {@link Ring}. */
export function createRing<T>(): Ring<T> {
  let slots: (T | undefined)[] = Array.from({ length: 8 })
  let head = 0
  let size = 0
  const grow = (): void => {
    const wider: (T | undefined)[] = Array.from({ length: slots.length * 2 })
    for (let i = 0; i < size; i++) wider[i] = slots[(head + i) & (slots.length - 1)]
    slots = wider
    head = 0
  }
  return {
    get size() {
      return size
    },
    push(item) {
      if (size === slots.length) grow()
      slots[(head + size++) & (slots.length - 1)] = item
    },
    shift() {
      if (size === 0) return undefined
      const item = slots[head]
      slots[head] = undefined
      head = (head + 1) & (slots.length - 1)
      size--
      return item
    },
    peek: () => (size === 0 ? undefined : slots[head]),
  }
}
