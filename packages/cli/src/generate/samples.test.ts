import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kind, s } from 'kubewright'
import { validateValue, compileSchema } from 'kubewright/schema'
import { example, sampleOf } from './samples.ts'

const App = kind('example.com/v1', 'App', {
  spec: {
    size: s.integer({ minimum: 2 }),
    image: s.string({ minLength: 1 }),
    port: s.integer({ default: 8080 }),
    mode: s.enum(['fast', 'slow']),
    tags: s.array(s.string(), { minItems: 1 }),
    since: s.string({ format: 'date-time' }),
    note: s.string().optional(),
    limits: s.object({ cpu: s.string(), memory: s.string().optional() }),
  },
})

test('a sample shows what is required and what has a default', () => {
  assert.deepEqual(sampleOf(App, 'app-operator'), {
    apiVersion: 'example.com/v1',
    kind: 'App',
    metadata: {
      name: 'app-sample',
      labels: {
        'app.kubernetes.io/name': 'app-operator',
        'app.kubernetes.io/managed-by': 'kubewright',
      },
    },
    spec: {
      size: 2,
      image: 'example',
      port: 8080,
      mode: 'fast',
      tags: ['example'],
      since: '2026-01-01T00:00:00Z',
      limits: { cpu: 'example' },
    },
  })
})

test('a kind without a spec has a sample without one', () => {
  const Bare = kind('example.com/v1', 'Bare', {})
  assert.equal('spec' in sampleOf(Bare, 'p'), false)
})

test('an example is what its schema takes', () => {
  const schemas = [
    { type: 'integer', minimum: 5, maximum: 9 },
    { type: 'integer', maximum: 0 },
    { type: 'integer', minimum: 3, exclusiveMinimum: true },
    { type: 'integer', multipleOf: 4 },
    { type: 'number', maximum: -1 },
    { type: 'string', minLength: 12 },
    { type: 'string', maxLength: 3 },
    { type: 'string', format: 'date-time' },
    { type: 'string', format: 'date' },
    { type: 'string', format: 'ipv4' },
    { type: 'string', format: 'uuid' },
    { type: 'string', format: 'uri' },
    { type: 'string', format: 'email' },
    { type: 'string', format: 'duration' },
    { 'x-kubernetes-int-or-string': true },
    { type: 'array', minItems: 2, items: { type: 'boolean' } },
    { type: 'object', additionalProperties: { type: 'string' } },
  ] as const
  for (const schema of schemas) {
    const value = example(schema)
    const errors = validateValue(compileSchema(schema), value)
    assert.deepEqual(errors, [], `${JSON.stringify(schema)} → ${JSON.stringify(value)}`)
  }
})
