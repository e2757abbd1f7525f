import type { Clock, Timer } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { Kind } from '../machinery/kind.ts'
import type { KubeObject, ListOf } from '../machinery/object.ts'
import { groupResourceText } from '../machinery/kind.ts'
import { compareResourceVersions } from '../machinery/resource-version.ts'
import type { ListerWatcher } from '../machinery/contracts.ts'
import type { Write } from '../client/write.ts'
import { createLister, type Lister } from './lister.ts'
import { OwnWrites } from './own-writes.ts'
import type { Delta } from './reflector.ts'
import { deepFreeze } from '../base/deep-freeze.ts'
import { aborted } from '../base/lifetime.ts'
import type { Kept } from './kept.ts'
import { runReflector } from './run-reflector.ts'
import { selects, withManagedFieldsOf, type InformerSelection } from './selection.ts'
import { Store, type Change } from './store.ts'
import { Waiters } from './waiters.ts'

/** Takes each change, in order; it is called at once, so it must be quick. What it throws is logged. */
export type ChangeListener<T extends KubeObject> = (change: Change<T>) => void

/** How an informer is doing. */
export interface InformerHealth {
  readonly state: 'syncing' | 'watching' | 'failing'
  /** Since when, milliseconds since the epoch. */
  readonly since: number
  /** What fails. */
  readonly error?: unknown
  readonly objects: number
  /** How large the objects are as JSON, in characters. */
  readonly characters: number
}

/**
 * One kind of object, mirrored: its reflectors fill a store, the store's changes go to listeners. Shared by everyone in a process
 * who wants the kind.
 */
export interface Informer<T extends KubeObject = KubeObject> {
  readonly kind: Kind<T>
  /** Whether the first list is in the store, of every namespace it watches. */
  readonly synced: boolean
  readonly lister: Lister<T>
  readonly health: InformerHealth
  /** Calls `listener` with all there is (as initial changes; once synced), then with every change. Answers with a function that ends it. */
  listen(listener: ChangeListener<T>): () => void
  /** Adds an index by which the lister can look objects up. */
  addIndex(name: string, valuesOf: (object: T) => Iterable<string>): void
  /** Resolves when synced; rejects with the signal's reason, or when the informer stops before. */
  waitForSync(signal?: AbortSignal): Promise<void>
  /** Resolves when everything this process wrote before is shown. Only writes whose answer was not the object make it wait. */
  caughtUp(signal?: AbortSignal): Promise<void>
}

/** What an {@link Informer} is made of. */
export interface InformerOptions<T extends KubeObject> extends Omit<
  InformerSelection<T>,
  'namespaces'
> {
  /** Default: all of them, in one reflector. `[]` is none: {@link SharedInformer.setNamespaces} will tell. */
  readonly namespaces?: readonly string[] | 'later'
  /** Freezes what is stored, so that changing it throws. */
  readonly freeze?: boolean
  readonly kind: Kind<T>
  readonly source: ListerWatcher<T>
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly signal: AbortSignal
  /** Default true. */
  readonly streams?: boolean
}

/** How long the removal of what this process deleted may stay unseen before the server is asked for its revision, ms. */
const PATIENCE = 5_000

/** The {@link Informer}; `wrote` and `run` are for the cache that owns it. */
export class SharedInformer<T extends KubeObject> implements Informer<T> {
  readonly lister: Lister<T>
  #kind: Kind<T>
  #source: ListerWatcher<T>
  #round: AbortController | undefined
  /** The signal of the reflectors that run now. */
  #running: AbortSignal | undefined
  readonly #options: InformerOptions<T>
  readonly #store: Store<T>
  readonly #prepare: (object: T) => T
  readonly #writes = new OwnWrites<T>()
  readonly #listeners = new Set<ChangeListener<T>>()
  /** Those who came before all was there: they hear everything at once when it is. */
  readonly #joining = new Set<ChangeListener<T>>()
  readonly #waiters: Waiters
  /** The namespaces that are mirrored, `['']` for all of them; undefined while nobody has said. */
  #namespaces: readonly string[] | undefined
  /** The reflectors that run, by namespace. */
  readonly #reflectors = new Map<string, { stop: AbortController; done: Promise<void> }>()
  readonly #selects: (object: KubeObject) => boolean
  /** The last resourceVersion of each reflector, by its namespace; an entry means it has synced. */
  readonly #seen = new Map<string, string>()
  readonly #problems = new Map<string, unknown>()
  #since: number
  /** A revision that reads wait for. */
  #barrier = ''
  #asking: Promise<void> | undefined
  #patience: Timer | undefined

