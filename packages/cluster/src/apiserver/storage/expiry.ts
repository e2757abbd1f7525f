import type { Clock, Timer } from 'kubewright/base'
import type { Storage } from './storage.ts'

/** How long an Event is kept after it was written last, in milliseconds (kube-apiserver --event-ttl). */
export const EVENT_TTL: number = 60 * 60_000

/** What is kept for how long: keys that begin with `prefix`, `ttl` milliseconds after their last write. */
export interface Expiry {
  readonly prefix: string
  readonly ttl: number
}

interface Due {
  readonly key: string
  readonly revision: number
  readonly at: number
}

/** A lease lasts a little longer than asked for, so that writes of the same moment end together (etcd3/lease_manager.go): of the ttl … */
const SLACK = 0.05
/** … this part, and no more than this, in milliseconds. */
const MAX_SLACK = 60_000

/**
 * Removes what nobody has written for its time, until the signal aborts; watchers see it DELETED. Like a lease of etcd, the time of
 * what lies there already begins when this begins: a restart lengthens it. A removal that cannot be kept is tried again after the ttl.
 */
export async function keepExpiring(
  storage: Storage,
  clock: Clock,
  { prefix, ttl }: Expiry,
  signal: AbortSignal,
): Promise<void> {
  const due = new DueQueue(storage, clock, ttl + Math.min(ttl * SLACK, MAX_SLACK))
  signal.addEventListener('abort', () => due.stop(), { once: true })
  const page = await storage.list({ prefix })
  for (const { key, revision } of page.items) due.add(key, revision)
  let after = page.revision
  while (!signal.aborted) {
    try {
      for await (const { type, stored, revision } of storage.watch(prefix, after, signal)) {
        after = revision
        if (type === 'put') due.add(stored.key, revision)
      }
    } catch {
      // Fell behind: what was written meanwhile is found by looking.
      const now = await storage.list({ prefix })
      for (const it of now.items) if (it.revision > after) due.add(it.key, it.revision)
      after = now.revision
    }
  }
}

/** What is to go, in the order of time: all have the same ttl, so that new ones go to the end. */
class DueQueue {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #ttl: number
  #queue: Due[] = []
  #timer: Timer | undefined
  #stopped = false

  constructor(storage: Storage, clock: Clock, ttl: number) {
    this.#storage = storage
    this.#clock = clock
    this.#ttl = ttl
  }

  add(key: string, revision: number): void {
    this.#queue.push({ key, revision, at: this.#clock.now() + this.#ttl })
    if (!this.#timer) this.#wait()
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  #wait(): void {
    const next = this.#queue[0]
    this.#timer =
      next && !this.#stopped
        ? this.#clock.after(next.at - this.#clock.now(), () => void this.#expire())
        : undefined
  }

  async #expire(): Promise<void> {
    const now = this.#clock.now()
    const end = this.#queue.findIndex((it) => it.at > now)
    const due = this.#queue.splice(0, end < 0 ? this.#queue.length : end)
    await Promise.all(due.map((it) => this.#remove(it)))
    this.#wait()
  }

  /** What was written again stands at another revision, and has another turn. */
  async #remove({ key, revision }: Due): Promise<void> {
    try {
      await this.#storage.compareAndSwap(key, revision, undefined)
    } catch {
      if (!this.#stopped) this.#queue.push({ key, revision, at: this.#clock.now() + this.#ttl })
    }
  }
}
