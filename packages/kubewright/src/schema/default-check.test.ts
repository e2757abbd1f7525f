import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/index.ts'
import { validateDefaults } from './default-check.ts'
import type { JsonSchema } from './json-schema.ts'
import { compileSchema } from './schema-node.ts'

const errors = (a: JsonSchema): readonly string[] =>
  validateDefaults(compileSchema({ type: 'object', properties: { a } }, 'default'), 'at').map(
    (it) => fieldErrorText(it).replace('at.properties[a].default', 'default'),
  )

const EMBEDDED: JsonSchema = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
}

const cases: readonly (readonly [JsonSchema, readonly string[]])[] = [
  [{ type: 'string', default: 'x' }, []],
  [
    { type: 'string', default: 1 },
    ['default: Invalid value: "integer":  in body must be of type string: "integer"'],
  ],
  [
    { type: 'object', default: { z: '<', a: 1 } },
    ['default: Invalid value: {"a":1,"z":"\\u003c"}: must not have unknown fields'],
  ],
  [
    { type: 'object', properties: { b: { type: 'integer' } }, default: { b: 'x' } },
    ['default.b: Invalid value: "string": b in body must be of type integer: "string"'],
  ],
  [
    { type: 'integer', default: 1, 'x-kubernetes-validations': [{ rule: 'self > 5' }] },
    ['default: Invalid value: 1: failed rule: self > 5'],
  ],
  [
    {
      type: 'integer',
      default: 1,
      'x-kubernetes-validations': [{ rule: 'oldSelf.hasValue()', optionalOldSelf: true }],
    },
    ['default: Invalid value: 1: failed rule: oldSelf.hasValue()'],
  ],
  [{ ...EMBEDDED, default: { apiVersion: 'v1', kind: 'A' } }, []],
  [{ ...EMBEDDED, default: { apiVersion: 'v1' } }, ['default.kind: Required value']],
  [
    { ...EMBEDDED, default: { apiVersion: 'v1', kind: 'A', metadata: { name: 1 } } },
    [
      'default.metadata: Invalid value: {"name":1}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    ],
  ],
]

for (const [schema, expected] of cases)
  test(`the default ${JSON.stringify(schema.default)} under ${schema.type} is judged`, () => {
    assert.deepEqual(errors(schema), expected)
  })

test('a default inside metadata is judged by the object that it would make', () => {
  const schema: JsonSchema = {
    ...EMBEDDED,
    properties: {
      metadata: { type: 'object', properties: { name: { type: 'string', default: 'a/b' } } },
    },
  }
  assert.deepEqual(errors(schema), [
    `at.properties[a].properties[metadata].properties[name].default: Invalid value: "a/b": must result in valid metadata: metadata.name: Invalid value: "a/b": may not contain '/'`,
  ])
})
