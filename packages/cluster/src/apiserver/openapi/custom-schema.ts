import type { ResourceInfo } from '../resources/resource.ts'
import { kindDefinition, metaRef, refTo, type Schema } from './dialect.ts'
import type { Descriptions } from './descriptions.ts'

/** A JSONSchemaProps of a CustomResourceDefinition (apiextensions.k8s.io/v1). */
export type StructuralSchema = Readonly<Record<string, unknown>>

const TEXT: Schema = { type: 'string' }

/** What every object has; `metadata` is always the server's own. */
const OBJECT_FIELDS: Fields = {
  apiVersion: TEXT,
  kind: TEXT,
  metadata: { allOf: [metaRef('ObjectMeta')] },
}

const LIST_FIELDS: Fields = {
  apiVersion: TEXT,
  kind: TEXT,
  metadata: { allOf: [metaRef('ListMeta')] },
}

type Fields = Readonly<Record<string, Schema>>

/** A kind whose texts about what every object and every list has are everyone's. */
const LIKE_ALL = 'io.k8s.api.core.v1.ConfigMap'

/** What a definition says of a custom kind in one version. */
export interface CustomKind {
  /** Its structural schema, as its author wrote it. */
  readonly schema: StructuralSchema
  /** The field paths by which it can be selected (`.spec.color`). Default none. */
  readonly selectableFields?: readonly string[]
}

/** The dialects of OpenAPI in which schemas are published. */
export type OpenApiVersion = 'v2' | 'v3'

/**
 * The definitions of a custom kind and its list, by name (apiextensions-apiserver/pkg/controller/openapi/builder): its structural
 * schema, with the fields that every object has. A kind without a schema is any object.
 */
export function customSchemas(
  info: ResourceInfo,
  custom: CustomKind | undefined,
  dialect: OpenApiVersion,
  descriptions: Descriptions,
): readonly (readonly [name: string, schema: Schema])[] {
  const name = kindDefinition(info)
  const fields = custom?.selectableFields ?? []
  const own = {
    ...kindSchema(custom?.schema, dialect, descriptions.fields(LIKE_ALL, OBJECT_FIELDS)),
    'x-kubernetes-group-version-kind': [kindOf(info, info.kind)],
    ...(fields.length
      ? { 'x-kubernetes-selectable-fields': fields.map((fieldPath) => ({ fieldPath })) }
      : {}),
  }
  return [
    [name, own],
    [`${name}List`, listSchema(info, name, descriptions.fields(`${LIKE_ALL}List`, LIST_FIELDS))],
  ]
}

function kindSchema(
  schema: StructuralSchema | undefined,
  dialect: OpenApiVersion,
  fields: Fields,
): Schema {
  const open = schema?.[PRESERVE] === true && dialect === 'v2'
  // Readers of version 2 would take the fields that are named for all there are.
  if (!schema || open) return { type: 'object' }
  const publish = dialect === 'v2' ? publishedV2 : published
  return withObjectFields(publish(schema, fields), fields, {})
}

const PRESERVE = 'x-kubernetes-preserve-unknown-fields'
const EMBEDDED = 'x-kubernetes-embedded-resource'

const kindOf = ({ group, version }: ResourceInfo, kind: string): Schema => ({
  group,
  kind,
  version,
})

function listSchema(info: ResourceInfo, name: string, fields: Fields): Schema {
  return {
    type: 'object',
    required: ['items'],
    properties: sorted({ ...fields, items: { type: 'array', items: refTo(name) } }),
    'x-kubernetes-group-version-kind': [kindOf(info, info.listKind)],
  }
}

function withObjectFields(schema: Schema, fields: Fields, required: Schema): Schema {
  const properties = { ...(schema.properties as object | undefined), ...fields }
  return { ...schema, ...required, properties: sorted(properties) }
}

