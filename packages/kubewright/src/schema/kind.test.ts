import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kind, pluralOf } from './kind.ts'
import { s } from './words.ts'

test('one declaration gives the definition', () => {
  const MyApp = kind('example.com/v1', 'MyApp', {
    description: 'An application.',
    spec: {
      replicas: s.integer({ minimum: 1, default: 1 }),
      image: s.string({ minLength: 1 }),
      mode: s.enum(['fast', 'safe'], { default: 'safe' }),
      ports: s
        .array(s.object({ name: s.string(), port: s.integer() }), { mapKeys: ['name'] })
        .optional(),
    },
    status: { readyReplicas: s.integer(), since: s.dateTime() },
    columns: { Ready: '.status.readyReplicas', Since: { path: '.status.since', priority: 1 } },
    shortNames: ['ma'],
    categories: ['all'],
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.readyReplicas',
    },
    selectableFields: ['.spec.image'],
    validations: [{ rule: "self.metadata.name != 'no'" }],
  })
  assert.deepEqual(
    [MyApp.group, MyApp.version, MyApp.kind, MyApp.plural, MyApp.scope],
    ['example.com', 'v1', 'MyApp', 'myapps', 'Namespaced'],
  )
  assert.deepEqual(MyApp.crd(), {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'myapps.example.com' },
    spec: {
      group: 'example.com',
      names: {
        plural: 'myapps',
        singular: 'myapp',
        kind: 'MyApp',
        listKind: 'MyAppList',
        shortNames: ['ma'],
        categories: ['all'],
      },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              description: 'An application.',
              type: 'object',
              required: ['spec'],
              properties: {
                apiVersion: { type: 'string' },
                kind: { type: 'string' },
                metadata: { type: 'object' },
                spec: {
                  type: 'object',
                  required: ['image'],
                  properties: {
                    replicas: { type: 'integer', minimum: 1, default: 1 },
                    image: { type: 'string', minLength: 1 },
                    mode: { type: 'string', enum: ['fast', 'safe'], default: 'safe' },
                    ports: {
                      type: 'array',
                      items: {
                        type: 'object',
                        required: ['name', 'port'],
                        properties: { name: { type: 'string' }, port: { type: 'integer' } },
                      },
                      'x-kubernetes-list-type': 'map',
                      'x-kubernetes-list-map-keys': ['name'],
                    },
                  },
                },
                status: {
                  type: 'object',
                  properties: {
                    readyReplicas: { type: 'integer' },
                    since: { type: 'string', format: 'date-time' },
                  },
                },
              },
              'x-kubernetes-validations': [{ rule: "self.metadata.name != 'no'" }],
            },
          },
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.replicas',
              statusReplicasPath: '.status.readyReplicas',
            },
          },
          additionalPrinterColumns: [
            { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
            { name: 'Since', type: 'date', priority: 1, jsonPath: '.status.since' },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
          selectableFields: [{ jsonPath: '.spec.image' }],
        },
      ],
    },
  })
})

test('a spec that may be empty is always there', () => {
  const { spec } = kind('example.com/v1', 'Idle', { spec: { n: s.integer({ default: 1 }) } }).crd()
  const root = spec.versions[0]?.schema?.openAPIV3Schema
  assert.equal(root?.required, undefined)
  assert.deepEqual(root?.properties?.['spec']?.default, {})
})

test('other versions of a kind stand in its definition, served and not stored', () => {
  const Old = kind('example.com/v1beta1', 'App', {
    spec: { a: s.string() },
    deprecated: 'use example.com/v1',
  })
  const App = kind('example.com/v1', 'App', { spec: { b: s.string() }, otherVersions: [Old] })
  assert.deepEqual(
    App.crd().spec.versions.map(({ name, served, storage, deprecationWarning }) => ({
      name,
      served,
      storage,
      deprecationWarning,
    })),
    [
      { name: 'v1', served: true, storage: true, deprecationWarning: undefined },
      { name: 'v1beta1', served: true, storage: false, deprecationWarning: 'use example.com/v1' },
    ],
  )
  const Other = kind('example.com/v1beta1', 'Other', {})
  assert.throws(
    () => kind('example.com/v1', 'App', { otherVersions: [Other] }),
    /Other example\.com\/v1beta1 is no other version of App example\.com\/v1/,
  )
})

test('a path that names nothing is refused where it is written', () => {
  const spec = { a: s.string(), free: s.anyObject(), map: s.map(s.string()) }
  const declared = (path: `.${string}`): unknown =>
    kind('example.com/v1', 'App', { spec, columns: { A: path } })
  for (const path of [
    '.spec.a',
    '.spec.free.x',
    '.spec.map.x',
    '.metadata.name',
    '.spec.a[0]',
  ] as const)
    assert.doesNotThrow(() => declared(path))
  assert.throws(() => declared('.spec.b'), {
    message:
      'column A: .spec.b of App v1 names no field that the kind declares: mend the path or declare the field',
  })
  assert.throws(
    () => kind('example.com/v1', 'App', { spec, scale: true }),
    /scale path \.spec\.replicas/,
  )
})

const plurals: readonly (readonly [string, string])[] = [
  ['app', 'apps'],
  ['policy', 'policies'],
  ['gateway', 'gateways'],
  ['box', 'boxes'],
  ['class', 'classes'],
  ['batch', 'batches'],
]

for (const [word, plural] of plurals)
  test(`the plural of ${word} is ${plural}`, () => {
    assert.equal(pluralOf(word), plural)
  })
