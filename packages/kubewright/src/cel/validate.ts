/** Mistakes in constants that would only show when evaluated (cel-go's cel/validator.go and ext/formatting.go). */
import type { CallExpr, Expr, ListExpr, MapExpr } from './ast.ts'
import { childrenOf } from './ast.ts'
import type { CelType } from './cel-type.ts'
import { DYN, formatType, parametersOf, runtimeTypeName, sameType } from './cel-type.ts'
import type { Checked } from './checker.ts'
import { toDuration, toTimestamp } from './convert.ts'
import type { Environment } from './environment.ts'
import type { Clause } from './format-clauses.ts'
import { VERB_ERRORS, parseFormat } from './format-clauses.ts'
import { compilePattern } from './pattern.ts'
import type { Issue } from './program.ts'
import { locationOf } from './source.ts'
import type { Value } from './value.ts'
import { EvalError, isError } from './value.ts'

const MAX_ISSUES = 100

type Report = (at: Expr, message: string) => void

/** The issues of a checked tree's constants; empty if there are none. */
export function validate(
  source: string,
  checked: Checked,
  {
    homogeneousLiterals,
    validateLiterals,
  }: Pick<Environment, 'homogeneousLiterals' | 'validateLiterals'>,
): readonly Issue[] {
  const issues: Issue[] = []
  const report: Report = (at, message) => {
    if (issues.length >= MAX_ISSUES) return
    issues.push({ message, ...locationOf(source, checked.offsets[at.id] ?? 0) })
  }
  visit(checked.expr, false)
  return issues

  function visit(expr: Expr, inFormat: boolean): void {
    if (validateLiterals && expr.kind === 'call') validateCall(checked, expr, report)
    const mustBeUniform = homogeneousLiterals && !inFormat
    if (expr.kind === 'list' && mustBeUniform) validateList(checked, expr, report)
    if (expr.kind === 'map' && mustBeUniform) validateMap(checked, expr, report)
    const isFormat = inFormat || (expr.kind === 'call' && expr.fn === 'format')
    for (const child of childrenOf(expr)) visit(child, isFormat)
  }
}

const LITERAL_CHECKS: Readonly<Record<string, (value: Value) => Value>> = {
  duration: toDuration,
  timestamp: toTimestamp,
  matches: (pattern) => {
    const compiled = typeof pattern === 'string' ? compilePattern(pattern) : undefined
    return compiled instanceof EvalError ? compiled : null
  },
}

function validateCall(checked: Checked, expr: CallExpr, report: Report): void {
  const check = Object.hasOwn(LITERAL_CHECKS, expr.fn) ? LITERAL_CHECKS[expr.fn] : undefined
  const [first] = expr.args
  if (check !== undefined && first?.kind === 'literal' && isError(check(first.value))) {
    report(first, `invalid ${expr.fn} argument`)
  }
  if (expr.fn === 'format') validateFormat(checked, expr, report)
}

function typeOf(checked: Checked, expr: Expr): CelType {
  return checked.types[expr.id] ?? DYN
}

function validateList(checked: Checked, expr: ListExpr, report: Report): void {
  let expected: CelType | undefined
  for (const [i, element] of expr.elements.entries()) {
    const type = unwrapped(typeOf(checked, element), expr.optional.has(i))
    expected ??= type
    if (sameType(expected, type)) continue
    return mismatch(report, element, expected, type)
  }
  return undefined
}

function validateMap(checked: Checked, expr: MapExpr, report: Report): void {
  let expected: readonly [CelType, CelType] | undefined
  for (const { key, value, optional } of expr.entries) {
    const types = [typeOf(checked, key), unwrapped(typeOf(checked, value), optional)] as const
    expected ??= types
    if (!sameType(expected[0], types[0])) mismatch(report, key, expected[0], types[0])
    if (!sameType(expected[1], types[1])) mismatch(report, value, expected[1], types[1])
  }
}

function unwrapped(type: CelType, optional: boolean): CelType {
  return optional ? (parametersOf(type)[0] ?? DYN) : type
}

function mismatch(report: Report, at: Expr, expected: CelType, actual: CelType): void {
  report(at, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`)
}

function validateFormat(checked: Checked, expr: CallExpr, report: Report): void {
  const [list] = expr.args
  if (expr.target?.kind !== 'literal' || typeof expr.target.value !== 'string') return undefined
  if (list?.kind !== 'list') return undefined
  const { parts, error } = parseFormat(expr.target.value)
  let index = 0
  for (const part of parts) {
    if (typeof part === 'string') continue
    if (index >= list.elements.length) return report(expr, `index ${index} out of range`)
    if (part.verb === '') break
    const argument = list.elements[index++] as Expr
    const wrong = refused(checked, argument, part)
    if (wrong === undefined) continue
    const name = runtimeTypeName(typeOf(checked, wrong))
    return report(wrong, `error during formatting: ${VERB_ERRORS[part.verb]}${name}`)
  }
  if (error !== undefined) return report(expr, error)
  const { length } = list.elements
  if (length <= index) return undefined
  return report(
    expr,
    `too many arguments supplied to string.format (expected ${index}, got ${length})`,
  )
}

const ACCEPTED: Readonly<Record<string, ReadonlySet<string>>> = {
  d: new Set(['int', 'uint']),
  f: new Set(['double', 'string']),
  e: new Set(['double', 'string']),
  b: new Set(['int', 'uint', 'bool']),
  x: new Set(['int', 'uint', 'string', 'bytes']),
  X: new Set(['int', 'uint', 'string', 'bytes']),
  o: new Set(['int', 'uint']),
  s: new Set('list map int uint double bool string timestamp bytes duration type null'.split(' ')),
}

/** The expression that a clause does not take: the argument, or something inside it. */
function refused(checked: Checked, argument: Expr, { verb }: Clause): Expr | undefined {
  const { kind } = typeOf(checked, argument)
  if (kind !== 'dyn' && ACCEPTED[verb]?.has(kind) !== true) return argument
  if (verb !== 's') return undefined
  const inside = argument.kind === 'list' || argument.kind === 'map' ? childrenOf(argument) : []
  for (const child of inside) {
    const found = refused(checked, child, { verb, precision: undefined })
    if (found !== undefined) return found
  }
  return undefined
}
