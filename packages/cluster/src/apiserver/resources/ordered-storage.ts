import { parseApiVersion, type UnknownObject } from 'kubewright/machinery'
import type { Storage } from '../storage/storage.ts'
import { definitionName } from './builtins.ts'
import { fieldOrder, keyOrder } from './field-order.ts'

/** An object with its fields as Kubernetes writes them: in struct order where its kind is built in, by key where it is custom. */
export function ordered<T extends object>(object: T): T {
  const { apiVersion, kind } = object as UnknownObject
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return object
  const name = { ...parseApiVersion(apiVersion), kind }
  const order = definitionName(name) ? fieldOrder(name) : keyOrder
  return order(object) as T
}

/**
 * A store into which everything goes in Kubernetes' order of fields, whoever writes it: what is read from it need only be printed.
 */
export function orderedStorage(storage: Storage): Storage {
  return {
    get revision() {
      return storage.revision
    },
    get compacted() {
      return storage.compacted
    },
    get: (key) => storage.get(key),
    list: (range) => storage.list(range),
    watch: (prefix, after, signal, fellBehind) => storage.watch(prefix, after, signal, fellBehind),
    compact: (revision) => storage.compact(revision),
    snapshot: () => storage.snapshot(),
    close: () => storage.close(),
    compareAndSwap: (key, expected, next) =>
      storage.compareAndSwap(key, expected, next && ordered(withVersion(next))),
  }
}

/** The version is put into the object in place: it must have its place already. */
function withVersion(object: UnknownObject): UnknownObject {
  const metadata = object.metadata as { resourceVersion?: string }
  metadata.resourceVersion ??= ''
  return object
}
