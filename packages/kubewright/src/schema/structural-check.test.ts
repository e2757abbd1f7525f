import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/index.ts'
import type { JsonSchema } from './json-schema.ts'
import { structuralErrors } from './structural-check.ts'

const errors = (schema: JsonSchema): readonly string[] =>
  structuralErrors(schema, 'at').map(fieldErrorText)

const under = (a: JsonSchema): readonly string[] => errors({ type: 'object', properties: { a } })

const refused: readonly (readonly [JsonSchema, readonly string[]])[] = [
  [{}, ['at.properties[a].type: Required value: must not be empty for specified object fields']],
  [{ type: 'array' }, ['at.properties[a].items: Required value: must be specified']],
  [
    { type: 'array', items: {} },
    ['at.properties[a].items.type: Required value: must not be empty for specified array items'],
  ],
  [
    { type: 'string', anyOf: [{ type: 'string', description: 'x' }] },
    [
      'at.properties[a].anyOf[0].description: Forbidden: must be empty to be structural',
      'at.properties[a].anyOf[0].type: Forbidden: must be empty to be structural',
    ],
  ],
  [
    { type: 'string', pattern: 'a(' },
    [
      'at.properties[a].pattern: Invalid value: "a(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `a(`',
    ],
  ],
  [
    { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'string' }, { type: 'integer' }] },
    [
      'at.properties[a].anyOf[0].type: Forbidden: must be empty to be structural',
      'at.properties[a].anyOf[1].type: Forbidden: must be empty to be structural',
    ],
  ],
  [
    { type: 'object', 'x-kubernetes-embedded-resource': true },
    [
      'at.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
    ],
  ],
]

for (const [schema, expected] of refused)
  test(`${JSON.stringify(schema)} is not structural`, () => {
    assert.deepEqual(under(schema), expected)
  })

test('what combinators speak of must be declared', () => {
  const root: JsonSchema = { type: 'object', anyOf: [{ properties: { b: { minLength: 1 } } }] }
  assert.deepEqual(errors(root), [
    'at.properties[b]: Required value: because it is defined in at.anyOf[0].properties[b]',
  ])
})

test('the metadata of a whole object may only say something of its names', () => {
  const meta = (schema: JsonSchema): readonly string[] =>
    errors({ type: 'object', properties: { metadata: schema } })
  const refusal =
    'at.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified'
  assert.deepEqual(meta({ type: 'object' }), [])
  assert.deepEqual(
    meta({ type: 'object', properties: { name: { type: 'string', pattern: 'a' } } }),
    [],
  )
  assert.deepEqual(meta({ type: 'object', description: 'x' }), [refusal])
  assert.deepEqual(meta({ type: 'object', properties: { labels: { type: 'object' } } }), [refusal])
})

test('int-or-string may name its two types first', () => {
  const types: readonly JsonSchema[] = [{ type: 'integer' }, { type: 'string' }]
  assert.deepEqual(under({ 'x-kubernetes-int-or-string': true, anyOf: types }), [])
  assert.deepEqual(
    under({ 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: types }, { pattern: 'a' }] }),
    [],
  )
})
