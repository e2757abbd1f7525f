import type { KubeObject } from './object.ts'

/** Names one object of a kind. `namespace` is absent (or empty) for a cluster-scoped one. */
export interface ObjectKey {
  readonly namespace?: string
  readonly name: string
}

/** The key of an object. */
export function keyOf(object: KubeObject): ObjectKey {
  const { namespace, name = '' } = object.metadata
  return namespace ? { namespace, name } : { name }
}

/** `namespace/name`, or `name` alone: the key as a string, as logs and queues show it. */
export function keyText(key: ObjectKey): string {
  return key.namespace ? `${key.namespace}/${key.name}` : key.name
}

/** Reads what {@link keyText} wrote. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/')
  return slash < 0
    ? { name: text }
    : { namespace: text.slice(0, slash), name: text.slice(slash + 1) }
}
