import type { JsonObject, JsonValue } from '../patch/json.ts'
import { isJsonArray, isJsonObject, member } from '../patch/json.ts'
import type { FieldType, ListType, MapField, MapType, ScalarType, TypeRef } from './type.ts'
import { deducedType, lazyType, mapField, typeOfParts, untypedAtomic } from './type.ts'

/**
 * Reads types from OpenAPI v3 schemas and from structural schemas, which use the same words:
 * x-kubernetes-list-type, -list-map-keys, -map-type, the older -patch-strategy and -patch-merge-key,
 * -preserve-unknown-fields; a member's `default` is its value as a list key. Source: kube-openapi schemaconv.
 */

/** Finds the schema that a `$ref` names. */
export type RefResolver = (ref: string) => JsonObject | undefined

/** How a reader of schemas treats what the schemas leave open. */
export interface SchemaTypeOptions {
  /** Finds what a `$ref` names; without it a `$ref` is an error. */
  readonly resolveRef?: RefResolver
  /** Types that take the place of what a schema says; asked before every schema. */
  readonly override?: (schema: JsonObject) => FieldType | undefined
}

/**
 * Makes a reader of schemas. It reads lazily and remembers by schema identity, so keep it as long as the schemas.
 * The reader throws an Error when a `$ref` leads nowhere or a type word is unknown, at the time it gets there.
 * @param options defaults: no `$ref`, no overrides
 */
export function schemaTypeReader(
  options: SchemaTypeOptions = {},
): (schema: JsonObject, unknownFields?: UnknownFields) => FieldType {
  const reader = new SchemaReader(options)
  return (schema, unknownFields = 'declared only') => reader.read(schema, unknownFields)
}

/** What becomes of members that a schema with properties does not declare. */
export type UnknownFields = 'declared only' | 'preserve'

class SchemaReader {
  readonly #options: SchemaTypeOptions
  readonly #known: Record<UnknownFields, WeakMap<JsonObject, FieldType>> = {
    'declared only': new WeakMap(),
    preserve: new WeakMap(),
  }

  constructor(options: SchemaTypeOptions) {
    this.#options = options
  }

  read(schema: JsonObject, inherited: UnknownFields): FieldType {
    const known = this.#known[inherited].get(schema)
    if (known) return known
    const made = this.#options.override?.(schema) ?? this.#build(schema, inherited)
    this.#known[inherited].set(schema, made)
    return made
  }

  #build(schema: JsonObject, inherited: UnknownFields): FieldType {
    const ref = refOf(schema)
    if (ref !== undefined) return this.#follow(ref, schema)
    const opened = member(schema, 'x-kubernetes-preserve-unknown-fields') === true
    return this.#parse(schema, opened ? 'preserve' : inherited)
  }

  #follow(ref: string, schema: JsonObject): FieldType {
    const special = specialTypes[ref.slice(ref.lastIndexOf('/') + 1)]
    const target = this.#options.resolveRef?.(ref)
    if (!special && !target) throw new Error(`no schema found for ${ref}`)
    // A named type stands for itself: what surrounds the reference does not open it to unknown fields.
    const type = special ?? this.read(target as JsonObject, 'declared only')
    const mapType = member(schema, 'x-kubernetes-map-type')
    return mapType === undefined ? type : withMapType(type, mapType)
  }

  #parse(schema: JsonObject, unknownFields: UnknownFields): FieldType {
    const word = member(schema, 'type')
    if (word === undefined || word === '')
      return typeOfParts({
        scalar: 'untyped',
        list: this.#list(schema, unknownFields),
        map: this.#map(schema, unknownFields),
      })
    if (word === 'object') return typeOfParts({ map: this.#map(schema, unknownFields) })
    if (word === 'array') return typeOfParts({ list: this.#list(schema, unknownFields) })
    return typeOfParts({ scalar: scalarOf(word, member(schema, 'format')) })
  }

  #map(schema: JsonObject, unknownFields: UnknownFields): MapType {
    const fields = this.#fields(schema, unknownFields)
    const element = this.#elementOfMap(schema, unknownFields, fields.size > 0)
    const isDeduced = fields.size === 0 && element !== undefined && isOpen(schema, element)
    const isAtomic = isAtomicMap(member(schema, 'x-kubernetes-map-type'))
    return { isAtomic, fields, element, isDeduced }
  }

  #fields(schema: JsonObject, unknownFields: UnknownFields): ReadonlyMap<string, MapField> {
    const fields = new Map<string, MapField>()
    for (const [name, property] of Object.entries(objectOf(member(schema, 'properties')))) {
      const value = objectOf(property)
      fields.set(name, mapField(name, this.#ref(value, unknownFields), member(value, 'default')))
    }
    return fields
  }

  #elementOfMap(
    schema: JsonObject,
    unknownFields: UnknownFields,
    hasFields: boolean,
  ): TypeRef | undefined {
    const additional = member(schema, 'additionalProperties')
    if (isJsonObject(additional)) return this.#ref(additional, unknownFields)
    const isOpened =
      additional === undefined ? unknownFields === 'preserve' || !hasFields : additional === true
    return isOpened ? () => deducedType : undefined
  }

  #list(schema: JsonObject, unknownFields: UnknownFields): ListType {
    const items = member(schema, 'items')
    const element = isJsonObject(items) ? this.#ref(items, unknownFields) : () => untypedAtomic
    return { ...listRelationship(schema), element }
  }

  #ref(schema: JsonObject, unknownFields: UnknownFields): TypeRef {
    return lazyType(() => this.read(schema, unknownFields))
  }
}

