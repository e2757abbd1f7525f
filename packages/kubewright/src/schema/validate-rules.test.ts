import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/index.ts'
import { Correlated } from './correlated.ts'
import type { JsonSchema, ValidationRule } from './json-schema.ts'
import { ruleValidator } from './rule-validator.ts'
import { compileSchema } from './schema-node.ts'
import { type RuleOutcome, validateRules } from './validate-rules.ts'

const withRules = (schema: JsonSchema, ...rules: readonly ValidationRule[]): JsonSchema => ({
  ...schema,
  'x-kubernetes-validations': rules,
})

const INTEGER: JsonSchema = { type: 'integer' }
const TEXT: JsonSchema = { type: 'string', maxLength: 9 }

interface Run {
  readonly old?: unknown
  readonly ratchet?: boolean
  readonly budget?: number
}

function run(
  properties: Readonly<Record<string, JsonSchema>>,
  value: unknown,
  options: Run = {},
): RuleOutcome {
  const node = compileSchema({ type: 'object', properties })
  const { old, ratchet, budget } = options
  return validateRules(ruleValidator(node, false), {
    value,
    ...(old === undefined ? {} : { old }),
    ...(ratchet ? { correlated: new Correlated(node, value, old) } : {}),
    ...(budget === undefined ? {} : { budget }),
  })
}

const errors = (...given: Parameters<typeof run>): readonly string[] =>
  run(...given).errors.map(fieldErrorText)

const told: readonly (readonly [JsonSchema, unknown, string])[] = [
  [withRules(INTEGER, { rule: 'self > 0' }), 0, 'a: Invalid value: 0: failed rule: self > 0'],
  [
    withRules(INTEGER, { rule: 'self > 0', message: ' a must be positive ' }),
    0,
    'a: Invalid value: 0: a must be positive',
  ],
  [
    withRules(TEXT, {
      rule: 'self != "x"',
      messageExpression: '"b is " + self',
      reason: 'FieldValueForbidden',
    }),
    'x',
    'a: Forbidden: b is x',
  ],
  [
    withRules(TEXT, { rule: 'self != "x"', reason: 'FieldValueDuplicate' }),
    'x',
    'a: Duplicate value: "x"',
  ],
  [
    withRules(
      { type: 'object', properties: { d: INTEGER } },
      { rule: 'self.d != 3', fieldPath: '.d' },
    ),
    { d: 3 },
    'a.d: Invalid value: failed rule: self.d != 3',
  ],
  [
    withRules({ type: 'array', maxItems: 5, items: TEXT }, { rule: 'self[1] == "b"' }),
    ['a'],
    'a: Invalid value: "array": index out of bounds: 1 evaluating rule: self[1] == "b"',
  ],
  [
    withRules(
      { type: 'object', maxProperties: 3, additionalProperties: TEXT },
      { rule: 'self["k"] == "b"' },
    ),
    { a: 'b' },
    'a: Invalid value: "object": no such key: k evaluating rule: self["k"] == "b"',
  ],
  [
    withRules({ 'x-kubernetes-int-or-string': true }, { rule: 'self > 3' }),
    'x',
    `a: Invalid value: "": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self > 3`,
  ],
  [
    withRules(INTEGER, { rule: 'self > 0', messageExpression: '["x"][self + 9]' }),
    0,
    'a: Invalid value: 0: failed rule: self > 0',
  ],
]

for (const [schema, value, text] of told)
  test(`${JSON.stringify(value)} breaks ${schema['x-kubernetes-validations']?.[0]?.rule}: ${text}`, () => {
    assert.deepEqual(errors({ a: schema }, { a: value }), [text])
  })

test('items, values and fields are each judged at their place', () => {
  const small = withRules(INTEGER, { rule: 'self < 5' })
  const properties = {
    list: { type: 'array', maxItems: 3, items: small },
    map: { type: 'object', maxProperties: 3, additionalProperties: small },
  }
  assert.deepEqual(errors(properties, { list: [1, 9], map: { k: 9 } }), [
    'list[1]: Invalid value: 9: failed rule: self < 5',
    'map[k]: Invalid value: 9: failed rule: self < 5',
  ])
})

