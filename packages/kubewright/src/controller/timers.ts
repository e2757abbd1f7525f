import { millisecondsOf, type Duration } from '../base/duration.ts'
import { keyText, type ObjectKey } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { Context, ReconcileAnswer } from './context.ts'
import type { Result } from './outcome.ts'

/** When a timer runs. */
export interface TimerOptions<T extends KubeObject = KubeObject> {
  readonly every: Duration
  /** When it first runs after the object was first seen. Default at once. */
  readonly first?: Duration
  /** For which objects. Default: all. */
  readonly when?: (object: T) => boolean
}

/** Something that is done for each object from time to time; never while the object is being reconciled. */
export interface TimerDefinition<T extends KubeObject = KubeObject> {
  readonly name: string
  readonly options: TimerOptions<T>
  readonly run: (object: T, context: Context<T>) => ReconcileAnswer
}

/** The timers of one controller in one cluster. */
export interface Timers<T extends KubeObject> {
  /** Runs what is due for an object, and says when the next is, in milliseconds from now; undefined when no timer is for it. */
  run(object: T, context: Context<T>): Promise<number | undefined>
  forget(key: ObjectKey): void
}

/** Makes the {@link Timers}. What a timer answers as `requeueAfter` is when it runs next; what it throws is thrown when all have run. */
export function createTimers<T extends KubeObject>(
  definitions: readonly TimerDefinition<T>[],
): Timers<T> {
  const due = new Map<string, { readonly uid: string; readonly at: Map<string, number> }>()
  const stateOf = (object: T, key: ObjectKey): Map<string, number> => {
    const { uid = '' } = object.metadata
    const known = due.get(keyText(key))
    if (known?.uid === uid) return known.at
    const at = new Map<string, number>()
    due.set(keyText(key), { uid, at })
    return at
  }
  return {
    async run(object, context) {
      if (definitions.length === 0) return undefined
      const { clock } = context
      const at = stateOf(object, context.key)
      const failures: unknown[] = []
      const waits: number[] = []
      for (const { name, options, run } of definitions) {
        if (options.when && !options.when(object)) {
          at.delete(name)
          continue
        }
        const now = clock.now()
        const when = at.get(name) ?? now + millisecondsOf(options.first ?? 0)
        at.set(name, when)
        if (when <= now) {
          const running = async (): Promise<Result | void> => run(object, context)
          const answer = await running().catch((error: unknown) => void failures.push(error))
          at.set(name, clock.now() + (answer?.requeueAfter ?? millisecondsOf(options.every)))
        }
        waits.push(Math.max(1, at.get(name)! - clock.now()))
      }
      if (failures.length > 0) throw failures[0]
      return waits.length > 0 ? Math.min(...waits) : undefined
    },
    forget: (key) => void due.delete(keyText(key)),
  }
}

/** The earlier of two wishes to come again. */
export function soonest(result: Result | void, wait: number | undefined): Result | void {
  if (wait === undefined) return result
  const after = result?.requeueAfter
  if (typeof after === 'number' && after > 0 && after <= wait) return result
  return { ...result, requeueAfter: wait }
}
