/**
 * From an OpenAPI structural schema to the type a rule sees (Kubernetes' apiserver/pkg/cel/common/schemas.go),
 * with the bounds that cost estimation needs.
 */
import { escapeIdentifier } from './escape.ts'
import type { CelField, CelType, ListType } from './cel-type.ts'
import { BOOL, DOUBLE, INT, listOf, mapOf } from './cel-type.ts'
import { utf8Length } from './utf8.ts'

/** The part of a structural schema that matters to expressions. Everything else is ignored. */
export interface StructuralSchema {
  readonly type?: string
  readonly format?: string
  readonly properties?: Readonly<Record<string, StructuralSchema>>
  readonly required?: readonly string[]
  readonly items?: StructuralSchema
  readonly additionalProperties?: StructuralSchema | boolean
  readonly nullable?: boolean
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
}

/** Options of {@link celTypeOfSchema}. */
export interface SchemaTypeOptions {
  /** The name of the root object type; nested ones are `name.field`, `name.list.@idx`, `name.map.@elem`. Default `object`. */
  readonly name?: string
  /**
   * Whether the schema is the root of a resource: apiVersion, kind, metadata.name and metadata.generateName are then
   * declared even if the schema does not. Embedded resources inside get this by themselves. Default false.
   */
  readonly isResourceRoot?: boolean
}

/** The largest request kube-apiserver takes, in bytes: the outer bound of every size estimate. */
export const MAX_REQUEST_BYTES: number = 3 * 1024 * 1024

const BYTES_PER_CHARACTER = 4
const MAX_DATE_TIME = 32
const DATE_SIZE = 12

/**
 * The type of values of a schema, or undefined when expressions cannot see such values: no type and no int-or-string,
 * or a list or map of such. Properties whose names have no identifier, or whose values have no type, are left out.
 */
export function celTypeOfSchema(
  schema: StructuralSchema,
  options: SchemaTypeOptions = {},
): CelType | undefined {
  return typeOf(schema, options.name ?? 'object', options.isResourceRoot ?? false)
}

/**
 * The greatest number of times a value of at least `minSize` bytes can occur in one request (maxCardinality of the
 * CRD validation): the factor of a rule below an unbounded list or map.
 */
export function maxCardinality(minSize: number): number {
  return Math.floor(MAX_REQUEST_BYTES / (minSize + 1))
}

function typeOf(schema: StructuralSchema, name: string, isRoot: boolean): CelType | undefined {
  const nullable = schema.nullable === true ? { nullable: true } : {}
  if (schema['x-kubernetes-int-or-string'] === true) {
    const maxElements = maxCharacters(schema) ?? MAX_REQUEST_BYTES - 2
    return { kind: 'dyn', format: 'int-or-string', maxElements, minSize: 1, ...nullable }
  }
  const resource = isRoot ? withTypeAndObjectMeta(schema) : schema
  switch (resource.type) {
    case 'array':
      return arrayType(resource, name, nullable)
    case 'object':
      return objectOrMapType(resource, name, nullable)
    case 'string':
      return { ...stringType(resource), ...nullable }
    case 'boolean':
      return { ...BOOL, minSize: 4, ...nullable }
    case 'number':
      return { ...DOUBLE, minSize: 1, ...nullable }
    case 'integer':
      return { ...INT, minSize: 1, ...nullable }
    default:
      return undefined
  }
}

function arrayType(
  schema: StructuralSchema,
  name: string,
  nullable: { nullable?: boolean },
): CelType | undefined {
  const { items } = schema
  if (items === undefined) return undefined
  const element = typeOf(items, `${name}.@idx`, items['x-kubernetes-embedded-resource'] === true)
  if (element === undefined) return undefined
  const maxElements =
    schema.maxItems === undefined
      ? Math.floor((MAX_REQUEST_BYTES - 2) / ((element.minSize ?? 0) + 1))
      : Math.max(0, schema.maxItems)
  return listOf(element, { maxElements, minSize: 2, ...nullable, ...listKind(schema) })
}

