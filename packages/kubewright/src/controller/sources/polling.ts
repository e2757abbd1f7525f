import { exponentialBackoff } from '../../base/backoff.ts'
import { millisecondsOf, type Duration } from '../../base/duration.ts'
import { keyText, parseKey, type ObjectKey } from '../../machinery/object-key.ts'
import { jsonEqual, type JsonValue } from '../../machinery/patch/json.ts'
import type { Source, SourceContext } from '../definition.ts'

/** What to poll, and how often. */
export interface PollingOptions<V> {
  readonly every: Duration
  /** Reads the outside world: what it is now for each object. It should heed the context's signal. */
  readonly read: (
    context: SourceContext,
  ) => Promise<Iterable<readonly [key: ObjectKey | string, value: V]>>
  /** Whether two readings are the same. Default: equal as JSON. */
  readonly same?: (before: V, now: V) => boolean
  /** Called in logs. Default `polling`. */
  readonly name?: string
}

/**
 * A source that looks at the outside world from time to time and asks for the objects whose reading is new, changed or gone. A reading
 * that fails is logged and tried again, later each time up to a minute beyond `every`; what was read before still counts.
 */
export function polling<V>(options: PollingOptions<V>): Source {
  const { read, name = 'polling' } = options
  const every = millisecondsOf(options.every)
  const same =
    options.same ??
    ((a: V, b: V) => jsonEqual(a as JsonValue | undefined, b as JsonValue | undefined))
  return async (enqueue, context) => {
    const { clock, signal, log, random } = context
    const backoff = exponentialBackoff({ base: 500, max: every + 60_000, jitter: 0.2 }, random)
    let before: ReadonlyMap<string, V> = new Map()
    for (let failures = 0; !signal.aborted;) {
      try {
        const now = new Map<string, V>()
        for (const [key, value] of await read(context))
          now.set(keyText(typeof key === 'string' ? parseKey(key) : key), value)
        failures = 0
        const changed = differing(before, now, same)
        before = now
        if (changed.length > 0) enqueue(changed, name)
      } catch (error) {
        if (signal.aborted) return
        failures++
        log.warn('polling failed; trying again', { source: name, error })
      }
      await clock.sleep(failures > 0 ? backoff(failures) : every, signal).catch(() => {})
    }
  }
}

function differing<V>(
  before: ReadonlyMap<string, V>,
  now: ReadonlyMap<string, V>,
  same: (a: V, b: V) => boolean,
): readonly string[] {
  const changed = [...now].filter(([key, value]) => {
    return !before.has(key) || !same(before.get(key) as V, value)
  })
  return [...changed.map(([key]) => key), ...[...before.keys()].filter((it) => !now.has(it))]
}
