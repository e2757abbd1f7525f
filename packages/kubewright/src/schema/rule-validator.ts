import type { CelType } from '../cel/index.ts'
import { type CompiledRule, compileRules } from './rules.ts'
import { elementType, propertyType, typeOfNode } from './rule-types.ts'
import type { SchemaNode } from './schema-node.ts'

/**
 * The rules of a schema, compiled: one validator for every node that has rules at it or below. Compiled when first asked for, kept
 * as long as the validator is. (apiextensions-apiserver/pkg/apiserver/schema/cel Validator.)
 */
export interface RuleValidator {
  readonly node: SchemaNode
  /** Set where rules stand at a node whose values they cannot see. */
  readonly compilationError: string | undefined
  readonly usesOldSelf: boolean
  readonly rules: readonly CompiledRule[]
  readonly items: RuleValidator | undefined
  readonly additional: RuleValidator | undefined
  property(name: string): RuleValidator | undefined
}

/** The validator of a schema's rules, or undefined where it has none. */
export function ruleValidator(
  node: SchemaNode,
  isResourceRoot: boolean,
): RuleValidator | undefined {
  return node.below.rules ? validatorOf(node, typeOfNode(node, isResourceRoot)) : undefined
}

function validatorOf(node: SchemaNode, type: CelType | undefined): RuleValidator {
  const rules = type ? compileRules(node, node.rules, type) : []
  const { items, additional } = node
  const properties = new Map<string, RuleValidator | undefined>()
  return {
    node,
    rules,
    usesOldSelf: rules.some((it) => it.usesOldSelf),
    compilationError:
      node.rules.length > 0 && !type
        ? 'failed to convert to declType for CEL validation rules'
        : undefined,
    items: items?.below.rules ? validatorOf(items, elementType(type)) : undefined,
    additional:
      typeof additional === 'object' && additional.below.rules
        ? validatorOf(additional, elementType(type))
        : undefined,
    property: (name) => {
      if (!properties.has(name)) properties.set(name, propertyValidator(node, name, type))
      return properties.get(name)
    },
  }
}

/** Properties of unknown type have no rules. */
function propertyValidator(
  node: SchemaNode,
  name: string,
  type: CelType | undefined,
): RuleValidator | undefined {
  const property = node.properties.get(name)
  if (!property?.below.rules) return undefined
  const own = propertyType(type, name, property)
  return own && validatorOf(property, own)
}
