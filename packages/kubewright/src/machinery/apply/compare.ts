import type { JsonValue } from '../patch/json.ts'
import { jsonEqual, member } from '../patch/json.ts'
import type { DraftSet, FieldSet } from './field-set.ts'
import { insertPath } from './field-set.ts'
import { itemElement } from './list-element.ts'
import type { PathElement } from './path-element.ts'
import { fieldElement } from './path-element.ts'
import type { FieldType, ListType, MapType } from './type.ts'
import { asList, asObject, memberType, narrow, untypedAtomic } from './type.ts'

/** How a value differs from one before it, as the paths that were taken away, changed and added. */
export interface Comparison {
  readonly removed: FieldSet
  readonly modified: FieldSet
  readonly added: FieldSet
}

/** Compares two values of one type; parts that are the same object in both are not looked into. */
export function compareValues(type: FieldType, before: JsonValue, after: JsonValue): Comparison {
  const walk: Walk = { removed: new Map(), modified: new Map(), added: new Map(), path: [] }
  compare(walk, type, before, after)
  return { removed: walk.removed, modified: walk.modified, added: walk.added }
}

interface Walk {
  readonly removed: DraftSet
  readonly modified: DraftSet
  readonly added: DraftSet
  /** Where the walk stands; the array is reused. */
  readonly path: PathElement[]
}

/** A value of one side; undefined when that side has nothing there. */
type Side = JsonValue | undefined

function compare(walk: Walk, type: FieldType, before: Side, after: Side): void {
  if (before === after) return
  const left = narrow(type, before)
  const right = narrow(type, after)
  let isLeaf: boolean
  if (after === undefined) isLeaf = compareAs(walk, left, before, after)
  else if (before === undefined || left === right) isLeaf = compareAs(walk, right, before, after)
  else {
    compareAs(walk, left, before, after)
    isLeaf = compareAs(walk, right, before, after)
  }
  if (isLeaf) return
  if (before === undefined) insertPath(walk.added, walk.path)
  else if (after === undefined) insertPath(walk.removed, walk.path)
}

/** Compares by one kind of value; true when the values were compared as wholes. */
function compareAs(walk: Walk, type: FieldType, before: Side, after: Side): boolean {
  if (type.map) return compareMaps(walk, type.map, before, after)
  if (type.scalar || !type.list) return compareLeaf(walk, before, after)
  return compareLists(walk, type.list, before, after)
}

function compareLeaf(walk: Walk, before: Side, after: Side): true {
  if (before === undefined) insertPath(walk.added, walk.path)
  else if (after === undefined) insertPath(walk.removed, walk.path)
  else if (!jsonEqual(before, after)) insertPath(walk.modified, walk.path)
  return true
}

function compareMaps(walk: Walk, type: MapType, before: Side, after: Side): boolean {
  const left = asObject(before)
  const right = asObject(after)
  // Two empty sides are compared as wholes, so that null and {} stay apart.
  if (type.isAtomic || (isBare(left) && isBare(right))) return compareLeaf(walk, before, after)
  for (const key of Object.keys(left ?? {}))
    compareMember(walk, type, key, left?.[key], right && member(right, key))
  for (const key of Object.keys(right ?? {}))
    if (!left || !Object.hasOwn(left, key)) compareMember(walk, type, key, undefined, right?.[key])
  return false
}

function isBare(value: object | undefined): boolean {
  return !value || Object.keys(value).length === 0
}

function compareMember(walk: Walk, type: MapType, key: string, before: Side, after: Side): void {
  if (before === after) return
  const element = type.fields.get(key)?.element ?? fieldElement(key)
  compareChild(walk, memberType(type, key) ?? untypedAtomic, element, before, after)
}

function compareChild(
  walk: Walk,
  type: FieldType,
  element: PathElement,
  before: Side,
  after: Side,
): void {
  walk.path.push(element)
  compare(walk, type, before, after)
  walk.path.pop()
}

function compareLists(walk: Walk, type: ListType, before: Side, after: Side): boolean {
  const left = asList(before)
  const right = asList(after)
  const areEmpty = (left?.length ?? 0) === 0 && (right?.length ?? 0) === 0
  if (type.relationship === 'atomic' || areEmpty) return compareLeaf(walk, before, after)
  const groups = new Map<string, ItemGroup>()
  groupItems(groups, type, left ?? [], 'before')
  groupItems(groups, type, right ?? [], 'after')
  for (const group of groups.values()) compareGroup(walk, type, group)
  return false
}

/** The items of both lists that one element names: more than one on a side when they are repeated. */
interface ItemGroup {
  readonly element: PathElement
  readonly before: JsonValue[]
  readonly after: JsonValue[]
}

function groupItems(
  groups: Map<string, ItemGroup>,
  type: ListType,
  items: readonly JsonValue[],
  side: 'before' | 'after',
): void {
  for (const item of items) {
    const element = itemElement(type, item)
    if (typeof element === 'string') continue
    let group = groups.get(element.id)
    if (!group) groups.set(element.id, (group = { element, before: [], after: [] }))
    group[side].push(item)
  }
}

function compareGroup(walk: Walk, type: ListType, { element, before, after }: ItemGroup): void {
  if (before.length <= 1 && after.length <= 1)
    return compareChild(walk, type.element(), element, before[0], after[0])
  if (before.length >= 2 && after.length >= 2) {
    if (!jsonEqual(before, after)) mark(walk, walk.modified, element)
  } else if (before.length >= 2) {
    if (after.length > 0) compareChild(walk, type.element(), element, undefined, after[0])
    mark(walk, walk.removed, element)
  } else {
    if (before.length > 0) compareChild(walk, type.element(), element, before[0], undefined)
    mark(walk, walk.added, element)
  }
}

function mark(walk: Walk, set: DraftSet, element: PathElement): void {
  insertPath(set, [...walk.path, element])
}
