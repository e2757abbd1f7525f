import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedPaths } from './changed-paths.ts'

const object = (more: object): { readonly metadata: object } => ({ metadata: {}, ...more })

test('names where two states differ, two names deep, and one deeper where that says more', () => {
  const before = object({
    metadata: { resourceVersion: '1', labels: { a: '1', b: '2' }, generation: 1 },
    spec: { replicas: 1, template: { spec: { x: 1 }, metadata: {} } },
    data: { k: 'v' },
    status: { ready: { n: 1 } },
  })
  const after = object({
    metadata: { resourceVersion: '2', labels: { a: '1', b: '3' }, generation: 2 },
    spec: { replicas: 2, template: { spec: { x: 2 }, metadata: {} } },
    data: { k: 'w' },
    status: { ready: { n: 2 } },
  })
  assert.deepEqual(changedPaths(before, after), [
    'metadata.labels.b',
    'spec.replicas',
    'spec.template.spec',
    'data.k',
    'status.ready',
  ])
  assert.deepEqual(changedPaths(before, before), [])
})

test('says no more than a few', () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}`, i]))
  const found = changedPaths(object({ spec: {} }), object({ spec: many }))
  assert.equal(found.length, 9)
  assert.equal(found.at(-1), '…')
})
