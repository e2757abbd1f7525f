import type { Cache } from '../cache/cache.ts'
import { groupResourceText, type Kind } from '../machinery/kind.ts'
import type { ControllerEnvironment } from './run-controller.ts'

/**
 * Resolves when the kinds of a controller are in the cache. Rejects with a sentence when they are not within `syncTimeout`; with
 * `waitForKinds` it says so, calls `onWaiting`, and goes on waiting.
 */
export async function waitForCaches(
  kinds: readonly Kind[],
  environment: ControllerEnvironment,
  cache: Cache,
  signal: AbortSignal,
  controller: string,
  onWaiting: () => void = () => {},
): Promise<void> {
  const { clock, log, syncTimeout = 120_000, waitForKinds } = environment
  const late = new AbortController()
  const problem = (): string =>
    `controller ${controller} could not list ${missingOf(kinds, cache)} within ${syncTimeout} ms; check that the kinds are installed and that it may list and watch them`
  const timer = clock.after(syncTimeout, () => {
    if (!waitForKinds) return late.abort(new Error(problem()))
    log.error(`${problem()}; it waits for them, and the rest of the manager works`, { controller })
    onWaiting()
  })
  const either = AbortSignal.any([signal, late.signal])
  try {
    await Promise.all(kinds.map((it) => cache.informer(it).waitForSync(either)))
  } finally {
    timer.cancel()
  }
}

function missingOf(kinds: readonly Kind[], cache: Cache): string {
  return kinds
    .filter((it) => !cache.informer(it).synced)
    .map((it) => {
      const { error } = cache.informer(it).health
      return `${groupResourceText(it)}${error instanceof Error ? ` (${error.message})` : ''}`
    })
    .join(', ')
}
