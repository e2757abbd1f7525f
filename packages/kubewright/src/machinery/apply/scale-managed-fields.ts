import type { JsonValue } from '../patch/json.ts'
import type { FieldSet } from './field-set.ts'
import { difference, fieldSetOf, hasPath } from './field-set.ts'
import type { FieldsV1Codec } from './fields-v1.ts'
import { plainCodec } from './fields-v1.ts'
import type { Managed, ManagedFieldsEntry } from './managed-fields.ts'
import { decodeManagedFields, encodeManagedFields } from './managed-fields.ts'
import type { ManagedSet, Managers } from './managers.ts'
import type { FieldPath } from './path-element.ts'
import { fieldPath } from './path-element.ts'

/** The API version of the scale subresource. */
export const scaleApiVersion = 'autoscaling/v1'

/**
 * By API version of a resource: where its replica count is. A version without a scale subresource has `null`; the
 * fields of a version that is not in the map are forgotten.
 */
export type ReplicasPaths = ReadonlyMap<string, FieldPath | null>

const replicasInScale: FieldPath = fieldPath('spec', 'replicas')
const scaleSet: FieldSet = fieldSetOf(replicasInScale)

/**
 * The managedFields that a Scale object shows: those of its parent that own the replica count, as owners of
 * `.spec.replicas` at autoscaling/v1. @throws Error when an entry is invalid.
 * Source: apimachinery pkg/util/managedfields/scalehandler.go.
 */
export function scaleManagedFields(
  parentEntries: readonly JsonValue[],
  paths: ReplicasPaths,
  codec: FieldsV1Codec = plainCodec,
): readonly ManagedFieldsEntry[] | undefined {
  const { managers, times } = decodeManagedFields(parentEntries, codec)
  const owners = new Map<string, ManagedSet>()
  for (const [id, owned] of managers) {
    const path = paths.get(owned.version)
    if (path && hasPath(owned.set, path))
      owners.set(id, { ...owned, set: scaleSet, version: scaleApiVersion })
  }
  return encodeManagedFields({ managers: owners, times }, codec)
}

/**
 * The parent's managedFields after a change through its scale subresource: whoever lost the replica count there
 * loses it here, and whoever gained it gains it at `apiVersion`. @throws Error when an entry is invalid.
 */
export function parentManagedFields(
  parentEntries: readonly JsonValue[],
  scaleEntries: readonly JsonValue[],
  apiVersion: string,
  paths: ReplicasPaths,
  codec: FieldsV1Codec = plainCodec,
): readonly ManagedFieldsEntry[] | undefined {
  const parent = decodeManagedFields(parentEntries, codec)
  const scale = decodeManagedFields(scaleEntries, codec)
  const kept = keptByParent(parent, scale.managers, paths)
  const managers = new Map([...kept, ...gainedByScale(scale.managers, parent, apiVersion, paths)])
  // A manager that is new to the parent has no time there: so it is in Kubernetes.
  return encodeManagedFields({ managers, times: parent.times }, codec)
}

function keptByParent(parent: Managed, scale: Managers, paths: ReplicasPaths): Managers {
  const out = new Map<string, ManagedSet>()
  for (const [id, owned] of parent.managers) {
    const path = paths.get(owned.version)
    if (path === undefined) continue
    const isLost = path !== null && hasPath(owned.set, path) && !scale.has(id)
    const set = isLost ? difference(owned.set, fieldSetOf(path)) : owned.set
    if (set.size > 0) out.set(id, { ...owned, set })
  }
  return out
}

function gainedByScale(
  scale: Managers,
  parent: Managed,
  apiVersion: string,
  paths: ReplicasPaths,
): Managers {
  const path = paths.get(apiVersion)
  const out = new Map<string, ManagedSet>()
  for (const [id, { set, isApplied }] of scale) {
    if (!path || hadReplicas(parent.managers.get(id), paths) || !hasPath(set, replicasInScale))
      continue
    out.set(id, { set: fieldSetOf(path), version: apiVersion, isApplied })
  }
  return out
}

function hadReplicas(owned: ManagedSet | undefined, paths: ReplicasPaths): boolean {
  const path = owned && paths.get(owned.version)
  return path ? hasPath(owned.set, path) : false
}
