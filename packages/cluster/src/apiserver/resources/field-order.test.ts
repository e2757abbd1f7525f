import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStorage } from '../storage/memory-storage.ts'
import { fieldOrder, keyOrder } from './field-order.ts'
import { ordered, orderedStorage } from './ordered-storage.ts'

test('structs by their fields, maps by their keys, and what is in order stays as it is', () => {
  const order = fieldOrder({ group: '', version: 'v1', kind: 'ConfigMap' })
  const made = order({
    data: { b: '2', a: '1' },
    metadata: { labels: { z: '', a: '' }, name: 'a' },
    apiVersion: 'v1',
    kind: 'ConfigMap',
  })
  assert.equal(
    JSON.stringify(made),
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","labels":{"a":"","z":""}},"data":{"a":"1","b":"2"}}',
  )
  assert.equal(order(made), made)
})

test('schemas within schemas are structs, and defaults are maps', () => {
  const made = ordered({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    spec: {
      versions: [
        {
          schema: {
            openAPIV3Schema: {
              properties: { a: { default: { z: 1, b: 2 }, type: 'object' } },
              type: 'object',
            },
          },
        },
      ],
    },
  })
  const schema = made.spec.versions[0]?.schema.openAPIV3Schema
  assert.equal(
    JSON.stringify(schema),
    '{"type":"object","properties":{"a":{"type":"object","default":{"b":2,"z":1}}}}',
  )
})

test('a list that a kind always shows is null where it is empty', () => {
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', rules: [] }
  assert.deepEqual(ordered<object>(role), {
    kind: 'Role',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    rules: null,
  })
})

test('custom resources are maps all the way', () => {
  const made = keyOrder({ kind: 'A', spec: [{ b: 1, a: 2 }], apiVersion: 'g/v1' })
  assert.equal(JSON.stringify(made), '{"apiVersion":"g/v1","kind":"A","spec":[{"a":2,"b":1}]}')
})

test('whoever writes to the store writes in order', async () => {
  const storage = orderedStorage(memoryStorage())
  const object = {
    data: { a: '1' },
    metadata: { creationTimestamp: '2026-01-01T00:00:00Z', name: 'a' },
    kind: 'ConfigMap',
    apiVersion: 'v1',
  }
  const swap = await storage.compareAndSwap('/configmaps/default/a', 0, object)
  assert.ok(swap.ok)
  assert.equal(
    swap.stored.json,
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"2","creationTimestamp":"2026-01-01T00:00:00Z"},"data":{"a":"1"}}',
  )
})
