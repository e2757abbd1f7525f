import type { JsonObject, JsonValue } from '../patch/json.ts'
import { isJsonObject } from '../patch/json.ts'
import type { FieldEntry, FieldSet } from './field-set.ts'
import { emptySet } from './field-set.ts'
import { itemElement } from './list-element.ts'
import type { PathElement } from './path-element.ts'
import { fieldElement } from './path-element.ts'
import type { FieldType, ListType, MapType } from './type.ts'
import { asList, asObject, narrow } from './type.ts'

/**
 * The paths that a value mentions: every leaf, every list item, every member of a map that is not declared, and
 * empty or null members. Items that occur more than once are owned as one. The value must fit its type.
 */
export function toFieldSet(type: FieldType, value: JsonValue): FieldSet {
  return collect(type, value).children ?? emptySet
}

interface Collected {
  /** The value itself is a leaf. */
  readonly isLeaf: boolean
  readonly children: FieldSet | undefined
}

const leaf: Collected = Object.freeze({ isLeaf: true, children: undefined })
const nothing: Collected = Object.freeze({ isLeaf: false, children: undefined })

function collect(type: FieldType, value: JsonValue): Collected {
  const narrowed = narrow(type, value)
  if (narrowed.map) return collectMap(narrowed.map, asObject(value))
  if (narrowed.scalar) return leaf
  return narrowed.list ? collectList(narrowed.list, asList(value)) : nothing
}

function collectMap(type: MapType, value: JsonObject | undefined): Collected {
  if (type.isAtomic) return leaf
  if (!value) return nothing
  const children = new Map<string, FieldEntry>()
  for (const key of Object.keys(value)) collectMember(children, type, key, value[key] ?? null)
  return branch(children)
}

function collectMember(
  into: Map<string, FieldEntry>,
  type: MapType,
  key: string,
  value: JsonValue,
): void {
  const field = type.fields.get(key)
  const { isLeaf, children } = collect((field?.type ?? type.element ?? noType)(), value)
  const isMember = isLeaf || !field || isEmpty(value)
  if (isMember || children) addEntry(into, field?.element ?? fieldElement(key), isMember, children)
}

function noType(): FieldType {
  throw new Error('field not declared in schema')
}

function isEmpty(value: JsonValue): boolean {
  return value === null || (isJsonObject(value) && Object.keys(value).length === 0)
}

function collectList(type: ListType, items: readonly JsonValue[] | undefined): Collected {
  if (type.relationship === 'atomic') return leaf
  if (!items) return nothing
  const children = new Map<string, FieldEntry>()
  for (const item of items) {
    const element = itemElement(type, item)
    if (typeof element === 'string') continue
    const isRepeated = children.has(element.id)
    const below = isRepeated ? undefined : collect(type.element(), item).children
    addEntry(children, element, true, below)
  }
  return branch(children)
}

function addEntry(
  into: Map<string, FieldEntry>,
  element: PathElement,
  isMember: boolean,
  children: FieldSet | undefined,
): void {
  into.set(element.id, { element, isMember, children })
}

function branch(children: Map<string, FieldEntry>): Collected {
  return children.size === 0 ? nothing : { isLeaf: false, children }
}
