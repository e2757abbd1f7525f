import { exponentialBackoff } from '../base/backoff.ts'
import { keyText, type ObjectKey } from '../machinery/object-key.ts'
import type { Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { KeyContext } from './context.ts'
import type { ReconcileRuntime } from './definition.ts'

/** For which objects a daemon runs. */
export interface DaemonOptions<T extends KubeObject = KubeObject> {
  /** Default: all. One for whose object this no longer holds is stopped. */
  readonly when?: (object: T) => boolean
}

/** What a daemon gets: a context that lasts until its `signal` aborts, and its object as it is at any moment. */
export interface DaemonContext<T extends KubeObject> extends KeyContext {
  /** The object as the cache has it now; undefined when it is gone. */
  readonly object: T | undefined
}

/**
 * Something that runs beside each object for as long as it lives: it is started when the object is first seen, and its signal aborts
 * when the object is being deleted, when another replica takes it over, or when the manager stops. One that throws is started again,
 * later each time; one that returns is done.
 */
export interface DaemonDefinition<T extends KubeObject = KubeObject> {
  readonly name: string
  readonly options: DaemonOptions<T>
  readonly run: (context: DaemonContext<T>) => Promise<void>
}

/** The daemons of one controller in one cluster. */
export interface Daemons<T extends KubeObject> {
  /** Starts what should run for an object and does not, and stops what should no longer. */
  tend(object: T, key: ObjectKey): Promise<void>
  /** Stops all of an object; resolves when they have ended. */
  stop(key: ObjectKey, why: string): Promise<void>
}

interface Living {
  readonly uid: string
  readonly key: ObjectKey
  readonly controller: AbortController
  readonly ended: Promise<void>
}

/** Makes the {@link Daemons}. */
export function createDaemons<T extends KubeObject>(
  kind: Kind<T>,
  definitions: readonly DaemonDefinition<T>[],
  runtime: ReconcileRuntime,
): Daemons<T> {
  const living = new Map<string, Living>()
  const stop = async (id: string, why: string): Promise<void> => {
    const it = living.get(id)
    if (!it) return
    it.controller.abort(new Error(why))
    await it.ended
    if (living.get(id) === it) living.delete(id)
  }
  const start = (definition: DaemonDefinition<T>, key: ObjectKey, uid: string): void => {
    const release = runtime.hold(key)
    if (!release || runtime.stopping.aborted) return release?.()
    const controller = new AbortController()
    const signal = AbortSignal.any([controller.signal, runtime.stopping])
    const ended = live(kind, definition, key, runtime, signal).finally(release)
    living.set(`${definition.name} ${keyText(key)}`, { uid, key, controller, ended })
  }
  const stopAll = (test: (it: Living) => boolean, why: string): Promise<unknown> =>
    Promise.all([...living].filter(([, it]) => test(it)).map(([id]) => stop(id, why)))
  if (definitions.length > 0) {
    runtime.onStop(async () => void (await stopAll(() => true, 'the manager is stopping')))
    runtime.onLosing(
      (losing) => void stopAll(({ key }) => losing(key), 'another replica takes the object over'),
    )
  }
  return {
    async tend(object, key) {
      const { uid = '' } = object.metadata
      for (const definition of definitions) {
        const id = `${definition.name} ${keyText(key)}`
        const wanted = definition.options.when?.(object) ?? true
        const known = living.get(id)
        if (known && (!wanted || known.uid !== uid))
          await stop(id, 'the object no longer wants it, or is another one')
        if (wanted && !living.has(id)) start(definition, key, uid)
      }
    },
    async stop(key, why) {
      await stopAll((it) => keyText(it.key) === keyText(key), why)
    },
  }
}

/** Runs one daemon until it returns or is stopped; never rejects. */
async function live<T extends KubeObject>(
  kind: Kind<T>,
  { name, run }: DaemonDefinition<T>,
  key: ObjectKey,
  runtime: ReconcileRuntime,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random } = runtime
  const log = runtime.log.with({ daemon: name, object: keyText(key) })
  const backoff = exponentialBackoff({ base: 1_000, max: 300_000, jitter: 0.1 }, random)
  for (let failures = 1; !signal.aborted; failures++) {
    const context = runtime.lastingContext(key, random.uuid(), signal, log)
    try {
      await run(withObject(kind, context))
      return log.debug('the daemon is done')
    } catch (error) {
      if (signal.aborted) return
      log.error('a daemon failed; starting it again', { error, attempt: failures })
    }
    await clock.sleep(backoff(failures), signal).catch(() => {})
  }
}

function withObject<T extends KubeObject>(kind: Kind<T>, context: KeyContext): DaemonContext<T> {
  return Object.defineProperty({ ...context }, 'object', {
    enumerable: true,
    get: () => context.lister(kind).get(context.key),
  }) as DaemonContext<T>
}
