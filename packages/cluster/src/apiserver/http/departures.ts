/** Whether the client of a request has gone. The signal that says so is made when it is asked for: of most requests it never is. */
export class Departure {
  #controller: AbortController | undefined
  #gone = false

  /** Whether it is gone. */
  get gone(): boolean {
    return this.#gone
  }

  /** Aborts when the client goes; aborted, where it has gone. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#gone) this.#controller.abort()
    }
    return this.#controller.signal
  }

  /** The client goes. */
  go(): void {
    if (this.#gone) return
    this.#gone = true
    this.#controller?.abort()
  }
}

/** The clients of all requests that are under way: when a listener closes, they go. */
export class Departures {
  readonly #under = new Set<Departure>()
  readonly #closing: AbortSignal

  constructor(closing: AbortSignal) {
    this.#closing = closing
    closing.addEventListener('abort', () => this.#under.forEach((it) => it.go()), { once: true })
  }

  /** A request begins. */
  enter(): Departure {
    const departure = new Departure()
    if (this.#closing.aborted) departure.go()
    this.#under.add(departure)
    return departure
  }

  /** A request has been answered: nobody need be told any more. */
  leave(departure: Departure): void {
    this.#under.delete(departure)
  }
}
