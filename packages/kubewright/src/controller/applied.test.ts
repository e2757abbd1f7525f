import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../machinery/object.ts'
import { appliedAs, ownsExactly, unchangedSince } from './applied.ts'

const draft = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'ns', labels: { app: 'web' } },
  spec: { replicas: 2, template: { spec: { containers: [{ name: 'c', image: 'nginx' }] } } },
}
const stored = {
  ...draft,
  metadata: { ...draft.metadata, uid: 'u', resourceVersion: '5', generation: 1 },
  spec: {
    ...draft.spec,
    paused: false,
    template: { spec: { containers: [{ name: 'c', image: 'nginx', pull: 'Always' }] } },
  },
}
const text = JSON.stringify(draft)
const last = appliedAs(text, draft, stored)
const changed = (change: (it: typeof stored) => object): KubeObject => {
  const copy = structuredClone({
    ...stored,
    metadata: { ...stored.metadata, resourceVersion: '6' },
  })
  return { ...copy, ...change(copy) } as KubeObject
}

test('the same draft on an object that is as the server left it changes nothing', () => {
  assert.equal(unchangedSince(last, text, stored), true)
  assert.equal(
    unchangedSince(
      last,
      text,
      changed(() => ({ status: { ready: 1 } })),
    ),
    true,
  )
  assert.equal(
    unchangedSince(
      last,
      text,
      changed((it) => ({ spec: { ...it.spec, paused: true } })),
    ),
    true,
  )
})

test('another draft, another object, or another value where the draft speaks does', () => {
  assert.equal(unchangedSince(undefined, text, stored), false)
  assert.equal(unchangedSince(last, text, undefined), false)
  assert.equal(unchangedSince(last, JSON.stringify({ ...draft, a: 1 }), stored), false)
  assert.equal(
    unchangedSince(
      last,
      text,
      changed((it) => ({ metadata: { ...it.metadata, uid: 'v' } })),
    ),
    false,
  )
  assert.equal(
    unchangedSince(
      last,
      text,
      changed((it) => ({ spec: { ...it.spec, replicas: 3 } })),
    ),
    false,
  )
  assert.equal(
    unchangedSince(
      last,
      text,
      changed((it) => ({ metadata: { ...it.metadata, labels: {} } })),
    ),
    false,
  )
  const sidecar = changed((it) => ({
    spec: {
      ...it.spec,
      template: { spec: { containers: [...it.spec.template.spec.containers, { name: 'side' }] } },
    },
  }))
  assert.equal(unchangedSince(last, text, sidecar), false)
})

const fieldsV1 = {
  'f:metadata': { 'f:labels': { 'f:app': {} } },
  'f:spec': {
    'f:replicas': {},
    'f:template': {
      'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:image': {}, 'f:name': {} } } },
    },
  },
}
const managed = (fields: object, apiVersion = 'apps/v1'): KubeObject => ({
  ...stored,
  metadata: {
    ...stored.metadata,
    managedFields: [
      {
        manager: 'me',
        operation: 'Apply',
        apiVersion,
        fieldsV1: fields as Record<string, unknown>,
      },
    ],
  },
})

test('owning exactly the fields of a draft with its values means that nothing changes, even after a restart', () => {
  assert.equal(ownsExactly('me', draft, managed(fieldsV1)), true)
  assert.equal(ownsExactly('you', draft, managed(fieldsV1)), false)
  assert.equal(ownsExactly('me', draft, managed(fieldsV1, 'apps/v1beta1')), false)
  assert.equal(
    ownsExactly('me', { ...draft, spec: { ...draft.spec, replicas: 3 } }, managed(fieldsV1)),
    false,
  )
  assert.equal(
    ownsExactly('me', { ...draft, spec: { ...draft.spec, paused: false } }, managed(fieldsV1)),
    false,
  )
  const more = { ...fieldsV1, 'f:spec': { ...fieldsV1['f:spec'], 'f:paused': {} } }
  assert.equal(ownsExactly('me', draft, managed(more)), false)
})

test('sets and whole values are compared too', () => {
  const live: KubeObject = {
    metadata: {
      name: 'a',
      finalizers: ['x', 'y'],
      managedFields: [
        {
          manager: 'me',
          operation: 'Apply',
          apiVersion: 'v1',
          fieldsV1: {
            'f:metadata': { 'f:finalizers': { '.': {}, 'v:"x"': {} } },
            'f:data': { '.': {}, 'f:a': {} },
          },
        },
      ],
    },
    ...({ data: { a: '1', b: '2' } } as object),
  }
  const own = {
    apiVersion: 'v1',
    kind: 'K',
    metadata: { name: 'a', finalizers: ['x'] },
    data: { a: '1' },
  }
  assert.equal(ownsExactly('me', own, live), true)
  assert.equal(
    ownsExactly('me', { ...own, metadata: { name: 'a', finalizers: ['y'] } }, live),
    false,
  )
})
