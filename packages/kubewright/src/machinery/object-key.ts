import type { KubeObject } from './object.ts'

/**
 * Names one object of a kind. `namespace` is absent (or empty) for a cluster-scoped one, `cluster` for one of the cluster that is
 * spoken to anyway.
 */
export interface ObjectKey {
  readonly cluster?: string
  readonly namespace?: string
  readonly name: string
}

/** The key of an object. */
export function keyOf(object: KubeObject): ObjectKey {
  const { namespace, name = '' } = object.metadata
  return namespace ? { namespace, name } : { name }
}

/**
 * `namespace/name`, or `name` alone: the key as a string, as logs and queues show it. One of another cluster begins with that and a
 * percent sign, which no name may have: `west%namespace/name`.
 */
export function keyText(key: ObjectKey): string {
  const text = key.namespace ? `${key.namespace}/${key.name}` : key.name
  return key.cluster ? `${key.cluster}%${text}` : text
}

/** Reads what {@link keyText} wrote. */
export function parseKey(text: string): ObjectKey {
  const percent = text.indexOf('%')
  if (percent >= 0) return { cluster: text.slice(0, percent), ...parseKey(text.slice(percent + 1)) }
  const slash = text.indexOf('/')
  return slash < 0
    ? { name: text }
    : { namespace: text.slice(0, slash), name: text.slice(slash + 1) }
}

/** A key as its own cluster knows it: without the cluster's name. */
export function localKey(key: ObjectKey): ObjectKey {
  if (key.cluster === undefined) return key
  return key.namespace ? { namespace: key.namespace, name: key.name } : { name: key.name }
}
