import { type Clock, createHeap, type Heap, type Timer } from 'kubewright/base'
import type { Pod } from 'kubewright/kinds/core/v1'
import { PodInfo } from './pod-info.ts'

/** A pod that wants a node, and what has come of it so far. */
export interface QueuedPod {
  info: PodInfo
  /** Since when it waits for its next turn, ms since the epoch. */
  since: number
  /** How often no node was found for it. */
  refused: number
  /** How often in a row something went wrong. */
  failed: number
  /** Which plugins refused it: what may help them brings it back. */
  plugins: ReadonlySet<string>
  state: 'active' | 'backoff' | 'waiting' | 'gated' | 'flying'
  /** Goes up whenever it changes its place, so that a heap can tell what is stale. */
  ticket: number
}

interface Ticket {
  readonly pod: QueuedPod
  readonly ticket: number
  readonly order: number
}

const FIRST_BACKOFF = 1_000
const MOST_BACKOFF = 10_000
/** How long a pod waits at most for something that may help it. */
const MOST_WAITING = 300_000
const FLUSH_EVERY = 30_000

/**
 * Pods that want nodes (kubernetes/pkg/scheduler/backend/queue): the active ones by priority, then by age; those that were refused and
 * may be luckier now, after a while that doubles, or earlier when nothing else is to be done; those that wait for something to happen.
 */
export class SchedulingQueue {
  readonly #clock: Clock
  readonly #pods = new Map<string, QueuedPod>()
  readonly #active: Heap<Ticket> = createHeap(
    (a, b) => priority(a) > priority(b) || (priority(a) === priority(b) && a.order < b.order),
  )
  readonly #backoff: Heap<Ticket> = createHeap((a, b) => a.order < b.order)
  #order = 0
  #timer: Timer | undefined
  #flusher: Timer | undefined
  #wake: () => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** All that are queued, in no order. */
  get pods(): Iterable<QueuedPod> {
    return this.#pods.values()
  }

  get(uid: string): QueuedPod | undefined {
    return this.#pods.get(uid)
  }

  /** Takes up a pod, or what became of it. It gets a turn when it is new, when its gates are gone, or with `retry`. */
  put(pod: Pod, retry: boolean): void {
    const known = this.#pods.get(pod.metadata.uid!)
    const queued = known ?? this.#newcomer(pod)
    queued.info = new PodInfo(pod)
    if (isGated(pod)) return void (queued.state = queued.state === 'flying' ? 'flying' : 'gated')
    if (!known || queued.state === 'gated') this.#activate(queued)
    else if (retry && queued.state === 'waiting') this.retry(queued)
  }

  remove(uid: string): void {
    const pod = this.#pods.get(uid)
    if (!pod) return
    pod.ticket++
    this.#pods.delete(uid)
  }

  /** The next one; undefined when nobody can be tried. It is to be returned by `refuse` or `fail`, or removed. */
  pop(): QueuedPod | undefined {
    const ticket = take(this.#active) ?? this.#takeEarly()
    if (!ticket) return undefined
    ticket.pod.state = 'flying'
    ticket.pod.ticket++
    return ticket.pod
  }

  /** Puts back one for which there was no node: it waits until something happens that may help one of these plugins. */
  refuse(pod: QueuedPod, plugins: ReadonlySet<string>): void {
    if (!this.#returns(pod)) return
    pod.refused++
    pod.failed = 0
    pod.plugins = plugins
    pod.state = 'waiting'
    this.#flusher ??= this.#clock.after(FLUSH_EVERY, () => this.#flush())
  }

  /** Puts back one with which something went wrong: it is tried again after a while. */
  fail(pod: QueuedPod): void {
    if (!this.#returns(pod)) return
    pod.failed++
    this.#backOff(pod)
  }

  /** Gives one that waits another chance. */
  retry(pod: QueuedPod): void {
    if (pod.state === 'waiting') this.#backOff(pod)
  }

  /** Resolves when there may be something to pop, or when it is stopped. */
  ready(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve))
  }

  stop(): void {
    this.#wake()
    this.#timer?.cancel()
    this.#flusher?.cancel()
  }

  #newcomer(pod: Pod): QueuedPod {
    const queued: QueuedPod = {
      info: new PodInfo(pod),
      since: this.#clock.now(),
      refused: 0,
      failed: 0,
      plugins: new Set(),
      state: 'gated',
      ticket: 0,
    }
    this.#pods.set(pod.metadata.uid!, queued)
    return queued
  }

  /** Whether one that was popped is still wanted. */
  #returns(pod: QueuedPod): boolean {
    if (this.#pods.get(pod.info.uid) !== pod) return false
    pod.since = this.#clock.now()
    pod.ticket++
    return true
  }

  #activate(pod: QueuedPod): void {
    pod.state = 'active'
    this.#active.push({ pod, ticket: ++pod.ticket, order: this.#order++ })
    this.#wake()
  }

  #backOff(pod: QueuedPod): void {
    const until = pod.since + backoffOf(pod)
    if (until <= this.#clock.now()) return this.#activate(pod)
    pod.state = 'backoff'
    this.#backoff.push({ pod, ticket: ++pod.ticket, order: until })
    this.#arm()
    this.#wake()
  }

  /** One that was only refused need not wait while there is nothing else to do (KEP-5142); one that failed must. */
  #takeEarly(): Ticket | undefined {
    const failed: Ticket[] = []
    let ticket = take(this.#backoff)
    while (ticket && ticket.pod.failed > 0) {
      failed.push(ticket)
      ticket = take(this.#backoff)
    }
    for (const it of failed) this.#backoff.push(it)
    return ticket
  }

  #arm(): void {
    const next = peek(this.#backoff)
    this.#timer?.cancel()
    this.#timer = next && this.#clock.after(next.order - this.#clock.now(), () => this.#release())
  }

  #release(): void {
    const now = this.#clock.now()
    for (let it = peek(this.#backoff); it && it.order <= now; it = peek(this.#backoff)) {
      this.#backoff.pop()
      this.#activate(it.pod)
    }
    this.#arm()
  }

  #flush(): void {
    const late = this.#clock.now() - MOST_WAITING
    const waiting = [...this.#pods.values()].filter((it) => it.state === 'waiting')
    for (const it of waiting) if (it.since <= late) this.retry(it)
    this.#flusher =
      waiting.length > 0 ? this.#clock.after(FLUSH_EVERY, () => this.#flush()) : undefined
  }
}

const isGated = ({ spec }: Pod): boolean => (spec.schedulingGates ?? []).length > 0
const priority = ({ pod }: Ticket): number => pod.info.priority
const isStale = ({ pod, ticket }: Ticket): boolean => pod.ticket !== ticket

function backoffOf({ refused, failed }: QueuedPod): number {
  const count = failed || refused
  return count === 0 ? 0 : Math.min(MOST_BACKOFF, FIRST_BACKOFF * 2 ** (count - 1))
}

/** The first that is not stale, left where it is. */
function peek(heap: Heap<Ticket>): Ticket | undefined {
  while (heap.size > 0 && isStale(heap.peek()!)) heap.pop()
  return heap.peek()
}

function take(heap: Heap<Ticket>): Ticket | undefined {
  return peek(heap) && heap.pop()
}
