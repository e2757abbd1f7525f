import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, JsonValue } from '../patch/json.ts'
import { schemaTypeReader } from './schema-types.ts'
import { deducedType } from './type.ts'
import { printIssues, validateType } from './validate.ts'

const schema: JsonObject = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    flag: { type: 'boolean' },
    port: { type: 'string', format: 'int-or-string' },
    set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        properties: {
          port: { type: 'integer' },
          protocol: { type: 'string', default: 'TCP' },
          name: { type: 'string' },
        },
      },
    },
    list: { type: 'array', items: { type: 'integer' } },
  },
}
const type = schemaTypeReader()(schema)

function complaint(value: JsonValue, duplicates: 'allow' | 'forbid' = 'forbid'): string {
  return printIssues(validateType(type, value, `${duplicates} duplicates`))
}

test('a value that fits has no issues, and null fits everything', () => {
  const ports = [{ port: 80 }, { port: 80, protocol: 'UDP', name: null }]
  const value = { text: 'x', count: 1.5, flag: true, port: 80, set: ['a'], ports, list: null }
  assert.deepEqual(validateType(type, value, 'forbid duplicates'), [])
  assert.deepEqual(validateType(deducedType, { a: [{ b: null }] }, 'forbid duplicates'), [])
})

const complaints: readonly (readonly [value: JsonValue, message: string])[] = [
  [{ bogus: 1 }, '.bogus: field not declared in schema'],
  [{ text: 5 }, '.text: expected string, got &value.valueUnstructured{Value:5}'],
  [{ count: 'x' }, '.count: expected numeric (int or float), got string'],
  [{ flag: 'x' }, '.flag: expected boolean, got &{x}'],
  [{ port: ['x'] }, '.port: expected any scalar, got &{[x]}'],
  [{ list: {} }, '.list: expected list, got &{map[]}'],
  [{ list: [1, 'x'] }, '.list[1]: expected numeric (int or float), got string'],
  ['x', 'expected map, got &{x}'],
  [{ set: ['a', 'a'] }, '.set: duplicate entries for key [="a"]'],
  [
    { set: [null] },
    ".set: element 0: associative list without keys has an element that's an explicit null",
  ],
  [
    { set: [{}] },
    ".set: element 0: associative list without keys has an element that's a map type",
  ],
  [{ set: [[]] }, '.set: element 0: not supported: associative list with lists as elements'],
  [{ ports: [null] }, '.ports: element 0: associative list with keys may not have a null element'],
  [{ ports: [1] }, '.ports: element 0: associative list with keys may not have non-map elements'],
  [
    { ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] },
    '.ports: duplicate entries for key [port=80,protocol="TCP"]',
  ],
  [
    { ports: [{ port: 80, name: 1 }] },
    '.ports[port=80,protocol="TCP"].name: expected string, got &value.valueUnstructured{Value:1}',
  ],
]

for (const [value, message] of complaints)
  test(`${JSON.stringify(value)} is refused`, () => assert.equal(complaint(value), message))

test('several issues are listed', () => {
  const lines = [
    'errors:',
    '  .count: expected numeric (int or float), got bool',
    '  .flag: expected boolean, got &{1}',
  ]
  assert.equal(complaint({ count: true, flag: 1 }), lines.join('\n'))
})

test('repeated items pass where they are allowed', () => {
  assert.equal(complaint({ set: ['a', 'a'] }, 'allow'), '')
})

test('an item without any key is refused', () => {
  const bare = schemaTypeReader()({
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: { type: 'object', properties: { name: { type: 'string' }, v: { type: 'string' } } },
  })
  const message =
    'element 0: associative list with keys has an element that omits all key fields ["name"] ' +
    "(and doesn't have default values for any key fields)"
  assert.equal(printIssues(validateType(bare, [{ v: 'x' }], 'allow duplicates')), message)
})
