/**
 * The expressions of Kubernetes' own tests (the CEL libraries, CRD validation, compilation, cost stability), with what
 * kube-apiserver 1.36 makes of each: issues, type, static cost, counted cost, value or error.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { CelType } from './cel-type.ts'
import { BOOL, optionalOf } from './cel-type.ts'
import { compile } from './compile.ts'
import type { Bindings } from './program.ts'
import type { StructuralSchema } from './schema-type.ts'
import { celTypeOfSchema } from './schema-type.ts'
import { displayText } from './text.ts'
import { describeType } from './test/describe-type.ts'

/** What becomes of an expression; the fields that do not apply are absent. */
interface Outcome {
  /** `line:column: message` of each issue. */
  readonly refused?: readonly string[]
  readonly notPlanned?: string
  readonly type?: string
  /** Least and greatest static cost. */
  readonly estimate?: readonly [string, string]
  readonly cost?: number
  readonly error?: string
  /** Of bools, ints and strings. */
  readonly value?: string
}

type Rule = readonly [expression: string, outcome: Outcome]

interface RuleGroup {
  readonly schema: StructuralSchema
  readonly self?: unknown
  readonly oldSelf?: unknown
  readonly root?: boolean
  readonly optionalOldSelf?: boolean
  readonly rules: readonly Rule[]
}

/** Integers that a double cannot hold become bigints, as they do for a reader that cares. */
function readData(name: string): unknown {
  const exact = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context?.source ?? value)
      : value
  const text = readFileSync(new URL(`testdata/${name}`, import.meta.url), 'utf8')
  return JSON.parse(text, exact as (key: string, value: unknown) => unknown)
}

function outcomeOf(
  expression: string,
  variables: Readonly<Record<string, CelType>>,
  bindings: Bindings,
): Outcome {
  const compiled = compile(expression, { variables })
  if (!compiled.ok && compiled.step === 'plan') return { notPlanned: compiled.text }
  if (!compiled.ok) {
    const refused = compiled.issues.map(
      ({ line, column, message }) => `${line}:${column + 1}: ${message}`,
    )
    return { refused }
  }
  const { program } = compiled
  const { min, max } = program.estimateCost()
  const result = program.evaluate(bindings)
  const common = {
    type: describeType(program.outputType),
    estimate: [String(min), String(max)] as const,
    cost: result.cost,
  }
  if (!result.ok) return { ...common, error: result.error.message }
  const isShown = ['bool', 'int', 'string'].includes(common.type)
  return isShown ? { ...common, value: displayText(result.value) } : common
}

function differences(
  rules: readonly Rule[],
  variables: Readonly<Record<string, CelType>>,
  bindings: Bindings,
): readonly unknown[] {
  return rules.flatMap(([expression, expected]) => {
    const actual = outcomeOf(expression, variables, bindings)
    try {
      assert.deepEqual(actual, expected)
      return []
    } catch {
      return [{ expression, actual, expected }]
    }
  })
}

for (const name of ['library-expressions.json', 'library-values.json']) {
  test(`${name}: what kube-apiserver makes of expressions without variables`, (t) => {
    const rules = readData(name) as readonly Rule[]
    t.diagnostic(`${rules.length} expressions`)
    assert.deepEqual(differences(rules, {}, {}), [])
  })
}

for (const name of ['schema-rules.json', 'data-rules.json', 'generated-rules.json']) {
  test(`${name}: what kube-apiserver makes of rules over a schema`, (t) => {
    const groups = readData(name) as readonly RuleGroup[]
    t.diagnostic(`${groups.reduce((count, { rules }) => count + rules.length, 0)} rules`)
    const wrong = groups.flatMap(({ schema, self, oldSelf, root, optionalOldSelf, rules }) => {
      const type = celTypeOfSchema(schema, { name: 'selfType', isResourceRoot: root === true })
      assert.ok(type)
      const variables = { self: type, oldSelf: optionalOldSelf === true ? optionalOf(type) : type }
      return differences(rules, variables, {
        ...(self === undefined ? {} : { self }),
        ...(oldSelf === undefined ? {} : { oldSelf }),
      })
    })
    assert.deepEqual(wrong, [])
  })
}

test('an expression must have the expected type', () => {
  const compiled = compile('1 + 1', { expect: BOOL })
  assert.deepEqual(compiled, {
    ok: false,
    step: 'output',
    issues: [{ message: 'must evaluate to bool', line: -1, column: -1 }],
    text: 'must evaluate to bool',
  })
})
