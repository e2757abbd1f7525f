/** Those who wait for something to hold: `check` lets go whom it has come true for. */
export class Waiters {
  readonly #waiting = new Set<() => void>()
  readonly #end: AbortSignal

  /** Nobody waits longer than until `end` aborts. */
  constructor(end: AbortSignal) {
    this.#end = end
  }

  check(): void {
    for (const it of this.#waiting) it()
  }

  /** Resolves when `holds`; rejects with the reason of the signal that aborts before. */
  until(holds: () => boolean, signal: AbortSignal | undefined): Promise<void> {
    if (holds()) return Promise.resolve()
    const end = this.#end
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(check)
        signal?.removeEventListener('abort', stop)
        end.removeEventListener('abort', stop)
      }
      const check = (): void => {
        if (!holds()) return
        leave()
        resolve()
      }
      const stop = (): void => {
        leave()
        reject((signal?.aborted ? signal : end).reason as Error)
      }
      if (signal?.aborted || end.aborted) return stop()
      this.#waiting.add(check)
      signal?.addEventListener('abort', stop, { once: true })
      end.addEventListener('abort', stop, { once: true })
    })
  }
}
