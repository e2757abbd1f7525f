import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FieldError, fieldErrorText } from '../machinery/index.ts'
import { Correlated } from './correlated.ts'
import type { JsonSchema } from './json-schema.ts'
import { compileSchema } from './schema-node.ts'
import { validateValue } from './validate-value.ts'

const texts = (errors: readonly FieldError[]): readonly string[] => errors.map(fieldErrorText)

/** Errors of `a` in an object of one field. */
const errorsOf = (a: JsonSchema, value: unknown): readonly string[] =>
  texts(validateValue(compileSchema({ type: 'object', properties: { a } }), { a: value }))

const IN_BODY = 'a in body'

const one: readonly (readonly [JsonSchema, unknown, string | undefined])[] = [
  [{ type: 'integer' }, 1, undefined],
  [{ type: 'number' }, 1, undefined],
  [
    { type: 'integer' },
    'x',
    `a: Invalid value: "string": ${IN_BODY} must be of type integer: "string"`,
  ],
  [{ type: 'string' }, null, `a: Invalid value: "null": ${IN_BODY} must be of type string: "null"`],
  [{ type: 'string', nullable: true }, null, undefined],
  [
    { 'x-kubernetes-int-or-string': true },
    true,
    `a: Invalid value: "boolean": ${IN_BODY} must be of type integer,string: "boolean"`,
  ],
  [
    { type: 'string', enum: ['red', 'blue'] },
    'x',
    'a: Unsupported value: "x": supported values: "red", "blue"',
  ],
  [
    { type: 'string', pattern: '^[a-z]+$' },
    'A',
    `a: Invalid value: "A": ${IN_BODY} should match '^[a-z]+$'`,
  ],
  [{ type: 'string', maxLength: 3 }, 'abcd', 'a: Too long: may not be more than 3 bytes'],
  [{ type: 'string', maxLength: 3 }, '💥💥💥', undefined],
  [
    { type: 'string', minLength: 2 },
    'a',
    `a: Invalid value: "a": ${IN_BODY} should be at least 2 chars long`,
  ],
  [
    { type: 'integer', minimum: 1 },
    0,
    `a: Invalid value: 0: ${IN_BODY} should be greater than or equal to 1`,
  ],
  [
    { type: 'integer', maximum: 9, exclusiveMaximum: true },
    9,
    `a: Invalid value: 9: ${IN_BODY} should be less than 9`,
  ],
  [
    { type: 'number', multipleOf: 0.5 },
    0.25,
    `a: Invalid value: 0.25: ${IN_BODY} should be a multiple of 0.5`,
  ],
  [
    { type: 'array', items: { type: 'string' }, minItems: 1 },
    [],
    `a: Invalid value: 0: ${IN_BODY} should have at least 1 items`,
  ],
  [
    { type: 'array', items: { type: 'string' }, maxItems: 1 },
    ['x', 'y'],
    'a: Too many: 2: must have at most 1 item',
  ],
  [
    { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 1 },
    {},
    `a: Invalid value: 0: ${IN_BODY} should have at least 1 properties`,
  ],
  [
    { type: 'object', additionalProperties: { type: 'integer' } },
    { k: 'x' },
    'a.k: Invalid value: "string": a.k in body must be of type integer: "string"',
  ],
  [
    { type: 'string', format: 'date-time' },
    'noon',
    `a: Invalid value: "noon": ${IN_BODY} must be of type date-time: "noon"`,
  ],
  [{ type: 'string', format: 'unheard-of' }, 'noon', undefined],
  [{ type: 'object', required: ['b'] }, {}, 'a.b: Required value'],
  [
    { type: 'string', not: { pattern: 'x' } },
    'x',
    '<nil>: Invalid value: "": "a" must not validate the schema (not)',
  ],
]

for (const [schema, value, error] of one)
  test(`${JSON.stringify(value)} under ${JSON.stringify(schema)} is ${error ?? 'fine'}`, () => {
    assert.deepEqual(errorsOf(schema, value), error === undefined ? [] : [error])
  })

test('a fraction where a whole number must be is no integer, and out of its range', () => {
  assert.deepEqual(errorsOf({ type: 'integer' }, 1.5), [
    'a: Invalid value: "number": a in body must be of type integer: "number"',
    '<nil>: Invalid value: "": Checked value must be of type integer (default format) in a',
  ])
})

test('of alternatives that all fail, the one that came furthest says why', () => {
  const either = {
    oneOf: [{ required: ['b'] }, { required: ['c'], properties: { d: { pattern: 'x' } } }],
  }
  assert.deepEqual(errorsOf({ type: 'object', ...either }, { d: 'y' }), [
    '<nil>: Invalid value: "": "a" must validate one and only one schema (oneOf). Found none valid',
    `a.d: Invalid value: "y": a.d in body should match 'x'`,
    'a.c: Required value',
  ])
  assert.deepEqual(errorsOf({ type: 'object', oneOf: [{}, {}] }, {}), [
    '<nil>: Invalid value: "": "a" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  ])
})

test('errors stand below the parent that is given, and messages do not name it', () => {
  const node = compileSchema({ type: 'object', properties: { b: { type: 'integer' } } })
  assert.deepEqual(texts(validateValue(node, { b: 'x' }, 'status')), [
    'status.b: Invalid value: "string": b in body must be of type integer: "string"',
  ])
})

const strict = compileSchema({
  type: 'object',
  required: ['r'],
  properties: {
    a: { type: 'string', pattern: '^x' },
    list: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: {
        type: 'object',
        properties: { k: { type: 'string' }, v: { type: 'string', pattern: '^x' } },
      },
    },
    set: { type: 'array', items: { type: 'string', pattern: '^x' } },
  },
})

const update = (next: unknown, old: unknown): readonly string[] =>
  validateValue(strict, next, '', new Correlated(strict, next, old)).map((it) => it.field)

test('what did not change since it was stored is tolerated (KEP-4008)', () => {
  assert.deepEqual(update({ r: 1, a: 'bad', set: ['x'] }, { r: 1, a: 'bad' }), [])
  assert.deepEqual(update({ r: 1, a: 'worse' }, { r: 1, a: 'bad' }), ['a'])
  assert.deepEqual(update({ a: 'x' }, {}), ['r'])
})

test('items of a list-map are the same by their keys, wherever they stand; others are not', () => {
  const bad = { k: '1', v: 'bad' }
  const fine = { k: '2', v: 'x' }
  assert.deepEqual(update({ r: 1, list: [fine, bad] }, { r: 1, list: [bad] }), [])
  assert.deepEqual(update({ r: 1, list: [{ ...bad, v: 'worse' }] }, { r: 1, list: [bad] }), [
    'list[0].v',
  ])
  assert.deepEqual(update({ r: 1, set: ['bad', 'x'] }, { r: 1, set: ['bad'] }), ['set[0]'])
})
