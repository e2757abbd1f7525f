import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from 'kubewright/machinery'
import {
  type CompiledRule,
  type SchemaNode,
  type ValidationRule,
  compileRules,
  resolveFieldPath,
} from 'kubewright/schema'
import { goRule } from './go-form.ts'
import { RULE_COST_LIMIT, type RulePlace, costMessage, observeCost, ruleCost } from './rule-cost.ts'

type Errors = readonly FieldError[]

const REASONS = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
]

const hasNewline = (text: string): boolean => /[\n\r]/.test(text)

/** What is wrong with the rules of a place before they are compiled. */
export function ruleFormErrors(node: SchemaNode, path: string): Errors {
  return node.rules.flatMap((rule, i) => {
    const at = `${path}.x-kubernetes-validations[${i}]`
    return [...textErrors(rule, at), ...reasonErrors(rule, at), ...pathErrors(node, rule, at)]
  })
}

function textErrors(rule: ValidationRule, at: string): Errors {
  const expression = rule.messageExpression
  return [
    ...ruleOrMessageError(rule, at),
    ...(expression && expression.trim() === ''
      ? [required(`${at}.messageExpression`, 'messageExpression must be non-empty if specified')]
      : []),
  ]
}

/** Only the first of these is said. */
function ruleOrMessageError({ rule, message = '' }: ValidationRule, at: string): Errors {
  const text = message.trim()
  if (rule.trim() === '') return [required(`${at}.rule`, 'rule is not specified')]
  if (message !== '' && text === '')
    return [invalidValue(`${at}.message`, message, 'must be non-empty if specified')]
  if (hasNewline(text))
    return [invalidValue(`${at}.message`, message, 'must not contain line breaks')]
  if (hasNewline(rule.trim()) && text === '')
    return [required(`${at}.message`, 'message must be specified if rule contains line breaks')]
  return []
}

function reasonErrors({ reason }: ValidationRule, at: string): Errors {
  return reason !== undefined && !REASONS.includes(reason)
    ? [notSupported(`${at}.reason`, reason, REASONS)]
    : []
}

function pathErrors(node: SchemaNode, { fieldPath = '' }: ValidationRule, at: string): Errors {
  if (fieldPath === '') return []
  const problem = (sentence: string): FieldError =>
    invalidValue(`${at}.fieldPath`, fieldPath, sentence)
  return [
    ...(fieldPath.trim() === '' ? [problem('must be non-empty if specified')] : []),
    ...(hasNewline(fieldPath) ? [problem('must not contain line breaks')] : []),
    ...(resolveFieldPath(node, fieldPath).ok ? [] : [problem('must be a valid path')]),
  ]
}

/** How rules are judged: `uncorrelatable` is the nearest place above whose items have no old value. */
export interface RuleContext {
  readonly uncorrelatable: string | undefined
  /** Costs were accepted before and are not judged again. */
  readonly anyCost: boolean
}

/** What the compiler says of the rules of a place, and what they may cost. */
export function ruleErrors(at: RulePlace, path: string, context: RuleContext): Errors {
  const where = `${path}.x-kubernetes-validations`
  const type = at.type()
  if (!type) return [typeProblem(where)]
  return compileRules(at.node, at.node.rules, type).flatMap((compiled, i) => {
    const once = compiled.program?.estimateCost().max ?? 0n
    return [
      ...costErrors(
        at,
        `${where}[${i}].rule`,
        'estimated rule cost',
        ruleCost(at, type, once),
        context,
      ),
      ...compileErrors(compiled, `${where}[${i}]`),
      ...messageErrors(at, compiled, `${where}[${i}].messageExpression`, context),
      ...oldSelfErrors(compiled, `${where}[${i}]`, context),
    ]
  })
}

const typeProblem = (field: string): FieldError => ({
  type: 'InternalError',
  field,
  detail:
    'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
})

function costErrors(
  at: RulePlace,
  path: string,
  what: string,
  cost: bigint,
  context: RuleContext,
): Errors {
  observeCost(at.total, path, cost)
  const dear = cost > RULE_COST_LIMIT && !context.anyCost
  return dear ? [forbiddenField(path, costMessage(what, cost, RULE_COST_LIMIT))] : []
}

function compileErrors({ rule, error }: CompiledRule, at: string): Errors {
  return error === undefined ? [] : [invalidValue(`${at}.rule`, goRule(rule), error)]
}

function messageErrors(
  at: RulePlace,
  { rule, message, messageError }: CompiledRule,
  path: string,
  context: RuleContext,
): Errors {
  if (messageError !== undefined) return [invalidValue(path, goRule(rule), messageError)]
  if (!message) return []
  const cost = message.estimateCost().max
  return costErrors(at, path, 'estimated messageExpression cost', cost, context)
}

function oldSelfErrors(
  { rule, usesOldSelf }: CompiledRule,
  at: string,
  { uncorrelatable }: RuleContext,
): Errors {
  if (usesOldSelf)
    return uncorrelatable === undefined
      ? []
      : [
          invalidValue(
            `${at}.rule`,
            rule.rule,
            `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`,
          ),
        ]
  return rule.optionalOldSelf === undefined
    ? []
    : [
        invalidValue(
          `${at}.optionalOldSelf`,
          rule.optionalOldSelf,
          'may not be set if oldSelf is not used in rule',
        ),
      ]
}
