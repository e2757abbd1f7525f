import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonSchema } from './json-schema.ts'
import { s } from './words.ts'

const schemas: readonly (readonly [title: string, json: JsonSchema, expected: JsonSchema])[] = [
  [
    'string',
    s.string({ format: 'uri', nullable: true }).json,
    { type: 'string', format: 'uri', nullable: true },
  ],
  ['nullable: false is left out', s.string({ nullable: false }).json, { type: 'string' }],
  ['enum of whole numbers', s.enum([1, 2]).json, { type: 'integer', enum: [1, 2] }],
  ['enum of numbers', s.enum([1, 2.5]).json, { type: 'number', enum: [1, 2.5] }],
  [
    'object with rules',
    s.object(
      { a: s.string().optional(), b: s.boolean({ default: false }) },
      { validations: [{ rule: 'true' }] },
    ).json,
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'boolean', default: false } },
      'x-kubernetes-validations': [{ rule: 'true' }],
    },
  ],
  [
    'map',
    s.map(s.integer(), { mapType: 'atomic', maxProperties: 3 }).json,
    {
      type: 'object',
      additionalProperties: { type: 'integer' },
      'x-kubernetes-map-type': 'atomic',
      maxProperties: 3,
    },
  ],
  [
    'set',
    s.array(s.string(), { listType: 'set' }).json,
    { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  ],
  [
    'int-or-string',
    s.intOrString({ pattern: '%$', anyOf: [{ minimum: 1 }] }).json,
    {
      'x-kubernetes-int-or-string': true,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      pattern: '%$',
      allOf: [{ anyOf: [{ minimum: 1 }] }],
    },
  ],
  ['anything', s.any().json, { 'x-kubernetes-preserve-unknown-fields': true }],
  [
    'open object',
    s.object({ a: s.string() }, { preserveUnknownFields: true }).json,
    {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string' } },
      'x-kubernetes-preserve-unknown-fields': true,
    },
  ],
  [
    'embedded resource',
    s.embeddedResource().json,
    {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
  ],
]

for (const [title, json, expected] of schemas)
  test(`${title}: the words say the schema`, () => {
    assert.deepEqual(json, expected)
  })

test('a default or optional() makes a field that need not be written', () => {
  assert.equal(s.string().presence, 'required')
  assert.equal(s.string({ default: '' }).presence, 'defaulted')
  assert.equal(s.string().optional().presence, 'optional')
})
