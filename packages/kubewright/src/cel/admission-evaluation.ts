/** Evaluation of admission expressions: the bindings of one request, variables made when first named, one budget for all. */
import type { AdmissionExpression } from './admission-compiler.ts'
import type { ObjectType } from './cel-type.ts'
import { DYN, objectOf } from './cel-type.ts'
import { unescapeIdentifier } from './escape.ts'
import { goQuote } from './go-quote.ts'
import { valueOf } from './json-value.ts'
import type { Bindings } from './program.ts'
import type { MapValue, Value } from './value.ts'
import { EvalError, NO_SUCH_OVERLOAD } from './value.ts'

/** What one evaluation may cost (apis/cel PerCallLimit). */
export const ADMISSION_CALL_LIMIT = 1_000_000
/** What all expressions of a policy may cost, for each binding and parameter (RuntimeCELCostBudget). */
export const ADMISSION_BUDGET = 10_000_000
/** What the match conditions of a policy or a webhook may cost (RuntimeCELCostBudgetMatchConditions). */
export const MATCH_CONDITION_BUDGET = 2_500_000

const OUT_OF_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run'

/** What expressions see. JSON as it is; `params` null where a binding names none, `authorizer` left out where it may not be asked. */
export interface AdmissionBindings {
  readonly object: unknown
  readonly oldObject: unknown
  readonly request: Readonly<Record<string, unknown>>
  readonly namespaceObject: unknown
  readonly params?: unknown
  readonly authorizer?: Value
  readonly requestResource?: Value
}

/** What came of an expression; one that is not there has neither. */
export interface AdmissionOutcome {
  readonly value?: Value
  readonly error?: string
}

/** What came of several, or the sentence of why nobody can tell: the budget is spent. */
export type AdmissionOutcomes =
  | { readonly ok: true; readonly outcomes: readonly AdmissionOutcome[]; readonly left: number }
  | { readonly ok: false; readonly error: string }

/**
 * Evaluates expressions (undefined: a place without one) over one set of bindings, in order, within a budget that they and the
 * variables they name spend together (condition.go ForInput, activation.go Evaluate). Throws only what a bound authorizer throws.
 */
export function evaluateAdmission(
  expressions: readonly (AdmissionExpression | undefined)[],
  variables: ReadonlyMap<string, AdmissionExpression>,
  bindings: AdmissionBindings,
  budget: number,
): AdmissionOutcomes {
  const spent = { cost: 0 }
  const all = bound(bindings, variables, spent)
  const outcomes: AdmissionOutcome[] = []
  let left = budget
  for (const expression of expressions) {
    if (expression === undefined) {
      outcomes.push({})
      continue
    }
    if (!expression.program) {
      outcomes.push({ error: `compilation error: ${expression.error}` })
      continue
    }
    spent.cost = 0
    const evaluation = expression.program.evaluate(all, { costLimit: ADMISSION_CALL_LIMIT })
    left -= spent.cost + evaluation.cost
    if (left < 0) return { ok: false, error: OUT_OF_BUDGET }
    outcomes.push(
      evaluation.ok
        ? { value: evaluation.value }
        : {
            error: `expression '${expression.source}' resulted in error: ${evaluation.error.message}`,
          },
    )
  }
  return { ok: true, outcomes, left }
}

function bound(
  { object, oldObject, request, namespaceObject, params, ...more }: AdmissionBindings,
  variables: ReadonlyMap<string, AdmissionExpression>,
  spent: { cost: number },
): Bindings {
  const all: Record<string, unknown> = {
    object,
    oldObject,
    params: params ?? null,
    request: valueOf(request, DYN),
    namespaceObject: valueOf(namespaceObject, DYN),
  }
  if (more.authorizer !== undefined) all['authorizer'] = more.authorizer
  if (more.requestResource !== undefined) all['authorizer.requestResource'] = more.requestResource
  all['variables'] = new LazyVariables(variables, all, spent)
  return all
}

const VARIABLES_TYPE: ObjectType = objectOf('kubernetes.variables')

/** The variables of a policy as a map whose values are made at first use, at most once (apiserver/pkg/cel/lazy). */
class LazyVariables implements MapValue {
  readonly tag = 'map'
  readonly objectType: ObjectType = VARIABLES_TYPE
  readonly #variables: ReadonlyMap<string, AdmissionExpression>
  readonly #bindings: Bindings
  readonly #spent: { cost: number }
  readonly #known = new Map<string, Value>()

  constructor(
    variables: ReadonlyMap<string, AdmissionExpression>,
    bindings: Bindings,
    spent: { cost: number },
  ) {
    this.#variables = variables
    this.#bindings = bindings
    this.#spent = spent
  }

  get size(): number {
    return this.#variables.size
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return NO_SUCH_OVERLOAD
    const name = unescapeIdentifier(key)
    const expression = name === undefined ? undefined : this.#variables.get(name)
    if (name === undefined || !expression) return undefined
    let value = this.#known.get(name)
    if (value === undefined) {
      value = this.#evaluate(name, expression)
      this.#known.set(name, value)
    }
    return value
  }

  keys(): readonly Value[] {
    return [...this.#variables.keys()]
  }

  equals(other: MapValue): boolean {
    return other === this
  }

  #evaluate(name: string, { program, error }: AdmissionExpression): Value {
    const fails = `composited variable ${goQuote(name)} fails to`
    if (!program) return new EvalError(`${fails} compile: ${error}`)
    const evaluation = program.evaluate(this.#bindings, { costLimit: ADMISSION_CALL_LIMIT })
    this.#spent.cost += evaluation.cost
    return evaluation.ok
      ? evaluation.value
      : new EvalError(`${fails} evaluate: ${evaluation.error.message}`)
  }
}
