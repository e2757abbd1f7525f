import type { Clock } from '../base/clock.ts'
import { createGroup, type Group } from '../base/lifetime.ts'
import type { Logger } from '../base/logger.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import type { Client } from '../client/client.ts'
import { within } from '../client/deadline.ts'
import { listerWatcher } from '../client/list-watch.ts'
import { isMetadataOnly } from '../client/metadata-only.ts'
import type { Write } from '../client/write.ts'
import type { ListerWatcher, ListOptions, Reader, ReadOptions } from '../machinery/contracts.ts'
import { groupResourceText, type Kind } from '../machinery/kind.ts'
import { parseKey, type ObjectKey } from '../machinery/object-key.ts'
import type { KubeObject, ListOf } from '../machinery/object.ts'
import { notFound } from '../machinery/status.ts'
import { SharedInformer, type Informer } from './informer.ts'
import { createLiveNamespaces, type LiveNamespaces } from './live-namespaces.ts'
import type { InformerSelection, NamespaceSelector } from './selection.ts'
import type { Lister } from './lister.ts'

/**
 * Answers reads from memory: one informer a kind, started when the kind is first asked for, shared by all.
 *
 * A read waits for the kind's first list, then answers at once. It is never older than a write of the client that reports to
 * `wrote`; it may be older than a write of somebody else. Objects are shared: readonly in type, and frozen with `freeze`.
 */
export interface Cache extends Reader {
  /** The informer of a kind: the running one, or a new one. */
  informer<T extends KubeObject>(kind: Kind<T>): Informer<T>
  /** The informer of a kind if there is one; starts none. */
  peek<T extends KubeObject>(kind: Kind<T>): Informer<T> | undefined
  /** Reads a kind without waiting. Throws when its informer has not synced yet: ask for it before start. */
  lister<T extends KubeObject>(kind: Kind<T>): Lister<T>
  /** Adds an index to a kind. Adding the same name again does nothing. */
  index<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    valuesOf: (object: T) => Iterable<string>,
  ): void
  /** Stops mirroring a kind and forgets its objects. */
  remove(kind: Kind): void
  /**
   * Mirrors, of the kinds that `of` holds for, no more than a shard selector selects (KEP-5866); undefined selects all. A server that
   * knows no shards sends all of them all the same.
   */
  selectShards(selector: string | undefined, of: (kind: Kind) => boolean): void
  /** Starts the informers asked for so far, and from now on each one as it is asked for. */
  start(): void
  /**
   * Resolves when every informer asked for so far has synced. With a `timeout` (ms) it rejects after that, with a sentence that names the
   * kinds that have not, and why.
   */
  waitForSync(signal?: AbortSignal, timeout?: number): Promise<void>
  /** Takes in a write of this process. */
  wrote(write: Write): void
  readonly informers: readonly Informer[]
  /** Stops all informers; resolves when they have stopped. */
  stop(): Promise<void>
}

/** What a {@link Cache} mirrors and from where. */
export interface CacheOptions {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Limits every namespaced kind to these namespaces, or to those that carry labels now. */
  readonly namespaces?: readonly string[] | NamespaceSelector
  /** Whose managed fields are kept (see InformerSelection); a kind may say otherwise. Default: of nobody. */
  readonly managedFields?: readonly string[] | 'all'
  /** Gets `kubewright_cache_objects` and `kubewright_cache_bytes` of each resource. */
  readonly metrics?: Metrics
  /** What to mirror of single kinds; see {@link cacheOnly}. */
  readonly kinds?: readonly CachedKind[]
  /** Freezes what is stored, so that changing it throws. For tests; it costs a walk over every object. */
  readonly freeze?: boolean
}

/** A kind and which of its objects to mirror. */
export interface CachedKind {
  readonly kind: Kind
  readonly selection: InformerSelection
}

/** Limits what a cache mirrors of a kind: `cacheOnly(Secret, { labelSelector: 'app=web' })`. */
export function cacheOnly<T extends KubeObject>(
  kind: Kind<T>,
  selection: InformerSelection<T>,
): CachedKind {
  return { kind, selection: selection as unknown as InformerSelection }
}

interface Running {
  readonly informer: SharedInformer<KubeObject>
  readonly group: Group
  started: boolean
}

/** Makes a {@link Cache}; it asks the server nothing before `start`. */
export function createCache(options: CacheOptions): Cache {
  return new InformerCache(options)
}

class InformerCache implements Cache {
  readonly #options: CacheOptions
  readonly #running = new Map<string, Running>()
  readonly #groups: Group = createGroup()
  /** The namespaces of a label selector, which several kinds may follow. */
  readonly #live = new Map<string, LiveNamespaces>()
  #started = false
  /** Whether the server divides collections; undefined until it was asked. */
  #knowsShards: boolean | undefined
  #shards:
    { readonly selector: string | undefined; readonly of: (kind: Kind) => boolean } | undefined

