import type { JsonSchema } from '../json-schema.ts'

/** Structural schemas by the short name of their type; `$ref` names another one. */
export type Definitions = Readonly<Record<string, DefinitionSchema>>

/** A structural schema that may stand for another definition. */
export type DefinitionSchema = JsonSchema & { readonly $ref?: string }

type Raw = Readonly<Record<string, unknown>>

const INT_OR_STRING: JsonSchema = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
}

const STRING: JsonSchema = { type: 'string' }
const STRINGS: JsonSchema = { type: 'object', additionalProperties: STRING }
const TIME: JsonSchema = { type: 'string', format: 'date-time' }

/** Types that have a JSON form of their own, and metadata, of which only what an author may set is kept. */
const SPECIAL: Readonly<Record<string, JsonSchema>> = {
  Quantity: {
    ...INT_OR_STRING,
    pattern:
      '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
  },
  IntOrString: INT_OR_STRING,
  Time: TIME,
  MicroTime: TIME,
  ObjectMeta: {
    type: 'object',
    properties: {
      annotations: STRINGS,
      finalizers: { type: 'array', items: STRING },
      labels: STRINGS,
      name: STRING,
      namespace: STRING,
    },
  },
}

/** Keywords that carry over as they are. */
const KEPT = [
  'type',
  'format',
  'enum',
  'required',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
] as const

/**
 * The definitions that `roots` need, out of the OpenAPI v3 schemas that kube-apiserver publishes (`components.schemas`), made
 * structural: without descriptions and patch hints, quantities and their like spelt out. `roots` are full names.
 */
export function structuralDefinitions(
  schemas: Readonly<Record<string, Raw>>,
  roots: readonly string[],
): Definitions {
  const made: Record<string, DefinitionSchema> = {}
  const visit = (name: string): void => {
    const short = shortName(name)
    if (short in made || short in SPECIAL) return
    const raw = schemas[name]
    if (!raw) throw new Error(`the OpenAPI document has no schema ${name}`)
    made[short] = {}
    made[short] = structural(raw, visit)
  }
  for (const name of roots) visit(name)
  const sorted = Object.entries(made).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted)
}

const shortName = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

/** `visit` is called with the full name of each definition that is referred to. */
function structural(raw: Raw, visit: (name: string) => void): DefinitionSchema {
  const ref = (raw['$ref'] ?? (raw['allOf'] as readonly Raw[] | undefined)?.[0]?.['$ref']) as
    string | undefined
  if (ref !== undefined) return referred(ref.slice(ref.lastIndexOf('/') + 1), visit)
  const properties = raw['properties'] as Readonly<Record<string, Raw>> | undefined
  const required = new Set(raw['required'] as readonly string[] | undefined)
  const { items, additionalProperties } = raw
  return {
    ...Object.fromEntries(KEPT.filter((it) => it in raw).map((it) => [it, raw[it]])),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, it]) => [
              name,
              { ...structural(it, visit), ...defaultOf(it, required.has(name)) },
            ]),
          ),
        }
      : {}),
    ...(items ? { items: structural(items as Raw, visit) } : {}),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: structural(additionalProperties as Raw, visit) }
      : {}),
  }
}

function referred(name: string, visit: (name: string) => void): DefinitionSchema {
  const short = shortName(name)
  const special = SPECIAL[short]
  if (special) return special
  visit(name)
  return { $ref: short }
}

/** Zero values are published as defaults where Go has no pointer; only an optional name's empty text is one. */
function defaultOf(raw: Raw, required: boolean): { readonly default?: unknown } {
  const value = raw['default']
  const says = value === '' ? !required : typeof value === 'string'
  return says ? { default: value } : {}
}

/** A definition with everything that it refers to written out. Throws for an unknown name. */
export function resolveDefinition(definitions: Definitions, name: string): JsonSchema {
  const definition = definitions[name]
  if (!definition) throw new Error(`there is no definition ${name}`)
  return resolved(definitions, definition)
}

function resolved(definitions: Definitions, schema: DefinitionSchema): JsonSchema {
  const { $ref, ...own } = schema
  if ($ref !== undefined) return { ...resolveDefinition(definitions, $ref), ...own }
  const { properties, items, additionalProperties } = own
  return {
    ...own,
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, it]) => [name, resolved(definitions, it)]),
          ),
        }
      : {}),
    ...(items ? { items: resolved(definitions, items) } : {}),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: resolved(definitions, additionalProperties) }
      : {}),
  }
}
