import type { JsonObject, JsonValue } from '../patch/json.ts'
import { setMember } from '../patch/json.ts'
import type { FieldEntry, FieldSet } from './field-set.ts'
import { itemElement } from './list-element.ts'
import { fieldElement } from './path-element.ts'
import type { FieldType, ListType, MapType } from './type.ts'
import { asList, asObject, memberType, narrow, untypedAtomic } from './type.ts'

/**
 * The value without the members and items that the set names. A container that loses everything, and an atomic
 * one that the set reaches into, becomes null. The value itself when nothing is removed.
 */
export function removeItems(type: FieldType, value: JsonValue, items: FieldSet): JsonValue {
  const narrowed = narrow(type, value)
  if (narrowed.map) return removeFromMap(narrowed.map, asObject(value), items)
  if (narrowed.scalar) return value
  return narrowed.list ? removeFromList(narrowed.list, asList(value), items) : null
}

function removeFromMap(type: MapType, value: JsonObject | undefined, items: FieldSet): JsonValue {
  if (!value || type.isAtomic) return null
  let isSame = true
  const out: Record<string, JsonValue> = {}
  for (const key of Object.keys(value)) {
    const before = value[key] ?? null
    const entry = items.get(`f:${key}`)
    const after = entry ? removeEntry(memberType(type, key), before, entry) : before
    isSame &&= after === before
    if (after !== undefined) setMember(out, key, after)
  }
  return orNull(value, out, isSame, Object.keys(out).length)
}

function removeFromList(
  type: ListType,
  value: readonly JsonValue[] | undefined,
  items: FieldSet,
): JsonValue {
  if (!value || type.relationship === 'atomic') return null
  let isSame = true
  const out: JsonValue[] = []
  for (const item of value) {
    const element = itemElement(type, item)
    const entry = typeof element === 'string' ? undefined : items.get(element.id)
    const after = entry ? removeEntry(type.element(), item, entry) : item
    isSame &&= after === item
    if (after !== undefined) out.push(after)
  }
  return orNull(value, out, isSame, out.length)
}

function orNull(before: JsonValue, after: JsonValue, isSame: boolean, size: number): JsonValue {
  if (size === 0) return null
  return isSame ? before : after
}

function removeEntry(
  type: FieldType | undefined,
  value: JsonValue,
  { isMember, children }: FieldEntry,
): JsonValue | undefined {
  if (isMember) return undefined
  return children ? removeItems(type ?? untypedAtomic, value, children) : value
}

/** Only the members and items that the set names, with what they are in; atomic containers come whole. */
export function extractItems(type: FieldType, value: JsonValue, items: FieldSet): JsonValue {
  const narrowed = narrow(type, value)
  if (narrowed.map) return extractFromMap(narrowed.map, asObject(value), items)
  if (narrowed.scalar) return value
  return narrowed.list ? extractFromList(narrowed.list, asList(value), items) : null
}

function extractFromMap(type: MapType, value: JsonObject | undefined, items: FieldSet): JsonValue {
  if (!value) return null
  if (type.isAtomic || Object.keys(value).length === 0) return value
  const out: Record<string, JsonValue> = {}
  for (const key of Object.keys(value)) {
    const entry = items.get(fieldElement(key).id)
    const inner = memberType(type, key) ?? untypedAtomic
    // Kubernetes looks for the same paths again below a member that the set names.
    const paths = entry?.isMember ? items : entry?.children
    if (paths) setMember(out, key, extractItems(inner, value[key] ?? null, paths))
  }
  return Object.keys(out).length > 0 ? out : null
}

function extractFromList(
  type: ListType,
  value: readonly JsonValue[] | undefined,
  items: FieldSet,
): JsonValue {
  if (!value) return null
  if (type.relationship === 'atomic' || value.length === 0) return value
  const out = value.flatMap((item) => {
    const element = itemElement(type, item)
    const entry = typeof element === 'string' ? undefined : items.get(element.id)
    if (!entry) return []
    return [entry.children ? extractItems(type.element(), item, entry.children) : item]
  })
  return out.length > 0 ? out : null
}
