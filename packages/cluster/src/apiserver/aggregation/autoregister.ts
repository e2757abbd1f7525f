import type { Clock, Logger, Random } from 'kubewright/base'
import { timeText, type UnknownObject } from 'kubewright/machinery'
import type { CustomResourceDefinition } from 'kubewright/schema'
import { localAvailable } from '../bootstrap/api-services.ts'
import { fillSystemFields } from '../endpoints/system-fields.ts'
import type { FieldTracker } from '../endpoints/served.ts'
import { equalJson } from 'kubewright/schema'
import type { Draft } from '../registry/strategy.ts'
import { follow } from '../storage/follow.ts'
import type { Storage, Stored } from '../storage/storage.ts'
import { API_SERVICES, AUTOMANAGED, MANAGER } from './api-service.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** What registering works with. */
export interface AutoregisterOptions {
  readonly storage: Storage
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Where definitions lie. */
  readonly definitions: string
  /** Who keeps the owners of an APIService's fields. */
  readonly fields: () => FieldTracker | undefined
}

/** What an APIService of a custom group says: below every built-in group, its versions in the order of their names. */
interface CustomSpec {
  readonly group: string
  readonly version: string
  readonly groupPriorityMinimum: 1000
  readonly versionPriority: 100
}

/** The APIServices that definitions want, by name: one for each version that any of them serves, established or not. */
export function wantedApiServices(
  definitions: readonly CustomResourceDefinition[],
): ReadonlyMap<string, CustomSpec> {
  const served = definitions.flatMap(({ spec: { group, versions } }) =>
    versions
      .filter((it) => it.served)
      .map(({ name: version }): readonly [string, CustomSpec] => [
        `${version}.${group}`,
        { group, version, groupPriorityMinimum: 1000, versionPriority: 100 },
      ]),
  )
  return new Map(served)
}

/**
 * Keeps an APIService for each version of a custom group, until the signal aborts: made with the first definition that serves it, put right when
 * somebody changes or deletes it, gone with the last (kube-aggregator autoregister, kubernetes controlplane/controller/crdregistration).
 * One that does not say that it is kept by the server is nobody's but its maker's. Resolves when the first are there.
 */
export async function keepCustomApiServices(
  options: AutoregisterOptions,
  signal: AbortSignal,
): Promise<void> {
  const settleSoon = oneAtATime(
    () => (signal.aborted ? Promise.resolve() : settle(options)),
    (error) =>
      options.logger.error('custom groups cannot be registered', {
        error: (error as Error).message,
      }),
  )
  const changed = (): void => void settleSoon()
  for (const prefix of [options.definitions, API_SERVICES]) {
    // A store that fails is told to whoever asks it next.
    follow(options.storage, `${prefix}/`, changed, signal).catch(() => {})
  }
  await settleSoon()
}

async function settle(options: AutoregisterOptions): Promise<void> {
  const { storage, definitions } = options
  const [crds, services] = await Promise.all([
    storage.list({ prefix: `${definitions}/` }),
    storage.list({ prefix: `${API_SERVICES}/` }),
  ])
  const all = crds.items.map((it) => it.object as unknown as CustomResourceDefinition)
  const wanted = wantedApiServices(all)
  const there = new Map(services.items.map((it) => [it.object.metadata.name ?? '', it]))
  for (const [name, spec] of wanted) {
    const stored = there.get(name)
    if (stored === undefined) await register(options, name, spec)
    else if (isKept(stored) && !equalJson(stored.object['spec'], spec))
      await putRight(options, stored, spec)
  }
  for (const stored of services.items) {
    if (isKept(stored) && !wanted.has(stored.object.metadata.name ?? ''))
      await storage.compareAndSwap(stored.key, stored.revision, undefined)
  }
}

const isKept = ({ object }: Stored): boolean => object.metadata.labels?.[AUTOMANAGED] === 'true'

async function register(
  { storage, clock, random, fields }: AutoregisterOptions,
  name: string,
  spec: CustomSpec,
): Promise<void> {
  const metadata = { name, labels: { [AUTOMANAGED]: 'true' } }
  const object = {
    kind: 'APIService',
    apiVersion: 'apiregistration.k8s.io/v1',
    metadata,
    spec: { ...spec },
    status: { conditions: [localAvailable(timeText(clock.now()))] },
  }
  fillSystemFields(metadata as never, clock, random)
  fields()?.update(undefined, object as unknown as Draft, MANAGER, '')
  await storage.compareAndSwap(`${API_SERVICES}//${name}`, 0, object as UnknownObject)
}

/** Another write that came first brings us back. */
async function putRight(
  { storage, fields }: AutoregisterOptions,
  { key, revision, object }: Stored,
  spec: CustomSpec,
): Promise<void> {
  const next = { ...object, metadata: { ...object.metadata }, spec: { ...spec } }
  fields()?.update(object, next as unknown as Draft, MANAGER, '')
  await storage.compareAndSwap(key, revision, next)
}
