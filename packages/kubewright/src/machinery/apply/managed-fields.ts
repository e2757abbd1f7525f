import type { JsonObject, JsonValue } from '../patch/json.ts'
import { isJsonArray, isJsonObject, member, withoutMember } from '../patch/json.ts'
import type { FieldsV1Codec } from './fields-v1.ts'
import { plainCodec } from './fields-v1.ts'
import type { ManagerIdentity, ManagerOperation } from './manager-identity.ts'
import { managerId, parseManagerId } from './manager-identity.ts'
import type { ManagedSet, Managers } from './managers.ts'
import { compareText } from './path-element.ts'

/** `metadata.managedFields` as this room works with it. Source: apimachinery pkg/util/managedfields/internal. */
export interface Managed {
  readonly managers: Managers
  /** When each manager last changed something, RFC 3339 in whole seconds UTC. */
  readonly times: ReadonlyMap<string, string>
}

/** One entry of `metadata.managedFields`. */
export interface ManagedFieldsEntry extends JsonObject {
  readonly manager: string
  readonly operation: ManagerOperation
  readonly apiVersion: string
  readonly fieldsType: 'FieldsV1'
  readonly fieldsV1: JsonObject
}

/** Nobody owns anything. */
export const emptyManaged: Managed = Object.freeze({ managers: new Map(), times: new Map() })

/** Reads entries. @throws Error when one of them is invalid. */
export function decodeManagedFields(
  entries: readonly JsonValue[],
  codec: Pick<FieldsV1Codec, 'decode'>,
): Managed {
  const managers = new Map<string, ManagedSet>()
  const times = new Map<string, string>()
  entries.forEach((value, i) => {
    const entry = isJsonObject(value) ? value : {}
    const { operation, version } = checkEntry(entry, i)
    const id = managerId({
      manager: textOf(entry, 'manager'),
      operation,
      apiVersion: version,
      subresource: textOf(entry, 'subresource'),
    })
    const fields = member(entry, 'fieldsV1')
    const set = codec.decode(isJsonObject(fields) ? fields : {})
    managers.set(id, { set, version, isApplied: operation === 'Apply' })
    const time = textOf(entry, 'time')
    if (time !== '') times.set(id, canonicalTime(time))
    else times.delete(id)
  })
  return { managers, times }
}

function checkEntry(
  entry: JsonObject,
  index: number,
): { operation: ManagerOperation; version: string } {
  const operation = member(entry, 'operation')
  if (operation !== 'Apply' && operation !== 'Update')
    throw new Error('operation must be `Apply` or `Update`')
  const version = textOf(entry, 'apiVersion')
  if (version === '') throw new Error('apiVersion must not be empty')
  const fieldsType = textOf(entry, 'fieldsType')
  if (fieldsType === '') throw new Error(`missing fieldsType in managed fields entry ${index}`)
  if (fieldsType !== 'FieldsV1')
    throw new Error(`invalid fieldsType "${fieldsType}" in managed fields entry ${index}`)
  return { operation, version }
}

/** Writes entries in Kubernetes' order; undefined when nobody owns anything. */
export function encodeManagedFields(
  { managers, times }: Managed,
  codec: Pick<FieldsV1Codec, 'encode'>,
): readonly ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined
  const entries = [...managers].map(([id, owned]) =>
    encodeEntry(parseManagerId(id), owned, times.get(id), codec),
  )
  return entries.length > 1 ? entries.sort(compareEntries) : entries
}

/** Writes the entry of one manager. */
export function encodeEntry(
  { manager, operation, subresource }: Omit<ManagerIdentity, 'apiVersion'>,
  { set, version, isApplied }: ManagedSet,
  time: string | undefined,
  codec: Pick<FieldsV1Codec, 'encode'>,
): ManagedFieldsEntry {
  return {
    manager,
    operation: isApplied ? 'Apply' : operation,
    apiVersion: version,
    ...(time !== undefined && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: codec.encode(set),
    ...(subresource !== '' && { subresource }),
  }
}

function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(textOf(a, 'time')) - secondsOf(textOf(b, 'time')) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(textOf(a, 'subresource'), textOf(b, 'subresource'))
  )
}

/** An entry's time in seconds since 1970; no time counts as 0. */
export function secondsOf(time: string | undefined): number {
  return time === undefined || time === '' ? 0 : Math.floor(Date.parse(time) / 1000)
}

function canonicalTime(time: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(time)) return time
  const parsed = Date.parse(time)
  if (Number.isNaN(parsed)) throw new Error(`parsing time ${JSON.stringify(time)}: not RFC 3339`)
  return new Date(parsed).toISOString().replace(/\.\d+Z$/, 'Z')
}

function textOf(object: JsonObject, key: string): string {
  const value = member(object, key)
  return typeof value === 'string' ? value : ''
}

/** The object's `metadata.managedFields`; undefined when it has none (an empty list is a list). */
export function managedFieldsOf(object: JsonObject): readonly JsonValue[] | undefined {
  const metadata = member(object, 'metadata')
  const entries = isJsonObject(metadata) ? member(metadata, 'managedFields') : undefined
  return isJsonArray(entries) ? entries : undefined
}

/** The object with other entries, or with none; a shallow copy, the object itself when nothing changes. */
export function withManagedFields(
  object: JsonObject,
  entries: readonly JsonValue[] | undefined,
): JsonObject {
  const value = member(object, 'metadata')
  const metadata = isJsonObject(value) ? value : {}
  if (entries) return { ...object, metadata: { ...metadata, managedFields: entries } }
  const stripped = withoutMember(metadata, 'managedFields')
  return stripped === metadata ? object : { ...object, metadata: stripped }
}

/**
 * An error for the first entry that is invalid, undefined when all can be read. Admission runs it after webhooks
 * have changed an object; what is invalid then is put back as it was.
 */
export function validateManagedFields(
  entries: readonly JsonValue[],
  codec: Pick<FieldsV1Codec, 'decode'> = plainCodec,
): Error | undefined {
  try {
    decodeManagedFields(entries, codec)
    return undefined
  } catch (error) {
    return error as Error
  }
}
