import { type FieldError, fieldErrorText } from '../machinery/index.ts'
import { type Correlated, partnersOf } from './correlated.ts'
import { isList, isObject } from './json.ts'
import { evaluateMessage } from './rule-message.ts'
import type { RuleValidator } from './rule-validator.ts'
import { type CompiledRule, PER_CALL_LIMIT, RUNTIME_BUDGET } from './rules.ts'

/** What is to be checked. `old` is the value before an update; undefined on a create. */
export interface RuleInput {
  readonly value: unknown
  readonly old?: unknown
  /** Old and new side by side: errors about what did not change become warnings (KEP-4008). Absent: nothing is tolerated. */
  readonly correlated?: Correlated
  /** Where the value stands; empty for a whole object. */
  readonly path?: string
  /** Cost units left. Default {@link RUNTIME_BUDGET}. */
  readonly budget?: number
}

/** What the rules said. `budget` is what is left of it, negative once it ran out. */
export interface RuleOutcome {
  readonly errors: readonly FieldError[]
  /** Warnings for the answer's headers: errors that were tolerated. */
  readonly warnings: readonly string[]
  readonly budget: number
}

/** Runs the rules over a value and everything below it (apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go). */
export function validateRules(validator: RuleValidator | undefined, input: RuleInput): RuleOutcome {
  const run: Run = { errors: [], warnings: [], budget: input.budget ?? RUNTIME_BUDGET }
  const place = { path: input.path ?? '', old: input.correlated, parent: undefined }
  visit(run, validator, input.value, input.old ?? null, place)
  return run
}

interface Run {
  readonly errors: FieldError[]
  readonly warnings: string[]
  budget: number
}

/** Where we are, and what is known of the old object here: `parent` is the nearest part above that has a partner. */
interface Place {
  readonly path: string
  readonly old: Correlated | undefined
  readonly parent: Correlated | undefined
}

const tolerated = (place: Place): boolean => (place.old ?? place.parent)?.unchanged() ?? false

function below(place: Place, name: string, path: string): Place {
  const { old, parent } = place
  if (!old) return { path, old, parent }
  // Old and new were brought to one version, so apiVersion and kind never count as unchanged.
  if (!parent && (name === 'apiVersion' || name === 'kind'))
    return { path, old: undefined, parent: undefined }
  return { path, old: old.key(name), parent: old }
}

function at(place: Place, i: number): Place {
  const { old, parent } = place
  const path = `${place.path}[${i}]`
  return old ? { path, old: old.index(i), parent: old } : { path, old, parent }
}

function visit(
  run: Run,
  validator: RuleValidator | undefined,
  value: unknown,
  old: unknown,
  place: Place,
): void {
  if (!validator || value === null) return
  runRules(run, validator, value, old, place)
  if (run.budget < 0) return
  if (isList(value)) visitItems(run, validator, value, old, place)
  else if (isObject(value)) visitFields(run, validator, value, old, place)
}

/** Only items of a list-map have an old value. */
function visitItems(
  run: Run,
  { node, items }: RuleValidator,
  value: readonly unknown[],
  old: unknown,
  place: Place,
): void {
  if (!items) return
  const isMap = node.source['x-kubernetes-list-type'] === 'map' && isList(old)
  const partners = isMap ? partnersOf(node, value, old) : undefined
  for (const [i, item] of value.entries()) {
    visit(run, items, item, partners?.[i] ?? null, at(place, i))
    if (run.budget < 0) return
  }
}

function visitFields(
  run: Run,
  validator: RuleValidator,
  value: Readonly<Record<string, unknown>>,
  old: unknown,
  place: Place,
): void {
  for (const name of Object.keys(value)) {
    const before = isObject(old) ? (old[name] ?? null) : null
    const property = validator.property(name)
    if (property) {
      const path = place.path === '' ? name : `${place.path}.${name}`
      visit(run, property, value[name], before, below(place, name, path))
    } else if (validator.additional) {
      const next = below(place, name, `${place.path}[${name}]`)
      visit(run, validator.additional, value[name], before, next)
    }
    if (run.budget < 0) return
  }
}

const field = (path: string): string => (path === '' ? '<nil>' : path)

