import type { JsonObject, JsonValue } from './json.ts'
import { isJsonArray, isJsonObject, member } from './json.ts'
import { PatchError } from './patch-error.ts'
import type { PatchField, PatchSchema } from './schema.ts'

/** Finds the schema that a `$ref` names, such as `#/components/schemas/io.k8s.api.core.v1.Pod`. */
export type RefResolver = (ref: string) => JsonObject | undefined

/**
 * Reads patch schemas from OpenAPI v3 schemas: `x-kubernetes-patch-merge-key` and `x-kubernetes-patch-strategy`
 * on properties, `$ref` bare or as the only member of `allOf`. The returned function caches by schema identity,
 * so it should live as long as the schemas do.
 */
export function openApiPatchSchemas(resolve: RefResolver): (schema: JsonObject) => PatchSchema {
  const known = new WeakMap<JsonObject, PatchSchema>()
  const read: SchemaReader = (schema, name) => {
    const target = dereference(schema, resolve)
    const cached = known.get(target)
    if (cached) return cached
    const made = new OpenApiPatchSchema(target, nameOf(schema, name), read)
    known.set(target, made)
    return made
  }
  return (schema) => read(schema, '')
}

type SchemaReader = (schema: JsonObject, name: string) => PatchSchema

class OpenApiPatchSchema implements PatchSchema {
  readonly #schema: JsonObject
  readonly #name: string
  readonly #read: SchemaReader
  readonly #fields = new Map<string, PatchField>()

  constructor(schema: JsonObject, name: string, read: SchemaReader) {
    this.#schema = schema
    this.#name = name
    this.#read = read
  }

  field(key: string): PatchField {
    const known = this.#fields.get(key)
    if (known) return known
    const made = this.#readField(key)
    this.#fields.set(key, made)
    return made
  }

  #readField(key: string): PatchField {
    const properties = member(this.#schema, 'properties')
    if (!isJsonObject(properties) && isJsonObject(member(this.#schema, 'additionalProperties')))
      throw internal('merging an object in json but data type is not struct, instead is: map')
    const property = isJsonObject(properties) ? member(properties, key) : undefined
    if (!isJsonObject(property))
      throw internal(`unable to find api field in struct ${this.#name} for the json field "${key}"`)
    const items = member(property, 'items')
    return Object.freeze({
      ...strategyOf(member(property, 'x-kubernetes-patch-strategy')),
      mergeKey: textOf(member(property, 'x-kubernetes-patch-merge-key')),
      schema: this.#read(isJsonObject(items) ? items : property, key),
    })
  }
}

type Strategy = Pick<PatchField, 'strategy' | 'retainKeys'>

function strategyOf(value: JsonValue | undefined): Strategy {
  const words = textOf(value).split(',')
  const others = words.filter((word) => word !== 'retainKeys' && word !== '')
  const strategy = others[0] ?? ''
  if (others.length > 1 || !isStrategy(strategy))
    throw internal(`unexpected patch strategy: [${words.join(' ')}]`)
  return { strategy, retainKeys: words.includes('retainKeys') }
}

function isStrategy(word: string): word is PatchField['strategy'] {
  return word === '' || word === 'merge' || word === 'replace'
}

function dereference(schema: JsonObject, resolve: RefResolver): JsonObject {
  const ref = refOf(schema)
  if (ref === undefined) return schema
  const target = resolve(ref)
  if (!target) throw internal(`unable to resolve ${ref} in OpenAPI V3`)
  return dereference(target, resolve)
}

function refOf(schema: JsonObject): string | undefined {
  const ref = member(schema, '$ref')
  if (typeof ref === 'string') return ref
  const allOf = member(schema, 'allOf')
  const only = isJsonArray(allOf) ? allOf[0] : undefined
  const inner = isJsonObject(only) ? member(only, '$ref') : undefined
  return typeof inner === 'string' ? inner : undefined
}

function nameOf(schema: JsonObject, fallback: string): string {
  return refOf(schema)?.split(/[./]/).at(-1) ?? fallback
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

function internal(message: string): PatchError {
  return new PatchError('Internal', message)
}
