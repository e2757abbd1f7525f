import { deepFreeze } from 'kubewright/base'
import type { UnknownObject } from 'kubewright/machinery'
import { Entry } from './entry.ts'
import { EventLog } from './event-log.ts'
import { SortedMap } from './sorted-map.ts'
import type { Change, Page, Range, Stored } from './storage.ts'

/** How many changes a store remembers, at least, for watches and lists of the past. */
export const WINDOW = 2_000

/** A write that may go ahead, not done yet. `stored` is what will stand there; for a removal, what its event will show. */
export type Plan = Change

/**
 * All objects in memory, in key order, with their event log: what every backend answers from. A write is planned, made durable by
 * whoever owns the keyspace, and applied; plans are applied in the order in which they were made.
 */
export class Keyspace {
  readonly #entries = new SortedMap<Stored>()
  readonly #log: EventLog
  #freeze: boolean

  constructor(options: {
    readonly revision: number
    readonly window: number
    readonly freeze: boolean
  }) {
    this.#log = new EventLog(options.revision, options.window)
    this.#freeze = options.freeze
  }

  get revision(): number {
    return this.#log.revision
  }

  get compacted(): number {
    return this.#log.compacted
  }

  get(key: string): Stored | undefined {
    return this.#entries.get(key)
  }

  /** Puts an entry there without an event: how a backend fills an empty keyspace. */
  load(entry: Stored): void {
    this.#entries.set(entry.key, entry)
  }

  list(range: Range): Page {
    const at = range.at ?? this.revision
    const past = at < this.revision ? this.#log.undo(range.prefix, at) : undefined
    return past?.size ? this.#listPast(range, at, past) : this.#listNow(range, at)
  }

  watch(prefix: string, after: number, signal: AbortSignal): AsyncIterable<Change> {
    return this.#log.read(prefix, after, signal)
  }

  compact(revision: number): void {
    this.#log.compact(Math.min(revision, this.revision))
  }

  /**
   * The change that a write at `revision` would make of `current`. The next object gets its resourceVersion here, and its text: what
   * is nested too deep to be written out throws a RangeError now, and not at whoever lists it later.
   */
  plan(
    key: string,
    revision: number,
    current: Stored | undefined,
    next: UnknownObject | undefined,
  ): Plan {
    const object = next ? stamp(next, revision) : stampCopy(current!.object, revision)
    if (this.#freeze) deepFreeze(object)
    const stored = Entry.ofObject(key, revision, object)
    if (next) void stored.json
    return { type: next ? 'put' : 'remove', revision, stored, previous: current }
  }

  apply(plan: Plan): void {
    if (plan.type === 'put') this.#entries.set(plan.stored.key, plan.stored)
    else this.#entries.delete(plan.stored.key)
    this.#log.append(plan)
  }

  #listNow(range: Range, at: number): Page {
    const { prefix, start = prefix, limit = 0 } = range
    const items: Stored[] = []
    for (const entry of this.#entries.from(prefix, start)) {
      if (limit > 0 && items.length === limit) {
        return { items, revision: at, remaining: this.#entries.count(prefix, entry.key) }
      }
      items.push(entry)
    }
    return { items, revision: at, remaining: 0 }
  }

  #listPast(range: Range, at: number, past: ReadonlyMap<string, Stored | undefined>): Page {
    const { prefix, start = prefix, limit = 0 } = range
    const stood = [...past.values()].filter((it) => it !== undefined && it.key >= start) as Stored[]
    const still = [...this.#entries.from(prefix, start)].filter((it) => !past.has(it.key))
    const all = [...still, ...stood].sort((a, b) => (a.key < b.key ? -1 : 1))
    const items = limit > 0 ? all.slice(0, limit) : all
    return { items, revision: at, remaining: all.length - items.length }
  }
}

/** The one place where a resourceVersion is minted: the write's revision in decimal digits. */
function stamp(object: UnknownObject, revision: number): UnknownObject {
  const metadata = object.metadata as { resourceVersion?: string }
  metadata.resourceVersion = String(revision)
  return object
}

const stampCopy = (object: UnknownObject, revision: number): UnknownObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) },
})
