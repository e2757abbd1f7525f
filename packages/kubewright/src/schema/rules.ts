import {
  BOOL,
  type CelType,
  type Compiled,
  type Program,
  STRING,
  compile,
  optionalOf,
} from '../cel/index.ts'
import { resolveFieldPath } from './field-path.ts'
import type { ValidationRule } from './json-schema.ts'
import type { SchemaNode } from './schema-node.ts'

/** What one evaluation may cost, in cel-go's units: about a tenth of a second (apiserver/pkg/apis/cel/config.go). */
export const PER_CALL_LIMIT = 1_000_000

/** What all rules of one object may cost together. */
export const RUNTIME_BUDGET = 10_000_000

/** One rule of x-kubernetes-validations, compiled: a program, or what is wrong with it; neither for an empty rule. */
export interface CompiledRule {
  readonly rule: ValidationRule
  readonly program?: Program
  readonly error?: string
  readonly message?: Program
  readonly messageError?: string
  /** Whether the rule looks at `oldSelf`: such rules need an old value, and are never tolerated for being unchanged. */
  readonly usesOldSelf: boolean
  /** The field that the rule names, as a field path below its own place; empty for that place itself. */
  readonly fieldPath: string
}

/**
 * Compiles the rules that stand at a node (apiextensions-apiserver/pkg/apiserver/schema/cel Compile). `type` is the type of `self`
 * there.
 */
export function compileRules(
  node: SchemaNode,
  rules: readonly ValidationRule[],
  type: CelType,
): readonly CompiledRule[] {
  return rules.map((it) => compileRule(node, it, type))
}

function compileRule(node: SchemaNode, rule: ValidationRule, type: CelType): CompiledRule {
  const none = { rule, usesOldSelf: false, fieldPath: '' }
  if (rule.rule.trim() === '') return none
  const variables = { self: type, oldSelf: rule.optionalOldSelf ? optionalOf(type) : type }
  const compiled = compile(rule.rule, { variables, expect: BOOL })
  if (!compiled.ok) return { ...none, error: ruleProblem(compiled) }
  const usesOldSelf = compiled.program.references('oldSelf')
  const base = { rule, program: compiled.program, usesOldSelf, fieldPath: pathOf(node, rule) }
  if (!rule.messageExpression) return base
  const message = compile(rule.messageExpression, { variables, expect: STRING })
  return message.ok
    ? { ...base, message: message.program }
    : { ...base, messageError: messageProblem(message) }
}

function pathOf(node: SchemaNode, rule: ValidationRule): string {
  if (!rule.fieldPath) return ''
  const resolved = resolveFieldPath(node, rule.fieldPath)
  return resolved.ok ? resolved.path : ''
}

type Failed = Extract<Compiled, { ok: false }>

function ruleProblem(failed: Failed): string {
  if (failed.step === 'output') return 'cel expression must evaluate to a bool'
  return failed.step === 'plan'
    ? `program instantiation failed: ${failed.text}`
    : `compilation failed: ${failed.text}`
}

function messageProblem(failed: Failed): string {
  if (failed.step === 'output') return 'messageExpression must evaluate to a string'
  return failed.step === 'plan'
    ? `messageExpression instantiation failed: ${failed.text}`
    : `messageExpression compilation failed: ${failed.text}`
}
