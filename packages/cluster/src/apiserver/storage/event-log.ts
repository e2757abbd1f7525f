import { type Change, Compacted, type Stored } from './storage.ts'

/** One watcher. It sleeps when it has read everything that is its own; `wake` is there as long. */
interface Reader {
  /** The last revision that it has read, where it does not sleep. */
  cursor: number
  wake: ((revision: number) => void) | undefined
  readonly fellBehind: (() => void) | undefined
}

/**
 * The changes of the recent past, one a revision, and whoever waits for the next. A watcher is a cursor into the log: it holds no
 * queue, nobody waits for it, and it is told {@link Compacted} when the log forgets what it has not read yet.
 */
export class EventLog {
  readonly #window: number
  readonly #readers = new Map<string, Set<Reader>>()
  #changes: Change[] = []
  #compacted: number

  /** `start` is the revision before the first change; `window` how many changes are kept at least. */
  constructor(start: number, window: number) {
    this.#compacted = start
    this.#window = window
  }

  get compacted(): number {
    return this.#compacted
  }

  get revision(): number {
    return this.#compacted + this.#changes.length
  }

  append(change: Change): void {
    this.#changes.push(change)
    if (this.#changes.length > 2 * this.#window) this.compact(this.revision - this.#window)
    for (const [prefix, readers] of this.#readers) {
      if (!change.stored.key.startsWith(prefix)) continue
      for (const reader of readers) reader.wake?.(change.revision)
    }
  }

  compact(revision: number): void {
    if (revision <= this.#compacted) return
    this.#changes = this.#changes.slice(revision - this.#compacted)
    this.#compacted = revision
    for (const readers of this.#readers.values()) {
      for (const it of readers) if (!it.wake && it.cursor < revision) it.fellBehind?.()
    }
  }

  /** What stood at `revision` under `prefix` where it differs from now: key → what stood there. */
  undo(prefix: string, revision: number): Map<string, Stored | undefined> {
    if (revision < this.#compacted) throw new Compacted(revision, this.#compacted)
    const past = new Map<string, Stored | undefined>()
    for (let i = this.#changes.length - 1; i >= revision - this.#compacted; i--) {
      const { stored, previous } = this.#changes[i]!
      if (stored.key.startsWith(prefix)) past.set(stored.key, previous)
    }
    return past
  }

  /**
   * The changes under `prefix` after a revision, past and to come, until the signal aborts. `fellBehind` is called when the reader has
   * not come back for the next one and the log forgets it.
   */
  async *read(
    prefix: string,
    after: number,
    signal: AbortSignal,
    fellBehind?: () => void,
  ): AsyncGenerator<Change> {
    const reader: Reader = { cursor: after, wake: undefined, fellBehind }
    this.#enter(prefix, reader)
    try {
      while (!signal.aborted) {
        if (reader.cursor < this.#compacted) throw new Compacted(reader.cursor, this.#compacted)
        const change = this.#changes[reader.cursor - this.#compacted]
        if (!change) {
          // Whoever sleeps has read everything; what passes by without waking it is nothing of its own.
          reader.cursor = Math.max(reader.cursor, (await sleep(reader, signal)) - 1)
        } else {
          reader.cursor++
          if (change.stored.key.startsWith(prefix)) yield change
        }
      }
    } finally {
      this.#leave(prefix, reader)
    }
  }

  #enter(prefix: string, reader: Reader): void {
    const readers = this.#readers.get(prefix)
    if (readers) readers.add(reader)
    else this.#readers.set(prefix, new Set([reader]))
  }

  #leave(prefix: string, reader: Reader): void {
    const readers = this.#readers.get(prefix)!
    readers.delete(reader)
    if (readers.size === 0) this.#readers.delete(prefix)
  }
}

/** Resolves with the revision of the next change of the reader's own, or with 0 when the signal aborts. */
function sleep(reader: Reader, signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    const wake = (revision: number): void => {
      signal.removeEventListener('abort', stop)
      reader.wake = undefined
      resolve(revision)
    }
    const stop = (): void => wake(0)
    reader.wake = wake
    signal.addEventListener('abort', stop, { once: true })
  })
}
