import type { Client } from 'kubewright/client'
import { systemClock } from 'kubewright/base'
import {
  ApiError,
  isExpired,
  type Kind,
  keyText,
  type KubeObject,
  type ListOptions,
  parseKey,
} from 'kubewright/machinery'

/** How long to wait, and where. */
export interface UntilOptions {
  /** Milliseconds of real time, whatever clock the cluster has. Default 10 000. */
  readonly timeout?: number
}

/** What {@link until} rejects with when the time is over: what was waited for, and what was there instead. */
export class NotYetError extends Error {
  override readonly name = 'NotYetError'
  /** What was there when the time was over. */
  readonly last: readonly KubeObject[]

  constructor(what: string, timeout: number, last: readonly KubeObject[]) {
    const seen = last.map((it) => JSON.stringify(shown(it))).join(', ') || 'nothing'
    super(`${what} did not hold within ${timeout} ms; seen last: ${seen}`)
    this.last = last
  }
}

/** An object without what only fills the screen. */
function shown(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** Resolves with the object as soon as `holds` is true of it. `name` is `name` or `namespace/name`. */
export async function until<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  name: string,
  holds: (object: T) => boolean,
  options: UntilOptions = {},
): Promise<T> {
  const what = `${kind.kind} ${name}: ${holds.toString()}`
  const test = ([object]: readonly T[]): boolean => object !== undefined && holds(object)
  const [found] = await watching(client, kind, oneObject(client, kind, name), test, what, options)
  return found!
}

/** Resolves when there is no such object. */
export async function untilGone<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  name: string,
  options: UntilOptions = {},
): Promise<void> {
  const what = `${kind.kind} ${name}: being gone`
  const test = (objects: readonly T[]): boolean => objects.length === 0
  await watching(client, kind, oneObject(client, kind, name), test, what, options)
}

/** Resolves with all objects that a selection finds, as soon as `holds` is true of them together. */
export function untilList<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  selection: ListOptions,
  holds: (objects: readonly T[]) => boolean,
  options: UntilOptions = {},
): Promise<readonly T[]> {
  const { signal: _, ...where } = selection
  const what = `${kind.kind} ${JSON.stringify(where)}: ${holds.toString()}`
  return watching(client, kind, selection, holds, what, options)
}

function oneObject(client: Client, kind: Kind, name: string): ListOptions {
  const key = parseKey(name)
  const fieldSelector = `metadata.name=${key.name}`
  return kind.scope === 'Namespaced'
    ? { fieldSelector, namespace: key.namespace ?? client.namespace }
    : { fieldSelector }
}

async function watching<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  selection: ListOptions,
  holds: (objects: readonly T[]) => boolean,
  what: string,
  { timeout = 10_000 }: UntilOptions,
): Promise<readonly T[]> {
  const over = new AbortController()
  const timer = systemClock.after(timeout, () => over.abort())
  let last: readonly T[] = []
  try {
    for await (const objects of states(client, kind, { ...selection, signal: over.signal })) {
      last = objects
      if (holds(objects)) return objects
    }
  } catch (error) {
    if (!over.signal.aborted) throw error
  } finally {
    timer.cancel()
    over.abort()
  }
  throw new NotYetError(what, timeout, last)
}

/** What a selection finds, now and after every change. */
async function* states<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  where: ListOptions & { readonly signal: AbortSignal },
): AsyncGenerator<readonly T[]> {
  while (!where.signal.aborted) {
    const list = await client.list(kind, where)
    const objects = new Map(list.items.map((it) => [nameOf(it), it]))
    yield [...objects.values()]
    const resourceVersion = list.metadata.resourceVersion ?? ''
    try {
      for await (const event of client.watch(kind, { ...where, resourceVersion })) {
        if (event.type === 'ERROR') throw new ApiError(event.object)
        if (event.type === 'BOOKMARK') continue
        if (event.type === 'DELETED') objects.delete(nameOf(event.object))
        else objects.set(nameOf(event.object), event.object)
        yield [...objects.values()]
      }
    } catch (error) {
      if (!isExpired(error)) throw error
    }
  }
}

function nameOf(object: KubeObject): string {
  const { namespace = '', name = '' } = object.metadata
  return keyText({ namespace, name })
}
