import {
  AdmissionCompiler,
  type AdmissionExpression,
  type AdmissionResult,
  type AdmissionScope,
} from 'kubewright/cel'
import { duplicate, invalidValue, isQualifiedName, required, tooMany } from 'kubewright/machinery'
import { has, itemsAt, textAt, type Readable } from '../fields.ts'
import { checkName, requireText, type Errors } from '../generic/checks.ts'

/** Says why an expression does not compile; `shown` is the text that the error shows. */
export function addProblem(
  errors: Errors,
  field: string,
  { error, internal }: AdmissionExpression,
  shown: string,
): void {
  if (error === undefined) return
  if (internal) errors.push({ type: 'InternalError', field, detail: error })
  else errors.push(invalidValue(field, shown, error))
}

const MOST_CONDITIONS = 64

/** The match conditions of a webhook or a policy: named expressions that say yes or no (validateMatchConditions). */
export function checkMatchConditions(errors: Errors, field: string, owner: Readable): void {
  const conditions = itemsAt(owner, 'matchConditions')
  if (conditions.length > MOST_CONDITIONS) {
    errors.push(tooMany(field, conditions.length, MOST_CONDITIONS))
  }
  // What other expressions of a policy may name as variables, these may not.
  const compiler = new AdmissionCompiler(false)
  const scope = { params: has(owner, 'paramKind'), authorizer: true }
  const names = new Set<string>()
  conditions.forEach((it, i) => {
    const at = `${field}[${i}]`
    const name = textAt(it, 'name')
    const expression = textAt(it, 'expression').trim()
    requireText(errors, `${at}.expression`, expression)
    if (expression !== '') {
      const compiled = compiler.compile(expression, 'condition', scope)
      addProblem(errors, `${at}.expression`, compiled, expression)
    }
    if (name === '') errors.push(required(`${at}.name`))
    else checkName(errors, `${at}.name`, name, isQualifiedName)
    if (name !== '' && names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
  })
}

const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

const isIdentifier = (name: string): boolean =>
  /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !RESERVED.has(name)

/** The variables of a policy, each of which sees those before it (validateVariable). */
export function checkVariables(
  errors: Errors,
  spec: Readable,
  compiler: AdmissionCompiler,
  scope: AdmissionScope,
): void {
  itemsAt(spec, 'variables').forEach((it, i) => {
    const at = `spec.variables[${i}]`
    const name = textAt(it, 'name')
    const expression = textAt(it, 'expression')
    if (name.trim() === '') errors.push(required(`${at}.name`, 'name is not specified'))
    else if (!isIdentifier(name)) {
      errors.push(invalidValue(`${at}.name`, name, 'must be a valid CEL identifier'))
    }
    if (expression.trim() === '') {
      errors.push(required(`${at}.expression`, 'expression is not specified'))
      return
    }
    addProblem(errors, `${at}.expression`, compiler.declare(name, expression, scope), expression)
  })
}

/** Compiles an expression of a policy as it stands, and says what is wrong with it. */
export function checkExpression(
  errors: Errors,
  field: string,
  expression: string,
  compile: readonly [AdmissionCompiler, AdmissionResult, AdmissionScope],
): void {
  const [compiler, result, scope] = compile
  addProblem(errors, field, compiler.compile(expression, result, scope), expression)
}
