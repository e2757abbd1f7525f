/** A request that waits or is executed, as the machine knows it. */
export interface Ticket {
  readonly id: number
  /** How many seats it takes while it is executed. */
  readonly seats: number
}

/** What becomes of a request that arrives: it may go on at once, it waits, or there is no room for it. */
export type Arrival = 'execute' | 'wait' | 'reject'

/** How requests wait. */
export interface QueueSetOptions {
  readonly queues: number
  /** The most that may wait in one queue. */
  readonly queueLength: number
}

interface Queue {
  readonly waiting: Ticket[]
  /** Up to when, in virtual time, the flows of this queue have had their share. */
  served: number
  seats: number
}

/**
 * The requests of one priority level: a pure machine of fair queueing. What is told goes in by `arrive`, `leave`, `finish` and `limit`; who
 * may go on comes out. It reads no clock and starts no timer.
 *
 * Guarantees: the seats of what is executed never exceed the limit, but by a single request that is wider than it; nothing waits while the
 * next in turn would fit; among queues that have something waiting, the one that has had least goes first, and within a queue whoever came
 * first. One that was empty does not save up what it did not use.
 */
export class QueueSet {
  readonly #options: QueueSetOptions
  readonly #queues: readonly Queue[]
  readonly #executing = new Map<number, Ticket>()
  readonly #places = new Map<number, number>()
  #seats = 0
  #limit: number
  #virtual = 0
  #waiting = 0

  constructor(limit: number, options: QueueSetOptions) {
    this.#limit = limit
    this.#options = options
    this.#queues = Array.from({ length: options.queues }, () => ({
      waiting: [],
      served: 0,
      seats: 0,
    }))
  }

  get executing(): number {
    return this.#executing.size
  }

  get seatsInUse(): number {
    return this.#seats
  }

  get waiting(): number {
    return this.#waiting
  }

  /** The seats that would be in use if nobody had to wait. */
  get demand(): number {
    return this.#queues.reduce((sum, it) => sum + it.seats, this.#seats)
  }

  /** A request arrives, with the queues that it may wait in (asked for only where it has to wait). */
  arrive(ticket: Ticket, hand: () => readonly number[]): Arrival {
    if (this.#waiting === 0 && this.#fits(ticket)) {
      this.#execute(ticket)
      return 'execute'
    }
    const index = hand().reduce((best, it) =>
      this.#queues[it]!.seats < this.#queues[best]!.seats ? it : best,
    )
    const queue = this.#queues[index]!
    if (queue.waiting.length >= this.#options.queueLength) return 'reject'
    if (queue.waiting.length === 0) queue.served = Math.max(queue.served, this.#virtual)
    queue.waiting.push(ticket)
    queue.seats += ticket.seats
    this.#places.set(ticket.id, index)
    this.#waiting++
    return 'wait'
  }

  /** A request gives up waiting. Answers who may go on in its place. */
  leave(id: number): readonly Ticket[] {
    const index = this.#places.get(id)
    if (index === undefined) return []
    const queue = this.#queues[index]!
    const at = queue.waiting.findIndex((it) => it.id === id)
    const [ticket] = queue.waiting.splice(at, 1)
    queue.seats -= ticket!.seats
    this.#places.delete(id)
    this.#waiting--
    return this.#dispatch()
  }

  /** A request has been executed. Answers who may go on now. */
  finish(id: number): readonly Ticket[] {
    const ticket = this.#executing.get(id)
    if (!ticket) return []
    this.#executing.delete(id)
    this.#seats -= ticket.seats
    return this.#waiting === 0 ? [] : this.#dispatch()
  }

  /** The level has more seats now, or fewer. Answers who may go on. */
  limit(seats: number): readonly Ticket[] {
    this.#limit = seats
    return this.#dispatch()
  }

  #fits({ seats }: Ticket): boolean {
    return this.#seats === 0 ? this.#limit > 0 : this.#seats + seats <= this.#limit
  }

  #execute(ticket: Ticket): void {
    this.#executing.set(ticket.id, ticket)
    this.#seats += ticket.seats
  }

  #dispatch(): readonly Ticket[] {
    const going: Ticket[] = []
    for (let next = this.#next(); next; next = this.#next()) {
      const ticket = next.waiting[0]!
      if (!this.#fits(ticket)) break
      next.waiting.shift()
      next.seats -= ticket.seats
      this.#places.delete(ticket.id)
      this.#waiting--
      this.#virtual = next.served
      next.served += ticket.seats
      this.#execute(ticket)
      going.push(ticket)
    }
    return going
  }

  /** The queue that has had least of those in which something waits. */
  #next(): Queue | undefined {
    let best: Queue | undefined
    for (const it of this.#queues)
      if (it.waiting.length > 0 && (!best || it.served < best.served)) best = it
    return best
  }
}