function listKind(schema: StructuralSchema): Pick<ListType, 'listType' | 'mapKeys'> {
  const listType = schema['x-kubernetes-list-type']
  if (listType !== 'set' && listType !== 'map') return {}
  return { listType, mapKeys: schema['x-kubernetes-list-map-keys'] ?? [] }
}

function objectOrMapType(
  schema: StructuralSchema,
  name: string,
  nullable: { nullable?: boolean },
): CelType | undefined {
  const values = schema.additionalProperties
  if (typeof values === 'object') {
    const value = typeOf(values, `${name}.@elem`, values['x-kubernetes-embedded-resource'] === true)
    if (value === undefined) return undefined
    const maxElements =
      schema.maxProperties === undefined
        ? Math.floor((MAX_REQUEST_BYTES - 2) / ((value.minSize ?? 0) + 6))
        : Math.max(0, schema.maxProperties)
    return mapOf({ kind: 'string', maxElements: 0, minSize: 2 }, value, {
      maxElements,
      minSize: 2,
      ...nullable,
    })
  }
  return objectType(schema, name, nullable)
}

function objectType(
  schema: StructuralSchema,
  name: string,
  nullable: { nullable?: boolean },
): CelType {
  const required = new Set(schema.required)
  const fields = new Map<string, CelField>()
  let minSize = 2
  for (const [property, child] of Object.entries(schema.properties ?? {})) {
    const identifier = escapeIdentifier(property)
    const isResource = child['x-kubernetes-embedded-resource'] === true
    const type = typeOf(child, `${name}.${identifier ?? property}`, isResource)
    if (type === undefined) continue
    if (identifier !== undefined) fields.set(identifier, { property, type })
    // A required property with a default is filled in by the server, so a request may leave it out.
    if (required.has(property) && child.default === undefined) {
      minSize += utf8Length(property) + (type.minSize ?? 0) + 4
    }
  }
  return { kind: 'object', name, fields, minSize, ...nullable }
}

function stringType(schema: StructuralSchema): CelType {
  switch (schema.format) {
    case 'byte': {
      const maxElements =
        schema.maxLength === undefined ? MAX_REQUEST_BYTES - 2 : Math.max(0, schema.maxLength)
      return { kind: 'bytes', maxElements, minSize: 2 }
    }
    case 'duration':
      return { kind: 'duration', maxElements: MAX_DATE_TIME, minSize: 3 }
    case 'date':
      return { kind: 'timestamp', format: 'date', maxElements: DATE_SIZE, minSize: DATE_SIZE }
    case 'date-time':
      return { kind: 'timestamp', maxElements: MAX_DATE_TIME, minSize: 21 }
    default: {
      const maxElements = maxCharacters(schema) ?? longestOf(schema.enum) ?? MAX_REQUEST_BYTES - 2
      return { kind: 'string', maxElements, minSize: 2 }
    }
  }
}

function maxCharacters(schema: StructuralSchema): number | undefined {
  return schema.maxLength === undefined
    ? undefined
    : Math.max(0, schema.maxLength) * BYTES_PER_CHARACTER
}

function longestOf(values: readonly unknown[] | undefined): number | undefined {
  if (values === undefined || values.length === 0) return undefined
  return Math.max(...values.map((value) => (typeof value === 'string' ? utf8Length(value) : 0)))
}

const STRING_SCHEMA: StructuralSchema = { type: 'string' }
const OBJECT_META: StructuralSchema = {
  type: 'object',
  properties: { name: STRING_SCHEMA, generateName: STRING_SCHEMA },
}

/** The schema with apiVersion, kind and the two metadata names, unless all of them are declared as they should be. */
function withTypeAndObjectMeta(schema: StructuralSchema): StructuralSchema {
  const { kind, apiVersion, metadata } = schema.properties ?? {}
  const complete =
    kind?.type === 'string' &&
    apiVersion?.type === 'string' &&
    metadata?.type === 'object' &&
    metadata.properties?.['name']?.type === 'string' &&
    metadata.properties['generateName']?.type === 'string'
  if (complete) return schema
  return {
    ...schema,
    properties: {
      ...schema.properties,
      kind: STRING_SCHEMA,
      apiVersion: STRING_SCHEMA,
      metadata: OBJECT_META,
    },
  }
}
