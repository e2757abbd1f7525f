import { formatGo } from './go-format.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { isJsonArray, isJsonObject, jsonEqual, member, setMember } from './json.ts'
import type { PatchField, PatchSchema } from './schema.ts'
import {
  badElementOrder,
  badPatchType,
  badRetainKeys,
  directive,
  directiveTarget,
  discardNulls,
  internal,
  itemKind,
  listValue,
  mergeKeyOf,
  noMergeKey,
  objectItem,
  removeDirectives,
} from './strategic-directives.ts'
import { identity, mergeOrdered, partition, splitDeletions } from './strategic-order.ts'

/**
 * Strategic merge patch (apimachinery pkg/util/strategicpatch). The merge of two patches into one
 * (`mergeStrategicPatches`) follows the same walk, but keeps nulls and the parallel lists.
 */

type List = readonly JsonValue[]
type Draft = Record<string, JsonValue>

/** `document`: apply directives and drop nulls. `patch`: the left side is a patch too, keep both. */
type MergeTarget = 'document' | 'patch'

/**
 * Merges a strategic merge patch into a document and returns the result; neither is changed.
 * @throws PatchError with Kubernetes' text when the patch does not fit the schema or its own rules.
 */
export function applyStrategicMergePatch(
  document: JsonObject,
  patch: JsonObject,
  schema: PatchSchema,
): JsonObject {
  return mergeObjects(document, patch, schema, 'document')
}

/** One patch that does what the two do one after the other. @throws PatchError as above. */
export function mergeStrategicPatches(
  first: JsonObject,
  second: JsonObject,
  schema: PatchSchema,
): JsonObject {
  return mergeObjects(first, second, schema, 'patch')
}

function mergeObjects(
  original: JsonObject,
  patch: JsonObject,
  schema: PatchSchema,
  target: MergeTarget,
): JsonObject {
  const marker = member(patch, directive.marker)
  if (marker !== undefined) return obeyMarker(marker, patch)
  const out: Draft = { ...original }
  const rest: Draft = { ...patch }
  retainKeys(out, rest, target)
  for (const key of Object.keys(rest)) {
    if (key.startsWith(directive.setElementOrder)) mergeInOrder(out, rest, key, schema, target)
  }
  for (const key of Object.keys(rest)) mergeMember(out, key, rest[key] ?? null, schema, target)
  return out
}

function obeyMarker(marker: JsonValue, patch: JsonObject): JsonObject {
  if (marker === 'delete') return {}
  if (marker !== 'replace') throw badPatchType(marker, patch)
  const out: Draft = { ...patch }
  delete out[directive.marker]
  return out
}

function retainKeys(out: Draft, patch: Draft, target: MergeTarget): void {
  const keys = member(patch, directive.retainKeys)
  if (keys === undefined) return
  delete patch[directive.retainKeys]
  if (target === 'patch') return carryRetainKeys(out, keys)
  if (!isJsonArray(keys)) throw badRetainKeys()
  const retained = new Set(keys)
  if (Object.keys(patch).some((key) => mustBeRetained(key, patch[key]) && !retained.has(key)))
    throw badRetainKeys()
  for (const key of Object.keys(out)) if (!retained.has(key)) delete out[key]
}

function carryRetainKeys(out: Draft, keys: JsonValue): void {
  const before = member(out, directive.retainKeys)
  if (before === undefined) out[directive.retainKeys] = keys
  else if (!jsonEqual(before, keys)) {
    const why = 'this may happen when calculating the 3-way diff patch'
    throw internal(`${formatGo(before)} and ${formatGo(keys)} are not deep equal: ${why}`)
  }
}

function mustBeRetained(key: string, value: JsonValue | undefined): boolean {
  const isDirective =
    key.startsWith(directive.deleteFromPrimitiveList) || key.startsWith(directive.setElementOrder)
  return value !== null && !isDirective
}

