import type { JsonObject } from '../patch/json.ts'
import { isJsonObject, member } from '../patch/json.ts'
import type { RefResolver } from './schema-types.ts'
import { schemaTypeReader } from './schema-types.ts'
import type { FieldType } from './type.ts'

/** What a custom resource's type is read from. */
export interface CustomResourceSchema {
  /** The version's structural schema (JSON, `openAPIV3Schema`); absent when the version has none. */
  readonly schema: JsonObject | undefined
  /** The CRD's `spec.preserveUnknownFields`, which only old CRDs set. */
  readonly preserveUnknownFields?: boolean
  /** ObjectMeta's OpenAPI schema, or one that refers to it: the type of `metadata`, whatever the CRD says of it. */
  readonly objectMeta: JsonObject
  /** Resolves the references of `objectMeta`. */
  readonly resolveRef?: RefResolver
}

/**
 * The type of a custom resource: its structural schema with `apiVersion`, `kind` and `metadata` as Kubernetes has
 * them, at the root and in embedded resources (x-kubernetes-embedded-resource). Without a schema everything is
 * free-form. Source: apiextensions-apiserver pkg/controller/openapi/builder.
 */
export function customResourceType(source: CustomResourceSchema): FieldType {
  const read = schemaTypeReader(source.resolveRef ? { resolveRef: source.resolveRef } : {})
  if (!source.schema) return read({ type: 'object' })
  const unknownFields = source.preserveUnknownFields ? 'preserve' : 'declared only'
  const root = withTypeMeta(addEmbedded(source.schema, source.objectMeta), source.objectMeta)
  return read(root, unknownFields)
}

function withTypeMeta(schema: JsonObject, objectMeta: JsonObject): JsonObject {
  const properties = member(schema, 'properties')
  const own = isJsonObject(properties) ? properties : {}
  return { ...schema, properties: { ...own, ...typeMeta, metadata: objectMeta } }
}

const typeMeta: JsonObject = Object.freeze({
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
})

/** Adds type and object metadata to every embedded resource in a schema; shares what has none. */
function addEmbedded(schema: JsonObject, objectMeta: JsonObject): JsonObject {
  let out = schema
  for (const word of ['items', 'additionalProperties']) {
    const inner = member(out, word)
    if (isJsonObject(inner)) out = replace(out, word, inner, addEmbedded(inner, objectMeta))
  }
  const properties = member(out, 'properties')
  if (isJsonObject(properties))
    out = replace(out, 'properties', properties, addToProperties(properties, objectMeta))
  const isEmbedded = member(out, 'x-kubernetes-embedded-resource') === true
  return isEmbedded ? withTypeMeta(out, objectMeta) : out
}

function addToProperties(properties: JsonObject, objectMeta: JsonObject): JsonObject {
  let out = properties
  for (const [name, property] of Object.entries(properties))
    if (isJsonObject(property))
      out = replace(out, name, property, addEmbedded(property, objectMeta))
  return out
}

function replace(
  object: JsonObject,
  key: string,
  before: JsonObject,
  after: JsonObject,
): JsonObject {
  return before === after ? object : { ...object, [key]: after }
}
