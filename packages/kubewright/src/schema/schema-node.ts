import { RE2JS } from 're2js'
import type { JsonSchema, ValidationRule } from './json-schema.ts'
import { supportedFormat } from './formats.ts'

/**
 * A schema compiled for walking: every keyword in the form in which a walk asks for it. Made once per schema, shared by pruning,
 * defaulting, validation and the rules; never changed. (apiextensions-apiserver/pkg/apiserver/schema Structural and kube-openapi's
 * spec.Schema in one.)
 */
export interface SchemaNode {
  readonly source: JsonSchema
  /** The declared type, or empty. */
  readonly type: string
  /** What validation takes: the declared type, both of int-or-string, or nothing. */
  readonly types: readonly string[]
  /** The format that validation checks; empty where the server ignores it. */
  readonly format: string
  readonly nullable: boolean
  /** Undefined where there is none; a default of null is none. */
  readonly default: unknown
  readonly items: SchemaNode | undefined
  readonly properties: ReadonlyMap<string, SchemaNode>
  /** Names and values of the properties that have a default. */
  readonly defaults: readonly (readonly [string, SchemaNode])[]
  /** additionalProperties: a schema, a yes or no, or not said. */
  readonly additional: SchemaNode | boolean | undefined
  readonly preserve: boolean
  readonly embedded: boolean
  readonly intOrString: boolean
  readonly rules: readonly ValidationRule[]
  readonly allOf: readonly SchemaNode[]
  readonly anyOf: readonly SchemaNode[]
  readonly oneOf: readonly SchemaNode[]
  readonly not: SchemaNode | undefined
  /** Whether anything here or below (without combinators) has the trait: walks that look for nothing else stop where it is false. */
  readonly below: Traits
  /** The compiled pattern; undefined without one, an error where it is not valid. Compiled when first asked for. */
  pattern(): RE2JS | Error | undefined
}

/** Traits of a subtree. */
export interface Traits {
  readonly rules: boolean
  readonly listTypes: boolean
  readonly embedded: boolean
}

const NONE: readonly never[] = []
const NO_PROPERTIES: ReadonlyMap<string, SchemaNode> = new Map()

/**
 * What validation takes for an int-or-string: objects are checked against both types (`object`), the defaults of a definition only
 * against what their schema says (`default`), as the server does.
 */
export type SchemaUse = 'object' | 'default'

/** Compiles a schema. The schema must be well-formed JSON of the v1 type; whether it is structural is not asked. */
export function compileSchema(source: JsonSchema, use: SchemaUse = 'object'): SchemaNode {
  const compile = (it: JsonSchema): SchemaNode => compileSchema(it, use)
  const compileAll = (schemas: readonly JsonSchema[] | undefined): readonly SchemaNode[] =>
    schemas?.length ? schemas.map(compile) : NONE
  const items = source.items && compile(source.items)
  const properties = compileProperties(source.properties, compile)
  const additional =
    typeof source.additionalProperties === 'object'
      ? compile(source.additionalProperties)
      : source.additionalProperties
  const children = childrenOf(items, properties, additional)
  const type = source.type ?? ''
  const intOrString = source['x-kubernetes-int-or-string'] === true
  const types =
    intOrString && use === 'object' ? ['integer', 'string'] : type === '' ? NONE : [type]
  let pattern: RE2JS | Error | undefined
  return {
    source,
    type,
    types,
    format: supportedFormat(types, source.format ?? ''),
    nullable: source.nullable === true,
    default: source.default ?? undefined,
    items,
    properties,
    defaults: [...properties].filter(([, it]) => it.default !== undefined),
    additional,
    preserve: source['x-kubernetes-preserve-unknown-fields'] === true,
    embedded: source['x-kubernetes-embedded-resource'] === true,
    intOrString,
    rules: source['x-kubernetes-validations'] ?? NONE,
    allOf: compileAll(source.allOf),
    anyOf: compileAll(source.anyOf),
    oneOf: compileAll(source.oneOf),
    not: source.not && compile(source.not),
    below: traitsOf(source, children),
    pattern: () => (source.pattern ? (pattern ??= compilePattern(source.pattern)) : undefined),
  }
}

/** The node of a whole object: kind, apiVersion and metadata are there without being declared. */
export function asResourceRoot(node: SchemaNode): SchemaNode {
  return node.embedded
    ? node
    : { ...node, embedded: true, below: { ...node.below, embedded: true } }
}

function compileProperties(
  properties: Readonly<Record<string, JsonSchema>> | undefined,
  compile: (schema: JsonSchema) => SchemaNode,
): ReadonlyMap<string, SchemaNode> {
  if (!properties) return NO_PROPERTIES
  return new Map(Object.entries(properties).map(([name, it]) => [name, compile(it)]))
}

function childrenOf(
  items: SchemaNode | undefined,
  properties: ReadonlyMap<string, SchemaNode>,
  additional: SchemaNode | boolean | undefined,
): readonly SchemaNode[] {
  return [
    ...(items ? [items] : []),
    ...properties.values(),
    ...(typeof additional === 'object' ? [additional] : []),
  ]
}

function traitsOf(source: JsonSchema, children: readonly SchemaNode[]): Traits {
  const listType = source['x-kubernetes-list-type']
  return {
    rules: !!source['x-kubernetes-validations']?.length || children.some((it) => it.below.rules),
    listTypes:
      listType === 'set' || listType === 'map' || children.some((it) => it.below.listTypes),
    embedded:
      source['x-kubernetes-embedded-resource'] === true || children.some((it) => it.below.embedded),
  }
}

/** Patterns are RE2, as the server's are: no input can make them backtrack. */
export function compilePattern(pattern: string): RE2JS | Error {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    return error as Error
  }
}