const sorted = (properties: object): object =>
  Object.fromEntries(Object.entries(properties).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** What a schema may say beyond its structure, which is not published. */
const UNPUBLISHED: ReadonlySet<string> = new Set([
  '$ref',
  '$schema',
  'definitions',
  'dependencies',
  'example',
  'externalDocs',
  'id',
])

/** A schema as OpenAPI v3 publishes it, and everything below it. */
function published(schema: StructuralSchema, fields: Fields): Schema {
  const out = mapMembers(schema, (it) => published(it, fields))
  if (schema['x-kubernetes-int-or-string'] === true) unfoldIntOrString(out)
  return schema[EMBEDDED] === true
    ? withObjectFields(out, fields, { required: withNames(schema.required) })
    : out
}

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }]

/** Says in plain JSON schema what the extension says (Structural.Unfold). */
function unfoldIntOrString(out: Record<string, unknown>): void {
  const said = (it: unknown): boolean =>
    JSON.stringify((it as { anyOf?: unknown } | undefined)?.anyOf) === JSON.stringify(INT_OR_STRING)
  const allOf = (out.allOf as readonly unknown[] | undefined) ?? []
  if (said(out) || allOf.some(said)) return
  if (out.anyOf === undefined) out.anyOf = INT_OR_STRING
  else out.allOf = [{ anyOf: INT_OR_STRING }, ...allOf]
}

/** An embedded object must say what it is. */
const withNames = (required: unknown): readonly unknown[] => [
  ...new Set([...((required as unknown[] | undefined) ?? []), 'kind', 'apiVersion']),
]

/** What OpenAPI v2 cannot say (apiextensions-apiserver/pkg/controller/openapi/v2/conversion.go); defaults are never said there. */
const NOT_IN_V2 = ['allOf', 'anyOf', 'oneOf', 'not', 'nullable', 'default']

/** A schema as OpenAPI v2 publishes it, and everything below it: where a reader of v2 would be misled, less is said. */
function publishedV2(schema: StructuralSchema, fields: Fields): Schema {
  const nullable = schema.nullable === true
  const open = schema[PRESERVE] === true
  const kept: Record<string, unknown> = { ...schema }
  for (const key of NOT_IN_V2) delete kept[key]
  if (nullable || open) {
    delete kept.items
    delete kept.properties
  }
  const untyped = (kept.type === 'array' && !kept.items) || (open && kept.type === 'object')
  if (nullable || untyped) delete kept.type
  requiredInV2(kept)
  const out = mapMembers(kept, (it) => publishedV2(it, fields))
  return schema[EMBEDDED] === true && !open
    ? withObjectFields(out, fields, { required: withNames(kept.required) })
    : out
}

/** A field that may be null is not required there. */
function requiredInV2(schema: Record<string, unknown>): void {
  const isNullable = (it: unknown): boolean =>
    (it as { nullable?: unknown } | undefined)?.nullable === true
  const properties = (schema.properties ?? {}) as Readonly<Record<string, unknown>>
  const required = ((schema.required as string[] | undefined) ?? []).filter(
    (it) => !isNullable(properties[it]),
  )
  if (required.length === 0 || isNullable(schema.additionalProperties)) delete schema.required
  else schema.required = required
}

function mapMembers(
  schema: StructuralSchema,
  map: (schema: StructuralSchema) => Schema,
): Record<string, unknown> {
  const members = Object.entries(schema).filter(([key]) => !UNPUBLISHED.has(key))
  return Object.fromEntries(members.map(([key, value]) => [key, mapMember(key, value, map)]))
}

function mapMember(
  key: string,
  value: unknown,
  map: (schema: StructuralSchema) => Schema,
): unknown {
  if (key === 'properties') {
    const properties = Object.entries(value as Readonly<Record<string, StructuralSchema>>)
    return Object.fromEntries(
      properties.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [name, map(each)]),
    )
  }
  const nested = key === 'items' || key === 'additionalProperties'
  return nested && typeof value === 'object' ? map(value as StructuralSchema) : value
}
