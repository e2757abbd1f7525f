import type { JsonValue } from '../patch/json.ts'
import { isJsonArray, isJsonObject } from '../patch/json.ts'
import type { PathElement } from './path-element.ts'
import { fieldElement } from './path-element.ts'

/**
 * The schema that merging and ownership go by. A type says which kinds of value it takes (scalar, list, map; a
 * type that takes anything has all three) and how lists and maps are owned: atomic as one value, or item by item.
 * Source: structured-merge-diff schema.
 */
export interface FieldType {
  readonly scalar: ScalarType | undefined
  readonly list: ListType | undefined
  readonly map: MapType | undefined
  /** The same type once a value has shown which of its kinds applies; itself for a type of one kind. */
  readonly narrowed: Readonly<Record<ValueKind, FieldType>>
}

/** What scalars a type takes. */
export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped'

/** The kinds of value that a type may take. */
export type ValueKind = 'scalar' | 'list' | 'map'

/** A type that is worked out on first use: schemas may refer to themselves. */
export type TypeRef = () => FieldType

/** A list: `atomic` is owned as one value; `associative` item by item, by `keys` or (no keys) as a set of scalars. */
export interface ListType {
  readonly relationship: 'atomic' | 'associative'
  readonly keys: readonly string[]
  readonly element: TypeRef
}

/** A map or struct: `fields` are the declared members, `element` is the type of all others (absent: none allowed). */
export interface MapType {
  readonly isAtomic: boolean
  readonly fields: ReadonlyMap<string, MapField>
  readonly element: TypeRef | undefined
  /** A map of anything, without declared members: ownership in it is never adapted to a changed schema. */
  readonly isDeduced: boolean
}

/** A declared member. */
export interface MapField {
  readonly element: PathElement
  readonly type: TypeRef
  /** The value an absent member stands for when it is a key of a list; undefined when there is none. */
  readonly default: JsonValue | undefined
}

/** What a type is made of. */
export interface TypeParts {
  readonly scalar?: ScalarType | undefined
  readonly list?: ListType | undefined
  readonly map?: MapType | undefined
}

/** Builds a type from its parts. */
export function typeOfParts(parts: TypeParts): FieldType {
  const { scalar, list, map } = parts
  const narrowed: Record<ValueKind, FieldType> = {} as Record<ValueKind, FieldType>
  const type: FieldType = { scalar, list, map, narrowed }
  const isSingle = [scalar, list, map].filter((part) => part !== undefined).length < 2
  narrowed.scalar = scalar === undefined || isSingle ? type : typeOfParts({ scalar })
  narrowed.list = list === undefined || isSingle ? type : typeOfParts({ list })
  narrowed.map = map === undefined || isSingle ? type : typeOfParts({ map })
  return type
}

/** A reference that works the type out once. */
export function lazyType(build: () => FieldType): TypeRef {
  let built: FieldType | undefined
  return () => (built ??= build())
}

/** A declared member of a map. */
export function mapField(name: string, type: TypeRef, value: JsonValue | undefined): MapField {
  return { element: fieldElement(name), type, default: value }
}

/** The type with the kind that `value` shows; the type itself when the value shows none that it has. */
export function narrow(type: FieldType, value: JsonValue | undefined): FieldType {
  if (value === undefined || value === null) return type
  if (typeof value !== 'object') return type.narrowed.scalar
  return isJsonArray(value) ? type.narrowed.list : type.narrowed.map
}

/** The type of a member, or of the others when it is not declared. */
export function memberType(map: MapType, name: string): FieldType | undefined {
  return (map.fields.get(name)?.type ?? map.element)?.()
}

/** The type of whatever an element leads to, or undefined when the schema does not know. */
export function childType(
  type: FieldType | undefined,
  element: PathElement,
): FieldType | undefined {
  if (!type) return undefined
  if (element.kind === 'field') return type.map && memberType(type.map, element.name)
  return element.kind === 'key' ? type.list?.element() : undefined
}

/** The value as a list; undefined for null, for another kind of value and for no value. */
export function asList(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  return isJsonArray(value) ? value : undefined
}

/** The value as an object; undefined for null, for another kind of value and for no value. */
export function asObject(
  value: JsonValue | undefined,
): Readonly<Record<string, JsonValue>> | undefined {
  return isJsonObject(value) ? value : undefined
}

/** A type that takes anything and is owned as one value. */
export const untypedAtomic: FieldType = typeOfParts({
  scalar: 'untyped',
  list: { relationship: 'atomic', keys: [], element: () => untypedAtomic },
  map: { isAtomic: true, fields: new Map(), element: () => untypedAtomic, isDeduced: false },
})

/** A type that takes anything: maps are owned member by member, lists as one value. For kinds without a schema. */
export const deducedType: FieldType = typeOfParts({
  scalar: 'untyped',
  list: { relationship: 'atomic', keys: [], element: () => untypedAtomic },
  map: { isAtomic: false, fields: new Map(), element: () => deducedType, isDeduced: true },
})