/** Types that their schemas do not tell: a quantity is a string or a number, a raw extension is anything. */
const specialTypes: Readonly<Record<string, FieldType>> = Object.freeze({
  'io.k8s.apimachinery.pkg.api.resource.Quantity': typeOfParts({ scalar: 'untyped' }),
  'io.k8s.apimachinery.pkg.runtime.RawExtension': untypedAtomic,
})

function refOf(schema: JsonObject): string | undefined {
  const ref = member(schema, '$ref')
  if (typeof ref === 'string') return ref
  const allOf = member(schema, 'allOf')
  const only = isJsonArray(allOf) && allOf.length === 1 ? objectOf(allOf[0]) : {}
  const inner = member(only, '$ref')
  return typeof inner === 'string' ? inner : undefined
}

function isOpen(schema: JsonObject, element: TypeRef): boolean {
  const additional = member(schema, 'additionalProperties')
  if (!isJsonObject(additional)) return element() === deducedType
  return refOf(additional) === undefined && isUntypedScalar(additional)
}

/** A schema without a type, or a string with a format, reads as an untyped scalar. */
function isUntypedScalar(schema: JsonObject): boolean {
  const word = member(schema, 'type') ?? ''
  return word === '' || scalarWord(word, member(schema, 'format')) === 'untyped'
}

function scalarOf(word: JsonValue, format: JsonValue | undefined): ScalarType {
  const scalar = scalarWord(word, format)
  if (scalar) return scalar
  throw new Error(`unrecognized type: '${String(word)}'`)
}

function scalarWord(word: JsonValue, format: JsonValue | undefined): ScalarType | undefined {
  if (word === 'integer' || word === 'number') return 'numeric'
  if (word === 'boolean') return 'boolean'
  if (word !== 'string') return undefined
  return format === undefined || format === '' || format === 'byte' ? 'string' : 'untyped'
}

type Relationship = Pick<ListType, 'relationship' | 'keys'>

const atomicList: Relationship = Object.freeze({ relationship: 'atomic', keys: [] })

function listRelationship(schema: JsonObject): Relationship {
  const listType = member(schema, 'x-kubernetes-list-type')
  if (listType === undefined) return patchRelationship(schema)
  if (listType === 'atomic') return atomicList
  if (listType === 'set') return { relationship: 'associative', keys: [] }
  if (listType === 'map') return { relationship: 'associative', keys: mapKeys(schema) }
  throw new Error(`unknown list type ${String(listType)}`)
}

function mapKeys(schema: JsonObject): readonly string[] {
  const keys = member(schema, 'x-kubernetes-list-map-keys')
  if (!isJsonArray(keys)) throw new Error('missing map keys')
  return keys.map(String)
}

function patchRelationship(schema: JsonObject): Relationship {
  const strategy = member(schema, 'x-kubernetes-patch-strategy')
  if (strategy !== 'merge' && strategy !== 'merge,retainKeys') return atomicList
  const key = member(schema, 'x-kubernetes-patch-merge-key')
  return { relationship: 'associative', keys: typeof key === 'string' ? [key] : [] }
}

function isAtomicMap(mapType: JsonValue | undefined): boolean {
  if (mapType === undefined || mapType === 'granular') return false
  if (mapType === 'atomic') return true
  throw new Error(`unknown map type ${String(mapType)}`)
}

/** The type with another rule for its map: a property may say `atomic` of a type that does not. */
function withMapType(type: FieldType, mapType: JsonValue): FieldType {
  if (!type.map) return type
  const map = { ...type.map, isAtomic: isAtomicMap(mapType) }
  return typeOfParts({ scalar: type.scalar, list: type.list, map })
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
