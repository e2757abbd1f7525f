import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, JsonValue } from '../patch/json.ts'
import { upgradeManagedFields, upgradeManagedFieldsPatch } from './csa-upgrade.ts'
import { extractApplied } from './extract-applied.ts'
import { createFieldsV1Codec } from './fields-v1.ts'
import { keepTimestamps } from './keep-timestamps.ts'
import {
  decodeManagedFields,
  encodeManagedFields,
  validateManagedFields,
} from './managed-fields.ts'
import { managerId, managerName, printManager } from './manager-identity.ts'
import { fieldPath } from './path-element.ts'
import { parentManagedFields, scaleManagedFields } from './scale-managed-fields.ts'
import { schemaTypeReader } from './schema-types.ts'

const codec = createFieldsV1Codec()

function entry(manager: string, operation: 'Apply' | 'Update', rest: JsonObject = {}): JsonObject {
  const fieldsV1 = { 'f:spec': { 'f:replicas': {} } }
  return { manager, operation, apiVersion: 'apps/v1', fieldsType: 'FieldsV1', fieldsV1, ...rest }
}

function objectWith(managedFields: readonly JsonValue[], rest: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'K',
    metadata: { resourceVersion: '7', managedFields },
    ...rest,
  }
}

function names(entries: readonly JsonObject[] | undefined): string[] {
  return (entries ?? []).map((e) => `${String(e['manager'])} ${String(e['apiVersion'])}`)
}

test('entries are sorted: applies first, then by time, name, version and subresource', () => {
  const time = '2026-01-01T00:00:00Z'
  const entries = [
    entry('b', 'Update', { time }),
    entry('a', 'Update', { time, apiVersion: 'v2' }),
    entry('a', 'Update', { time, apiVersion: 'v1', subresource: 'status' }),
    entry('a', 'Update', { time, apiVersion: 'v1' }),
    entry('c', 'Update'),
    entry('z', 'Apply', { time }),
    entry('y', 'Update', { time: '2025-12-31T23:00:00-02:00' }),
  ]
  const sorted = encodeManagedFields(decodeManagedFields(entries, codec), codec)
  assert.deepEqual(names(sorted), [
    'z apps/v1',
    'c apps/v1',
    'a v1',
    'a v1',
    'a v2',
    'b apps/v1',
    'y apps/v1',
  ])
  assert.equal(sorted?.[3]?.['subresource'], 'status')
  assert.equal(sorted?.[6]?.['time'], '2026-01-01T01:00:00Z')
})

test('entries that nobody changed keep their FieldsV1 object', () => {
  const before = entry('a', 'Apply')
  const after = encodeManagedFields(decodeManagedFields([before], codec), codec)
  assert.equal(after?.[0]?.fieldsV1, before['fieldsV1'])
})

const invalid: readonly (readonly [JsonObject, string])[] = [
  [entry('a', 'Bogus' as 'Apply'), 'operation must be `Apply` or `Update`'],
  [entry('a', 'Apply', { apiVersion: '' }), 'apiVersion must not be empty'],
  [entry('a', 'Apply', { fieldsType: '' }), 'missing fieldsType in managed fields entry 0'],
  [entry('a', 'Apply', { fieldsType: 'x' }), 'invalid fieldsType "x" in managed fields entry 0'],
  [entry('a', 'Apply', { fieldsV1: { nonsense: {} } }), 'missing colon: nonsense'],
]

for (const [broken, message] of invalid)
  test(`invalid: ${message}`, () => {
    assert.equal(validateManagedFields([broken], codec)?.message, message)
    assert.throws(() => decodeManagedFields([broken], codec), { message })
  })

test('valid entries have nothing wrong with them', () => {
  assert.equal(validateManagedFields([entry('a', 'Apply')]), undefined)
})

test('the version is part of an update, not of an apply', () => {
  const identity = { manager: 'm', apiVersion: 'v1', subresource: '' }
  assert.equal(
    managerId({ ...identity, operation: 'Apply' }),
    '{"manager":"m","operation":"Apply"}',
  )
  const id = managerId({ ...identity, operation: 'Update', subresource: 's' })
  assert.equal(id, '{"manager":"m","operation":"Update","apiVersion":"v1","subresource":"s"}')
  assert.equal(printManager(id), '"m" with subresource "s" using v1')
})

test('a manager is named by the request or by its user agent', () => {
  assert.equal(managerName('given', 'agent/1'), 'given')
  assert.equal(managerName('', 'kube ctl\u0000\u200b/v1.36 (linux)'), 'kube ctl')
  assert.equal(managerName('', 'ü'.repeat(100)), 'ü'.repeat(64))
  assert.equal(managerName('', ''), '')
})

test('times go back when nothing else has changed', () => {
  const live = objectWith([entry('a', 'Apply', { time: '2026-01-01T00:00:00Z' })], {
    spec: { a: 1 },
  })
  const touched = objectWith([entry('a', 'Apply', { time: '2026-01-02T00:00:00Z' })], {
    spec: { a: 1 },
  })
  assert.deepEqual(keepTimestamps(touched, live), live)
  const changed = { ...touched, spec: { a: 2 } }
  assert.equal(keepTimestamps(changed, live), changed)
  const other = objectWith([entry('b', 'Apply', { time: '2026-01-02T00:00:00Z' })], {
    spec: { a: 1 },
  })
  assert.equal(keepTimestamps(other, live), other)
  const same = objectWith([entry('a', 'Apply', { time: '2026-01-01T00:00:00Z' })], {
    spec: { a: 2 },
  })
  assert.equal(keepTimestamps(same, live), same)
})