/** Obeys `$setElementOrder/x` together with the patch's own `x`, which is then done with. */
function mergeInOrder(
  out: Draft,
  patch: Draft,
  key: string,
  schema: PatchSchema,
  target: MergeTarget,
): void {
  const directed = patch[key] ?? null
  if (target === 'patch') carryElementOrder(out, key, directed)
  delete patch[key]
  const order = listValue(directed)
  const name = directiveTarget(key, directive.setElementOrder)
  const before = optionalList(member(out, name))
  const change = optionalList(member(patch, name))
  const field = schema.field(name)
  checkElementOrder(change ?? [], order, field.mergeKey)
  const merged = mergeOptionalLists(before, change, field, target)
  if (!merged) return
  itemKind(before ?? [], change ?? [])
  const [patchItems, serverItems] = partition(merged, order, field.mergeKey)
  const serverOrder = before && change ? serverOrderOf(before, change, field) : (before ?? [])
  setMember(out, name, mergeOrdered(patchItems, serverItems, order, serverOrder, field.mergeKey))
  delete patch[name]
}

function carryElementOrder(out: Draft, key: string, order: JsonValue): void {
  const before = member(out, key)
  if (before === undefined) out[key] = order
  else if (!jsonEqual(before, order)) throw badElementOrder()
}

function optionalList(value: JsonValue | undefined): List | undefined {
  return value === undefined ? undefined : listValue(value)
}

function mergeOptionalLists(
  before: List | undefined,
  change: List | undefined,
  field: PatchField,
  target: MergeTarget,
): List | undefined {
  if (before && change) return mergeLists(before, change, field, target)
  if (change) return removeDirectives(change) as List
  return before
}

/**
 * The order that the server's own items keep. Kubernetes works in the place of the old list: where the patch
 * deletes items, as many of its new items stand at the end of that order.
 */
function serverOrderOf(before: List, change: List, field: PatchField): List {
  const { mergeKey } = field
  if (field.strategy !== 'merge' || mergeKey === '' || !change.some(hasMarker)) return before
  const [kept, changes] = obeyItemMarkers(before, change, mergeKey)
  const known = new Set(kept.map((item) => identity(item, mergeKey)))
  const added = changes.filter((item) => !known.has(identity(item, mergeKey)))
  return [...kept, ...added.slice(0, Math.max(0, before.length - kept.length))]
}

/** The patch's items must be in the order that `$setElementOrder` gives, and all of them must be in it. */
function checkElementOrder(patch: List, order: List, mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return
  const items = mergeKey === '' ? patch : splitDeletions(patch)[0]
  let next = 0
  for (const entry of order) {
    while (next < items.length && hasMarker(items[next] as JsonValue)) next++
    if (next === items.length) return
    if (sameItem(items[next] as JsonValue, entry, mergeKey)) next++
  }
  if (next === items.length) return
  const lists = `${formatGo(patch)}\n doesn't match ${directive.setElementOrder} list:\n${formatGo(order)}`
  throw internal(`The order in patch list:\n${lists}\n`)
}

function hasMarker(item: JsonValue): boolean {
  return isJsonObject(item) && Object.hasOwn(item, directive.marker)
}

function sameItem(left: JsonValue, right: JsonValue, mergeKey: string): boolean {
  if (mergeKey === '') return left === right
  return mergeKeyOf(left, mergeKey) === mergeKeyOf(right, mergeKey)
}

function mergeMember(
  out: Draft,
  key: string,
  value: JsonValue,
  schema: PatchSchema,
  target: MergeTarget,
): void {
  if (!key.startsWith(directive.deleteFromPrimitiveList))
    return mergeValue(out, key, value, schema, target)
  if (target === 'patch') return setMember(out, key, value)
  const name = directiveTarget(key, directive.deleteFromPrimitiveList)
  const list = member(out, name)
  if (value === null) delete out[name]
  else if (isJsonArray(list) && isJsonArray(value)) out[name] = deleteItems(list, value)
}

function deleteItems(list: List, remove: List): List {
  if (list.length === 0 && remove.length === 0) return list
  if (itemKind(list, remove) === 'object')
    throw internal('cannot merge lists without merge key for struct')
  const removed = new Set(remove)
  return list.filter((item) => !removed.has(item))
}

