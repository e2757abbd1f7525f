import type { Kind } from '../machinery/index.ts'
import { objectSchema } from './builder.ts'
import type {
  CrdVersion,
  CustomResourceDefinition,
  PrinterColumn,
  ScalePaths,
} from './custom-resource-definition.ts'
import type { JsonSchema } from './json-schema.ts'
import type {
  ColumnDeclaration,
  FieldPath,
  KindDeclaration,
  Part,
  VersionedKind,
} from './kind-declaration.ts'
import type { Fields, Schema } from './schema.ts'

type Declaration = KindDeclaration<Part, Part>

/** The CustomResourceDefinition of a declared kind and its other versions. Throws a sentence where the declaration is wrong. */
export function definitionOf(token: Kind & VersionedKind): CustomResourceDefinition {
  const { declaration } = token
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${token.plural}.${token.group}` },
    spec: {
      group: token.group,
      names: {
        plural: token.plural,
        singular: declaration.singular ?? token.kind.toLowerCase(),
        kind: token.kind,
        listKind: `${token.kind}List`,
        ...(declaration.shortNames ? { shortNames: declaration.shortNames } : {}),
        ...(declaration.categories ? { categories: declaration.categories } : {}),
      },
      scope: token.scope,
      versions: [
        versionOf(token, true),
        ...(declaration.otherVersions ?? []).map((it) => other(token, it)),
      ],
      ...(declaration.conversion ? { conversion: declaration.conversion } : {}),
    },
  }
}

function other(token: VersionedKind, it: VersionedKind): CrdVersion {
  if (it.group === token.group && it.kind === token.kind && it.version !== token.version)
    return versionOf(it, false)
  throw new TypeError(
    `${it.kind} ${it.group}/${it.version} is no other version of ${token.kind} ${token.group}/${token.version}: ` +
      'group and kind must be the same, and the version another one',
  )
}

function versionOf(token: VersionedKind, storage: boolean): CrdVersion {
  const { declaration, version } = token
  const schema = rootSchema(declaration)
  const subresources = {
    ...(declaration.status ? { status: {} } : {}),
    ...(declaration.scale ? { scale: scaleOf(token, schema, declaration.scale) } : {}),
  }
  const columns = columnsOf(token, schema)
  const selectable = declaration.selectableFields?.map((it) => ({
    jsonPath: declared(token, schema, 'selectable field', it),
  }))
  return {
    name: version,
    served: declaration.served ?? true,
    storage,
    ...deprecation(declaration.deprecated),
    schema: { openAPIV3Schema: schema },
    ...(Object.keys(subresources).length ? { subresources } : {}),
    ...(columns.length ? { additionalPrinterColumns: columns } : {}),
    ...(selectable?.length ? { selectableFields: selectable } : {}),
  }
}

function deprecation(deprecated: boolean | string | undefined): Partial<CrdVersion> {
  if (!deprecated) return {}
  return {
    deprecated: true,
    ...(typeof deprecated === 'string' ? { deprecationWarning: deprecated } : {}),
  }
}

const isSchema = (part: Part): part is Schema =>
  typeof part['optional'] === 'function' && 'json' in part

/** A spec whose every field may be left out is always there when read: its own default is an empty object. */
function specSchema(part: Part): JsonSchema {
  if (isSchema(part)) return part.json
  const schema = objectSchema(part)
  return schema.required ? schema : { ...schema, default: {} }
}

/** Fields right under status may be absent: a controller fills them in one by one. */
function statusSchema(part: Part): JsonSchema {
  if (isSchema(part)) return part.json
  const { required: _, ...schema } = objectSchema(part)
  return schema
}

function specRequired(part: Part | undefined): boolean {
  if (!part) return false
  if (isSchema(part)) return part.presence === 'required'
  return Object.values(part as Fields).some((it) => it.presence === 'required')
}

function rootSchema(declaration: Declaration): JsonSchema {
  const { spec, status, description, validations } = declaration
  return {
    ...(description ? { description } : {}),
    type: 'object',
    ...(specRequired(spec) ? { required: ['spec'] } : {}),
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      ...(spec ? { spec: specSchema(spec) } : {}),
      ...(status ? { status: statusSchema(status) } : {}),
    },
    ...(validations?.length ? { 'x-kubernetes-validations': validations } : {}),
  }
}

/** Scalars of metadata that columns may show. */
const METADATA: Readonly<Record<string, JsonSchema>> = {
  name: { type: 'string' },
  namespace: { type: 'string' },
  uid: { type: 'string' },
  generation: { type: 'integer' },
  resourceVersion: { type: 'string' },
  creationTimestamp: { type: 'string', format: 'date-time' },
  deletionTimestamp: { type: 'string', format: 'date-time' },
}

/** What a dotted path leads to; undefined where it leaves the declaration, `any` where nothing is known of what is there. */
function schemaAt(root: JsonSchema, path: string): JsonSchema | 'any' | undefined {
  if (!/^(\.[\w-]+)+$/.test(path)) return 'any'
  const steps = path.slice(1).split('.')
  let at: JsonSchema | undefined = root
  for (const [i, step] of steps.entries()) {
    if (i === 1 && steps[0] === 'metadata')
      return steps.length === 2 ? (METADATA[step] ?? 'any') : 'any'
    const next: JsonSchema | boolean | undefined = at.properties?.[step] ?? at.additionalProperties
    if (next === undefined && at['x-kubernetes-preserve-unknown-fields']) return 'any'
    if (typeof next !== 'object') return undefined
    at = next
  }
  return at
}

function declared(token: VersionedKind, root: JsonSchema, what: string, path: FieldPath): string {
  if (schemaAt(root, path) === undefined)
    throw new TypeError(
      `${what} ${path} of ${token.kind} ${token.version} names no field that the kind declares: mend the path or declare the field`,
    )
  return path
}

function columnType(schema: JsonSchema | 'any' | undefined): PrinterColumn['type'] {
  if (schema === undefined || schema === 'any') return 'string'
  if (schema.format === 'date-time' || schema.format === 'date') return 'date'
  switch (schema.type) {
    case 'integer':
    case 'number':
    case 'boolean':
      return schema.type
    default:
      return 'string'
  }
}

const AGE: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }

function columnsOf(token: VersionedKind, root: JsonSchema): readonly PrinterColumn[] {
  const { columns } = token.declaration
  if (!columns) return []
  const given = Object.entries(columns).map(([name, it]) =>
    columnOf(token, root, name, typeof it === 'string' ? { path: it } : it),
  )
  return given.some((it) => it.name === AGE.name) ? given : [...given, AGE]
}

function columnOf(
  token: VersionedKind,
  root: JsonSchema,
  name: string,
  { path, type, ...others }: ColumnDeclaration,
): PrinterColumn {
  const jsonPath = declared(token, root, `column ${name}:`, path)
  return { name, type: type ?? columnType(schemaAt(root, path)), ...others, jsonPath }
}

function scaleOf(token: VersionedKind, root: JsonSchema, scale: true | ScalePaths): ScalePaths {
  const paths: ScalePaths =
    scale === true
      ? {
          specReplicasPath: '.spec.replicas',
          statusReplicasPath: '.status.replicas',
          ...(schemaAt(root, '.status.selector') ? { labelSelectorPath: '.status.selector' } : {}),
        }
      : scale
  for (const path of Object.values(paths)) declared(token, root, 'scale path', path as FieldPath)
  return paths
}
