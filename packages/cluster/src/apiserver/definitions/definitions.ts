import type { Clock, Logger } from 'kubewright/base'
import { isNotFound, type UnknownObject, timeText } from 'kubewright/machinery'
import type { CrdStatus, CustomResourceDefinition } from 'kubewright/schema'
import { CLEANUP_FINALIZER, isServed, nextStatus, terminatingStatus } from '../custom/crd-status.ts'
import { conversionWebhook, type PostReview } from '../custom/conversion-review.ts'
import { storageKeyOf } from '../custom/custom-info.ts'
import { type CustomResource, customResourceCache } from '../custom/custom-resources.ts'
import type { Catalog } from '../endpoints/catalog.ts'
import type { Served } from '../endpoints/served.ts'
import type { CustomKind } from '../openapi/custom-schema.ts'
import type { Draft } from '../registry/strategy.ts'
import type { ResourceInfo } from '../resources/resource.ts'
import { follow } from '../storage/follow.ts'
import type { Storage, Stored } from '../storage/storage.ts'
import { servedCustom } from './served-custom.ts'

/** Where definitions lie. */
export const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions'

/** What the definitions act upon. */
export interface DefinitionsOptions {
  readonly storage: Storage
  readonly catalog: Catalog
  readonly clock: Clock
  readonly logger: Logger
  /** Deletes one object of a custom resource by the rules of DELETE. */
  readonly deleteInstance: (served: Served, namespace: string, name: string) => Promise<void>
  /** Posts a ConversionReview to where a definition says. */
  readonly postReview: PostReview
  readonly uuid: () => string
  /** Told whenever another set of custom resources is served. */
  readonly changed: () => void
}

/**
 * What definitions bring about: whenever one changes, its status moves on (names, Established …), the custom resources that are served
 * are formed anew, and one that is being deleted takes its objects with it. One loop, one definition after another.
 */
export class Definitions {
  readonly #options: DefinitionsOptions
  readonly #resourcesOf: ReturnType<typeof customResourceCache>
  readonly #served = new WeakMap<CustomResource, Served>()
  readonly #since = new Map<string, number>()
  readonly #kinds = new WeakMap<ResourceInfo, CustomKind>()
  readonly #emptying = new Set<string>()

