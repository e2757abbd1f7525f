import { exponentialBackoff } from '../base/backoff.ts'
import { systemClock, type Clock } from '../base/clock.ts'
import { jsonEqual } from '../base/json-equal.ts'
import { systemRandom, type Random } from '../base/random.ts'
import type { Draft, Reader, WriteOptions, Writer } from '../machinery/contracts.ts'
import type { Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import { parseKey, type ObjectKey } from '../machinery/object-key.ts'
import { isAlreadyExists, isConflict } from '../machinery/status.ts'
import { createMergePatch } from '../machinery/patch/merge-patch.ts'
import type { JsonObject } from '../machinery/patch/json.ts'

/** How often to try again, and how long to wait in between. */
export interface ConflictOptions {
  /** Default 5, as client-go's retry.DefaultRetry. */
  readonly tries?: number
  readonly clock?: Clock
  readonly random?: Random
  readonly signal?: AbortSignal
}

/** Does something again while it ends in a Conflict (client-go util/retry): `task` reads anew each time. */
export async function retryOnConflict<T>(
  task: () => Promise<T>,
  options: ConflictOptions = {},
): Promise<T> {
  return retryWhile(isConflict, task, options)
}

async function retryWhile<T>(
  passing: (error: unknown) => boolean,
  task: () => Promise<T>,
  { tries = 5, clock = systemClock, random = systemRandom, signal }: ConflictOptions,
): Promise<T> {
  const backoff = exponentialBackoff({ base: 10, max: 1_000, jitter: 0.1 }, random)
  for (let tried = 1; ; tried++) {
    try {
      return await task()
    } catch (error) {
      if (tried >= tries || !passing(error)) throw error
      await clock.sleep(backoff(tried), signal)
    }
  }
}

/** What {@link createOrUpdate} did. */
export interface Settled<T> {
  readonly object: T
  readonly did: 'created' | 'updated' | 'nothing'
}

/** How {@link createOrUpdate} writes. */
export interface CreateOrUpdateOptions extends WriteOptions, ConflictOptions {
  /** `patch` sends only what differs, as a merge patch that fails when somebody else wrote meanwhile. Default `update`. */
  readonly by?: 'update' | 'patch'
}

/**
 * Makes an object what `change` makes of it: of the object that is there, or of nothing. Nothing is sent when nothing changes; when
 * somebody else wrote meanwhile, it reads and changes again. `apply` is the shorter way where one owner names all that it wants.
 */
export function createOrUpdate<T extends KubeObject>(
  client: Reader & Writer,
  kind: Kind<T>,
  key: ObjectKey | string,
  change: (current: T | undefined) => Draft<T> | Promise<Draft<T>>,
  options: CreateOrUpdateOptions = {},
): Promise<Settled<T>> {
  const passing = (error: unknown): boolean => isConflict(error) || isAlreadyExists(error)
  return retryWhile(passing, () => settle(client, kind, key, change, options), options)
}

async function settle<T extends KubeObject>(
  client: Reader & Writer,
  kind: Kind<T>,
  key: ObjectKey | string,
  change: (current: T | undefined) => Draft<T> | Promise<Draft<T>>,
  options: CreateOrUpdateOptions,
): Promise<Settled<T>> {
  const { by = 'update', signal } = options
  const current = await client.find(kind, key, signal ? { signal } : {})
  const draft = (await change(current)) as KubeObject
  if (!current) {
    const named = { ...draft, metadata: { ...toKeyOf(key), ...draft.metadata } }
    return { object: await client.create(kind, named as Draft<T>, options), did: 'created' }
  }
  const { resourceVersion } = current.metadata
  const metadata = {
    ...current.metadata,
    ...draft.metadata,
    ...(resourceVersion ? { resourceVersion } : {}),
  }
  const wanted: T = { ...current, ...draft, metadata }
  if (jsonEqual(wanted, current)) return { object: current, did: 'nothing' }
  const object =
    by === 'update'
      ? await client.update(kind, wanted, options)
      : await client.patch(kind, key, { type: 'merge', body: difference(current, wanted) }, options)
  return { object, did: 'updated' }
}

const toKeyOf = (key: ObjectKey | string): ObjectKey =>
  typeof key === 'string' ? parseKey(key) : key

/** A merge patch that only holds for the revision that was read. */
function difference<T extends KubeObject>(current: T, wanted: T): object {
  const patch = createMergePatch(
    current as unknown as JsonObject,
    wanted as unknown as JsonObject,
  ) as { readonly metadata?: object }
  const { resourceVersion } = current.metadata
  return { ...patch, metadata: { ...patch.metadata, resourceVersion } }
}
