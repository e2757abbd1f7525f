import { formatGo, goTypeName } from './go-format.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { isJsonArray, isJsonObject, jsonEqual, member, setMember } from './json.ts'
import type { PatchField, PatchSchema } from './schema.ts'
import { directive, internal, itemKind, mergeKeyOf, objectItem } from './strategic-directives.ts'
import { dedupe, mergeStrategicPatches } from './strategic-merge.ts'
import { sortByOrder } from './strategic-order.ts'

type List = readonly JsonValue[]
type Draft = Record<string, JsonValue>

interface DiffOptions {
  readonly changes: boolean
  readonly deletions: boolean
}

const everything: DiffOptions = Object.freeze({ changes: true, deletions: true })
const changesOnly: DiffOptions = Object.freeze({ changes: true, deletions: false })
const deletionsOnly: DiffOptions = Object.freeze({ changes: false, deletions: true })

/**
 * The strategic merge patch that turns `from` into `to`; `{}` when they are equal. Changed lists that merge come
 * with `$setElementOrder`, removed items as `$patch: delete` or `$deleteFromPrimitiveList`.
 * @throws PatchError Internal when the schema does not know a changed member.
 * Source: apimachinery strategicpatch.CreateTwoWayMergePatch.
 */
export function createStrategicMergePatch(
  from: JsonObject,
  to: JsonObject,
  schema: PatchSchema,
): JsonObject {
  return diffObjects(from, to, schema, everything, false)
}

/**
 * The patch that brings `current` to `modified` and keeps what others changed: changes and additions from
 * current → modified, deletions from original → modified (what the sender once set and now leaves out).
 * @throws PatchError as above. Source: apimachinery strategicpatch.CreateThreeWayMergePatch with overwrite.
 */
export function createThreeWayStrategicMergePatch(
  original: JsonObject,
  modified: JsonObject,
  current: JsonObject,
  schema: PatchSchema,
): JsonObject {
  const changes = diffObjects(current, modified, schema, changesOnly, false)
  const deletions = diffObjects(original, modified, schema, deletionsOnly, false)
  return mergeStrategicPatches(deletions, changes, schema)
}

function diffObjects(
  from: JsonObject,
  to: JsonObject,
  schema: PatchSchema,
  options: DiffOptions,
  retainKeys: boolean,
): JsonObject {
  const patch: Draft = {}
  for (const key of Object.keys(to)) diffMember(patch, key, from, to, schema, options)
  if (options.deletions) {
    for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) setMember(patch, key, null)
  }
  if (retainKeys) addRetainKeys(patch, from, to)
  return patch
}

function addRetainKeys(patch: Draft, from: JsonObject, to: JsonObject): void {
  const kept = Object.keys(to).filter((key) => to[key] !== null)
  const isCleared = Object.keys(from).some((key) => from[key] !== null && !Object.hasOwn(to, key))
  if (kept.length > 0 && (Object.keys(patch).length > 0 || isCleared))
    patch[directive.retainKeys] = kept.sort()
}

function diffMember(
  patch: Draft,
  key: string,
  from: JsonObject,
  to: JsonObject,
  schema: PatchSchema,
  options: DiffOptions,
): void {
  const before = member(from, key)
  const after = to[key] ?? null
  if (before !== undefined && key === directive.marker) diffMarker(patch, before, after)
  else if (isJsonObject(before) && isJsonObject(after))
    diffObjectMember(patch, key, before, after, schema, options)
  else if (isJsonArray(before) && isJsonArray(after))
    diffListMember(patch, key, before, after, schema, options)
  else if (options.changes && before !== after) setMember(patch, key, after)
}

function diffMarker(patch: Draft, before: JsonValue, after: JsonValue): void {
  if (typeof before !== 'string' || typeof after !== 'string')
    throw internal(`invalid value for special key: ${directive.marker}`)
  if (before !== after) patch[directive.marker] = after
}

function diffObjectMember(
  patch: Draft,
  key: string,
  before: JsonObject,
  after: JsonObject,
  schema: PatchSchema,
  options: DiffOptions,
): void {
  if (jsonEqual(before, after)) return
  const field = schema.field(key)
  if (field.strategy === 'replace') {
    if (options.changes) setMember(patch, key, after)
    return
  }
  const inner = diffObjects(before, after, field.schema, options, field.retainKeys)
  if (Object.keys(inner).length > 0) setMember(patch, key, inner)
}