const NO_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run'

function runRules(
  run: Run,
  validator: RuleValidator,
  value: unknown,
  old: unknown,
  place: Place,
): void {
  const { node, rules, compilationError } = validator
  const refuse = (detail: string): void => {
    run.errors.push({
      type: 'FieldValueInvalid',
      field: field(place.path),
      value: node.type,
      detail,
    })
  }
  if (compilationError) return refuse(`rule compiler initialization error: ${compilationError}`)
  if (rules.length === 0) return
  if (run.budget <= 0) {
    refuse(NO_BUDGET)
    run.budget = -1
    return
  }
  for (const rule of rules) {
    runRule(run, validator, rule, value, old, place, refuse)
    if (run.budget < 0) return
  }
}

function runRule(
  run: Run,
  validator: RuleValidator,
  compiled: CompiledRule,
  value: unknown,
  old: unknown,
  place: Place,
  refuse: (detail: string) => void,
): void {
  const { rule, program, error } = compiled
  if (error) return refuse(`rule compile error: ${error}`)
  if (!program) return
  if (compiled.usesOldSelf && old === null && !rule.optionalOldSelf) return
  const bindings = bindingsOf(validator, value, old)
  const result = program.evaluate(bindings, { costLimit: PER_CALL_LIMIT })
  if (result.cost > run.budget) {
    refuse(NO_BUDGET)
    run.budget = -1
    return
  }
  run.budget -= result.cost
  if (!result.ok) {
    refuse(evaluationProblem(result.error.message, result.costLimitExceeded, rule))
    if (result.costLimitExceeded) run.budget = -1
    return
  }
  if (result.value !== true) report(run, validator, compiled, value, bindings, place)
}

/** `oldSelf` is there once any rule at the node asks for it. A missing one is none where it is optional. */
function bindingsOf(
  validator: RuleValidator,
  value: unknown,
  old: unknown,
): Readonly<Record<string, unknown>> {
  return validator.usesOldSelf && old !== null ? { self: value, oldSelf: old } : { self: value }
}

const ruleText = (rule: CompiledRule['rule']): string => (rule.message || rule.rule).trim()

function evaluationProblem(
  message: string,
  costLimitExceeded: boolean,
  rule: CompiledRule['rule'],
): string {
  if (message.startsWith('no such overload'))
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(rule)}`
  if (costLimitExceeded)
    return `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(rule)}`
  return `${message} evaluating rule: ${ruleText(rule)}`
}

/** A rule that failed: an error, or a warning where the value did not change and the rule does not look at the old one. */
function report(
  run: Run,
  validator: RuleValidator,
  compiled: CompiledRule,
  value: unknown,
  bindings: Readonly<Record<string, unknown>>,
  place: Place,
): void {
  const { rule, fieldPath } = compiled
  const path =
    fieldPath === '' ? place.path : place.path === '' ? fieldPath : `${place.path}.${fieldPath}`
  const add = (error: FieldError): void => {
    if (!compiled.usesOldSelf && tolerated(place)) run.warnings.push(fieldErrorText(error))
    else run.errors.push(error)
  }
  const message = evaluateMessage(compiled, bindings, run.budget)
  run.budget = message.budget
  if (message.failure !== undefined)
    return add({
      type: 'FieldValueInvalid',
      field: field(path),
      value: validator.node.type,
      detail: message.failure,
    })
  const detail =
    message.text ?? (rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`)
  add(errorFor(rule.reason, field(path), shown(validator, value), detail))
}

/** Scalars are shown in the error; objects and lists are not. */
function shown(validator: RuleValidator, value: unknown): { readonly value?: unknown } {
  const { type } = validator.node
  return type === 'object' || type === 'array' ? {} : { value }
}

function errorFor(
  reason: CompiledRule['rule']['reason'],
  path: string,
  value: { readonly value?: unknown },
  detail: string,
): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
    case 'FieldValueRequired':
      return { type: reason, field: path, detail }
    case 'FieldValueDuplicate':
      return { type: reason, field: path, ...value, detail: '' }
    default:
      return { type: 'FieldValueInvalid', field: path, ...value, detail }
  }
}
