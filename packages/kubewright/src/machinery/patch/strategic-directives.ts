import { formatGo, goTypeName } from './go-format.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { isJsonArray, isJsonObject, member, setMember } from './json.ts'
import { PatchError } from './patch-error.ts'

type DirectiveName = 'marker' | 'retainKeys' | 'deleteFromPrimitiveList' | 'setElementOrder'

/** The words of a strategic merge patch (apimachinery pkg/util/strategicpatch). */
export const directive: Readonly<Record<DirectiveName, string>> = Object.freeze({
  marker: '$patch',
  retainKeys: '$retainKeys',
  deleteFromPrimitiveList: '$deleteFromPrimitiveList',
  setElementOrder: '$setElementOrder',
})

/** The member that `$setElementOrder/x` or `$deleteFromPrimitiveList/x` speaks of: `x`. */
export function directiveTarget(key: string, prefix: string): string {
  const slash = key.indexOf('/')
  if (slash === prefix.length) return key.slice(slash + 1)
  throw prefix === directive.deleteFromPrimitiveList ? badPrimitiveList() : badElementOrder()
}

/** Drops objects that carry `$patch` from a value that has nothing to be merged with; `undefined` drops it all. */
export function removeDirectives(value: JsonValue): JsonValue | undefined {
  if (isJsonArray(value)) return value.map(removeDirectives).filter((item) => item !== undefined)
  if (!isJsonObject(value)) return value
  if (Object.hasOwn(value, directive.marker)) return undefined
  return mapMembers(value, removeDirectives)
}

/** Drops null members from objects at any depth; null items of lists stay. */
export function discardNulls(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(discardNulls)
  if (!isJsonObject(value)) return value
  return mapMembers(value, (child) => (child === null ? undefined : discardNulls(child)))
}

function mapMembers(
  object: JsonObject,
  change: (value: JsonValue) => JsonValue | undefined,
): JsonObject {
  const out: Record<string, JsonValue> = {}
  for (const key of Object.keys(object)) {
    const changed = change(object[key] ?? null)
    if (changed !== undefined) setMember(out, key, changed)
  }
  return out
}

/** The item's merge key value. @throws PatchError Internal when the item has none. */
export function mergeKeyOf(item: JsonValue, mergeKey: string): JsonValue {
  const object = objectItem(item)
  const value = member(object, mergeKey)
  if (value === undefined) throw noMergeKey(object, mergeKey)
  return value
}

/** The item as an object. @throws PatchError Internal when it is something else. */
export function objectItem(item: JsonValue): JsonObject {
  if (isJsonObject(item)) return item
  throw badArgument('map[string]interface {}', item)
}

/** The value as a list. @throws PatchError Internal when it is something else. */
export function listValue(value: JsonValue): readonly JsonValue[] {
  if (isJsonArray(value)) return value
  throw badArgument('[]interface {}', value)
}

/**
 * What the items of some lists are, all together: objects or scalars.
 * @throws PatchError when they are lists, differ in type, or when there is no item at all.
 */
export function itemKind(...lists: (readonly JsonValue[])[]): 'object' | 'scalar' {
  const first = lists.find((list) => list.length > 0)?.[0]
  if (first === undefined) throw internal('no elements in any of the given slices')
  if (isJsonArray(first)) throw unprocessable('lists of lists are not supported')
  const type = goTypeName(first)
  if (lists.some((list) => list.some((item) => goTypeName(item) !== type)))
    throw internal(`list element types are not identical: ${formatGo(lists)}`)
  return isJsonObject(first) ? 'object' : 'scalar'
}

/** `$patch` says something that Kubernetes does not know. */
export function badPatchType(type: JsonValue, object: JsonObject): PatchError {
  return internal(`unknown patch type: ${formatGo(type)} in map: ${formatGo(object)}`)
}

/** An item of a merged list lacks the merge key. */
export function noMergeKey(object: JsonObject, mergeKey: string): PatchError {
  return internal(`map: ${formatGo(object)} does not contain declared merge key: ${mergeKey}`)
}

/** `$setElementOrder` does not fit the list it orders. */
export function badElementOrder(): PatchError {
  return badRequest('invalid patch format of setElementOrder list')
}

/** `$retainKeys` is not a list, or a member of the patch is missing from it. */
export function badRetainKeys(): PatchError {
  return badRequest('invalid patch format of retainKeys')
}

function badPrimitiveList(): PatchError {
  return badRequest('invalid patch format of primitive list')
}

function badArgument(expected: string, actual: JsonValue): PatchError {
  // Go prints the type of null with the wrong verb.
  const received = actual === null ? '%!s(<nil>)' : goTypeName(actual)
  return internal(`expected a ${expected}, but received a ${received}`)
}

/** A fault that kube-apiserver reports as 500 with the bare text. */
export function internal(message: string): PatchError {
  return new PatchError('Internal', message)
}

function badRequest(message: string): PatchError {
  return new PatchError('BadRequest', message)
}

function unprocessable(message: string): PatchError {
  return new PatchError('Unprocessable', message)
}
