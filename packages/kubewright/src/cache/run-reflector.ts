import { exponentialBackoff } from '../base/backoff.ts'
import type { Clock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import type { ListerWatcher } from '../machinery/contracts.ts'
import type { KubeObject } from '../machinery/object.ts'
import { ApiError } from '../machinery/status.ts'
import {
  newReflector,
  stepReflector,
  type Delta,
  type ReflectorAction,
  type ReflectorInput,
} from './reflector.ts'

/** What a reflector reflects, and where to. */
export interface ReflectorOptions<T extends KubeObject, K = T> {
  readonly source: ListerWatcher<T>
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  readonly clock: Clock
  readonly random: Random
  readonly signal: AbortSignal
  /** Default true. */
  readonly streams?: boolean
  /** What is kept of each object of a list until it is complete; must not throw. */
  readonly keep: (object: T, at: number) => K
  /** Takes each delta in order; must not throw. */
  readonly onDelta: (delta: Delta<T, K>) => void
  /** Told when a list or watch fails (with its error), and with undefined when all is well again. */
  readonly onProblem: (error: unknown) => void
}

/** How many objects a page of a list holds. */
const PAGE = 500
/** How long a stream of initial objects may be silent before the server is taken for one that does not know it, ms. */
const SILENCE = 10_000
/** A watch that lasted this long was a good one, ms. */
const HEALTHY = 1_000
/** How long a watch may be silent, bookmarks too (kube-apiserver sends one a minute), before the connection is taken for dead, ms. */
const QUIET = 150_000
/** How much longer than agreed a watch may last before the connection is taken for dead, ms. */
const GRACE = 10_000

/** Runs a reflector until its signal aborts; never rejects. */
export async function runReflector<T extends KubeObject, K>(
  options: ReflectorOptions<T, K>,
): Promise<void> {
  const { random, signal, onDelta, onProblem } = options
  const backoff = exponentialBackoff({ base: 800, max: 30_000, jitter: 1 }, random)
  let state = newReflector(options.keep, { streams: options.streams ?? true })
  const feed = (input: ReflectorInput<T>): ReflectorAction | undefined => {
    const step = stepReflector(state, input)
    state = step.state
    if (step.delta) onDelta(step.delta)
    return step.action
  }
  let action = feed({ type: 'start' })
  while (!signal.aborted && action) {
    try {
      action = await perform(options, action, feed, backoff)
    } catch (error) {
      if (signal.aborted) return
      onProblem(error)
      action = feed({ type: 'failed', code: error instanceof ApiError ? error.code : 0 })
    }
  }
}

type Feed<T extends KubeObject> = (input: ReflectorInput<T>) => ReflectorAction | undefined

async function perform<T extends KubeObject, K>(
  options: ReflectorOptions<T, K>,
  action: ReflectorAction,
  feed: Feed<T>,
  backoff: (failures: number) => number,
): Promise<ReflectorAction | undefined> {
  switch (action.type) {
    case 'wait':
      await options.clock.sleep(backoff(action.failures), options.signal)
      return feed({ type: 'woke' })
    case 'list': {
      const list = await options.source.list({
        ...scopeOf(options),
        limit: PAGE,
        signal: options.signal,
        ...(action.continue ? { continue: action.continue } : {}),
      })
      options.onProblem(undefined)
      return feed({ type: 'page', list })
    }
    case 'watch':
      return watch(options, action, feed)
  }
}

function scopeOf<T extends KubeObject, K>({
  namespace,
  labelSelector,
  fieldSelector,
}: ReflectorOptions<T, K>): { namespace?: string; labelSelector?: string; fieldSelector?: string } {
  return {
    ...(namespace ? { namespace } : {}),
    ...(labelSelector ? { labelSelector } : {}),
    ...(fieldSelector ? { fieldSelector } : {}),
  }
}

/** Reads one watch to its end, or until an event asks for something else. */
async function watch<T extends KubeObject, K>(
  options: ReflectorOptions<T, K>,
  action: ReflectorAction & { readonly type: 'watch' },
  feed: Feed<T>,
): Promise<ReflectorAction | undefined> {
  const { clock, random, onProblem } = options
  const timeoutSeconds = 300 + Math.floor(random.next() * 300)
  const ended = new AbortController()
  const opened = clock.now()
  let silent = action.initial
  let events = 0
  let heard = opened
  let quiet = clock.after(QUIET, listen)
  function listen(): void {
    const left = heard + QUIET - clock.now()
    if (left <= 0) ended.abort(DEAD)
    else quiet = clock.after(left, listen)
  }
  const lapse = clock.after(timeoutSeconds * 1000 + GRACE, () => ended.abort(DEAD))
  const silence = clock.after(SILENCE, () => {
    if (silent) ended.abort(SILENT)
  })
  try {
    const stream = options.source.watch({
      ...scopeOf(options),
      resourceVersion: action.resourceVersion,
      allowWatchBookmarks: true,
      timeoutSeconds,
      ...(action.initial ? { sendInitialEvents: true } : {}),
      signal: AbortSignal.any([options.signal, ended.signal]),
    })
    for await (const event of stream) {
      silent = false
      heard = clock.now()
      if (events++ === 0 && event.type !== 'ERROR') onProblem(undefined)
      if (event.type === 'ERROR') onProblem(new ApiError(event.object))
      const next = feed({ type: 'event', event })
      if (next) return next
    }
    return feed({ type: 'closed', healthy: events > 0 || clock.now() - opened >= HEALTHY })
  } catch (error) {
    if (ended.signal.reason === SILENT) return feed({ type: 'silent' })
    if (ended.signal.reason === DEAD) return feed({ type: 'closed', healthy: true })
    throw error
  } finally {
    lapse.cancel()
    quiet.cancel()
    silence.cancel()
  }
}

const DEAD = new Error('the watch was silent for too long: the connection is taken for dead')
const SILENT = new Error('the server sent no initial objects')
