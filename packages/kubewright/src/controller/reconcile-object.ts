import {
  hasFinalizer,
  isDeleting,
  withFinalizer,
  withoutFinalizer,
} from '../machinery/finalizer.ts'
import type { Kind } from '../machinery/kind.ts'
import { keyOf, type ObjectKey } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'
import { isNotFound } from '../machinery/status.ts'
import type { KeyContext, KeyReconciler, Reconciler } from './context.ts'
import type { ControllerDefinition, FinalizerDefinition, ReconcileRuntime } from './definition.ts'
import type { Result } from './outcome.ts'
import { createDaemons, type DaemonDefinition } from './daemons.ts'
import { createTimers, soonest, type TimerDefinition } from './timers.ts'

/**
 * Makes a reconciler of keys out of one of objects: it looks the object up, sees to finalizers, and leaves alone what is gone or
 * going.
 */
export function reconcileObject<T extends KubeObject>(
  kind: Kind<T>,
  finalizers: readonly FinalizerDefinition<T>[],
  reconcile: Reconciler<T>,
  beside: Beside<T> = { timers: [], daemons: [] },
): ControllerDefinition['reconcile'] {
  return (runtime) => {
    const timers = createTimers(beside.timers)
    const daemons = createDaemons(kind, beside.daemons, runtime)
    const leave = async (key: ObjectKey): Promise<void> => {
      timers.forget(key)
      if (beside.daemons.length > 0) await daemons.stop(key, 'the object is deleted')
    }
    return async (key, context) => {
      const object = context.lister(kind).get(key)
      if (!object || isDeleting(object)) await leave(key)
      if (!object) return runtime.forget(key)
      if (isDeleting(object)) return finalize(kind, finalizers, object, context, runtime)
      const held = await hold(kind, finalizers, object, context)
      if (beside.daemons.length > 0) await daemons.tend(held, key)
      const run = runtime.contextFor(kind, held, context)
      // A reconcile that fails must not stop the clock.
      const ticking = (): Promise<number | undefined> => timers.run(held, run.context)
      const reconciling = async (): Promise<Result | void> => reconcile(held, run.context)
      const result = await reconciling().catch(async (error: unknown) => {
        await ticking().catch(() => {})
        throw error
      })
      const wait = await ticking()
      await run.finish()
      return soonest(result, wait)
    }
  }
}

/** What else is done for each object. */
export interface Beside<T extends KubeObject> {
  readonly timers: readonly TimerDefinition<T>[]
  readonly daemons: readonly DaemonDefinition<T>[]
}

/** A reconciler of keys as it is; what is remembered of a key goes when its object has gone. */
export function reconcileKey(
  kind: Kind | undefined,
  reconcile: KeyReconciler,
): ControllerDefinition['reconcile'] {
  return (runtime) => async (key, context) => {
    const result = await reconcile(key, context)
    if (kind && !context.lister(kind).get(key)) runtime.forget(key)
    return result
  }
}

/** Adds the finalizers that are missing, in one write that fails if the object changed meanwhile. */
async function hold<T extends KubeObject>(
  kind: Kind<T>,
  finalizers: readonly FinalizerDefinition<T>[],
  object: T,
  context: KeyContext,
): Promise<T> {
  const missing = finalizers.filter((it) => !hasFinalizer(object, it.name))
  if (missing.length === 0) return object
  const all = missing.reduce<KubeObject>(
    (it, { name }) => ({ metadata: { ...it.metadata, finalizers: withFinalizer(it, name)! } }),
    object,
  )
  return writeFinalizers(kind, object, all.metadata.finalizers ?? [], context)
}

/** Runs the finalizers that the object still waits for, in the order of their definition, and takes each off when it has run. */
async function finalize<T extends KubeObject>(
  kind: Kind<T>,
  finalizers: readonly FinalizerDefinition<T>[],
  object: T,
  context: KeyContext,
  runtime: ReconcileRuntime,
): Promise<Result | void> {
  let current = object
  for (const { name, run } of finalizers) {
    if (!hasFinalizer(current, name)) continue
    const result = await run(current, runtime.contextFor(kind, current, context).context)
    if (result?.requeueAfter) return result
    // The finalizer may have written to the object (its status): take the newest.
    const newest = context.lister(kind).get(keyOf(current)) ?? current
    const left = withoutFinalizer(newest, name)
    current = left ? await writeFinalizers(kind, newest, left, context) : newest
  }
}

async function writeFinalizers<T extends KubeObject>(
  kind: Kind<T>,
  object: T,
  finalizers: readonly string[],
  { client }: KeyContext,
): Promise<T> {
  const { uid, resourceVersion } = object.metadata
  const body = { metadata: { uid, resourceVersion, finalizers } }
  try {
    return await client.patch(kind, keyOf(object), { type: 'merge', body })
  } catch (error) {
    // Gone already: somebody else took the last finalizer off.
    if (isNotFound(error) && isDeleting(object)) return object
    throw error
  }
}
