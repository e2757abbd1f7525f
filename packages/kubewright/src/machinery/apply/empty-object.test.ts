import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { JsonObject } from '../patch/json.ts'
import { emptyObjectOf } from './empty-object.ts'

const schemas = JSON.parse(
  readFileSync(new URL('testdata/deployment.openapi.json', import.meta.url), 'utf8'),
) as Record<string, JsonObject>
const resolveRef = (ref: string): JsonObject | undefined => schemas[ref.split('/').at(-1) ?? '']

test('a Deployment begins with its structs and its required lists', () => {
  const kind = { apiVersion: 'apps/v1', kind: 'Deployment' }
  assert.deepEqual(
    emptyObjectOf(schemas['io.k8s.api.apps.v1.Deployment'] ?? {}, kind, resolveRef),
    {
      ...kind,
      metadata: {},
      spec: {
        selector: null,
        strategy: {},
        template: { metadata: {}, spec: { containers: null } },
      },
      status: {},
    },
  )
})

test('members that are written although they are optional are there, scalars as zero', () => {
  const schema = {
    type: 'object',
    required: ['name', 'list'],
    properties: {
      name: { type: 'string', default: '' },
      count: { type: 'integer', default: 0 },
      size: { type: 'integer', default: 5 },
      list: { type: 'array' },
      map: { type: 'object', default: {} },
      pointer: { $ref: 'x' },
    },
  }
  const kind = { apiVersion: 'v1', kind: 'K' }
  const expected = { ...kind, name: '', count: 0, list: null, map: {} }
  assert.deepEqual(emptyObjectOf(schema, kind, resolveRef), expected)
})

test('types that are otherwise than their schema says are known', () => {
  const kind = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' }
  const schema = { type: 'object', properties: { spec: { default: {}, properties: {} } } }
  const expected = { ...kind, spec: {}, status: { currentMetrics: null } }
  assert.deepEqual(emptyObjectOf(schema, kind, resolveRef), expected)
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' }
  assert.deepEqual(emptyObjectOf({ type: 'object' }, role, resolveRef), { ...role, rules: null })
})
