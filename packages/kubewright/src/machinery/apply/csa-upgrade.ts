import type { JsonObject, JsonValue } from '../patch/json.ts'
import { isJsonObject, jsonEqual, member } from '../patch/json.ts'
import { union } from './field-set.ts'
import { decodeFieldsV1, encodeFieldsV1 } from './fields-v1.ts'
import type { FieldSet } from './field-set.ts'
import { managedFieldsOf, withManagedFields } from './managed-fields.ts'
import type { ManagerOperation } from './manager-identity.ts'

/** Whose fields go to whom when an object moves from client-side to server-side apply. */
export interface CsaUpgrade {
  /** Managers that updated the object on behalf of a client-side apply, such as `kubectl-client-side-apply`. */
  readonly from: readonly string[]
  /** The manager that will apply. */
  readonly to: string
  /** Only entries of this subresource; default: the main resource. */
  readonly subresource?: string
}

/**
 * The object with the fields of client-side managers owned by the manager that will apply, so that it can also
 * remove them. Not reversible. @throws Error when an entry cannot be read.
 * Source: client-go util/csaupgrade.
 */
export function upgradeManagedFields(object: JsonObject, upgrade: CsaUpgrade): JsonObject {
  const before = managedFieldsOf(object)
  if (!before) return object
  const after = upgraded(before, upgrade)
  return withManagedFields(object, after.length > 0 ? after : undefined)
}

/**
 * The JSON patch that does the same on the server and fails with a conflict when the object has changed since;
 * undefined when there is nothing to do. @throws Error when an entry cannot be read.
 */
export function upgradeManagedFieldsPatch(
  object: JsonObject,
  upgrade: CsaUpgrade,
): readonly JsonObject[] | undefined {
  const before = managedFieldsOf(object) ?? []
  const after = upgraded(before, upgrade)
  if (jsonEqual(before, after)) return undefined
  const metadata = member(object, 'metadata')
  const version = isJsonObject(metadata) ? member(metadata, 'resourceVersion') : undefined
  return [
    { op: 'replace', path: '/metadata/managedFields', value: after },
    // Replacing the version, rather than testing it, makes a stale patch a conflict and not an invalid request.
    { op: 'replace', path: '/metadata/resourceVersion', value: version ?? '' },
  ]
}

function upgraded(entries: readonly JsonValue[], upgrade: CsaUpgrade): readonly JsonValue[] {
  return upgrade.from.reduce<readonly JsonValue[]>(
    (current, name) => upgradeOne(current, name, upgrade),
    entries,
  )
}

function upgradeOne(
  entries: readonly JsonValue[],
  from: string,
  { to, subresource = '' }: CsaUpgrade,
): readonly JsonValue[] {
  const isOld = (entry: JsonValue): boolean => isEntry(entry, from, 'Update', subresource)
  const applier = entries.findIndex((entry) => isEntry(entry, to, 'Apply', subresource))
  const at = applier >= 0 ? applier : entries.findIndex(isOld)
  const target = entries[at]
  if (!isJsonObject(target)) return entries
  const same = entries.find(
    (e) => isOld(e) && textOf(e, 'apiVersion') === textOf(target, 'apiVersion'),
  )
  const fields = same === undefined ? setOf(target) : union(setOf(target), setOf(same))
  const entry = { ...target, manager: to, operation: 'Apply', fieldsV1: encodeFieldsV1(fields) }
  return entries.flatMap((other, i) => (i === at ? [entry] : isOld(other) ? [] : [other]))
}

function isEntry(
  entry: JsonValue,
  manager: string,
  operation: ManagerOperation,
  subresource: string,
): boolean {
  return (
    textOf(entry, 'manager') === manager &&
    textOf(entry, 'operation') === operation &&
    textOf(entry, 'subresource') === subresource
  )
}

function setOf(entry: JsonValue): FieldSet {
  const fields = isJsonObject(entry) ? member(entry, 'fieldsV1') : undefined
  return decodeFieldsV1(isJsonObject(fields) ? fields : {})
}

function textOf(entry: JsonValue, key: string): string {
  const value = isJsonObject(entry) ? member(entry, key) : undefined
  return typeof value === 'string' ? value : ''
}
