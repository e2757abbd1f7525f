import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { CelType } from './cel-type.ts'
import { formatType } from './cel-type.ts'
import { RESERVED_WORDS, escapeIdentifier, unescapeIdentifier } from './escape.ts'
import type { StructuralSchema } from './schema-type.ts'
import { MAX_REQUEST_BYTES, celTypeOfSchema, maxCardinality } from './schema-type.ts'

function fieldsOf(type: CelType | undefined): Readonly<Record<string, string>> {
  assert.ok(type?.kind === 'object')
  return Object.fromEntries(
    Array.from(type.fields, ([name, field]) => [
      name,
      `${field.property}: ${formatType(field.type)}`,
    ]),
  )
}

const string: StructuralSchema = { type: 'string' }

test('types of schemas', () => {
  const cases: readonly (readonly [StructuralSchema, string | undefined])[] = [
    [{ type: 'integer' }, 'int'],
    [{ type: 'number' }, 'double'],
    [{ type: 'boolean' }, 'bool'],
    [string, 'string'],
    [{ type: 'string', format: 'byte' }, 'bytes'],
    [{ type: 'string', format: 'date' }, 'timestamp'],
    [{ type: 'string', format: 'date-time' }, 'timestamp'],
    [{ type: 'string', format: 'duration' }, 'duration'],
    [{ type: 'string', format: 'uuid' }, 'string'],
    [{ 'x-kubernetes-int-or-string': true }, 'dyn'],
    [{ 'x-kubernetes-preserve-unknown-fields': true }, undefined],
    [{ type: 'array', items: string }, 'list(string)'],
    [{ type: 'array' }, undefined],
    [{ type: 'array', items: { 'x-kubernetes-preserve-unknown-fields': true } }, undefined],
    [{ type: 'object', additionalProperties: { type: 'integer' } }, 'map(string, int)'],
    [
      { type: 'object', additionalProperties: { 'x-kubernetes-preserve-unknown-fields': true } },
      undefined,
    ],
    [{ type: 'object', additionalProperties: true }, 'T'],
    [{ type: 'object' }, 'T'],
  ]
  for (const [schema, expected] of cases) {
    const type = celTypeOfSchema(schema, { name: 'T' })
    assert.equal(type && formatType(type), expected, JSON.stringify(schema))
  }
})

test('fields have identifiers; those that cannot, or have no type, are left out', () => {
  const type = celTypeOfSchema({
    type: 'object',
    properties: {
      'a-b': string,
      'a.b/c': string,
      a__b: string,
      in: string,
      '1a': string,
      ä: string,
      any: { 'x-kubernetes-preserve-unknown-fields': true },
    },
  })
  assert.deepEqual(fieldsOf(type), {
    a__dash__b: 'a-b: string',
    a__dot__b__slash__c: 'a.b/c: string',
    a__underscores__b: 'a__b: string',
    __in__: 'in: string',
  })
})

test('the root of a resource and embedded resources know what every resource has', () => {
  const root = celTypeOfSchema(
    {
      type: 'object',
      properties: {
        spec: { type: 'object', 'x-kubernetes-embedded-resource': true },
        metadata: { type: 'object' },
      },
    },
    { name: 'Root', isResourceRoot: true },
  )
  assert.deepEqual(fieldsOf(root), {
    spec: 'spec: Root.spec',
    metadata: 'metadata: Root.metadata',
    kind: 'kind: string',
    apiVersion: 'apiVersion: string',
  })
  assert.ok(root?.kind === 'object')
  assert.deepEqual(Object.keys(fieldsOf(root.fields.get('spec')?.type)), [
    'kind',
    'apiVersion',
    'metadata',
  ])
  assert.deepEqual(fieldsOf(root.fields.get('metadata')?.type), {
    name: 'name: string',
    generateName: 'generateName: string',
  })
})

test('bounds for cost estimates', () => {
  const bounds = (schema: StructuralSchema): readonly [number | undefined, number | undefined] => {
    const type = celTypeOfSchema(schema)
    return [type?.maxElements, type?.minSize]
  }
  assert.deepEqual(bounds({ type: 'string', maxLength: 10 }), [40, 2])
  assert.deepEqual(bounds({ type: 'string', enum: ['a', 'abc', 'é'] }), [3, 2])
  assert.deepEqual(bounds(string), [MAX_REQUEST_BYTES - 2, 2])
  assert.deepEqual(bounds({ type: 'string', format: 'byte', maxLength: 10 }), [10, 2])
  assert.deepEqual(bounds({ type: 'string', format: 'duration' }), [32, 3])
  assert.deepEqual(bounds({ type: 'array', items: string }), [
    Math.floor((MAX_REQUEST_BYTES - 2) / 3),
    2,
  ])
  assert.deepEqual(bounds({ type: 'array', items: string, maxItems: 5 }), [5, 2])
  assert.deepEqual(
    bounds({ type: 'object', additionalProperties: string, maxProperties: -1 }),
    [0, 2],
  )
  const required = {
    type: 'object',
    properties: { abc: string, d: { ...string, default: 'x' } },
    required: ['abc', 'd'],
  }
  assert.equal(bounds(required)[1], 2 + 3 + 2 + 4)
  assert.equal(maxCardinality(0), MAX_REQUEST_BYTES)
  assert.equal(maxCardinality(2), MAX_REQUEST_BYTES / 3)
})

test('an identifier leads back to its property', () => {
  const character = fc.constantFrom(...'abz_-./Z0')
  const name = fc.oneof(
    fc.array(character, { minLength: 1, maxLength: 12 }).map((parts) => parts.join('')),
    fc.constantFrom(...RESERVED_WORDS),
  )
  fc.assert(
    fc.property(name, (property) => {
      const identifier = escapeIdentifier(property)
      if (/^[0-9]/.test(property)) return assert.equal(identifier, undefined)
      assert.ok(identifier !== undefined)
      assert.match(identifier, /^[A-Za-z_][A-Za-z0-9_]*$/)
      // Kubernetes' own unescape is not the inverse where an underscore touches an escape: a_.b is a___dot__b.
      if (/_(?:[-./]|__)|(?:[-./]|__)_/.test(property)) return undefined
      return assert.equal(unescapeIdentifier(identifier), property)
    }),
  )
})
