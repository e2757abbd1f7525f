import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  completeConditions,
  condition,
  findCondition,
  isConditionTrue,
  setConditions,
  type Condition,
} from './condition.ts'
import { hasFinalizer, withFinalizer, withoutFinalizer } from './finalizer.ts'
import { kindOf } from './kind.ts'
import {
  controllerOf,
  controllerReference,
  ownerReference,
  ownershipProblem,
  refersTo,
  withOwner,
} from './owner-reference.ts'
import { compareResourceVersions } from './resource-version.ts'
import { microTimeText, timeText } from './time.ts'

const APP = kindOf('example.com/v1', 'App', 'apps', 'Namespaced')
const ZONE = kindOf('example.com/v1', 'Zone', 'zones', 'Cluster')
const app = { metadata: { name: 'a', namespace: 'ns', uid: 'u' } }

test('a controller reference names its owner, and asks for foreground deletion to wait', () => {
  const reference = controllerReference(APP, app)
  assert.deepEqual(reference, {
    apiVersion: 'example.com/v1',
    kind: 'App',
    name: 'a',
    uid: 'u',
    controller: true,
    blockOwnerDeletion: true,
  })
  assert.equal(refersTo({ ...reference, apiVersion: 'example.com/v9' }, APP), true)
  assert.equal(refersTo({ ...reference, apiVersion: 'example.org/v1' }, APP), false)
  assert.throws(
    () => ownerReference(APP, { metadata: { name: 'a' } }),
    /an? App that the server has not stored yet cannot own/,
  )
})

test('an object has one controller; the same owner is renewed, others stay', () => {
  const mine = controllerReference(APP, app)
  const other = { ...ownerReference(ZONE, { metadata: { name: 'z', uid: 'z' } }) }
  const all = withOwner([other, { ...mine, uid: 'before' }], mine)
  assert.deepEqual(all, [other, mine])
  assert.equal(controllerOf({ metadata: { ownerReferences: all } }), mine)
  assert.throws(
    () => withOwner([{ ...other, controller: true }], mine),
    /already controlled by Zone z/,
  )
})

test('owners and what they own share a namespace, unless the owner is of the cluster', () => {
  assert.equal(ownershipProblem(APP, app, 'ns'), undefined)
  assert.match(
    ownershipProblem(APP, app, 'other')!,
    /App ns\/a cannot own an object in namespace other/,
  )
  assert.match(ownershipProblem(APP, app, '')!, /cannot own a cluster-scoped object/)
  assert.equal(ownershipProblem(ZONE, { metadata: { name: 'z' } }, 'ns'), undefined)
})

test('finalizers come and go, and say when nothing changes', () => {
  const held = { metadata: { finalizers: ['a', 'b'] } }
  assert.equal(hasFinalizer(held, 'a'), true)
  assert.equal(withFinalizer(held, 'a'), undefined)
  assert.deepEqual(withFinalizer({ metadata: {} }, 'a'), ['a'])
  assert.deepEqual(withoutFinalizer(held, 'a'), ['b'])
  assert.equal(withoutFinalizer(held, 'c'), undefined)
})

test('a condition keeps its transition time while its status stays', () => {
  const then = '2026-01-01T00:00:00Z'
  const now = '2026-01-02T00:00:00Z'
  const before: Condition = {
    type: 'Ready',
    status: 'True',
    reason: 'Up',
    message: '',
    lastTransitionTime: then,
  }
  const context = { now, generation: 4 }
  const [same] = completeConditions([before], [condition('Ready', true, 'StillUp')], context)
  assert.deepEqual(same, {
    type: 'Ready',
    status: 'True',
    observedGeneration: 4,
    lastTransitionTime: then,
    reason: 'StillUp',
    message: '',
  })
  const [changed] = completeConditions([before], [condition('Ready', undefined, 'Lost')], context)
  assert.deepEqual([changed?.status, changed?.lastTransitionTime], ['Unknown', now])
  const [bare] = completeConditions(
    [],
    [{ ...condition('Ready', true, 'Up'), observedGeneration: undefined }],
    context,
  )
  assert.equal('observedGeneration' in bare!, false)
  const set = setConditions(
    [before, { ...before, type: 'Other' }],
    [condition('New', false, 'No'), condition('Ready', false, 'Down')],
    context,
  )
  assert.deepEqual(
    set.map((it) => [it.type, it.status]),
    [
      ['Ready', 'False'],
      ['Other', 'True'],
      ['New', 'False'],
    ],
  )
  assert.equal(isConditionTrue(set, 'Other'), true)
  assert.equal(findCondition(set, 'Nope'), undefined)
})

test('resource versions are ordered as numbers, without being made numbers', () => {
  const sorted = ['', '9', '10', '99', '18446744073709551615', '18446744073709551616']
  assert.deepEqual([...sorted].reverse().sort(compareResourceVersions), sorted)
  assert.equal(compareResourceVersions('7', '7'), 0)
})

test('instants are printed as Kubernetes prints them', () => {
  assert.equal(timeText(1_999), '1970-01-01T00:00:01Z')
  assert.equal(microTimeText(1_999), '1970-01-01T00:00:01.999000Z')
})