  constructor(options: DefinitionsOptions) {
    this.#options = options
    this.#resourcesOf = customResourceCache({
      webhook: (crd) => conversionWebhook(crd, options.postReview, options.uuid),
    })
  }

  /** What its definition says of a custom kind, for OpenAPI documents. */
  customKind(info: ResourceInfo): CustomKind | undefined {
    return this.#kinds.get(info)
  }

  /** Serves what is stored already, then follows changes until the signal aborts. Resolves once the first is done. */
  async start(signal: AbortSignal): Promise<void> {
    const { items, revision } = await this.#all()
    await this.#settle(items, signal)
    const changed = (): Promise<void> => this.#settleAll(signal)
    void follow(this.#options.storage, `${DEFINITIONS}/`, changed, signal, revision)
  }

  async #settleAll(signal: AbortSignal): Promise<void> {
    try {
      await this.#settle((await this.#all()).items, signal)
    } catch (error) {
      const { message } = error as Error
      this.#options.logger.error('definitions cannot be served', { error: message })
    }
  }

  #all(): ReturnType<Storage['list']> {
    return this.#options.storage.list({ prefix: `${DEFINITIONS}/` })
  }

  async #settle(items: readonly Stored[], signal: AbortSignal): Promise<void> {
    const all = items.map((it) => definitionIn(it))
    const settled: CustomResourceDefinition[] = []
    for (const [i, stored] of items.entries()) {
      const crd = all[i]!
      const others = all.filter((it) => it !== crd)
      const next = nextStatus(crd, others, timeText(this.#options.clock.now()))
      all[i] = next === crd.status ? crd : await this.#write(stored, next)
      settled.push(all[i]!)
    }
    this.#serve(settled.filter(isServed))
    for (const crd of settled) this.#empty(crd, signal)
  }

  /** Writes a status; when another write came first, its own change will bring us back. */
  async #write(stored: Stored, status: CrdStatus): Promise<CustomResourceDefinition> {
    const object = { ...stored.object, metadata: { ...stored.object.metadata }, status }
    const { fields } = this.#options.catalog.byStorageKey(DEFINITIONS) ?? {}
    fields?.update(stored.object, object as unknown as Draft, 'kube-apiserver', 'status')
    const { key, revision } = stored
    const swap = await this.#options.storage.compareAndSwap(key, revision, object)
    return definitionIn(swap.ok ? swap.stored : (swap.current ?? stored))
  }

  #serve(definitions: readonly CustomResourceDefinition[]): void {
    const { storage, clock, catalog, changed } = this.#options
    const all: Served[] = []
    for (const crd of definitions) {
      const uid = crd.metadata.uid ?? ''
      const since = this.#since.get(uid) ?? storage.revision
      this.#since.set(uid, since)
      const resources = this.#resourcesOf(crd)
      for (const resource of resources) {
        const served = this.#served.get(resource) ?? servedCustom(resource, resources, since, clock)
        this.#served.set(resource, served)
        if (resource.schema) this.#kinds.set(resource.info, kindOf(resource))
        all.push(served)
      }
    }
    catalog.setCustom(all)
    changed()
  }

  /** Starts to delete the objects of a definition that is being deleted, unless that goes on already. */
  #empty(crd: CustomResourceDefinition, signal: AbortSignal): void {
    const { name = '', deletionTimestamp, finalizers = [] } = crd.metadata
    if (!deletionTimestamp || !finalizers.includes(CLEANUP_FINALIZER)) return
    if (this.#emptying.has(name)) return
    this.#emptying.add(name)
    this.#deleteInstances(crd, signal)
      .catch((error: unknown) => {
        if (signal.aborted) return
        const { message } = error as Error
        this.#options.logger.error('a definition cannot be emptied', { name, error: message })
      })
      .finally(() => this.#emptying.delete(name))
  }

  async #deleteInstances(crd: CustomResourceDefinition, signal: AbortSignal): Promise<void> {
    const { storage } = this.#options
    const name = crd.metadata.name ?? ''
    const prefix = `${storageKeyOf(crd)}/`
    if (isServed(crd)) await this.#setTerminating(name, 'started')
    for (;;) {
      const { items, revision } = await storage.list({ prefix })
      if (items.length === 0 || !isServed(crd)) break
      for (const { object } of items) await this.#deleteOne(crd, object)
      await nextChange(storage, prefix, revision, signal)
    }
    if (!signal.aborted)
      await this.#release(name, isServed(crd) ? 'completed' : 'never-established')
  }

  async #deleteOne(crd: CustomResourceDefinition, object: UnknownObject): Promise<void> {
    if (object.metadata.deletionTimestamp) return
    const served = [...this.#options.catalog.custom()].find(
      (it) => it.info.storageKey === storageKeyOf(crd),
    )
    const { namespace = '', name = '' } = object.metadata
    try {
      if (served) await this.#options.deleteInstance(served, namespace, name)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  #setTerminating(name: string, phase: Parameters<typeof terminatingStatus>[1]): Promise<void> {
    return this.#change(name, (crd) => ({
      ...crd,
      status: terminatingStatus(crd, phase, timeText(this.#options.clock.now())),
    }))
  }

  /** Takes off the finalizer: with it goes the definition, unless others hold it. */
  async #release(name: string, phase: Parameters<typeof terminatingStatus>[1]): Promise<void> {
    await this.#setTerminating(name, phase)
    await this.#change(name, (crd) => {
      const finalizers = (crd.metadata.finalizers ?? []).filter((it) => it !== CLEANUP_FINALIZER)
      return finalizers.length === 0
        ? undefined
        : { ...crd, metadata: { ...crd.metadata, finalizers } }
    })
  }

  async #change(
    name: string,
    change: (crd: CustomResourceDefinition) => CustomResourceDefinition | undefined,
  ): Promise<void> {
    const { storage } = this.#options
    for (;;) {
      const stored = await storage.get(`${DEFINITIONS}//${name}`)
      if (!stored) return
      const next = change(definitionIn(stored)) as UnknownObject | undefined
      const object = next && { ...next, metadata: { ...next.metadata } }
      if ((await storage.compareAndSwap(stored.key, stored.revision, object)).ok) return
    }
  }
}

const kindOf = ({ schema, selectableFields }: CustomResource): CustomKind => ({
  schema: schema as unknown as CustomKind['schema'],
  selectableFields: Object.keys(selectableFields).map((it) => `.${it}`),
})

const definitionIn = ({ object }: Stored): CustomResourceDefinition =>
  object as unknown as CustomResourceDefinition

/** Resolves at the next change under a prefix, or when the signal aborts. */
async function nextChange(
  storage: Storage,
  prefix: string,
  revision: number,
  signal: AbortSignal,
): Promise<void> {
  const controller = new AbortController()
  const both = AbortSignal.any([signal, controller.signal])
  for await (const _ of storage.watch(prefix, revision, both)) {
    controller.abort()
    return
  }
}
