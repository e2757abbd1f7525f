/** Source text → program. */
import type { CelType } from './cel-type.ts'
import { formatType, sameType } from './cel-type.ts'
import type { Checked } from './checker.ts'
import { check } from './checker.ts'
import { estimate, sizesOf } from './cost-estimate.ts'
import type { Environment } from './environment.ts'
import type { Frame } from './frame.ts'
import { CostLimitExceeded, InternalError } from './frame.ts'
import { KUBERNETES } from './library/kubernetes.ts'
import { MAX_DEPTH, parse } from './parser.ts'
import { PlanError } from './plan-error.ts'
import type { Plan } from './plan.ts'
import { planProgram } from './plan.ts'
import type {
  Compiled,
  EvaluateOptions,
  Evaluation,
  FailedStep,
  Issue,
  Program,
} from './program.ts'
import { NO_LOCATION, renderIssues, sortIssues } from './source.ts'
import { validate } from './validate.ts'
import { isError } from './value.ts'

/** Options of {@link compile}. */
export interface CompileOptions {
  /** The variables in scope and their types. Default: none. */
  readonly variables?: Readonly<Record<string, CelType>>
  /** Functions, macros and limits. Default: {@link KUBERNETES}, everything kube-apiserver 1.36 has. */
  readonly environment?: Environment
  /** The type, or the types one of which, the expression must have. Default: any. */
  readonly expect?: CelType | readonly CelType[]
}

/** Parses, checks and plans an expression. Never throws for anything the source says. */
export function compile(source: string, options: CompileOptions = {}): Compiled {
  try {
    return compiled(source, options)
  } catch (error) {
    // Chains of thousands of operators make a tree deeper than the stack.
    if (!(error instanceof RangeError)) throw error
    const message = `expression recursion limit exceeded: ${MAX_DEPTH}`
    return refused('parse', source, [{ message, ...NO_LOCATION }])
  }
}

function compiled(source: string, options: CompileOptions): Compiled {
  const { variables = {}, environment = KUBERNETES } = options
  const parsed = parse(source, environment.macros)
  if (parsed.issues.length > 0) return refused('parse', source, parsed.issues)
  const checked = check(source, parsed, environment, variables)
  if (checked.issues.length > 0) return refused('check', source, checked.issues)
  const invalid = validate(source, checked, environment)
  if (invalid.length > 0) return refused('check', source, invalid)
  const unexpected = mismatch(checked.types[checked.expr.id] as CelType, options.expect)
  if (unexpected !== undefined) return refusedWith('output', unexpected)
  try {
    const plan = planProgram(checked, environment, variables)
    return { ok: true, program: programOf(source, checked, plan, environment, variables) }
  } catch (error) {
    if (error instanceof PlanError) return refusedWith('plan', error.message)
    throw error
  }
}

function refused(step: FailedStep, source: string, found: readonly Issue[]): Compiled {
  const issues = sortIssues(found)
  return { ok: false, step, issues, text: renderIssues(source, issues) }
}

function refusedWith(step: FailedStep, message: string): Compiled {
  return { ok: false, step, issues: [{ message, ...NO_LOCATION }], text: message }
}

function mismatch(
  type: CelType,
  expect: CelType | readonly CelType[] | undefined,
): string | undefined {
  if (expect === undefined) return undefined
  const wanted = Array.isArray(expect) ? (expect as readonly CelType[]) : [expect as CelType]
  if (wanted.some((candidate) => sameType(candidate, type))) return undefined
  const [first] = wanted
  return wanted.length === 1 && first !== undefined
    ? `must evaluate to ${formatType(first)}`
    : `must evaluate to one of [${wanted.map(formatType).join(' ')}]`
}

function programOf(
  source: string,
  checked: Checked,
  plan: Plan,
  environment: Environment,
  variables: Readonly<Record<string, CelType>>,
): Program {
  const names = new Set(Array.from(checked.references.values(), (reference) => reference.name))
  return Object.freeze({
    source,
    outputType: checked.types[checked.expr.id] as CelType,
    references: (name: string) => names.has(name),
    estimateCost: (size = sizesOf(variables)) => estimate(checked, environment, size),
    evaluate: (bindings, options) => run(plan, bindings, options ?? {}),
  } satisfies Program)
}

function run(plan: Plan, bindings: Frame['bindings'], options: EvaluateOptions): Evaluation {
  const frame: Frame = {
    cost: 0,
    limit: options.costLimit ?? Infinity,
    bindings,
    variables: Array.from({ length: plan.variableCount }),
    locals: Array.from({ length: plan.localCount }),
  }
  try {
    const value = plan.run(frame)
    if (!isError(value)) return { ok: true, value, cost: frame.cost }
    const error = { message: value.message }
    return { ok: false, error, costLimitExceeded: false, cost: frame.cost }
  } catch (error) {
    // Too long a string, too deep a value: what Go's program recovers from.
    if (error instanceof RangeError || error instanceof InternalError) {
      const isOurs = error instanceof InternalError
      const message = isOurs ? error.message : `internal error: ${(error as Error).message}`
      return { ok: false, error: { message }, costLimitExceeded: false, cost: frame.cost }
    }
    if (!(error instanceof CostLimitExceeded)) throw error
    return {
      ok: false,
      error: { message: error.message },
      costLimitExceeded: true,
      cost: frame.cost,
    }
  }
}
