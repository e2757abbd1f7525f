import type { Backoff } from '../base/backoff.ts'
import { createHeap, type Heap } from '../base/heap.ts'
import { createRing, type Ring } from '../base/ring.ts'

/**
 * The work queue as a machine: no clock, no promises; every input says what time it is (milliseconds).
 *
 * What it keeps:
 * - A key is in one place: waiting for its time, ready, or processing. Adding it again merges: the earlier time and the higher
 *   priority win, and up to eight reasons are kept.
 * - A key is never handed out twice at once. Added while it is processed, it comes once more when that is done.
 * - Ready keys go by priority, then in order of arrival. So that none waits for ever, after {@link FAIR_EVERY} keys in a row that
 *   overtook another, the one that has been ready longest goes next.
 * - `retry` waits longer with each failure. A run that an event started before the wait was over, and that failed too, keeps the
 *   deadline and is not counted: spurious events do not inflate the wait.
 */
export interface QueueState {
  readonly entries: Map<string, Entry>
  /** Keys by when they are due; tickets of entries that have moved on are skipped, and swept out before they are most. */
  waiting: Heap<Ticket>
  /** Ready keys by priority; tickets of entries that have moved on are skipped. */
  readonly ready: Map<number, Ring<Ticket>>
  /** The priorities in `ready`, highest first. */
  priorities: readonly number[]
  readonly backoff: Backoff
  stopped: boolean
  processing: number
  /** How many keys are ready. */
  length: number
  /** Keys taken in a row while a lower priority waited. */
  overtaken: number
  order: number
}

/** After how many overtaking keys the longest-ready one goes first. */
export const FAIR_EVERY = 10

interface Entry {
  readonly key: string
  place: 'idle' | 'waiting' | 'ready' | 'processing'
  /** Which ticket of this entry counts. */
  ticket: number
  priority: number
  readyAt: number
  /** Added while processing: what to do when done. */
  again: { readyAt: number; priority: number } | undefined
  failures: number
  /** Until when a failure keeps its deadline. */
  retryAt: number
  takenAt: number
  reasons: Reason[]
}

/** Why a key was added: a short text, equal for what may be told once, and more of it, which is only asked for when somebody looks. */
export interface Reason {
  readonly text: string
  readonly detail?: (() => string) | undefined
}

interface Ticket {
  readonly entry: Entry
  readonly number: number
  readonly readyAt: number
}

/** A key handed out to be worked on. */
export interface Taken {
  readonly key: string
  readonly priority: number
  /** Failures in a row before this run. */
  readonly failures: number
  /** How long it was ready, in milliseconds. */
  readonly waited: number
  /** Why it was added; at most eight, in order, each text once. */
  readonly reasons: readonly Reason[]
}

/** What can happen to the queue. `after` is milliseconds. */
export type QueueInput =
  | {
      readonly type: 'add'
      readonly key: string
      readonly now: number
      readonly after?: number | undefined
      readonly priority?: number | undefined
      readonly reason?: Reason | undefined
    }
  /** `after` takes the place of what the backoff says. */
  | {
      readonly type: 'retry'
      readonly key: string
      readonly now: number
      readonly after?: number | undefined
    }
  | { readonly type: 'forget'; readonly key: string }
  | { readonly type: 'take'; readonly now: number }
  | { readonly type: 'done'; readonly key: string; readonly now: number }
  | { readonly type: 'stop' }

/** What the shell should know after a step. */
export interface QueueOutput {
  /** The key that was asked for, if one was ready. */
  readonly taken?: Taken | undefined
  /** When the next waiting key becomes ready; undefined when none waits. */
  readonly wakeAt: number | undefined
}

/** An empty queue. */
export function newQueue(backoff: Backoff): QueueState {
  return {
    entries: new Map(),
    waiting: createHeap(older),
    ready: new Map(),
    priorities: [],
    backoff,
    stopped: false,
    processing: 0,
    length: 0,
    overtaken: 0,
    order: 0,
  }
}

