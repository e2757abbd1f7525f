/** What a watch may wake up to. */
export type Attention<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'bookmark'; readonly revision: number }
  | { readonly kind: 'end' }

/**
 * Reads an async iterator while a timer may call in between. It asks for one value at a time, so a slow reader holds the source back;
 * and it waits on one promise at a time, so nothing piles up behind a race that takes hours.
 */
export class AttentiveReader<T> {
  readonly #source: AsyncIterator<T>
  #asked = false
  #settled: IteratorResult<T> | Error | undefined
  #bookmark: number | undefined
  #wake: () => void = () => {}

  constructor(source: AsyncIterable<T>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /**
   * A bookmark of `revision`, which the store has reached now, is due: told as soon as no value waits. By then what happened up to
   * that revision has been read; what happens while we look has not, and is for the next one.
   */
  remind(revision: number): void {
    this.#bookmark = revision
    this.#wake()
  }

  /** The next thing to do. Throws what the source throws. */
  async next(): Promise<Attention<T>> {
    this.#ask()
    for (;;) {
      const settled = this.#settled
      if (settled) return this.#take(settled)
      const revision = this.#bookmark
      if (revision !== undefined) {
        // What is ready already goes first: a bookmark must not overtake a change.
        await new Promise((resolve) => setImmediate(resolve))
        if (this.#settled) continue
        this.#bookmark = undefined
        return { kind: 'bookmark', revision }
      }
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  /** Nobody reads any more: the source may let go of what it holds for its reader. */
  stop(): void {
    this.#source.return?.().catch(() => {})
  }

  #take(settled: IteratorResult<T> | Error): Attention<T> {
    this.#settled = undefined
    this.#asked = false
    if (settled instanceof Error) throw settled
    return settled.done ? { kind: 'end' } : { kind: 'value', value: settled.value }
  }

  #ask(): void {
    if (this.#asked) return
    this.#asked = true
    this.#source.next().then(
      (result) => this.#settle(result),
      (error: unknown) => this.#settle(error as Error),
    )
  }

  #settle(outcome: IteratorResult<T> | Error): void {
    this.#settled = outcome
    this.#wake()
  }
}