  constructor(options: CacheOptions) {
    this.#options = options
    if (options.metrics) measureCache(options.metrics, () => this.informers)
  }

  get informers(): readonly Informer[] {
    return [...this.#running.values()].map((it) => it.informer)
  }

  informer<T extends KubeObject>(kind: Kind<T>): Informer<T> {
    return this.#entry(kind).informer as unknown as Informer<T>
  }

  peek<T extends KubeObject>(kind: Kind<T>): Informer<T> | undefined {
    return this.#find(kind)?.informer as unknown as Informer<T> | undefined
  }

  lister<T extends KubeObject>(kind: Kind<T>): Lister<T> {
    const running = this.#find(kind)
    if (running?.informer.synced) return running.informer.lister as unknown as Lister<T>
    throw new Error(
      `the cache does not hold ${groupResourceText(kind)} yet; name the kind in the controller (.owns, .watches or .reads), or await a get or list of it`,
    )
  }

  index<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    valuesOf: (object: T) => Iterable<string>,
  ): void {
    const { informer } = this.#entry(kind)
    if (!informer.hasIndex(name))
      informer.addIndex(name, valuesOf as (object: KubeObject) => Iterable<string>)
  }

  async get<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey | string,
    options: ReadOptions = {},
  ): Promise<T> {
    const found = await this.find(kind, key, options)
    if (found) return found
    throw notFound(kind, typeof key === 'string' ? parseKey(key).name : key.name)
  }

  async find<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey | string,
    options: ReadOptions = {},
  ): Promise<T | undefined> {
    const lister = await this.#ready(kind, options.signal)
    return lister.get(this.#keyFor(kind, key))
  }

  async list<T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}): Promise<ListOf<T>> {
    if (options.continue)
      throw new Error('a cache answers lists whole: limit cuts them, and continue is not supported')
    const lister = await this.#ready(kind, options.signal)
    const items = lister.list({
      namespace: options.namespace,
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
    })
    return { metadata: {}, items: options.limit ? items.slice(0, options.limit) : items }
  }

  remove(kind: Kind): void {
    const id = idOf(kind)
    this.#running.get(id)?.group.stop()
    this.#running.delete(id)
  }

  selectShards(selector: string | undefined, of: (kind: Kind) => boolean): void {
    const before = this.#shards
    this.#shards = { selector, of }
    if (selector === before?.selector || this.#knowsShards === false) return
    if (this.#knowsShards) return this.#reselect(of)
    // Before anything is listed anew for it, the server is asked whether it knows shards at all.
    const probe = this.informers.find((it) => of(it.kind))?.kind
    if (selector !== undefined && probe) void this.#askForShards(probe, selector)
  }

  async #askForShards(kind: Kind, selector: string): Promise<void> {
    try {
      const { metadata } = await this.#options.client.list(kind, {
        limit: 1,
        shardSelector: selector,
      })
      this.#knowsShards = 'shardInfo' in metadata
      if (this.#knowsShards && this.#shards) this.#reselect(this.#shards.of)
    } catch {
      // The next change of shards asks again.
    }
  }

  #reselect(of: (kind: Kind) => boolean): void {
    for (const { informer } of this.#running.values())
      if (of(informer.kind)) informer.reselect(this.#source(informer.kind))
  }

  /** Where the objects of a kind come from: all of them, or a shard's. */
  #source<T extends KubeObject>(kind: Kind<T>): ListerWatcher<T> {
    const source = listerWatcher(this.#options.client, kind)
    const { selector, of } = this.#shards ?? {}
    if (selector === undefined || !this.#knowsShards || !of?.(kind)) return source
    return {
      list: (options) => source.list({ ...options, shardSelector: selector }),
      watch: (options) => source.watch({ ...options, shardSelector: selector }),
    }
  }

  start(): void {
    this.#started = true
    for (const it of this.#live.values()) this.#groups.run(() => it.run())
    for (const it of this.#running.values()) this.#run(it)
  }

  async waitForSync(signal?: AbortSignal, timeout?: number): Promise<void> {
    const all = this.informers
    const wait = async (until?: AbortSignal): Promise<void> => {
      await Promise.all(all.map((it) => it.waitForSync(until)))
    }
    if (timeout === undefined) return wait(signal)
    await within(this.#options.clock, timeout, signal, () => notSynced(all, timeout), wait)
  }

  wrote(write: Write): void {
    if (this.#running.size === 0) return
    this.#running.get(idOf(write.kind))?.informer.wrote(write)
  }

  async stop(): Promise<void> {
    this.#groups.stop()
    for (const it of this.#running.values()) it.group.stop()
    await Promise.all([...this.#running.values()].map((it) => it.group.done()))
    await this.#groups.done()
  }

  async #ready<T extends KubeObject>(kind: Kind<T>, signal?: AbortSignal): Promise<Lister<T>> {
    const { informer } = this.#entry(kind)
    if (!informer.synced) {
      if (!this.#started)
        throw new Error(
          `the cache has not started: read ${kind.plural} through the client, or start the manager first`,
        )
      await informer.waitForSync(signal)
    }
    await informer.caughtUp(signal)
    return informer.lister as unknown as Lister<T>
  }

  #keyFor(kind: Kind, key: ObjectKey | string): ObjectKey {
    const parsed = typeof key === 'string' ? parseKey(key) : key
    if (kind.scope === 'Cluster') return { name: parsed.name }
    return parsed.namespace
      ? parsed
      : { name: parsed.name, namespace: this.#options.client.namespace }
  }

  #find(kind: Kind): Running | undefined {
    return this.#running.get(idOf(kind))
  }

  /** One informer a kind, whole or metadata only: who wants whole objects widens it, who wants less gets more. */
  #entry(kind: Kind): Running {
    const known = this.#find(kind)
    if (known) {
      const wider = isMetadataOnly(known.informer.kind) && !isMetadataOnly(kind)
      if (wider) known.informer.widen(kind, this.#source(kind))
      return known
    }
    const group = createGroup(this.#groups.signal)
    const made: Running = { informer: this.#make(kind, group.signal), group, started: false }
    this.#running.set(idOf(kind), made)
    if (this.#started) this.#run(made)
    return made
  }

  #make(kind: Kind, signal: AbortSignal): SharedInformer<KubeObject> {
    const { clock, random, logger, freeze = false } = this.#options
    const { namespaces, ...selection } = this.#selectionFor(kind)
    const live = namespaces && 'labelSelector' in namespaces ? namespaces.labelSelector : undefined
    const fixed = namespaces && !('labelSelector' in namespaces) ? { namespaces } : {}
    const informer = new SharedInformer({
      kind,
      source: this.#source(kind),
      clock,
      random,
      logger,
      signal,
      freeze,
      ...selection,
      ...(live === undefined ? fixed : { namespaces: 'later' as const }),
    })
    if (live !== undefined) this.#liveNamespaces(live).follow(informer, signal)
    return informer
  }

  #liveNamespaces(labelSelector: string): LiveNamespaces {
    const known = this.#live.get(labelSelector)
    if (known) return known
    const { client, clock, random, logger } = this.#options
    const { signal } = this.#groups
    const made = createLiveNamespaces({ client, clock, random, logger, signal, labelSelector })
    this.#live.set(labelSelector, made)
    if (this.#started) this.#groups.run(() => made.run())
    return made
  }

  #selectionFor(kind: Kind): InformerSelection {
    const own = this.#options.kinds?.find((it) => idOf(it.kind) === idOf(kind))?.selection
    const { namespaces, managedFields } = this.#options
    const all = namespaces && ('labelSelector' in namespaces || namespaces.length > 0)
    return {
      ...(kind.scope === 'Namespaced' && all ? { namespaces } : {}),
      ...(managedFields ? { managedFields } : {}),
      ...own,
    }
  }

  #run(it: Running): void {
    if (it.started) return
    it.started = true
    it.group.run(() => it.informer.run())
  }
}

const idOf = (kind: Kind): string => `${kind.group}/${kind.version}/${kind.plural}`

/** What a sync that took too long says. */
function notSynced(informers: readonly Informer[], timeout: number): Error {
  const late = informers
    .filter((it) => !it.synced)
    .map((it) => {
      const { error } = it.health
      const why = error instanceof Error ? error.message : 'the server has not sent them all yet'
      return `${groupResourceText(it.kind)} (${why})`
    })
  return new Error(`the cache has not synced within ${timeout} ms: ${late.join('; ')}`)
}

/** Shows how much of each resource is held, when somebody asks. */
function measureCache(metrics: Metrics, informers: () => readonly Informer[]): void {
  const objects = metrics.gauge({
    name: 'kubewright_cache_objects',
    help: 'Number of objects in the cache, by resource.',
    labels: ['resource'],
  })
  const bytes = metrics.gauge({
    name: 'kubewright_cache_bytes',
    help: 'Size of the objects in the cache as JSON, by resource.',
    labels: ['resource'],
  })
  metrics.beforeRead(() => {
    for (const { kind, health } of informers()) {
      const labels = { resource: groupResourceText(kind) }
      objects.set(health.objects, labels)
      bytes.set(health.characters, labels)
    }
  })
}
