import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { JsonObject } from '../patch/json.ts'
import { customResourceType } from './custom-resource-type.ts'
import { encodeFieldsV1 } from './fields-v1.ts'
import { schemaTypeReader } from './schema-types.ts'
import { toFieldSet } from './to-field-set.ts'
import type { FieldType } from './type.ts'
import { deducedType, untypedAtomic } from './type.ts'
import { printIssues, validateType } from './validate.ts'

const schemas = JSON.parse(
  readFileSync(new URL('testdata/deployment.openapi.json', import.meta.url), 'utf8'),
) as Record<string, JsonObject>
const resolveRef = (ref: string): JsonObject | undefined => schemas[ref.split('/').at(-1) ?? '']
const objectMeta = schemas['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'] ?? {}
const read = schemaTypeReader({ resolveRef })

function owned(type: FieldType, value: JsonObject): JsonObject {
  assert.equal(printIssues(validateType(type, value, 'forbid duplicates')), '')
  return encodeFieldsV1(toFieldSet(type, value))
}

test('a schema is read once', () => {
  const schema = schemas['io.k8s.api.apps.v1.Deployment'] ?? {}
  assert.equal(read(schema), read(schema))
})

test('ownership of a pod spec follows lists by key, sets, and atomic parts', () => {
  const type = read(schemas['io.k8s.api.core.v1.PodSpec'] ?? {})
  const spec = {
    containers: [
      {
        name: 'a',
        args: ['x'],
        ports: [{ containerPort: 80 }],
        resources: { limits: { cpu: 1 } },
      },
    ],
    nodeSelector: { a: 'b' },
    tolerations: [{ key: 'k' }],
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 't',
        whenUnsatisfiable: 'x',
        labelSelector: { matchLabels: { a: 'b' } },
      },
    ],
    imagePullSecrets: [{}],
  }
  assert.deepEqual(owned(type, spec), {
    'f:containers': {
      'k:{"name":"a"}': {
        '.': {},
        'f:args': {},
        'f:name': {},
        'f:ports': {
          'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} },
        },
        'f:resources': { 'f:limits': { 'f:cpu': {} } },
      },
    },
    'f:imagePullSecrets': { 'k:{"name":""}': {} },
    'f:nodeSelector': {},
    'f:tolerations': {},
    'f:topologySpreadConstraints': {
      'k:{"topologyKey":"t","whenUnsatisfiable":"x"}': {
        '.': {},
        'f:labelSelector': {},
        'f:maxSkew': {},
        'f:topologyKey': {},
        'f:whenUnsatisfiable': {},
      },
    },
  })
})

test('a reference that leads nowhere and unknown words are errors', () => {
  assert.throws(() => read({ $ref: '#/components/schemas/Gone' }), {
    message: 'no schema found for #/components/schemas/Gone',
  })
  assert.throws(
    () => read({ type: 'array', 'x-kubernetes-list-type': 'bag' }),
    /unknown list type bag/,
  )
  assert.throws(() => read({ type: 'array', 'x-kubernetes-list-type': 'map' }), /missing map keys/)
  assert.throws(() => read({ type: 'object', 'x-kubernetes-map-type': 'x' }), /unknown map type x/)
  assert.throws(() => read({ type: 'thing' }), /unrecognized type: 'thing'/)
})

test('a property may make the type it refers to atomic', () => {
  const resolve = schemaTypeReader({
    resolveRef: () => ({ type: 'object', properties: { a: { type: 'string' } } }),
  })
  const type = resolve({
    type: 'object',
    properties: {
      whole: { allOf: [{ $ref: 'x' }], 'x-kubernetes-map-type': 'atomic' },
      parts: { $ref: 'x' },
    },
  })
  const value = { whole: { a: '1' }, parts: { a: '1' } }
  assert.deepEqual(owned(type, value), { 'f:parts': { 'f:a': {} }, 'f:whole': {} })
})

test('quantities and raw extensions are what their names say', () => {
  const prefix = 'io.k8s.apimachinery.pkg'
  const type = schemaTypeReader()({
    type: 'object',
    properties: {
      amount: { $ref: `#/components/schemas/${prefix}.api.resource.Quantity` },
      raw: { $ref: `#/components/schemas/${prefix}.runtime.RawExtension` },
    },
  })
  assert.deepEqual(owned(type, { amount: 5, raw: { a: [{}] } }), { 'f:amount': {}, 'f:raw': {} })
})

const structural: JsonObject = {
  type: 'object',
  properties: {
    metadata: { type: 'object' },
    spec: {
      type: 'object',
      properties: {
        port: { 'x-kubernetes-int-or-string': true },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        half: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: { a: { type: 'string' } } } },
        },
        pod: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { spec: { type: 'object', properties: { n: { type: 'integer' } } } },
        },
      },
    },
  },
}

test("a custom resource has Kubernetes' metadata, at the root and where it is embedded", () => {
  const type = customResourceType({ schema: structural, objectMeta, resolveRef })
  const meta = {
    name: 'x',
    ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u' }],
  }
  const value = {
    apiVersion: 'g/v1',
    kind: 'K',
    metadata: meta,
    spec: {
      port: 'http',
      free: { a: { b: [1] }, c: null },
      half: { known: { a: 'x', b: 1 }, other: { x: 1 } },
      pod: { apiVersion: 'v1', kind: 'P', metadata: { labels: { a: 'b' } }, spec: { n: 1 } },
    },
  }
  assert.deepEqual(owned(type, value), {
    'f:apiVersion': {},
    'f:kind': {},
    'f:metadata': {
      'f:name': {},
      'f:ownerReferences': { 'k:{"uid":"u"}': {} },
    },
    'f:spec': {
      'f:free': { 'f:a': { '.': {}, 'f:b': {} }, 'f:c': {} },
      'f:half': { 'f:known': { 'f:a': {}, 'f:b': {} }, 'f:other': { '.': {}, 'f:x': {} } },
      'f:pod': {
        'f:apiVersion': {},
        'f:kind': {},
        'f:metadata': { 'f:labels': { 'f:a': {} } },
        'f:spec': { 'f:n': {} },
      },
      'f:port': {},
    },
  })
})

test('a custom resource does not take what its schema does not declare, unless the CRD says so', () => {
  const strict = customResourceType({ schema: structural, objectMeta, resolveRef })
  const lax = customResourceType({
    schema: structural,
    preserveUnknownFields: true,
    objectMeta,
    resolveRef,
  })
  const value = { spec: { bogus: 1 } }
  assert.equal(
    printIssues(validateType(strict, value, 'forbid duplicates')),
    '.spec.bogus: field not declared in schema',
  )
  assert.deepEqual(validateType(lax, value, 'forbid duplicates'), [])
})

test('without a schema everything is free-form', () => {
  const type = customResourceType({ schema: undefined, objectMeta, resolveRef })
  assert.deepEqual(owned(type, { metadata: { finalizers: ['a'] }, a: { b: 1 } }), {
    'f:a': { '.': {}, 'f:b': {} },
    'f:metadata': { '.': {}, 'f:finalizers': {} },
  })
})

test('free-form types own maps by member or whole, and lists whole', () => {
  const value = { a: { b: 1, l: [1] } }
  assert.deepEqual(owned(deducedType, value), { 'f:a': { '.': {}, 'f:b': {}, 'f:l': {} } })
  assert.deepEqual(owned(untypedAtomic, value), {})
})