function mergeValue(
  out: Draft,
  key: string,
  value: JsonValue,
  schema: PatchSchema,
  target: MergeTarget,
): void {
  if (value === null) {
    delete out[key]
    if (target === 'document') return
  }
  const before = member(out, key)
  if (isJsonObject(before) && isJsonObject(value)) {
    const field = schema.field(key)
    const isReplaced = field.strategy === 'replace'
    setMember(out, key, isReplaced ? value : mergeObjects(before, value, field.schema, target))
  } else if (isJsonArray(before) && isJsonArray(value))
    setMember(out, key, mergeLists(before, value, schema.field(key), target))
  else takeValue(out, key, value, target)
}

function takeValue(out: Draft, key: string, value: JsonValue, target: MergeTarget): void {
  const kept = removeDirectives(target === 'document' ? discardNulls(value) : value)
  if (kept === undefined) delete out[key]
  else setMember(out, key, kept)
}

function mergeLists(before: List, patch: List, field: PatchField, target: MergeTarget): List {
  if (field.strategy !== 'merge') return patch
  if (before.length === 0 && patch.length === 0) return before
  if (itemKind(before, patch) === 'scalar') {
    const merged = dedupe([...before, ...patch])
    return inPatchOrder(merged, patch, before, field.mergeKey)
  }
  if (field.mergeKey === '') throw internal('cannot merge lists without merge key for struct')
  const [kept, changes] = obeyItemMarkers(before, patch, field.mergeKey)
  const merged = mergeItems(kept, changes, field, target)
  return inPatchOrder(merged, changes, merged.slice(0, kept.length), field.mergeKey)
}

function inPatchOrder(merged: List, patch: List, before: List, mergeKey: string): List {
  const [patchItems, serverItems] = partition(merged, patch, mergeKey)
  return mergeOrdered(patchItems, serverItems, patch, before, mergeKey)
}

/** Obeys `$patch` in list items; returns the items that remain and the changes that are left to merge. */
function obeyItemMarkers(before: List, patch: List, mergeKey: string): [List, List] {
  let kept = before
  let isReplaced = false
  const changes: JsonValue[] = []
  for (const item of patch.map(objectItem)) {
    const marker = member(item, directive.marker)
    if (marker === undefined) changes.push(item)
    else if (marker === 'delete') kept = deleteMatching(kept, item, mergeKey)
    else if (marker === 'replace') isReplaced = true
    else if (marker === 'merge')
      throw internal('merging lists cannot yet be specified in the patch')
    else throw badPatchType(marker, item)
  }
  return isReplaced ? [changes, []] : [kept, changes]
}

function deleteMatching(list: List, item: JsonObject, mergeKey: string): List {
  const value = member(item, mergeKey)
  if (value === undefined) throw noMergeKey(item, mergeKey)
  return list.filter((other) => identity(other, mergeKey) !== value)
}

function mergeItems(before: List, changes: List, field: PatchField, target: MergeTarget): List {
  const out = [...before]
  const positions = new Map<JsonValue | undefined, number>()
  out.forEach((item, i) => {
    const id = identity(item, field.mergeKey)
    if (!positions.has(id)) positions.set(id, i)
  })
  for (const change of changes) {
    const id = mergeKeyOf(change, field.mergeKey)
    const at = positions.get(id)
    if (at !== undefined)
      out[at] = mergeObjects(objectItem(out[at] ?? null), objectItem(change), field.schema, target)
    else positions.set(id, out.push(change) - 1)
  }
  return out
}

/** Drops repeated scalars as Kubernetes does: the last item moves into the gap. */
export function dedupe(list: List): JsonValue[] {
  const out = [...list]
  for (let i = 0; i < out.length - 1; i++) {
    for (let j = i + 1; j < out.length; j++) {
      if (out[i] !== out[j]) continue
      const last = out.pop() as JsonValue
      if (j < out.length) out[j--] = last
    }
  }
  return out
}
