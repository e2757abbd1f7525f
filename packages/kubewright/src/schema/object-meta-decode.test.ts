import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MetadataError, decodeMetadata } from './object-meta-decode.ts'

const refused: readonly (readonly [unknown, string])[] = [
  [[], 'json: cannot unmarshal array into Go value of type v1.ObjectMeta'],
  ['x', 'json: cannot unmarshal string into Go value of type v1.ObjectMeta'],
  [
    { name: 1 },
    'json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
  ],
  [
    { uid: true },
    'json: cannot unmarshal bool into Go struct field ObjectMeta.uid of type types.UID',
  ],
  [
    { generation: 1.5 },
    'json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64',
  ],
  [
    { labels: { a: 1 } },
    'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
  ],
  [
    { labels: [] },
    'json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string',
  ],
  [
    { finalizers: 'x' },
    'json: cannot unmarshal string into Go struct field ObjectMeta.finalizers of type []string',
  ],
  [
    { ownerReferences: [{ name: 1 }] },
    'json: cannot unmarshal number into Go struct field OwnerReference.ownerReferences.name of type string',
  ],
  [
    { ownerReferences: [1] },
    'json: cannot unmarshal number into Go struct field ObjectMeta.ownerReferences of type v1.OwnerReference',
  ],
  [
    { creationTimestamp: 1 },
    'json: cannot unmarshal number into Go struct field ObjectMeta.creationTimestamp of type string',
  ],
  [
    { creationTimestamp: 'x' },
    'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
  ],
  [
    { creationTimestamp: '2020-01-01' },
    'parsing time "2020-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"',
  ],
  [
    { creationTimestamp: '2020-13-01T00:00:00Z' },
    'parsing time "2020-13-01T00:00:00Z": month out of range',
  ],
]

for (const [metadata, message] of refused)
  test(`${JSON.stringify(metadata)} is no metadata: ${message}`, () => {
    assert.throws(() => decodeMetadata(metadata, 'metadata'), new MetadataError(message))
  })

test('metadata that is as it is written again is not copied', () => {
  const metadata = Object.freeze({
    name: 'x',
    labels: Object.freeze({ a: 'b' }),
    creationTimestamp: '2020-01-01T00:00:00Z',
  })
  assert.equal(decodeMetadata(metadata, 'metadata'), metadata)
})

test('unknown and empty fields go, nulls become empty, instants are in UTC with whole seconds', () => {
  const unknown: string[] = []
  const metadata = {
    name: 'x',
    generateName: '',
    bogus: 1,
    labels: { a: null },
    annotations: {},
    finalizers: [],
    creationTimestamp: null,
    deletionTimestamp: '2020-01-01T01:00:00.5+01:00',
    deletionGracePeriodSeconds: 0,
    ownerReferences: [{ kind: 'A', controller: false, more: 1 }],
    managedFields: [{ manager: 'm', fieldsV1: { 'f:spec': {} } }],
  }
  assert.deepEqual(decodeMetadata(metadata, 'metadata', { unknown }), {
    name: 'x',
    labels: { a: '' },
    deletionTimestamp: '2020-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 0,
    ownerReferences: [{ kind: 'A', controller: false, apiVersion: '', name: '', uid: '' }],
    managedFields: [{ manager: 'm', fieldsV1: { 'f:spec': {} } }],
  })
  assert.deepEqual(unknown, ['metadata.bogus', 'metadata.ownerReferences[0].more'])
})

test('leniently, only what is malformed goes', () => {
  const metadata = { name: 'x', labels: { a: 1 }, generation: 'y', uid: 'z' }
  assert.deepEqual(decodeMetadata(metadata, 'metadata', { lenient: true }), { name: 'x', uid: 'z' })
})
