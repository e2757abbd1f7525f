import type { UnknownObject } from 'kubewright/machinery'
import { Keyspace, WINDOW } from './keyspace.ts'
import type { Change, Page, Range, Snapshot, Storage, Stored, Swap } from './storage.ts'

/**
 * `window`: how many past changes are kept, at least (default 2,000). `freeze`: freezes what is stored, for tests (default false).
 * `from`: what to begin with (default: nothing); its entries are shared.
 */
export interface MemoryStorageOptions {
  readonly from?: Snapshot
  readonly window?: number
  readonly freeze?: boolean
}

/** Makes a {@link Storage} that keeps everything in memory and forgets it when closed. */
export function memoryStorage(options: MemoryStorageOptions = {}): Storage {
  return new MemoryStorage(options)
}

class MemoryStorage implements Storage {
  readonly #keyspace: Keyspace

  constructor({ window = WINDOW, freeze = false, from }: MemoryStorageOptions) {
    this.#keyspace = new Keyspace({ revision: from?.revision ?? 1, window, freeze })
    for (const stored of from?.items ?? []) this.#keyspace.load(stored)
  }

  get revision(): number {
    return this.#keyspace.revision
  }

  get compacted(): number {
    return this.#keyspace.compacted
  }

  async get(key: string): Promise<Stored | undefined> {
    return this.#keyspace.get(key)
  }

  async list(range: Range): Promise<Page> {
    return this.#keyspace.list(range)
  }

  async compareAndSwap(
    key: string,
    expected: number,
    next: UnknownObject | undefined,
  ): Promise<Swap> {
    const current = this.#keyspace.get(key)
    if ((current?.revision ?? 0) !== expected || (!current && !next)) return { ok: false, current }
    const plan = this.#keyspace.plan(key, this.revision + 1, current, next)
    this.#keyspace.apply(plan)
    return { ok: true, stored: plan.stored, revision: plan.revision }
  }

  watch(
    prefix: string,
    after: number,
    signal: AbortSignal,
    fellBehind?: () => void,
  ): AsyncIterable<Change> {
    return this.#keyspace.watch(prefix, after, signal, fellBehind)
  }

  async compact(revision: number): Promise<void> {
    this.#keyspace.compact(revision)
  }

  snapshot(): Snapshot {
    return this.#keyspace.snapshot()
  }

  async close(): Promise<void> {}
}
