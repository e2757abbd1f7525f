import { INITIAL_EVENTS_END, type WatchEvent } from '../machinery/watch-event.ts'
import type { KubeObject, ListOf } from '../machinery/object.ts'
import { keyOf, keyText } from '../machinery/object-key.ts'
import type { Status } from '../machinery/status.ts'

/**
 * The reflector as a machine: list, then watch, for ever; what it learns comes out as deltas, what to do next as an action. It
 * reads no clock and sends nothing: the shell (run-reflector.ts) does, and feeds what happened back in.
 *
 * What it keeps:
 * - No event is lost, none is told twice out of order: it watches from the last resourceVersion it has seen, and after 410 it
 *   lists anew; a `replace` delta then says everything at once.
 * - It asks for the initial objects as a stream (WatchList, KEP-3157) until the server refuses or stays silent, then lists in
 *   pages for good.
 * - Failures make it wait, longer each time; a healthy watch ends the row.
 */
export interface ReflectorState<T extends KubeObject, K = T> {
  readonly phase: 'idle' | 'paging' | 'streaming' | 'watching' | 'waiting'
  /** Whether WatchList may still be tried. */
  readonly streams: boolean
  /** The last resourceVersion seen; empty when everything must be listed. */
  readonly resourceVersion: string
  /** Failures in a row. */
  readonly failures: number
  /** Whether objects have been told that the kind's absence would take away. */
  readonly told: boolean
  /** What came of a list that is not complete; filled in place. */
  readonly partial: Map<string, K>
  /** What is kept of an object until the list is complete; `at` is how many came before it. */
  readonly keep: (object: T, at: number) => K
}

/** What happened. */
export type ReflectorInput<T extends KubeObject> =
  | { readonly type: 'start' }
  | { readonly type: 'page'; readonly list: ListOf<T> }
  | { readonly type: 'event'; readonly event: WatchEvent<T> }
  /** The watch ended; `healthy` when it had lasted a while or brought something. */
  | { readonly type: 'closed'; readonly healthy: boolean }
  /** A list or watch failed; `code` is the answer's, 0 when there was none. */
  | { readonly type: 'failed'; readonly code: number }
  /** A stream of initial objects stayed silent for too long. */
  | { readonly type: 'silent' }
  | { readonly type: 'woke' }

/** What a cache should do with its store. */
export type Delta<T extends KubeObject, K = T> =
  /** The whole truth, by `namespace/name`. */
  | {
      readonly type: 'replace'
      readonly objects: ReadonlyMap<string, K>
      readonly resourceVersion: string
    }
  | { readonly type: 'put'; readonly object: T }
  | { readonly type: 'remove'; readonly object: T }
  /** Everything up to here has been told. */
  | { readonly type: 'seen'; readonly resourceVersion: string }

/** What the shell should do next; undefined means: go on reading the watch that is open. */
export type ReflectorAction =
  | { readonly type: 'list'; readonly continue: string | undefined }
  | { readonly type: 'watch'; readonly resourceVersion: string; readonly initial: boolean }
  | { readonly type: 'wait'; readonly failures: number }

/** One step: the state after it, at most one delta, and what to do next. */
export interface ReflectorStep<T extends KubeObject, K = T> {
  readonly state: ReflectorState<T, K>
  readonly delta?: Delta<T, K>
  readonly action?: ReflectorAction
}

/** The state before the first step. `streams: false` lists in pages from the start. */
export function newReflector<T extends KubeObject, K>(
  keep: (object: T, at: number) => K,
  options: { readonly streams?: boolean } = {},
): ReflectorState<T, K> {
  return {
    keep,
    phase: 'idle',
    streams: options.streams ?? true,
    resourceVersion: '',
    failures: 0,
    told: false,
    partial: new Map(),
  }
}

/** Feeds one input. */
export function stepReflector<T extends KubeObject, K>(
  state: ReflectorState<T, K>,
  input: ReflectorInput<T>,
): ReflectorStep<T, K> {
  switch (input.type) {
    case 'start':
    case 'woke':
      return begin(state)
    case 'page':
      return page(state, input.list)
    case 'event':
      return event(state, input.event)
    case 'closed':
      return closed(state, input.healthy)
    case 'silent':
      return begin({ ...state, streams: false, resourceVersion: '' })
    case 'failed':
      return failed(state, input.code)
  }
}

function begin<T extends KubeObject, K>(state: ReflectorState<T, K>): ReflectorStep<T, K> {
  const { resourceVersion } = state
  if (resourceVersion !== '')
    return {
      state: { ...state, phase: 'watching' },
      action: { type: 'watch', resourceVersion, initial: false },
    }
  const fresh = { ...state, partial: new Map<string, K>() }
  return state.streams
    ? {
        state: { ...fresh, phase: 'streaming' },
        action: { type: 'watch', resourceVersion: '', initial: true },
      }
    : { state: { ...fresh, phase: 'paging' }, action: { type: 'list', continue: undefined } }
}