/** Feeds one input. The state is the machine's own and changes in place. */
export function stepQueue(state: QueueState, input: QueueInput): QueueOutput {
  switch (input.type) {
    case 'add':
      if (!state.stopped) add(state, input)
      return { wakeAt: wakeAt(state) }
    case 'retry':
      if (!state.stopped) retry(state, input.key, input.now, input.after)
      return { wakeAt: wakeAt(state) }
    case 'forget':
      forget(state, input.key)
      return { wakeAt: wakeAt(state) }
    case 'take': {
      const taken = state.stopped ? undefined : take(state, input.now)
      return { taken, wakeAt: wakeAt(state) }
    }
    case 'done':
      done(state, input.key, input.now)
      return { wakeAt: wakeAt(state) }
    case 'stop':
      state.stopped = true
      return { wakeAt: undefined }
  }
}

/** How many failures in a row a key has. */
export function failuresOf(state: QueueState, key: string): number {
  return state.entries.get(key)?.failures ?? 0
}

/** One key as the queue has it. Times are milliseconds since the epoch. */
export interface QueueEntry {
  readonly key: string
  readonly place: 'waiting' | 'ready' | 'processing'
  /** When it became ready, will be, or was taken. */
  readonly since: number
  readonly priority: number
  readonly failures: number
  readonly reasons: readonly string[]
}

/** Every key that is not idle. */
export function entriesOf(state: QueueState): readonly QueueEntry[] {
  return [...state.entries.values()].flatMap((it) => {
    const { key, place, readyAt, takenAt, priority, failures, reasons } = it
    if (place === 'idle') return []
    const since = place === 'processing' ? takenAt : readyAt
    return [{ key, place, since, priority, failures, reasons: reasons.map(reasonText) }]
  })
}

/** A reason with all that is known of it. */
export function reasonText({ text, detail }: Reason): string {
  const more = detail?.()
  return more ? `${text} (${more})` : text
}

function entryOf(state: QueueState, key: string): Entry {
  const known = state.entries.get(key)
  if (known) return known
  const made: Entry = {
    key,
    place: 'idle',
    ticket: 0,
    priority: 0,
    readyAt: 0,
    again: undefined,
    failures: 0,
    retryAt: 0,
    takenAt: 0,
    reasons: [],
  }
  state.entries.set(key, made)
  return made
}

function add(state: QueueState, input: QueueInput & { readonly type: 'add' }): void {
  const { key, now, after = 0, priority = 0, reason } = input
  const entry = entryOf(state, key)
  if (reason && entry.reasons.length < 8 && !entry.reasons.some((it) => it.text === reason.text))
    entry.reasons.push(reason)
  const readyAt = now + Math.max(0, after)
  if (entry.place === 'processing') {
    const { again } = entry
    entry.again = {
      readyAt: Math.min(readyAt, again?.readyAt ?? readyAt),
      priority: Math.max(priority, again?.priority ?? priority),
    }
    return
  }
  place(state, entry, readyAt, priority, now)
}

function place(
  state: QueueState,
  entry: Entry,
  readyAt: number,
  priority: number,
  now: number,
): void {
  const fresh = entry.place === 'idle'
  const higher = fresh ? priority : Math.max(entry.priority, priority)
  if (entry.place === 'ready') {
    if (higher > entry.priority) enqueue(state, entry, higher, entry.readyAt)
    return
  }
  const sooner = fresh ? readyAt : Math.min(entry.readyAt, readyAt)
  if (sooner <= now) return enqueue(state, entry, higher, now)
  if (!fresh && sooner === entry.readyAt) {
    entry.priority = higher
    return
  }
  entry.place = 'waiting'
  entry.priority = higher
  entry.readyAt = sooner
  state.waiting.push({ entry, number: nextTicket(state, entry), readyAt: sooner })
  if (state.waiting.size > 64 + 2 * state.entries.size) sweep(state)
}

