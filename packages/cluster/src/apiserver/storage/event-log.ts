import { type Change, Compacted, type Stored } from './storage.ts'

interface Sleeper {
  readonly prefix: string
  readonly wake: (revision: number) => void
}

/**
 * The changes of the recent past, one a revision, and whoever waits for the next. A watcher is a cursor into the log: it holds no
 * queue, and is told {@link Compacted} when the log forgets what it has not read yet.
 */
export class EventLog {
  readonly #window: number
  readonly #sleepers = new Set<Sleeper>()
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
    for (const sleeper of this.#sleepers) {
      if (!change.stored.key.startsWith(sleeper.prefix)) continue
      this.#sleepers.delete(sleeper)
      sleeper.wake(change.revision)
    }
  }

  compact(revision: number): void {
    if (revision <= this.#compacted) return
    this.#changes = this.#changes.slice(revision - this.#compacted)
    this.#compacted = revision
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

  /** The changes under `prefix` after a revision, past and to come, until the signal aborts. */
  async *read(prefix: string, after: number, signal: AbortSignal): AsyncGenerator<Change> {
    let cursor = after
    while (!signal.aborted) {
      if (cursor < this.#compacted) throw new Compacted(cursor, this.#compacted)
      const change = this.#changes[cursor - this.#compacted]
      if (!change) {
        // Whoever sleeps has read everything; what passes by without waking it is nothing of its own.
        cursor = Math.max(cursor, (await this.#sleep(prefix, signal)) - 1)
      } else {
        cursor++
        if (change.stored.key.startsWith(prefix)) yield change
      }
    }
  }

  #sleep(prefix: string, signal: AbortSignal): Promise<number> {
    return new Promise((resolve) => {
      const done = (revision: number): void => {
        signal.removeEventListener('abort', stop)
        resolve(revision)
      }
      const sleeper = { prefix, wake: done }
      const stop = (): void => {
        this.#sleepers.delete(sleeper)
        done(0)
      }
      if (signal.aborted) return resolve(0)
      this.#sleepers.add(sleeper)
      signal.addEventListener('abort', stop, { once: true })
    })
  }
}
