import {
  type FieldError,
  fieldErrorText,
  forbiddenField,
  invalidValue,
  required,
} from '../machinery/index.ts'
import { equalJson } from './json.ts'
import type { JsonSchema } from './json-schema.ts'
import { compilePattern } from './schema-node.ts'

type Level = 'root' | 'item' | 'field'
type Errors = readonly FieldError[]

const NONE: Errors = []

/**
 * Where a schema is not structural: sorted, as the NonStructuralSchema condition lists them
 * (apiextensions-apiserver/pkg/apiserver/schema ValidateStructural). `path` is where the schema stands.
 */
export function structuralErrors(schema: JsonSchema, path: string): Errors {
  const errors = [...invariants(schema, 'root', path), ...completeness(schema, schema, path, path)]
  const sorted = errors.map((it) => [fieldErrorText(it), it] as const)
  return sorted.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, it]) => it)
}

const property = (path: string, name: string): string => `${path}.properties[${name}]`
const entries = (schema: JsonSchema): readonly (readonly [string, JsonSchema])[] =>
  Object.entries(schema.properties ?? {})

/** What holds at every place of the structure itself. */
function invariants(schema: JsonSchema, level: Level, path: string): Errors {
  const { items, additionalProperties: additional } = schema
  return [
    ...(schema.type === 'array' && !items
      ? [required(`${path}.items`, 'must be specified')]
      : NONE),
    ...(items ? invariants(items, 'item', `${path}.items`) : NONE),
    ...entries(schema).flatMap(([name, it]) => invariants(it, 'field', property(path, name))),
    ...(additional !== undefined && level === 'root'
      ? [forbiddenField(`${path}.additionalProperties`, 'must not be used at the root')]
      : NONE),
    ...(typeof additional === 'object'
      ? invariants(additional, 'field', `${path}.additionalProperties`)
      : NONE),
    ...extensionErrors(schema, path),
    ...valueErrors(
      schema,
      isIntOrString(schema.anyOf),
      isIntOrString(schema.allOf?.[0]?.anyOf),
      path,
    ),
    ...typeErrors(schema, level, path),
    ...metaErrors(schema, level, path),
  ]
}

function extensionErrors(schema: JsonSchema, path: string): Errors {
  if (!schema['x-kubernetes-int-or-string']) return NONE
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((it) => schema[it])
    .map((it) =>
      invalidValue(`${path}.${it}`, true, 'must be false if x-kubernetes-int-or-string is true'),
    )
}

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

const EMBEDDED_TYPE = 'must be object if x-kubernetes-embedded-resource is true'

function typeErrors(schema: JsonSchema, level: Level, path: string): Errors {
  const type = schema.type ?? ''
  const embedded = schema['x-kubernetes-embedded-resource'] === true
  const typeless =
    schema['x-kubernetes-int-or-string'] || schema['x-kubernetes-preserve-unknown-fields']
  const at = `${path}.type`
  const own =
    embedded && type !== 'object'
      ? [type === '' ? required(at, EMBEDDED_TYPE) : invalidValue(at, type, EMBEDDED_TYPE)]
      : type === '' && !typeless
        ? [required(at, EMPTY_TYPE[level])]
        : NONE
  return [
    ...own,
    ...(embedded && schema.additionalProperties !== undefined
      ? [
          forbiddenField(
            `${path}.additionalProperties`,
            'must not be used if x-kubernetes-embedded-resource is set',
          ),
        ]
      : NONE),
    ...(level === 'root' && type !== '' && type !== 'object'
      ? [invalidValue(at, type, 'must be object at the root')]
      : NONE),
  ]
}

/** kind, apiVersion and metadata of the object itself and of embedded ones are typed already, and may say little more. */
function metaErrors(schema: JsonSchema, level: Level, path: string): Errors {
  const properties = schema.properties ?? {}
  const embedded = schema['x-kubernetes-embedded-resource'] === true
  const checked = level === 'root' || embedded
  const strings = checked ? ['kind', 'apiVersion'] : []
  const bare =
    embedded &&
    !schema['x-kubernetes-preserve-unknown-fields'] &&
    Object.keys(properties).length === 0
  return [
    ...strings
      .filter((it) => properties[it] && properties[it].type !== 'string')
      .map((it) =>
        invalidValue(`${property(path, it)}.type`, properties[it]?.type ?? '', 'must be string'),
      ),
    ...(properties['metadata']
      ? metadataErrors(properties['metadata'], checked, level, property(path, 'metadata'))
      : NONE),
    ...(bare
      ? [
          required(
            `${path}.properties`,
            'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
          ),
        ]
      : NONE),
  ]
}