/** A key that always runs before its appointment leaves a ticket each time: they must not pile up until their hour comes. */
function sweep(state: QueueState): void {
  const { waiting } = state
  state.waiting = createHeap(older)
  for (let it = waiting.pop(); it; it = waiting.pop()) if (counts(it)) state.waiting.push(it)
}

function enqueue(state: QueueState, entry: Entry, priority: number, readyAt: number): void {
  if (entry.place !== 'ready') state.length++
  entry.place = 'ready'
  entry.priority = priority
  entry.readyAt = readyAt
  let ring = state.ready.get(priority)
  if (!ring) {
    ring = createRing()
    state.ready.set(priority, ring)
    state.priorities = [...state.ready.keys()].sort((a, b) => b - a)
  }
  ring.push({ entry, number: nextTicket(state, entry), readyAt })
}

function nextTicket(state: QueueState, entry: Entry): number {
  entry.ticket = ++state.order
  return entry.ticket
}

const counts = (ticket: Ticket): boolean => ticket.entry.ticket === ticket.number

function take(state: QueueState, now: number): Taken | undefined {
  promote(state, now)
  const ticket = choose(state)
  if (!ticket) return undefined
  const { entry } = ticket
  entry.place = 'processing'
  entry.takenAt = now
  entry.ticket = 0
  state.processing++
  state.length--
  const { reasons } = entry
  entry.reasons = []
  return {
    key: entry.key,
    priority: entry.priority,
    failures: entry.failures,
    waited: now - ticket.readyAt,
    reasons,
  }
}

function promote(state: QueueState, now: number): void {
  for (let next = state.waiting.peek(); next && next.readyAt <= now; next = state.waiting.peek()) {
    state.waiting.pop()
    if (counts(next)) enqueue(state, next.entry, next.entry.priority, next.readyAt)
  }
}

/** The next ticket: of the highest priority, unless it is the turn of the one that has waited longest. */
function choose(state: QueueState): Ticket | undefined {
  let first: Ring<Ticket> | undefined
  let oldest: Ring<Ticket> | undefined
  for (const priority of state.priorities) {
    const ring = state.ready.get(priority)!
    while (ring.size > 0 && !counts(ring.peek()!)) ring.shift()
    if (ring.size === 0) continue
    first ??= ring
    if (!oldest || older(ring.peek()!, oldest.peek()!)) oldest = ring
  }
  state.overtaken = first === oldest ? 0 : state.overtaken + 1
  if (state.overtaken <= FAIR_EVERY) return first?.shift()
  state.overtaken = 0
  return oldest?.shift()
}

const older = (a: Ticket, b: Ticket): boolean =>
  a.readyAt < b.readyAt || (a.readyAt === b.readyAt && a.number < b.number)

function retry(state: QueueState, key: string, now: number, after?: number): void {
  const entry = entryOf(state, key)
  if (now >= entry.retryAt) {
    entry.failures++
    entry.retryAt = now + (after ?? state.backoff(entry.failures))
  }
  add(state, { type: 'add', key, now, after: entry.retryAt - now, priority: entry.priority })
}

function forget(state: QueueState, key: string): void {
  const entry = state.entries.get(key)
  if (!entry) return
  entry.failures = 0
  entry.retryAt = 0
  if (entry.place === 'idle') state.entries.delete(key)
}

function done(state: QueueState, key: string, now: number): void {
  const entry = state.entries.get(key)
  if (entry?.place !== 'processing') return
  state.processing--
  entry.place = 'idle'
  const { again } = entry
  entry.again = undefined
  if (again && !state.stopped) place(state, entry, again.readyAt, again.priority, now)
  else if (entry.failures === 0) state.entries.delete(key)
}

function wakeAt(state: QueueState): number | undefined {
  // A queue that is stopped hands out nothing, so that what waits is waited for no more.
  if (state.stopped) return undefined
  for (let next = state.waiting.peek(); next; next = state.waiting.peek()) {
    if (counts(next)) return next.readyAt
    state.waiting.pop()
  }
  return undefined
}
