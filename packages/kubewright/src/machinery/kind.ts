import type { KubeObject, UnknownObject } from './object.ts'

/**
 * The token of a kind of object: everything an API needs to reach it, and, by the phantom `~object`, the type of what it
 * reaches. APIs take the token, never a bare type argument.
 */
export interface Kind<out T extends KubeObject = KubeObject> {
  /** API group; empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  /** The resource's name in paths, plural and lower case. */
  readonly plural: string
  readonly scope: Scope
  /** Never set: carries the object's type. */
  readonly '~object'?: T
}

/** Where the objects of a kind live. */
export type Scope = 'Namespaced' | 'Cluster'

/** The object type that a {@link Kind} stands for. */
export type ObjectOf<K extends Kind> = NonNullable<K['~object']>

/** Names a kind in one version. `group` is empty for the core group. */
export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** The `apiVersion` string of a group and version: `v1`, `apps/v1`. */
export function apiVersionOf(it: { readonly group: string; readonly version: string }): string {
  return it.group === '' ? it.version : `${it.group}/${it.version}`
}

/** Splits an `apiVersion` string; `v1` has the empty group. */
export function parseApiVersion(apiVersion: string): {
  readonly group: string
  readonly version: string
} {
  const slash = apiVersion.indexOf('/')
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}

/** Makes a {@link Kind} from its coordinates, for kinds whose types are generated or not known. */
export function kindOf<T extends KubeObject = UnknownObject>(
  apiVersion: string,
  kind: string,
  plural: string,
  scope: Scope,
): Kind<T> {
  return Object.freeze({ ...parseApiVersion(apiVersion), kind, plural, scope })
}

/** `Deployment.apps`, or `Pod` in the core group: how Kubernetes prints a group and kind. */
export function groupKindText(it: { readonly group: string; readonly kind: string }): string {
  return it.group === '' ? it.kind : `${it.kind}.${it.group}`
}

/** `deployments.apps`, or `pods` in the core group: how Kubernetes prints a group and resource. */
export function groupResourceText(it: { readonly group: string; readonly plural: string }): string {
  return it.group === '' ? it.plural : `${it.plural}.${it.group}`
}
