import { deepFreeze } from 'kubewright/base'
import type { UnknownObject } from 'kubewright/machinery'
import { Entry, WarmObjects } from './entry.ts'
import { EventLog } from './event-log.ts'
import { SortedMap } from './sorted-map.ts'
import type { Change, Page, Range, Snapshot, Stored } from './storage.ts'

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
  readonly #warm: WarmObjects

  constructor(options: {
    readonly revision: number
    readonly window: number
    readonly freeze: boolean
  }) {
    this.#log = new EventLog(options.revision, options.window)
    this.#warm = new WarmObjects(options)
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

  /** The same for one that lies elsewhere as text. */
  loadText(key: string, revision: number, json: string): void {
    this.load(Entry.ofJson(key, revision, json, this.#warm))
  }

  /** Everything as it stands; entries are shared, nothing is copied. */
  snapshot(): Snapshot {
    return { revision: this.revision, items: this.#entries.range('') }
  }

  list(range: Range): Page {
    const at = range.at ?? this.revision
    const past = at < this.revision ? this.#log.undo(range.prefix, at) : undefined
    return past?.size ? this.#listPast(range, at, past) : this.#listNow(range, at)
  }

  watch(
    prefix: string,
    after: number,
    signal: AbortSignal,
    fellBehind?: () => void,
  ): AsyncIterable<Change> {
    return this.#log.read(prefix, after, signal, fellBehind)
  }

  compact(revision: number): void {
    this.#log.compact(Math.min(revision, this.revision))
  }

  /**
   * The change that a write at `revision` would make of `current`. The next object gets its resourceVersion here, and its text: what
   * is nested too deep to be written out throws a RangeError.
   */
  plan(
    key: string,
    revision: number,
    current: Stored | undefined,
    next: UnknownObject | undefined,
  ): Plan {
    const object = next ? stamp(next, revision) : stampCopy(current!.object, revision)
    if (this.#warm.freeze) deepFreeze(object)
    const stored = Entry.ofObject(key, revision, object, this.#warm, current === undefined)
    return { type: next ? 'put' : 'remove', revision, stored, previous: current }
  }

  apply(plan: Plan): void {
    if (plan.type === 'put') this.#entries.set(plan.stored.key, plan.stored)
    else this.#entries.delete(plan.stored.key)
    this.#log.append(plan)
  }

  #listNow({ prefix, start = prefix, limit = 0 }: Range, revision: number): Page {
    const items = this.#entries.range(prefix, start, limit)
    if (limit === 0 || items.length < limit) return { items, revision, remaining: 0 }
    return { items, revision, remaining: this.#entries.count(prefix, `${items.at(-1)!.key}\0`) }
  }

  #listPast(range: Range, revision: number, past: ReadonlyMap<string, Stored | undefined>): Page {
    const { prefix, start = prefix, limit = 0 } = range
    const stood = [...past.values()].filter((it) => it !== undefined && it.key >= start) as Stored[]
    stood.sort((a, b) => (a.key < b.key ? -1 : 1))
    // Of what stands now, no more is needed than the page holds: what was written since may stand among it, and is left out.
    const most = limit > 0 ? limit + past.size : 0
    const still = this.#entries.range(prefix, start, most).filter((it) => !past.has(it.key))
    const items = merged(still, stood, limit)
    if (limit === 0 || items.length < limit) return { items, revision, remaining: 0 }
    const next = `${items.at(-1)!.key}\0`
    return { items, revision, remaining: this.#countPast(prefix, next, past) }
  }

  /** How many stood from a key on: those that stand now, without those that came since, and with those that went. */
  #countPast(prefix: string, start: string, past: ReadonlyMap<string, Stored | undefined>): number {
    let count = this.#entries.count(prefix, start)
    for (const [key, stored] of past) {
      if (key < start) continue
      count += Number(stored !== undefined) - Number(this.#entries.get(key) !== undefined)
    }
    return count
  }
}

/** Two lists in key order as one, of at most `limit` (0: all). */
function merged(a: readonly Stored[], b: readonly Stored[], limit: number): readonly Stored[] {
  const all: Stored[] = []
  const size = limit > 0 ? Math.min(limit, a.length + b.length) : a.length + b.length
  for (let i = 0, j = 0; all.length < size;) {
    const first = a[i]
    const second = b[j]
    const takeFirst = second === undefined || (first !== undefined && first.key < second.key)
    all.push(takeFirst ? first! : second)
    if (takeFirst) i++
    else j++
  }
  return all
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