function metadataErrors(schema: JsonSchema, checked: boolean, level: Level, path: string): Errors {
  return [
    ...(checked && schema.type !== 'object'
      ? [invalidValue(`${path}.type`, schema.type ?? '', 'must be object')]
      : NONE),
    ...(level === 'root' && !onlyNames(schema)
      ? [
          forbiddenField(
            path,
            'must not specify anything other than name and generateName, but metadata is implicitly specified',
          ),
        ]
      : NONE),
  ]
}

/** Whether a schema of metadata says nothing, or something of name and generateName alone. */
function onlyNames(schema: JsonSchema): boolean {
  const names = Object.keys(schema.properties ?? {})
  if (names.some((it) => it !== 'name' && it !== 'generateName')) return false
  const silent: ReadonlySet<string> = new Set(['type', 'default', 'properties'])
  return Object.entries(schema).every(([keyword, value]) => silent.has(keyword) || isZero(value))
}

const isZero = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)

const INT_OR_STRING: readonly JsonSchema[] = [{ type: 'integer' }, { type: 'string' }]

const isIntOrString = (anyOf: readonly JsonSchema[] | undefined): boolean =>
  anyOf !== undefined && equalJson(anyOf, INT_OR_STRING)

/** Combinators and patterns: inside combinators nothing may be structure. */
function valueErrors(
  schema: JsonSchema,
  skipAnyOf: boolean,
  skipFirstAllOf: boolean,
  path: string,
): Errors {
  const nested = (name: 'anyOf' | 'oneOf'): Errors =>
    (schema[name] ?? []).flatMap((it, i) => nestedErrors(it, false, `${path}.${name}[${i}]`))
  return [
    ...(skipAnyOf ? NONE : nested('anyOf')),
    ...(schema.allOf ?? []).flatMap((it, i) =>
      nestedErrors(it, skipFirstAllOf && i === 0, `${path}.allOf[${i}]`),
    ),
    ...nested('oneOf'),
    ...(schema.not ? nestedErrors(schema.not, false, `${path}.not`) : NONE),
    ...patternErrors(schema.pattern, path),
  ]
}

function patternErrors(pattern: string | undefined, path: string): Errors {
  if (!pattern) return NONE
  const compiled = compilePattern(pattern)
  if (!(compiled instanceof Error)) return NONE
  const sentence = `must be a valid regular expression, but isn't: ${compiled.message}`
  return [invalidValue(`${path}.pattern`, pattern, sentence)]
}

/** Keywords that would add structure inside a combinator, and what to say of them. */
const FORBIDDEN_INSIDE: readonly (readonly [keyof JsonSchema, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
]

function nestedErrors(schema: JsonSchema, skipAnyOf: boolean, path: string): Errors {
  return [
    ...valueErrors(schema, skipAnyOf, false, path),
    ...(schema.items ? nestedErrors(schema.items, false, `${path}.items`) : NONE),
    ...entries(schema).flatMap(([name, it]) => nestedErrors(it, false, property(path, name))),
    ...FORBIDDEN_INSIDE.filter(([keyword]) => !isZero(schema[keyword])).map(([keyword, why]) =>
      forbiddenField(`${path}.${keyword}`, why),
    ),
    ...(schema.properties?.['metadata']
      ? [forbiddenField(property(path, 'metadata'), 'must not be specified in a nested context')]
      : NONE),
  ]
}

/** Every value that a combinator speaks of must be in the structure too. `sPath` is the structure's place, `vPath` the combinator's. */
function completeness(
  value: JsonSchema,
  structure: JsonSchema,
  sPath: string,
  vPath: string,
): Errors {
  const each = (name: 'allOf' | 'anyOf' | 'oneOf'): Errors =>
    (value[name] ?? []).flatMap((it, i) =>
      nestedCompleteness(it, structure, sPath, `${vPath}.${name}[${i}]`),
    )
  return [
    ...(value.not ? nestedCompleteness(value.not, structure, sPath, `${vPath}.not`) : NONE),
    ...each('allOf'),
    ...each('anyOf'),
    ...each('oneOf'),
  ]
}

function nestedCompleteness(
  value: JsonSchema,
  structure: JsonSchema | undefined,
  sPath: string,
  vPath: string,
): Errors {
  if (!structure) return [required(sPath, `because it is defined in ${vPath}`)]
  return [
    ...completeness(value, structure, sPath, vPath),
    ...(value.items
      ? nestedCompleteness(value.items, structure.items, `${sPath}.items`, `${vPath}.items`)
      : NONE),
    ...entries(value).flatMap(([name, it]) =>
      nestedCompleteness(
        it,
        structure.properties?.[name],
        property(sPath, name),
        property(vPath, name),
      ),
    ),
  ]
}
