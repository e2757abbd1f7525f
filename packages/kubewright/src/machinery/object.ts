/**
 * The shape every Kubernetes object shares. Objects are plain JSON: what leaves a cache or a store is readonly (and frozen in
 * tests); a writer copies first.
 */
export interface KubeObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
}

/** A Kubernetes object of a kind known only at run time: every other field is there to be looked at, none is promised. */
export interface UnknownObject extends KubeObject {
  readonly [field: string]: unknown
}

/** `metadata` of a Kubernetes object (meta/v1 ObjectMeta). Timestamps are RFC 3339 strings in UTC with whole seconds. */
export interface ObjectMeta {
  readonly name?: string
  readonly generateName?: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string | null
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly OwnerReference[]
  readonly finalizers?: readonly string[]
  readonly managedFields?: readonly ManagedFieldsEntry[]
  readonly selfLink?: string
}

/** Names the object that another one belongs to (meta/v1 OwnerReference): same namespace, or a cluster-scoped owner. */
export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** Which manager set which fields, by which kind of write (meta/v1 ManagedFieldsEntry, KEP-555). */
export interface ManagedFieldsEntry {
  readonly manager?: string
  readonly operation?: 'Apply' | 'Update'
  readonly apiVersion?: string
  readonly time?: string
  readonly fieldsType?: 'FieldsV1'
  readonly fieldsV1?: Readonly<Record<string, unknown>>
  readonly subresource?: string
}

/** `metadata` of a list (meta/v1 ListMeta). `continue` is opaque; `remainingItemCount` is absent when not known. */
export interface ListMeta {
  readonly resourceVersion?: string
  readonly continue?: string
  readonly remainingItemCount?: number
  readonly selfLink?: string
}

/** A page of objects as a server sends it. */
export interface ListOf<out T> {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ListMeta
  readonly items: readonly T[]
}
