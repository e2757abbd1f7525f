import assert from 'node:assert/strict'
import test from 'node:test'
import { ApiError } from 'kubewright/machinery'
import type { Draft } from '../strategy.ts'
import {
  checkDeletionPreconditions,
  keepGeneration,
  keepSystemFields,
  markForDeletion,
  matchNamespace,
  validateDeletion,
  wipeSystemFields,
} from './before.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')

const podWith = (meta: object): Draft => ({ metadata: { name: 'p', ...meta } }) as Draft

test('a client gives no system fields to a new object', () => {
  const meta = { name: 'x', uid: 'u', creationTimestamp: 't', selfLink: '/x', labels: { a: 'b' } }
  wipeSystemFields(meta)
  assert.deepEqual(meta, { name: 'x', labels: { a: 'b' } })
})

test('an object lies in the namespace of its request', () => {
  const meta: { namespace?: string } = {}
  matchNamespace(meta, 'a')
  assert.equal(meta.namespace, 'a')
  assert.throws(() => matchNamespace({ namespace: 'b' }, 'a'), ApiError)
  const cluster = { namespace: 'b' }
  matchNamespace(cluster, '')
  assert.deepEqual(cluster, {})
})

test('an update keeps what the system wrote', () => {
  const old = { uid: 'u', creationTimestamp: 't', generation: 3, deletionTimestamp: 'd' }
  const meta = { generation: 9, creationTimestamp: 'x' }
  keepGeneration(meta, old)
  keepSystemFields(meta, old)
  assert.deepEqual(meta, old)
})

test('a delete that is not graceful removes', () => {
  assert.equal(markForDeletion(podWith({}), undefined, {}, NOW), 'remove')
})

test('a graceful delete marks, and bumps the generation', () => {
  const pod = podWith({ generation: 1 })
  assert.equal(markForDeletion(pod, 30, {}, NOW), 'marked')
  assert.deepEqual(pod.metadata, {
    name: 'p',
    generation: 2,
    deletionTimestamp: '2026-01-01T00:00:30Z',
    deletionGracePeriodSeconds: 30,
  })
})

const MARKED = { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 }

test('another delete only shortens the grace', () => {
  assert.equal(markForDeletion(podWith(MARKED), 30, {}, NOW), 'pending')
  assert.equal(markForDeletion(podWith(MARKED), 30, { gracePeriodSeconds: 60 }, NOW), 'pending')
  const pod = podWith(MARKED)
  assert.equal(markForDeletion(pod, 30, { gracePeriodSeconds: 5 }, NOW), 'marked')
  assert.equal(pod.metadata.deletionTimestamp, '2026-01-01T00:00:05Z')
  assert.equal(pod.metadata.deletionGracePeriodSeconds, 5)
})

test('a delete is checked', () => {
  assert.deepEqual(validateDeletion({ propagationPolicy: 'Orphan' }), [])
  assert.equal(validateDeletion({ propagationPolicy: 'X' }).length, 1)
  assert.equal(validateDeletion({ propagationPolicy: 'Orphan', orphanDependents: true }).length, 1)
  const object = { metadata: { name: 'p', uid: 'u', resourceVersion: '1' } }
  const kind = { group: '', kind: 'Pod' }
  checkDeletionPreconditions({ preconditions: { uid: 'u', resourceVersion: '1' } }, object, kind)
  for (const preconditions of [{ uid: 'v' }, { resourceVersion: '2' }]) {
    assert.throws(
      () => checkDeletionPreconditions({ preconditions }, object, kind),
      (error) => error instanceof ApiError && error.code === 409,
    )
  }
})