  constructor(options: InformerOptions<T>) {
    this.#options = options
    const { namespaces, parsed, freeze } = options
    this.#namespaces = namespaces === 'later' ? undefined : namespaces?.length ? namespaces : ['']
    this.#waiters = new Waiters(options.signal)
    this.#store = new Store({
      ...(parsed === undefined ? {} : { parsed }),
      ...(freeze ? { thaw: (it: T) => deepFreeze(it) } : {}),
    })
    this.#prepare = this.#preparation(options)
    this.#kind = options.kind
    this.#source = options.source
    this.#since = options.clock.now()
    this.#selects = selects(options)
    this.lister = createLister(this.kind, this.#store, this.#writes)
  }

  get kind(): Kind<T> {
    return this.#kind
  }

  get synced(): boolean {
    return this.#namespaces !== undefined && this.#namespaces.every((it) => this.#seen.has(it))
  }

  get health(): InformerHealth {
    const error = [...this.#problems.values()][0]
    const state = this.#problems.size > 0 ? 'failing' : this.synced ? 'watching' : 'syncing'
    return {
      state,
      since: this.#since,
      objects: this.#store.size,
      characters: this.#store.characters,
      ...(error === undefined ? {} : { error }),
    }
  }

  /** Reflects until the signal aborts; anew from another source after `widen`. */
  async run(): Promise<void> {
    const { signal } = this.#options
    while (!signal.aborted) {
      const round = new AbortController()
      this.#round = round
      await this.#reflect(AbortSignal.any([signal, round.signal]))
    }
    this.#patience?.cancel()
  }

  /** Takes whole objects from `source` from now on, where it has mirrored metadata only: listeners and indexes stay. */
  widen(kind: Kind<T>, source: ListerWatcher<T>): void {
    this.#kind = kind
    this.#source = source
    this.#seen.clear()
    this.#round?.abort(new Error('more of the objects is wanted'))
  }

  /** Takes from another source of the same kind from now on, such as one of fewer objects: what is there stays until it has listed. */
  reselect(source: ListerWatcher<T>): void {
    this.#source = source
    this.#round?.abort(new Error('other objects are wanted'))
  }

  /** Mirrors these namespaces from now on: new ones are listed, and what was in those that are left goes. */
  setNamespaces(namespaces: readonly string[]): void {
    const left = (this.#namespaces ?? []).filter((it) => !namespaces.includes(it))
    this.#namespaces = namespaces
    if (this.#running && !this.#running.aborted) this.#adjust(this.#running)
    for (const namespace of left) this.#leave(namespace)
    this.#arrived()
  }

  async #reflect(signal: AbortSignal): Promise<void> {
    this.#running = signal
    this.#adjust(signal)
    await aborted(signal)
    await Promise.all([...this.#reflectors.values()].map((it) => it.done))
    this.#reflectors.clear()
  }

  /** Starts the reflectors that are missing, and stops those that nobody wants any more. */
  #adjust(round: AbortSignal): void {
    const wanted = this.#namespaces ?? []
    for (const [namespace, it] of this.#reflectors) {
      if (wanted.includes(namespace)) continue
      this.#reflectors.delete(namespace)
      it.stop.abort(new Error(`${namespace} is no longer mirrored`))
    }
    for (const namespace of wanted) {
      if (this.#reflectors.has(namespace)) continue
      const stop = new AbortController()
      const done = this.#reflectOne(namespace, AbortSignal.any([round, stop.signal]))
      this.#reflectors.set(namespace, { stop, done })
    }
  }

  #reflectOne(namespace: string, signal: AbortSignal): Promise<void> {
    const { clock, random, labelSelector, fieldSelector, streams } = this.#options
    return runReflector<T, Kept<T>>({
      source: this.#source,
      namespace,
      labelSelector,
      fieldSelector,
      clock,
      random,
      signal,
      ...(streams === undefined ? {} : { streams }),
      keep: (object, at) => this.#store.keep(this.#prepare(object), at),
      // What a source that was left says late no longer counts.
      onDelta: (delta) => (signal.aborted ? undefined : this.#take(delta, namespace)),
      onProblem: (error) => (signal.aborted ? undefined : this.#note(error, namespace)),
    })
  }

  /** What was mirrored of a namespace is no longer known. */
  #leave(namespace: string): void {
    this.#seen.delete(namespace)
    this.#problems.delete(namespace)
    const nothing = {
      type: 'replace',
      objects: new Map<string, Kept<T>>(),
      resourceVersion: '',
    } as const
    this.#store.apply(nothing, false, namespace, (change) => this.#changed(change))
  }

  listen(listener: ChangeListener<T>): () => void {
    if (this.synced) this.#welcome(listener)
    else this.#joining.add(listener)
    return () => {
      this.#listeners.delete(listener)
      this.#joining.delete(listener)
    }
  }

  #welcome(listener: ChangeListener<T>): void {
    for (const object of this.#store.values()) this.#tell(listener, { new: object, initial: true })
    this.#listeners.add(listener)
  }

  addIndex(name: string, valuesOf: (object: T) => Iterable<string>): void {
    this.#store.addIndex(name, (object) =>
      this.#guarded(`the index ${name}`, [], () => [...valuesOf(object)]),
    )
  }

  hasIndex(name: string): boolean {
    return this.#store.hasIndex(name)
  }

  waitForSync(signal?: AbortSignal): Promise<void> {
    return this.#waiters.until(() => this.synced, signal)
  }

  async caughtUp(signal?: AbortSignal): Promise<void> {
    if (this.#asking) await this.#asking
    const target = this.#barrier
    return this.#waiters.until(() => this.#reached(target), signal)
  }

  /** Takes in a write of this process, so that no read is older than it. */
  wrote(write: Write): void {
    const { object, key } = write
    if (!this.#watches(key.namespace)) return
    const foreign =
      object !== undefined && object.kind !== undefined && object.kind !== this.kind.kind
    if (foreign) return this.#raise(object.metadata.resourceVersion)
    if (write.verb === 'deleteCollection') return this.#ask(key.namespace)
    if (object) this.#wroteObject(write, object as T)
    else if (write.verb === 'delete') this.#deleted(write)
  }

  #wroteObject({ verb, key }: Write, object: T): void {
    const { resourceVersion = '', deletionGracePeriodSeconds, finalizers } = object.metadata
    const gone = verb === 'delete' && !finalizers?.length && !deletionGracePeriodSeconds
    const kept = !gone && this.#selects(object) ? this.#prepare(object) : undefined
    const write = { key: keyIn(this.kind, key), object: kept, resourceVersion }
    this.#writes.add(write, this.#seenIn(key.namespace))
  }

  /** A deletion that the server answered without the object has no revision; only its removal shows that it was seen. */
  #deleted(write: Write): void {
    const key = keyIn(this.kind, write.key)
    const uid = write.uid ?? this.lister.get(key)?.metadata.uid
    if (!uid) return
    this.#writes.addDeletion(key, uid)
    if (this.#patience) return
    this.#patience = this.#options.clock.after(PATIENCE, () => {
      this.#patience = undefined
      if (this.#writes.unnumbered && !this.#options.signal.aborted) this.#ask(key.namespace)
    })
  }

  #watches(namespace: string | undefined): boolean {
    const namespaces = this.#namespaces ?? []
    return !namespace || namespaces.includes('') || namespaces.includes(namespace)
  }

  #seenIn(namespace: string = ''): string {
    return this.#seen.get(this.#namespaces?.includes('') ? '' : namespace) ?? ''
  }

  #raise(resourceVersion: string = ''): void {
    if (compareResourceVersions(resourceVersion, this.#barrier) > 0) this.#barrier = resourceVersion
  }

  /** A write without a revision and without objects: the server's revision now is not older. */
  #ask(namespace: string = ''): void {
    const { signal } = this.#options
    const page = { limit: 1, signal, ...(namespace ? { namespace } : {}) }
    this.#asking = this.#learn(this.#source.list(page), this.#writes.numbering())
  }

  async #learn(asking: Promise<ListOf<T>>, number: (revision: string) => void): Promise<void> {
    try {
      const { resourceVersion = '' } = (await asking).metadata
      if (resourceVersion === '') return
      this.#raise(resourceVersion)
      number(resourceVersion)
    } catch {
      // The server is away: reads are as good as the watch is.
    }
  }

  #reached(target: string): boolean {
    return (
      target === '' ||
      [...this.#seen.values()].some((it) => compareResourceVersions(it, target) >= 0)
    )
  }

  /** What becomes of each object before it is stored. */
  #preparation(options: InformerOptions<T>): (object: T) => T {
    const { transform, freeze, managedFields = [] } = options
    const strip = withManagedFieldsOf(managedFields)
    return (object) => {
      const own = strip(object)
      const made = transform ? this.#guarded('a transform', own, () => transform(own)) : own
      return freeze ? deepFreeze(made) : made
    }
  }

  /** What an author's function answers, or `otherwise` when it throws: one odd object must not cost the cache all that follow. */
  #guarded<R>(what: string, otherwise: R, call: () => R): R {
    try {
      return call()
    } catch (error) {
      this.#options.logger.error(`${what} of an informer threw`, { kind: this.kind.kind, error })
      return otherwise
    }
  }

  #take(delta: Delta<T, Kept<T>>, namespace: string): void {
    const ready = delta.type === 'put' ? { ...delta, object: this.#prepare(delta.object) } : delta
    const version = versionOf(delta)
    const initial = !this.#seen.has(namespace)
    this.#seen.set(namespace, version)
    this.#writes.seen(version, namespace)
    const deaf = this.#listeners.size === 0
    this.#store.apply(ready, initial, namespace, (it) => this.#changed(it), deaf)
    if (delta.type === 'replace') this.#since = this.#options.clock.now()
    this.#arrived()
  }

  /** Those who wait look again. */
  #arrived(): void {
    if (this.#joining.size > 0 && this.synced) {
      for (const listener of this.#joining) this.#welcome(listener)
      this.#joining.clear()
    }
    this.#waiters.check()
  }

  #changed(change: Change<T>): void {
    if (change.old && !change.new) this.#writes.removed(change.old)
    for (const listener of this.#listeners) this.#tell(listener, change)
  }

  #tell(listener: ChangeListener<T>, change: Change<T>): void {
    try {
      listener(change)
    } catch (error) {
      this.#options.logger.error('a listener of an informer threw', {
        kind: this.kind.kind,
        error,
      })
    }
  }

  #note(error: unknown, namespace: string): void {
    const { logger, clock } = this.#options
    if (error === undefined) {
      if (!this.#problems.delete(namespace)) return
      this.#since = clock.now()
      logger.info('watching again', {
        resource: groupResourceText(this.kind),
        ...inNamespace(namespace),
      })
      return
    }
    const before = this.#problems.get(namespace)
    if (!this.#problems.has(namespace)) this.#since = clock.now()
    this.#problems.set(namespace, error)
    // What stays wrong in the same way has been said: a kind may be absent for days.
    if (before !== undefined && sentenceOf(before) === sentenceOf(error)) return
    logger.warn('cannot list and watch; trying again, later each time', {
      resource: groupResourceText(this.kind),
      ...inNamespace(namespace),
      error,
    })
  }
}

const sentenceOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

const inNamespace = (namespace: string): object => (namespace === '' ? {} : { namespace })

function keyIn(
  kind: Kind,
  key: { readonly name: string; readonly namespace?: string },
): {
  readonly name: string
  readonly namespace?: string
} {
  return kind.scope === 'Namespaced' && key.namespace ? key : { name: key.name }
}

function versionOf<T extends KubeObject>(delta: Delta<T, unknown>): string {
  return 'resourceVersion' in delta
    ? delta.resourceVersion
    : (delta.object.metadata.resourceVersion ?? '')
}
