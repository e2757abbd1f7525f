import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UnknownObject } from 'kubewright/machinery'
import type { PrinterColumn } from 'kubewright/schema'
import { customTable } from './custom-table.ts'

const NOW = Date.parse('2026-01-01T01:00:00Z')
const object: UnknownObject = {
  metadata: { name: 'x', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    text: 'a',
    whole: 3,
    part: 1.7,
    yes: true,
    when: '2026-01-01T00:58:00Z',
    never: 'soon',
    empty: null,
    list: ['a', 'b'],
    map: { z: 1, a: '<' },
    conditions: [{ type: 'Ready', status: 'True' }],
  },
}

const cell = (type: PrinterColumn['type'], jsonPath: string): unknown =>
  customTable([{ name: 'C', type, jsonPath }]).cells(object, NOW)[1]

const cells: readonly (readonly [PrinterColumn['type'], string, unknown])[] = [
  ['string', '.spec.text', 'a'],
  ['string', '.spec.whole', '3'],
  ['string', '.spec.part', '1.7'],
  ['string', '.spec.yes', 'true'],
  ['string', '.spec.list', '["a","b"]'],
  ['string', '.spec.map', '{"a":"\\u003c","z":1}'],
  ['string', '.spec.empty', '<no value>'],
  ['string', '.spec.absent', null],
  ['string', '.spec.list[5]', null],
  ['string', '.spec.list[*]', 'a'],
  ['string', '.spec.conditions[?(@.type=="Ready")].status', 'True'],
  ['integer', '.spec.whole', 3],
  ['integer', '.spec.part', 1],
  ['integer', '.spec.text', null],
  ['number', '.spec.part', 1.7],
  ['number', '.spec.text', null],
  ['boolean', '.spec.yes', true],
  ['boolean', '.spec.text', null],
  ['date', '.metadata.creationTimestamp', '60m'],
  ['date', '.spec.when', '2m'],
  ['date', '.spec.never', '<invalid>'],
  ['date', '.spec.absent', null],
  ['date', '.spec.whole', null],
]

for (const [type, path, expected] of cells)
  test(`a ${type} column of ${path} shows ${JSON.stringify(expected)}`, () => {
    assert.equal(cell(type, path), expected)
  })

test('without columns a Table has name and age', () => {
  const table = customTable(undefined)
  assert.deepEqual(
    table.columns.map(({ name, type, format, priority }) => [name, type, format, priority]),
    [
      ['Name', 'string', 'name', 0],
      ['Age', 'date', '', 0],
    ],
  )
  assert.deepEqual(table.cells(object, NOW), ['x', '60m'])
})

test('a column without a description is described by its path', () => {
  const [, column] = customTable([
    { name: 'A', type: 'string', jsonPath: '.spec.a', priority: 1 },
  ]).columns
  assert.deepEqual(column, {
    name: 'A',
    type: 'string',
    format: '',
    description: 'Custom resource definition column (in JSONPath format): .spec.a',
    priority: 1,
  })
})
