/**
 * The published conformance tests of the language (cel-spec, as packaged by @bufbuild/cel-spec): every test of the files
 * that apply to Kubernetes. What is left out, and why, is in testdata/conformance-left-out.json, which this test checks.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { IncrementalTest, IncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js'
import { getConformanceSuite } from '@bufbuild/cel-spec/testdata/tests.js'
import { formatType } from './cel-type.ts'
import { check } from './checker.ts'
import type { Library } from './declaration.ts'
import type { Environment } from './environment.ts'
import { createEnvironment } from './environment.ts'
import { equalValues } from './equality.ts'
import type { Frame } from './frame.ts'
import { KUBERNETES_LIBRARIES } from './library/kubernetes.ts'
import { parse } from './parser.ts'
import { PlanError } from './plan-error.ts'
import { planProgram } from './plan.ts'
import { typeNameOf } from './runtime-type.ts'
import {
  bindingsOf,
  declaredFunctions,
  leftOutReason,
  valueOfProto,
  variablesOf,
} from './test/conformance-case.ts'
import { displayText } from './text.ts'
import type { Value } from './value.ts'
import { EvalError, isError } from './value.ts'

interface LeftOut {
  /** Whole files, and why. */
  readonly files: Readonly<Record<string, string>>
  /** The number of tests left out for each reason, by file. */
  readonly tests: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Single tests that cel-go itself answers in another way than the specification, by `file/section/name`. */
  readonly exceptions: Readonly<Record<string, string>>
}

const leftOut = JSON.parse(
  readFileSync(new URL('testdata/conformance-left-out.json', import.meta.url), 'utf8'),
) as LeftOut

function environmentOf(
  container: string,
  withMacros: boolean,
  ...more: readonly Library[]
): Environment {
  const libraries = withMacros
    ? KUBERNETES_LIBRARIES
    : KUBERNETES_LIBRARIES.map((library) => ({ ...library, macros: [] }))
  return createEnvironment({
    libraries: [...libraries, ...more],
    container,
    homogeneousLiterals: false,
    validateLiterals: false,
  })
}

const plainEnvironment = environmentOf('', true)

/** What evaluating a test gives: a value, or an error for a source that is refused. */
function outcome(testCase: IncrementalTest): { readonly value: Value; readonly type: string } {
  const { expr, container, disableMacros, disableCheck, checkOnly } = testCase.original
  const declared = declaredFunctions(testCase)
  const isPlain = container === '' && !disableMacros && declared.functions.length === 0
  const environment = isPlain
    ? plainEnvironment
    : environmentOf(container, !disableMacros, declared)
  const variables = variablesOf(testCase)
  const parsed = parse(expr, environment.macros)
  const refused = (message: string): ReturnType<typeof outcome> => ({
    value: new EvalError(message),
    type: '',
  })
  if (parsed.issues.length > 0) return refused(parsed.issues[0]?.message ?? '')
  const checked = check(expr, parsed, environment, variables)
  if (!disableCheck && checked.issues.length > 0) return refused(checked.issues[0]?.message ?? '')
  const type = formatType(checked.types[checked.expr.id] ?? { kind: 'error' })
  if (checkOnly) return { value: null, type }
  try {
    const plan = planProgram(checked, environment, variables)
    const frame: Frame = {
      cost: 0,
      limit: Infinity,
      bindings: bindingsOf(testCase),
      variables: [],
      locals: [],
    }
    return { value: plan.run(frame), type }
  } catch (error) {
    if (error instanceof PlanError) return refused(error.message)
    throw error
  }
}

/** What is wrong with the outcome; undefined if it is as expected. */
function problem(testCase: IncrementalTest): string | undefined {
  const { value, type } = outcome(testCase)
  const { resultMatcher, checkOnly, disableCheck } = testCase.original
  const matcher = resultMatcher
  if (testCase.type !== undefined && !disableCheck && !isError(value) && type !== testCase.type) {
    return `type ${type}, expected ${testCase.type}`
  }
  if (matcher.case === 'evalError' || matcher.case === 'anyEvalErrors') {
    return isError(value) ? undefined : `value ${displayText(value)}, expected an error`
  }
  if (isError(value)) return `error: ${value.message}`
  if (checkOnly) return undefined
  const expected =
    matcher.case === 'value'
      ? valueOfProto(matcher.value)
      : matcher.case === 'typedResult' && matcher.value.result !== undefined
        ? valueOfProto(matcher.value.result)
        : true
  const bothNaN = Number.isNaN(value) && Number.isNaN(expected)
  const same = typeNameOf(value) === typeNameOf(expected) && equalValues(value, expected) === true
  return same || bothNaN ? undefined : `${displayText(value)}, expected ${displayText(expected)}`
}

function* casesOf(
  suite: IncrementalTestSuite,
  path: string,
): Generator<readonly [string, IncrementalTest]> {
  for (const testCase of suite.tests) yield [`${path}/${testCase.name}`, testCase]
  for (const child of suite.suites) yield* casesOf(child, `${path}/${child.name}`)
}

for (const file of getConformanceSuite().suites) {
  if (file.name in leftOut.files) continue
  test(`conformance: ${file.name}`, (t) => {
    const skipped: Record<string, number> = {}
    const problems: string[] = []
    let count = 0
    let excepted = 0
    for (const [name, testCase] of casesOf(file, file.name)) {
      const reason = leftOutReason(testCase)
      if (reason !== undefined) {
        skipped[reason] = (skipped[reason] ?? 0) + 1
        continue
      }
      if (name in leftOut.exceptions) {
        excepted++
        continue
      }
      count++
      const wrong = problem(testCase)
      if (wrong !== undefined) problems.push(`${name}: ${testCase.original.expr}\n    ${wrong}`)
    }
    assert.deepEqual(problems, [])
    assert.deepEqual(skipped, leftOut.tests[file.name] ?? {})
    assert.ok(count > 0)
    t.diagnostic(`${file.name}: ${count} run, ${excepted} exceptions`)
  })
}
