import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileSchema } from '../schema-node.ts'
import { structuralErrors } from '../structural-check.ts'
import { validateDefaults } from '../default-check.ts'
import { validateValue } from '../validate-value.ts'
import { conform } from '../conform.ts'
import { fragments } from './fragments.ts'
import { structuralDefinitions } from './structural-definitions.ts'

for (const [name, word] of Object.entries(fragments))
  test(`${name} is structural, and its defaults fit`, () => {
    const { json } = (word as typeof fragments.probe)()
    const root = { type: 'object', properties: { a: json } }
    assert.deepEqual(structuralErrors(root, ''), [])
    assert.deepEqual(validateDefaults(compileSchema(root, 'default'), ''), [])
  })

test('a container’s parts are taken as pods take them', () => {
  const { json } = fragments.containers({ description: 'More containers.' })
  assert.equal(json.description, 'More containers.')
  const node = compileSchema(json)
  const given = [
    {
      name: 'app',
      image: 'nginx',
      env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
      ports: [{ containerPort: 80 }],
      resources: { limits: { cpu: '500m', memory: 1 } },
      livenessProbe: { httpGet: { port: 'http' } },
      bogus: 1,
    },
  ]
  const made = conform(node, given)
  const { bogus: _, ...container } = given[0] as Record<string, unknown>
  assert.deepEqual(made, [{ ...container, ports: [{ containerPort: 80, protocol: 'TCP' }] }])
  assert.deepEqual(validateValue(node, made), [])
  const wrong = [
    { name: 'app', resources: { limits: { cpu: 'much' } }, ports: [{ containerPort: 'x' }] },
  ]
  assert.deepEqual(
    validateValue(node, wrong, 'a').map((it) => it.field),
    ['a.[0].resources.limits.cpu', 'a.[0].ports[0].containerPort'],
  )
})

test('conditions are one a type', () => {
  const { json } = fragments.conditions({ maxItems: 3 })
  assert.deepEqual(json['x-kubernetes-list-map-keys'], ['type'])
  assert.equal(json.maxItems, 3)
  const node = compileSchema(json)
  const condition = {
    type: 'Ready',
    status: 'Maybe',
    reason: '',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
  assert.deepEqual(
    validateValue(node, [condition]).map((it) => it.field),
    ['[0].status', '[0].reason'],
  )
})

test('definitions are made of what kube-apiserver publishes', () => {
  const schemas = {
    'io.k8s.A': {
      description: 'gone',
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', default: '' },
        other: { type: 'string', default: '' },
        count: { type: 'integer', format: 'int32', default: 0 },
        b: { allOf: [{ $ref: '#/components/schemas/io.k8s.B' }], default: {} },
        cpu: { $ref: '#/components/schemas/io.k8s.resource.Quantity' },
        list: {
          type: 'array',
          items: { allOf: [{ $ref: '#/components/schemas/io.k8s.B' }] },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          'x-kubernetes-patch-merge-key': 'k',
        },
      },
    },
    'io.k8s.B': { type: 'object', properties: { k: { type: 'string', default: 'TCP' } } },
  }
  const made = structuralDefinitions(schemas, ['io.k8s.A'])
  assert.deepEqual(Object.keys(made), ['A', 'B'])
  assert.deepEqual(made['B'], {
    type: 'object',
    properties: { k: { type: 'string', default: 'TCP' } },
  })
  const { cpu, ...properties } = made['A']?.properties ?? {}
  assert.equal(cpu?.['x-kubernetes-int-or-string'], true)
  assert.deepEqual(properties, {
    name: { type: 'string' },
    other: { type: 'string', default: '' },
    count: { type: 'integer', format: 'int32' },
    b: { $ref: 'B' },
    list: {
      type: 'array',
      items: { $ref: 'B' },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    },
  })
  assert.throws(() => structuralDefinitions(schemas, ['io.k8s.C']), /has no schema io\.k8s\.C/)
})
