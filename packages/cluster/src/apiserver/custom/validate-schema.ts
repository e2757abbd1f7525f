import { type FieldError, forbiddenField, invalidValue, notSupported } from 'kubewright/machinery'
import type { SchemaNode } from 'kubewright/schema'
import { listErrors, mapTypeErrors } from './validate-list-schema.ts'
import { type RulePlace, childPlace } from './rule-cost.ts'
import { type RuleContext, ruleErrors, ruleFormErrors } from './validate-rules.ts'

/** What a schema's place allows. */
interface Context extends RuleContext {
  /** Why there may be no default here; undefined where there may. */
  readonly noDefault: string | undefined
  readonly insideMeta: boolean
}

/** Errors of the schema itself, and those of its rules, which are only looked for where the schema has none. */
interface Errors {
  readonly schema: readonly FieldError[]
  readonly rules: readonly FieldError[]
}

const NONE: Errors = { schema: [], rules: [] }

const join = (parts: readonly Errors[]): Errors => ({
  schema: parts.flatMap((it) => it.schema),
  rules: parts.flatMap((it) => it.rules),
})

/**
 * What is wrong with a schema beyond its being structural (apiextensions validation.go
 * ValidateCustomResourceDefinitionOpenAPISchema). `rules` is absent where rules are not to be judged, because the schema is not
 * structural.
 */
export function schemaErrors(
  root: SchemaNode,
  path: string,
  rules: RulePlace | undefined,
  anyCost: boolean,
): readonly FieldError[] {
  const context = { noDefault: undefined, insideMeta: false, uncorrelatable: undefined, anyCost }
  const errors = visit(root, path, context, rules, true)
  return [...errors.schema, ...errors.rules]
}

function visit(
  node: SchemaNode,
  path: string,
  context: Context,
  rules: RulePlace | undefined,
  isRoot: boolean,
): Errors {
  const below = join([
    additional(node, path, context, rules),
    properties(node, path, context, rules, isRoot),
    combinators(node, path, context),
    items(node, path, context, rules),
  ])
  const own = [...keywordErrors(node, path, context), ...additionalErrors(node, path)]
  const after = [
    ...(node.source['x-kubernetes-preserve-unknown-fields'] === false
      ? [
          invalidValue(
            `${path}.x-kubernetes-preserve-unknown-fields`,
            false,
            'must be true or undefined',
          ),
        ]
      : []),
    ...mapTypeErrors(node, path),
    ...listErrors(node, path),
    ...ruleFormErrors(node, path),
  ]
  const schema = [...own, ...below.schema, ...after]
  const judged = node.rules.length > 0 && schema.length === 0 && rules !== undefined
  return { schema, rules: [...below.rules, ...(judged ? ruleErrors(rules, path, context) : [])] }
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string']

/** Keywords of JSON schema that have no place in a definition. */
const UNSUPPORTED = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
]

const isGiven = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  !(typeof value === 'object' && Object.keys(value).length === 0)

function keywordErrors(node: SchemaNode, path: string, context: Context): readonly FieldError[] {
  const raw = node.source as Readonly<Record<string, unknown>>
  const { type } = node
  return [
    ...(type && !TYPES.includes(type) ? [notSupported(`${path}.type`, type, TYPES)] : []),
    ...(raw['default'] !== undefined && context.noDefault !== undefined
      ? [forbiddenField(`${path}.default`, `must not be set ${context.noDefault}`)]
      : []),
    ...UNSUPPORTED.filter((it) => isGiven(raw[it])).map((it) =>
      forbiddenField(`${path}.${it}`, `${it} is not supported`),
    ),
    ...(type === 'null'
      ? [
          forbiddenField(
            `${path}.type`,
            'type cannot be set to null, use nullable as an alternative',
          ),
        ]
      : []),
    ...(Array.isArray(raw['items'])
      ? [forbiddenField(`${path}.items`, 'items must be a schema object and not an array')]
      : []),
    ...(context.insideMeta && node.embedded
      ? [
          forbiddenField(
            `${path}.x-kubernetes-embedded-resource`,
            'must not be used inside of resource meta',
          ),
        ]
      : []),
    ...(node.source.uniqueItems
      ? [
          forbiddenField(
            `${path}.uniqueItems`,
            'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
          ),
        ]
      : []),
  ]
}

function additionalErrors(node: SchemaNode, path: string): readonly FieldError[] {
  const { additional, properties: known } = node
  return additional !== undefined && additional !== true && known.size > 0
    ? [
        forbiddenField(
          `${path}.additionalProperties`,
          'additionalProperties and properties are mutual exclusive',
        ),
      ]
    : []
}

function additional(
  node: SchemaNode,
  path: string,
  context: Context,
  rules: RulePlace | undefined,
): Errors {
  const values = node.additional
  if (typeof values !== 'object') return NONE
  // Pruning such a default would need a value to tell whose it is.
  const noDefault = context.insideMeta
    ? 'inside additionalProperties applying to object metadata'
    : context.noDefault
  const at = `${path}.additionalProperties`
  return visit(values, at, { ...context, noDefault }, childPlace(rules, values, 'values'), false)
}

const META: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion'])

function properties(
  node: SchemaNode,
  path: string,
  context: Context,
  rules: RulePlace | undefined,
  isRoot: boolean,
): Errors {
  const mapType = node.source['x-kubernetes-map-type']
  const known = mapType === undefined || mapType === 'granular' || mapType === 'atomic'
  const here = known ? context : uncorrelated(context, path)
  return join(
    [...node.properties].map(([name, it]) => {
      const meta = (isRoot || node.embedded) && META.has(name)
      const inside = meta ? { ...here, insideMeta: true } : here
      const own = meta && isRoot ? { ...inside, noDefault: `in top-level ${name}` } : inside
      const at = `${path}.properties[${name}]`
      return visit(it, at, own, childPlace(rules, it, { property: name }), false)
    }),
  )
}

/** The highest such place is the one that is named. */
const uncorrelated = (context: Context, path: string): Context =>
  context.uncorrelatable === undefined ? { ...context, uncorrelatable: path } : context

function combinators(node: SchemaNode, path: string, context: Context): Errors {
  const each = (name: 'allOf' | 'oneOf' | 'anyOf'): readonly Errors[] =>
    node[name].map((it, i) => visit(it, `${path}.${name}[${i}]`, context, undefined, false))
  return join([
    ...(node.not ? [visit(node.not, `${path}.not`, context, undefined, false)] : []),
    ...each('allOf'),
    ...each('oneOf'),
    ...each('anyOf'),
  ])
}

function items(
  node: SchemaNode,
  path: string,
  context: Context,
  rules: RulePlace | undefined,
): Errors {
  const it = node.items
  if (!it || Array.isArray(it.source)) return NONE
  const isMap = node.source['x-kubernetes-list-type'] === 'map'
  const here = isMap ? context : uncorrelated(context, path)
  return visit(it, `${path}.items`, here, childPlace(rules, it, 'items'), false)
}
