import {
  type JsonValue,
  parentManagedFields,
  scaleManagedFields,
  type UnknownObject,
} from 'kubewright/machinery'
import type { Draft, Projection } from '../registry/strategy.ts'

/** A body with the managedFields that those of its object come to. */
export function owned(
  shown: UnknownObject,
  { metadata: { managedFields } }: UnknownObject,
  { replicasPaths }: Projection,
): UnknownObject {
  const entries = scaleManagedFields((managedFields ?? []) as readonly JsonValue[], replicasPaths)
  const metadata = { ...shown.metadata, ...(entries ? { managedFields: entries } : {}) }
  return { ...shown, metadata } as UnknownObject
}

/** The object's managedFields as those of its body make them. */
export function disown(
  draft: Draft,
  body: Draft,
  { apiVersion = '', metadata: { managedFields } }: UnknownObject,
  { replicasPaths }: Projection,
): void {
  const entries = parentManagedFields(
    (managedFields ?? []) as readonly JsonValue[],
    (body.metadata.managedFields ?? []) as readonly JsonValue[],
    apiVersion,
    replicasPaths,
  )
  if (entries) draft.metadata.managedFields = entries as never
  else delete draft.metadata.managedFields
}
