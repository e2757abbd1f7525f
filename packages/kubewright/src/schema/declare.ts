import type { JsonSchema } from './json-schema.ts'
import { type Schema, type SchemaPresence, schemaOf } from './schema.ts'

/** An author's options, before they are looked at. */
export type Loose = Readonly<Record<string, unknown>>

/** Keywords whose option has another name than the schema's keyword. */
const KEYWORDS: Readonly<Record<string, string>> = {
  validations: 'x-kubernetes-validations',
  listType: 'x-kubernetes-list-type',
  mapKeys: 'x-kubernetes-list-map-keys',
  mapType: 'x-kubernetes-map-type',
  preserveUnknownFields: 'x-kubernetes-preserve-unknown-fields',
}

/** Keywords that say nothing when false, and that a definition leaves out then. */
const SILENT_IF_FALSE: ReadonlySet<string> = new Set([
  'nullable',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'preserveUnknownFields',
])

function keywords(options: Loose): Loose {
  const given = Object.entries(options).filter(
    ([name, value]) => value !== undefined && !(value === false && SILENT_IF_FALSE.has(name)),
  )
  return Object.fromEntries(given.map(([name, value]) => [KEYWORDS[name] ?? name, value]))
}

/** Makes a token of a base schema and the author's options; a default decides the presence. */
export function declare(base: JsonSchema, options: object = {}): Schema<never, never, never> {
  const given = keywords(options as Loose)
  const presence: SchemaPresence = given['default'] === undefined ? 'required' : 'defaulted'
  const made: Schema = schemaOf(Object.freeze({ ...base, ...given }), presence)
  return made as Schema<never, never, never>
}
