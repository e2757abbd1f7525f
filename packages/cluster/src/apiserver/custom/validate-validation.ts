import { type FieldError, forbiddenField, invalidValue } from 'kubewright/machinery'
import {
  type JsonSchema,
  compileSchema,
  structuralErrors,
  validateDefaults,
} from 'kubewright/schema'
import { goSchema } from './go-form.ts'
import { SCHEMA_COST_LIMIT, type RulePlace, costMessage, rootPlace } from './rule-cost.ts'
import { schemaErrors } from './validate-schema.ts'

type Errors = readonly FieldError[]

/** How a schema is judged: whether /status is on, and whether its rules' costs were accepted before. */
export interface ValidationContext {
  readonly status: boolean
  readonly anyCost: boolean
}

/** What is wrong with the schema of a version or of all of them (validateCustomResourceDefinitionValidation). */
export function validationErrors(
  schema: JsonSchema | undefined,
  path: string,
  context: ValidationContext,
): Errors {
  if (!schema) return []
  const at = `${path}.openAPIV3Schema`
  const unstructured = conversionProblem(schema)
  const structural = unstructured === undefined ? structureErrors(schema, at) : []
  const root = compileSchema(schema)
  const rules = unstructured === undefined && structural.length === 0 ? rootPlace(root) : undefined
  const errors = [
    ...(context.status ? rootFieldErrors(schema, at) : []),
    ...(schema.nullable
      ? [forbiddenField(`${at}.nullable`, 'nullable cannot be true at the root')]
      : []),
    ...structural,
    ...schemaErrors(root, at, rules, context.anyCost),
  ]
  return [
    ...errors,
    // Said only where nothing else is: it mostly repeats what the schema's own checks say better.
    ...(errors.length === 0 && unstructured !== undefined
      ? [invalidValue(at, '', unstructured)]
      : []),
    ...(rules ? totalCostErrors(rules, at) : []),
  ]
}

/** Defaults are judged once the structure is sound. */
function structureErrors(schema: JsonSchema, path: string): Errors {
  const errors = structuralErrors(schema, path)
  return errors.length ? errors : validateDefaults(compileSchema(schema, 'default'), path)
}

function totalCostErrors({ total }: RulePlace, path: string): Errors {
  if (total.total <= SCHEMA_COST_LIMIT) return []
  const share =
    'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
  const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
  return [
    ...total.dearest.map((it) => forbiddenField(it.path, share)),
    forbiddenField(path, costMessage(what, total.total, SCHEMA_COST_LIMIT)),
  ]
}

const ROOT_FIELDS = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
]

/** With /status on, `properties[status]` is taken out as a schema of its own, so the root may say nothing that would be lost. */
function rootFieldErrors(schema: JsonSchema, path: string): Errors {
  const form = goSchema(schema)
  for (const [name, value] of Object.entries(form)) {
    if (value === '' || value === null || value === false) continue
    if (name === 'Type') {
      if (value === 'object') continue
      const only =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
      return [invalidValue(`${path}.type`, value, only)]
    }
    if (!ROOT_FIELDS.includes(name))
      return [
        invalidValue(
          path,
          form,
          `only [${ROOT_FIELDS.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`,
        ),
      ]
  }
  return []
}

const UNSUPPORTED = [
  'id',
  '$schema',
  '$ref',
  'patternProperties',
  'dependencies',
  'additionalItems',
  'definitions',
]

const isGiven = (value: unknown): boolean =>
  value !== undefined &&
  value !== '' &&
  !(typeof value === 'object' && value !== null && Object.keys(value).length === 0)

/** Why a schema cannot be read as a structural one at all; undefined where it can (structuralschema.NewStructural). */
export function conversionProblem(schema: JsonSchema): string | undefined {
  const raw = schema as Readonly<Record<string, unknown>>
  const keyword = UNSUPPORTED.find((it) => isGiven(raw[it]))
  if (keyword) return `OpenAPIV3Schema '${keyword.replace('$schema', 'schema')}' is not supported`
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
  if (Array.isArray(raw['items']))
    return "OpenAPIV3Schema 'items' must be a schema, but is an array"
  for (const it of children(schema)) {
    const problem = conversionProblem(it)
    if (problem) return problem
  }
  return undefined
}

function children(schema: JsonSchema): readonly JsonSchema[] {
  const {
    items,
    properties = {},
    additionalProperties,
    allOf = [],
    anyOf = [],
    oneOf = [],
    not,
  } = schema
  return [
    ...(items ? [items] : []),
    ...Object.values(properties),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...allOf,
    ...anyOf,
    ...oneOf,
    ...(not ? [not] : []),
  ]
}
