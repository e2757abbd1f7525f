import { type FieldError, duplicate, invalidValue, required, tooMany } from 'kubewright/machinery'
import {
  type CrdSubresources,
  type CrdVersion,
  type PrinterColumn,
  compileSchema,
  resolveFieldPath,
} from 'kubewright/schema'

type Errors = readonly FieldError[]

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string']
const COLUMN_FORMATS = [
  'byte',
  'date',
  'date-time',
  'double',
  'float',
  'int32',
  'int64',
  'password',
]

const oneOf = (names: readonly string[]): string => `must be one of ${names.join(',')}`

/** A simple JSON path: it begins with a dot. */
const pathErrors = (text: string, path: string): Errors =>
  text.startsWith('.')
    ? []
    : [invalidValue(path, text, 'must be a simple json path starting with .')]

/** What is wrong with a printer column (ValidateCustomResourceColumnDefinition). */
export function columnErrors(column: PrinterColumn, path: string): Errors {
  const { name, type, format, jsonPath } = column
  return [
    ...(name ? [] : [required(`${path}.name`)]),
    ...(!type
      ? [required(`${path}.type`, oneOf(COLUMN_TYPES))]
      : COLUMN_TYPES.includes(type)
        ? []
        : [invalidValue(`${path}.type`, type, oneOf(COLUMN_TYPES))]),
    ...(format && !COLUMN_FORMATS.includes(format)
      ? [invalidValue(`${path}.format`, format, oneOf(COLUMN_FORMATS))]
      : []),
    ...(jsonPath ? pathErrors(jsonPath, `${path}.JSONPath`) : [required(`${path}.JSONPath`)]),
  ]
}

function scalePathErrors(
  text: string,
  path: string,
  roots: readonly string[],
  sentence: string,
): Errors {
  const problems = pathErrors(text, path)
  if (problems.length) return problems
  return roots.some((it) => text.startsWith(it)) ? [] : [invalidValue(path, text, sentence)]
}

/** What is wrong with the paths of the scale subresource. */
export function subresourceErrors(it: CrdSubresources | undefined, path: string): Errors {
  const scale = it?.scale
  if (!scale) return []
  const { specReplicasPath: spec, statusReplicasPath: status, labelSelectorPath: label } = scale
  const at = (name: string): string => `${path}.scale.${name}`
  return [
    ...(spec
      ? scalePathErrors(
          spec,
          at('specReplicasPath'),
          ['.spec.'],
          'should be a json path under .spec',
        )
      : [required(at('specReplicasPath'))]),
    ...(status
      ? scalePathErrors(
          status,
          at('statusReplicasPath'),
          ['.status.'],
          'should be a json path under .status',
        )
      : [required(at('statusReplicasPath'))]),
    ...(label
      ? scalePathErrors(
          label,
          at('labelSelectorPath'),
          ['.spec.', '.status.'],
          'should be a json path under either .spec or .status',
        )
      : []),
  ]
}

const MAX_SELECTABLE = 8

const NO_SCALAR =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'

/** What is wrong with selectable fields. More than eight are tolerated where they stood before (`allowMany`). */
export function selectableErrors(
  fields: CrdVersion['selectableFields'],
  schema: NonNullable<CrdVersion['schema']>['openAPIV3Schema'],
  path: string,
  allowMany: boolean,
): Errors {
  if (!fields?.length || !schema) return []
  const root = compileSchema(schema)
  const seen = new Set<string>()
  const errors = fields.flatMap(({ jsonPath: text }, i): Errors => {
    const at = `${path}[${i}].jsonPath`
    if (!text) return [required(at)]
    const found = resolveFieldPath(root, text, { arrayNotation: false })
    if (!found.ok) return [invalidValue(at, text, `is an invalid path: ${found.error}`)]
    const again = seen.has(found.path)
    seen.add(found.path)
    return [
      ...(found.root === 'metadata'
        ? [invalidValue(at, text, 'must not point to fields in metadata')]
        : []),
      ...(['string', 'boolean', 'integer'].includes(found.node.type)
        ? []
        : [invalidValue(at, text, NO_SCALAR)]),
      ...(again ? [duplicate(at, text)] : []),
    ]
  })
  const many = seen.size > MAX_SELECTABLE && !allowMany
  return [...errors, ...(many ? [tooMany(path, seen.size, MAX_SELECTABLE)] : [])]
}

/** A text that Go has behind a pointer: an error shows it as JSON, and not as Go quotes texts. */
const pointed = (text: string): object => ({ toJSON: () => text })

/** What is wrong with the warning of a deprecated version. */
export function deprecationErrors(version: CrdVersion, path: string): Errors {
  const { deprecated, deprecationWarning: text } = version
  const at = `${path}.deprecationWarning`
  if (text === undefined) return []
  const shown = pointed(text)
  if (!deprecated) return [invalidValue(at, shown, 'can only be set for deprecated versions')]
  const strange = [...text].findIndex((it) => it !== ' ' && /[\p{C}\p{Z}]/u.test(it))
  const bytes = Buffer.byteLength([...text].slice(0, Math.max(strange, 0)).join(''))
  return [
    ...(Buffer.byteLength(text) > 256 ? ['must be <= 256 characters long'] : []),
    ...(text === '' ? ['must not be an empty string'] : []),
    ...(strange < 0
      ? []
      : [
          `must only contain printable UTF-8 characters; non-printable character found at index ${bytes}`,
        ]),
  ].map((it) => invalidValue(at, shown, it))
}