test('a null is not judged', () => {
  const nullable = withRules({ ...INTEGER, nullable: true }, { rule: 'self > 5' })
  assert.deepEqual(errors({ a: nullable }, { a: null }), [])
})

test('a rule on the old value waits for one; with optionalOldSelf it does not', () => {
  const immutable = withRules(INTEGER, { rule: 'self == oldSelf', message: 'a is immutable' })
  assert.deepEqual(errors({ a: immutable }, { a: 1 }), [])
  assert.deepEqual(errors({ a: immutable }, { a: 2 }, { old: { a: 1 } }), [
    'a: Invalid value: 2: a is immutable',
  ])
  assert.deepEqual(errors({ a: immutable }, { a: 2 }, { old: {} }), [])
  const once = withRules(INTEGER, {
    rule: 'oldSelf.hasValue() || self == 1',
    optionalOldSelf: true,
    message: 'a starts at 1',
  })
  assert.deepEqual(errors({ a: once }, { a: 2 }), ['a: Invalid value: 2: a starts at 1'])
  assert.deepEqual(errors({ a: once }, { a: 2 }, { old: { a: 1 } }), [])
})

test('items of a list-map have old values by their keys', () => {
  const items = withRules(
    { type: 'object', properties: { k: TEXT, v: INTEGER } },
    { rule: 'self.v >= oldSelf.v' },
  )
  const list: JsonSchema = {
    type: 'array',
    maxItems: 3,
    items,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
  }
  const old = {
    list: [
      { k: 'a', v: 5 },
      { k: 'b', v: 1 },
    ],
  }
  const next = {
    list: [
      { k: 'b', v: 2 },
      { k: 'a', v: 4 },
      { k: 'c', v: 0 },
    ],
  }
  assert.deepEqual(errors({ list }, next, { old }), [
    'list[1]: Invalid value: failed rule: self.v >= oldSelf.v',
  ])
})

test('what did not change is only warned of, unless the rule looks at the old value (KEP-4008)', () => {
  const properties = {
    a: withRules(INTEGER, { rule: 'self > 0' }),
    t: withRules(INTEGER, { rule: 'self != oldSelf' }),
    b: INTEGER,
  }
  const old = { a: 0, t: 1, b: 1 }
  const outcome = run(properties, { ...old, b: 2 }, { old, ratchet: true })
  assert.deepEqual(outcome.warnings, ['a: Invalid value: 0: failed rule: self > 0'])
  assert.deepEqual(outcome.errors.map(fieldErrorText), [
    't: Invalid value: 1: failed rule: self != oldSelf',
  ])
})

test('rules stop where the budget ends', () => {
  const dear = withRules(
    { type: 'array', items: INTEGER },
    { rule: 'self.all(x, self.all(y, x == y))' },
  )
  const many = Array.from({ length: 40 }, () => 1)
  const outcome = run(
    { a: dear, b: withRules(INTEGER, { rule: 'self > 5' }) },
    { a: many, b: 1 },
    { budget: 100 },
  )
  assert.deepEqual(outcome.errors.map(fieldErrorText), [
    'a: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
  ])
  assert.ok(outcome.budget < 0)
})

test('one rule may not take more than its share', () => {
  const dear = withRules(
    { type: 'array', items: INTEGER },
    { rule: 'self.all(x, self.all(y, x == y))' },
  )
  const many = Array.from({ length: 2000 }, () => 1)
  assert.deepEqual(errors({ a: dear }, { a: many }), [
    `a: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self.all(x, self.all(y, x == y))`,
  ])
})

test('a schema without rules has no validator', () => {
  assert.equal(ruleValidator(compileSchema({ type: 'object' }), true), undefined)
})
