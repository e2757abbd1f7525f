import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeBuiltin } from './decode.ts'
import { emptyAt, holdsEmptied, keepEmptied } from './emptied.ts'
import { ordered } from './ordered-storage.ts'

const MAP = { group: '', version: 'v1', kind: 'ConfigMap' }

const decoded = (): Record<string, unknown> =>
  decodeBuiltin({ metadata: { name: 'a', labels: {}, finalizers: [] }, binaryData: {} }, MAP).object

test('what came empty is left out, and remembered', () => {
  const object = decoded()
  assert.deepEqual(JSON.parse(JSON.stringify(object)), {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'a' },
  })
  assert.deepEqual(emptyAt(object, 'binaryData'), {})
  assert.equal(emptyAt(object, 'data'), undefined)
  assert.deepEqual(emptyAt(object['metadata'] as object, 'finalizers'), [])
  assert.equal(holdsEmptied(object), true)
})

test('neither copies nor what is stored remember it', () => {
  const object = decoded()
  assert.equal(holdsEmptied(structuredClone(object)), false)
  assert.equal(holdsEmptied(ordered(object)), false)
  assert.deepEqual(ordered(object), JSON.parse(JSON.stringify(object)))
})

test('a copy can be made to remember it', () => {
  const object = decoded()
  assert.deepEqual(emptyAt(keepEmptied({ ...object }, object), 'binaryData'), {})
  assert.equal(emptyAt(keepEmptied({}, {}), 'binaryData'), undefined)
})