function page<T extends KubeObject, K>(
  state: ReflectorState<T, K>,
  list: ListOf<T>,
): ReflectorStep<T, K> {
  for (const object of list.items) collect(state, object)
  if (list.metadata.continue)
    return { state, action: { type: 'list', continue: list.metadata.continue } }
  return complete(state, list.metadata.resourceVersion ?? '', true)
}

/** The list is whole: tell it, and watch on from there (a stream is already open). */
function complete<T extends KubeObject, K>(
  state: ReflectorState<T, K>,
  resourceVersion: string,
  open: boolean,
): ReflectorStep<T, K> {
  const objects = state.partial
  return {
    state: {
      ...state,
      phase: 'watching',
      resourceVersion,
      failures: 0,
      told: true,
      partial: new Map(),
    },
    delta: { type: 'replace', objects, resourceVersion },
    ...(open ? { action: { type: 'watch', resourceVersion, initial: false } } : {}),
  }
}

const collect = <T extends KubeObject, K>(state: ReflectorState<T, K>, object: T): void =>
  void state.partial.set(keyText(keyOf(object)), state.keep(object, state.partial.size))

function event<T extends KubeObject, K>(
  state: ReflectorState<T, K>,
  it: WatchEvent<T>,
): ReflectorStep<T, K> {
  if (it.type === 'ERROR') return failed(state, codeOf(it.object))
  const resourceVersion = it.object.metadata.resourceVersion ?? ''
  if (state.phase === 'streaming') return initialEvent(state, it, resourceVersion)
  const next = { ...state, resourceVersion }
  switch (it.type) {
    case 'BOOKMARK':
      return { state: next, delta: { type: 'seen', resourceVersion } }
    case 'DELETED':
      return { state: next, delta: { type: 'remove', object: it.object } }
    default:
      return { state: next, delta: { type: 'put', object: it.object } }
  }
}

function initialEvent<T extends KubeObject, K>(
  state: ReflectorState<T, K>,
  it: Exclude<WatchEvent<T>, { readonly type: 'ERROR' }>,
  resourceVersion: string,
): ReflectorStep<T, K> {
  switch (it.type) {
    case 'BOOKMARK':
      return it.object.metadata.annotations?.[INITIAL_EVENTS_END] === 'true'
        ? complete(state, resourceVersion, false)
        : { state }
    case 'DELETED':
      state.partial.delete(keyText(keyOf(it.object)))
      return { state }
    default:
      collect(state, it.object)
      return { state }
  }
}

const codeOf = (status: Status): number => status.code ?? 500

function closed<T extends KubeObject, K>(
  state: ReflectorState<T, K>,
  healthy: boolean,
): ReflectorStep<T, K> {
  return healthy ? begin({ ...state, failures: 0 }) : wait(state)
}

function failed<T extends KubeObject, K>(
  state: ReflectorState<T, K>,
  code: number,
): ReflectorStep<T, K> {
  // Too old: what was missed is gone from the server's memory. Nothing is wrong, so the first time nothing waits.
  if (code === 410) {
    const anew = { ...state, resourceVersion: '' }
    return state.failures === 0 ? begin({ ...anew, failures: 1 }) : wait(anew)
  }
  if (code === 404) return absent(state)
  // A server that does not know WatchList says so with 400 or 422 (or 406 from a proxy).
  const refused = state.phase === 'streaming' && [400, 406, 422].includes(code)
  return refused ? begin({ ...state, streams: false }) : wait(state)
}

/** How long the row of failures counts at most while a kind is not served: whoever installs its definition should not wait long. */
const ABSENCE = 3

/**
 * Nobody serves the kind: its definition is not there yet, or has gone, and its objects with it. They go from the cache when a second
 * answer says so too: a server that is starting may say it once.
 */
function absent<T extends KubeObject, K>(state: ReflectorState<T, K>): ReflectorStep<T, K> {
  const failures = Math.min(state.failures + 1, ABSENCE)
  const waiting = { ...state, phase: 'waiting', resourceVersion: '', failures } as const
  const action = { type: 'wait', failures } as const
  if (!state.told || state.failures === 0) return { state: waiting, action }
  const delta = { type: 'replace', objects: new Map<string, K>(), resourceVersion: '' } as const
  return { state: { ...waiting, told: false }, delta, action }
}

function wait<T extends KubeObject, K>(state: ReflectorState<T, K>): ReflectorStep<T, K> {
  const failures = state.failures + 1
  return { state: { ...state, phase: 'waiting', failures }, action: { type: 'wait', failures } }
}