function diffListMember(
  patch: Draft,
  key: string,
  before: List,
  after: List,
  schema: PatchSchema,
  options: DiffOptions,
): void {
  if (jsonEqual(before, after)) return
  const field = schema.field(key)
  if (field.strategy !== 'merge') {
    if (options.changes) setMember(patch, key, after)
    return
  }
  const { changed, deleted, order } = diffLists(before, after, field, options)
  if (changed.length > 0) setMember(patch, key, changed)
  if (deleted.length > 0) patch[`${directive.deleteFromPrimitiveList}/${key}`] = deleted
  if (order.length > 0) patch[`${directive.setElementOrder}/${key}`] = order
}

interface ListDiff {
  readonly changed: List
  readonly deleted: List
  readonly order: List
}

const noDiff: ListDiff = Object.freeze({ changed: [], deleted: [], order: [] })

function diffLists(before: List, after: List, field: PatchField, options: DiffOptions): ListDiff {
  if (before.length === 0) return options.changes ? { ...noDiff, changed: after } : noDiff
  return itemKind(before, after) === 'object'
    ? diffObjectLists(before, after, field, options)
    : diffScalarLists(before, after, options)
}

function diffScalarLists(before: List, after: List, options: DiffOptions): ListDiff {
  const [added, removed] = multisetDifference(before, after)
  const changed = options.changes ? sortByOrder(added, after, '') : []
  const deleted = options.deletions ? dedupe(removed) : []
  const isOrdered = options.changes || deleted.length > 0
  return { changed, deleted, order: isOrdered ? after : [] }
}

/** What `after` has more than `before`, and the reverse, each sorted by its printed form. */
function multisetDifference(before: List, after: List): [JsonValue[], JsonValue[]] {
  const left = sortPrinted(before)
  const right = sortPrinted(after)
  const added: JsonValue[] = []
  const removed: JsonValue[] = []
  let i = 0
  let j = 0
  while (i < left.length || j < right.length) {
    const order = compareAt(left[i], right[j])
    if (order < 0) removed.push(left[i++]?.value ?? null)
    else if (order > 0) added.push(right[j++]?.value ?? null)
    else {
      i++
      j++
    }
  }
  return [added, removed]
}

interface Printed {
  readonly text: string
  readonly value: JsonValue
}

function sortPrinted(list: List): Printed[] {
  return list
    .map((value) => ({ text: formatGo(value), value }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
}

function compareAt(left: Printed | undefined, right: Printed | undefined): number {
  if (!left) return 1
  if (!right) return -1
  return left.text < right.text ? -1 : left.text > right.text ? 1 : 0
}

function diffObjectLists(
  before: List,
  after: List,
  field: PatchField,
  options: DiffOptions,
): ListDiff {
  const old = new Map(before.map((item) => [printKey(item, field), objectItem(item)]))
  const kept = new Map(after.map((item) => [printKey(item, field), objectItem(item)]))
  const changes = after.flatMap((item) => {
    const was = old.get(printKey(item, field))
    return diffItem(was, objectItem(item), field, options)
  })
  const deletions = sortByKey(before, field).filter((item) => !kept.has(printKey(item, field)))
  const markers = options.deletions ? deletions.map((item) => deletionOf(item, field)) : []
  const changed = [...sortByOrder(sortByKey(changes, field), after, field.mergeKey), ...markers]
  const isOrdered = options.changes
    ? changed.length > 0 || !sameOrder(before, after, field)
    : changed.length > 0
  const order = isOrdered ? after.map((item) => keyOnly(item, field)) : []
  return { changed, deleted: [], order }
}

function diffItem(
  before: JsonObject | undefined,
  after: JsonObject,
  field: PatchField,
  options: DiffOptions,
): JsonObject[] {
  if (!before) return options.changes ? [after] : []
  const patch = diffObjects(before, after, field.schema, options, field.retainKeys)
  if (Object.keys(patch).length === 0) return []
  return [{ ...patch, ...keyOnly(after, field) }]
}

function printKey(item: JsonValue, field: PatchField): string {
  const key = mergeKeyOf(item, field.mergeKey)
  return `${goTypeName(key)} ${formatGo(key)}`
}

function sortByKey(list: List, field: PatchField): JsonValue[] {
  return list
    .map((item) => ({ text: formatGo(mergeKeyOf(item, field.mergeKey)), item }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ item }) => item)
}

function keyOnly(item: JsonValue, field: PatchField): JsonObject {
  return { [field.mergeKey]: mergeKeyOf(item, field.mergeKey) }
}

function deletionOf(item: JsonValue, field: PatchField): JsonObject {
  return { [directive.marker]: 'delete', ...keyOnly(item, field) }
}

function sameOrder(before: List, after: List, { mergeKey }: PatchField): boolean {
  if (before.length !== after.length) return false
  return before.every((item, i) => {
    return mergeKeyOf(item, mergeKey) === mergeKeyOf(after[i] ?? null, mergeKey)
  })
}
