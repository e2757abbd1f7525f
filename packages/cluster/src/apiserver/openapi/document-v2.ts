import { deleteAnswersObject, REF_PREFIX } from '../resources/builtins.ts'
import type { ResourceInfo } from '../resources/resource.ts'
import optionGroups from '../data/option-groups.json' with { type: 'json' }
import { componentsOf, type GroupVersion } from './components.ts'
import { customSchemas } from './custom-schema.ts'
import type { Schema } from './dialect.ts'
import {
  builtinOperations,
  documentPaths,
  otherOperations,
  type OpenApiDocument,
  type OpenApiSource,
} from './document.ts'
import { operationsOf, rootOf, type Operation } from './operations.ts'
import { describedAnswers, groupByPath } from './path-items.ts'
import { sharedName, type ParameterV2 } from './shared-parameters.ts'

/** The groups and versions that Kubernetes knows the options kinds in, served or not. */
const OPTION_GROUPS: readonly GroupVersion[] = (
  optionGroups as unknown as readonly (readonly [string, string])[]
).map(([group, version]) => ({ group, version }))

/**
 * The one OpenAPI v2 document of everything that is served (`/openapi/v2`). Says less than the v3 ones: no defaults, no nullable, no
 * combinations. Parameters that many operations take stand in one place (`parameters`), and are referred to.
 */
export function openApiV2(source: OpenApiSource): OpenApiDocument {
  const operations = allOperations(source)
  const custom = source.infos.filter((it) => it.custom)
  const { descriptions } = source
  const own = new Map(
    custom.flatMap((it) => customSchemas(it, source.customKind(it), 'v2', descriptions)),
  )
  const roots = [...operations.map((it) => [it.answers, it.body]), ...own.values()]
  const schemas = Object.entries(componentsOf(roots, own, OPTION_GROUPS, descriptions))
  const parameters: Record<string, ParameterV2> = {}
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: source.version },
    paths: Object.fromEntries(
      groupByPath(operations, bodyParameters).map((it) => pathItem(it, parameters)),
    ),
    definitions: Object.fromEntries(schemas.map(([name, it]) => [name, schemaV2(it)])),
    parameters: Object.fromEntries(Object.entries(parameters).toSorted(byKey)),
    securityDefinitions: {
      BearerToken: {
        description: 'Bearer Token authentication',
        type: 'apiKey',
        name: 'authorization',
        in: 'header',
      },
    },
    security: [{ BearerToken: [] }],
  }
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1

function allOperations(source: OpenApiSource): readonly Operation[] {
  return documentPaths(source).flatMap((path) => {
    const infos = source.infos.filter((it) => rootOf(it).slice(1) === path)
    const builtin = infos.filter((it) => !it.custom)
    const custom = infos.filter((it) => it.custom)
    return [
      ...(builtin.length ? builtinOperations(builtin) : []),
      ...custom.flatMap((it) => operationsOf(it, answerOf(it))),
      ...(infos.length ? [] : otherOperations(source, path)),
    ]
  })
}

const answerOf = (info: ResourceInfo): 'object' | 'Status' =>
  deleteAnswersObject(info) ? 'object' : 'Status'

/** All parameters of an operation; in v2 the body is one. */
function bodyParameters(it: Operation): readonly ParameterV2[] {
  const plain = it.parameters.map(({ name, in: place, required, schema }): ParameterV2 => ({
    uniqueItems: true,
    type: schema.type,
    name,
    in: place,
    ...(required ? { required } : {}),
  }))
  if (!it.body) return plain
  const required = it.body.required ? { required: true } : {}
  const body = { name: 'body', in: 'body', ...required, schema: schemaV2(it.body.schema) }
  return [body as ParameterV2, ...plain]
}

/** What stands where a parameter is used: itself, or what refers to it. */
type Used = ParameterV2 | { readonly $ref: string }

function pathItem(
  { path, operations, shared }: ReturnType<typeof groupByPath<ParameterV2>>[number],
  common: Record<string, ParameterV2>,
): readonly [string, OpenApiDocument] {
  const used =
    (operation: Operation) =>
    (it: ParameterV2): Used => {
      const name = sharedName(it, operation)
      if (name === undefined) return it
      common[name] = it
      return { $ref: `#/parameters/${name}` }
    }
  const items = operations.map(({ operation, parameters }) => [
    operation.method,
    operationBody(operation, parameters.map(used(operation))),
  ])
  const parameters = shared.length ? { parameters: shared.map(used(operations[0]!.operation)) } : {}
  return [path, { ...Object.fromEntries(items), ...parameters }]
}

function operationBody(it: Operation, parameters: readonly Used[]): OpenApiDocument {
  const { group, version, kind } = it.kind ?? {}
  const types = Object.values(it.answers)[0]!.types
  return {
    ...(SILENT_TAGS.has(it.tag) ? {} : { consumes: consumesOf(it).toSorted(byMediaType) }),
    produces: types.toSorted(byMediaType),
    schemes: ['https'],
    tags: [it.tag],
    operationId: it.id,
    ...(parameters.length ? { parameters } : {}),
    responses: describedAnswers(it, ({ schema }) => ({ schema: schemaV2(schema) })),
    ...(it.action ? { 'x-kubernetes-action': it.action } : {}),
    ...(kind ? { 'x-kubernetes-group-version-kind': { group, kind, version } } : {}),
  }
}

/** Operations of these do not say what they take. */
const SILENT_TAGS: ReadonlySet<string> = new Set(['openid', 'WellKnown'])

/** What an operation takes; in v2 also one without a body says so. */
function consumesOf(it: Operation): readonly string[] {
  const answers = Object.values(it.answers)[0]!.types
  if (it.body) return it.body.types
  return it.kind && (it.action === 'connect' || answers.includes(PROTOBUF)) ? ['*/*'] : answers
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf'

const MEDIA_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
]

const byMediaType = (a: string, b: string): number =>
  MEDIA_TYPES.indexOf(a) - MEDIA_TYPES.indexOf(b)

/** Types that are one of several in v3 are text here, perhaps with a format. */
function schemaV2(schema: Schema): Schema {
  const { default: _default, ...rest } = schema
  if (rest.oneOf) return { type: 'string', ...(rest.format ? { format: rest.format } : {}) }
  const [only, ...more] = (rest.allOf as readonly Schema[] | undefined) ?? []
  if (only?.$ref && more.length === 0) {
    const { allOf: _allOf, ...beside } = rest
    return { ...mapSchemas(beside), ...refV2(only) }
  }
  return rest.$ref ? refV2(rest) : mapSchemas(rest)
}

const refV2 = ({ $ref }: Schema): Schema => ({
  $ref: `#/definitions/${String($ref).slice(REF_PREFIX.length)}`,
})

function mapSchemas(schema: Schema): Schema {
  const entries = Object.entries(schema).map(([key, value]) => [key, mapMember(key, value)])
  return Object.fromEntries(entries) as Schema
}

function mapMember(key: string, value: unknown): unknown {
  if (key === 'properties') {
    const all = Object.entries(value as Readonly<Record<string, Schema>>)
    return Object.fromEntries(all.map(([name, it]) => [name, schemaV2(it)]))
  }
  const nested = key === 'items' || key === 'additionalProperties'
  return nested && typeof value === 'object' ? schemaV2(value as Schema) : value
}