const paths = new Map([
  ['apps/v1', fieldPath('spec', 'replicas')],
  ['apps/v2', null],
])

test('a scale shows who owns the replica count', () => {
  const parent = [
    entry('a', 'Apply'),
    entry('b', 'Apply', { fieldsV1: { 'f:spec': { 'f:template': {} } } }),
    entry('c', 'Apply', { apiVersion: 'apps/v2' }),
    entry('d', 'Apply', { apiVersion: 'gone/v1' }),
  ]
  assert.deepEqual(names(scaleManagedFields(parent, paths)), ['a autoscaling/v1'])
})

test('who loses the replica count in a scale loses it in the parent, and who gains it gains it', () => {
  const template = { 'f:spec': { 'f:replicas': {}, 'f:template': {} } }
  const parent = [
    entry('a', 'Apply', { fieldsV1: template, time: '2026-01-01T00:00:00Z' }),
    entry('c', 'Apply', { apiVersion: 'apps/v2' }),
    entry('d', 'Apply', { apiVersion: 'gone/v1' }),
  ]
  const scale = [
    entry('hpa', 'Update', {
      apiVersion: 'autoscaling/v1',
      subresource: 'scale',
      time: '2026-01-02T00:00:00Z',
    }),
  ]
  const after = parentManagedFields(parent, scale, 'apps/v1', paths, codec)
  assert.deepEqual(names(after), ['c apps/v2', 'a apps/v1', 'hpa apps/v1'])
  assert.deepEqual(after?.[1]?.fieldsV1, { 'f:spec': { 'f:template': {} } })
  assert.deepEqual(after?.[2], {
    manager: 'hpa',
    operation: 'Update',
    apiVersion: 'apps/v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    subresource: 'scale',
  })
  const kept = parentManagedFields(
    parent,
    [entry('a', 'Apply', { apiVersion: 'autoscaling/v1' })],
    'apps/v1',
    paths,
    codec,
  )
  assert.deepEqual(kept?.[1]?.fieldsV1, template)
})

const csa = 'kubectl-client-side-apply'

test('client-side entries become those of the applier', () => {
  const object = objectWith([
    entry(csa, 'Update', { fieldsV1: { 'f:a': {} } }),
    entry(csa, 'Update', { fieldsV1: { 'f:b': {} }, apiVersion: 'apps/v2' }),
    entry(csa, 'Update', { subresource: 'status' }),
    entry('other', 'Update'),
  ])
  const upgraded = upgradeManagedFields(object, { from: [csa], to: 'kubectl' })
  const after = (upgraded['metadata'] as JsonObject)['managedFields'] as JsonObject[]
  assert.deepEqual(names(after), ['kubectl apps/v1', `${csa} apps/v1`, 'other apps/v1'])
  assert.equal(after[0]?.['operation'], 'Apply')
  assert.deepEqual(after[0]?.['fieldsV1'], { 'f:a': {} })
})

test('an applier that is there already gains the fields of its version', () => {
  const object = objectWith([
    entry('kubectl', 'Apply', { fieldsV1: { 'f:a': {} } }),
    entry(csa, 'Update', { fieldsV1: { 'f:b': {} } }),
  ])
  const patch = upgradeManagedFieldsPatch(object, { from: [csa], to: 'kubectl' })
  const merged = entry('kubectl', 'Apply', { fieldsV1: { 'f:a': {}, 'f:b': {} } })
  assert.deepEqual(patch, [
    { op: 'replace', path: '/metadata/managedFields', value: [merged] },
    { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
  ])
})

test('there is nothing to upgrade without client-side entries', () => {
  const object = objectWith([entry('other', 'Update')])
  assert.equal(upgradeManagedFieldsPatch(object, { from: [csa], to: 'kubectl' }), undefined)
  assert.deepEqual(upgradeManagedFields(object, { from: [csa], to: 'kubectl' }), object)
  assert.deepEqual(upgradeManagedFields({ kind: 'K' }, { from: [csa], to: 'x' }), { kind: 'K' })
})

test('what a manager applied can be taken out of the object', () => {
  const text = { type: 'string' }
  const items = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: { type: 'object', properties: { k: text, v: text, w: text } },
  }
  const type = schemaTypeReader()({
    type: 'object',
    properties: {
      apiVersion: text,
      kind: text,
      metadata: { type: 'object', properties: { name: text, resourceVersion: text } },
      spec: { type: 'object', properties: { a: text, b: text, items } },
    },
  })
  const fieldsV1 = {
    'f:spec': {
      'f:a': {},
      'f:gone': {},
      'f:items': { 'k:{"k":"1"}': { '.': {}, 'f:k': {}, 'f:v': {} } },
    },
  }
  const spec = { a: '1', b: '2', items: [{ k: '1', v: 'x', w: 'y' }, { k: '2' }] }
  const object = objectWith([entry('me', 'Apply', { fieldsV1 })], { spec })
  assert.deepEqual(extractApplied(object, type, 'me'), {
    apiVersion: 'apps/v1',
    kind: 'K',
    spec: { a: '1', items: [{ k: '1', v: 'x' }] },
  })
  assert.equal(extractApplied(object, type, 'me', 'status'), undefined)
  assert.equal(extractApplied(object, type, 'you'), undefined)
})
