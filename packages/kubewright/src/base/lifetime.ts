/**
 * Things that run until they are told to stop. `run` starts one; when any of them fails, all are stopped and `done` rejects with
 * the first failure. `stop` aborts the signal; `done` settles when every one has ended.
 */
export interface Group {
  readonly signal: AbortSignal
  run(task: (signal: AbortSignal) => Promise<void>): void
  stop(reason?: unknown): void
  done(): Promise<void>
}

/** Makes a {@link Group} that also stops when `parent` aborts. */
export function createGroup(parent?: AbortSignal): Group {
  const own = new AbortController()
  const signal = parent ? AbortSignal.any([parent, own.signal]) : own.signal
  const running = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | undefined
  const fail = (error: unknown): void => {
    // What a task throws because it was stopped is how it stops, not a failure.
    if (signal.aborted) return
    failure ??= { error }
    own.abort(error)
  }
  return {
    signal,
    run(task) {
      const done: Promise<void> = Promise.resolve()
        .then(() => task(signal))
        .catch(fail)
        .finally(() => running.delete(done))
      running.add(done)
    },
    stop: (reason) => own.abort(reason ?? new Error('stopped')),
    async done() {
      while (running.size > 0) await Promise.all(running)
      if (failure) throw failure.error
    },
  }
}

/** Resolves when the signal aborts; at once when it already has. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
