import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindOf } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import { eventOf } from './event.ts'
import { forObject, forOwner, mapped } from './handler.ts'
import {
  and,
  annotationsChanged,
  generationChanged,
  labelsChanged,
  labelsMatch,
  not,
  objectsWhere,
  or,
  resourceVersionChanged,
  type Predicate,
} from './predicate.ts'

const APP = kindOf('example.com/v1', 'App', 'apps', 'Namespaced')
const CLUSTER_APP = kindOf('example.com/v1', 'App', 'apps', 'Cluster')

const owned = (name: string, controller: boolean, apiVersion = 'example.com/v1'): KubeObject => ({
  metadata: {
    name: 'pod',
    namespace: 'ns',
    ownerReferences: [{ apiVersion, kind: 'App', name, uid: 'u', controller }],
  },
})
const created = (object: KubeObject) => eventOf({ new: object, initial: false })
const updated = (old: KubeObject, object: KubeObject) =>
  eventOf({ old, new: object, initial: false })

test('changes become events', () => {
  const [a, b] = [owned('a', true), owned('b', true)]
  assert.deepEqual(eventOf({ new: a, initial: true }), { type: 'create', object: a, initial: true })
  assert.deepEqual(eventOf({ old: a, new: b, initial: false }), {
    type: 'update',
    old: a,
    object: b,
    initial: false,
  })
  assert.deepEqual(eventOf({ old: a, initial: false }), {
    type: 'delete',
    object: a,
    initial: false,
  })
})

test('an object is looked at itself; an owned one makes its controller be looked at, old and new', () => {
  assert.deepEqual(forObject(created(owned('a', true))), ['ns/pod'])
  const handler = forOwner(APP)
  assert.deepEqual(handler(created(owned('a', true))), ['ns/a'])
  assert.deepEqual(handler(created(owned('a', true, 'example.com/v2'))), ['ns/a'])
  assert.deepEqual(handler(created(owned('a', true, 'other.com/v1'))), [])
  assert.deepEqual(handler(created(owned('a', false))), [])
  assert.deepEqual(forOwner(APP, { every: true })(created(owned('a', false))), ['ns/a'])
  assert.deepEqual(handler(updated(owned('a', true), owned('b', true))), ['ns/a', 'ns/b'])
  assert.deepEqual(forOwner(CLUSTER_APP)(created(owned('a', true))), ['a'])
})

test('a map names keys, texts or objects, for the old and the new object, each once', () => {
  const handler = mapped((it: KubeObject) => [
    'ns/x',
    { name: it.metadata.labels?.['to'] ?? '' },
    it,
  ])
  const at = (to: string): KubeObject => ({
    metadata: { name: 'm', namespace: 'ns', labels: { to } },
  })
  assert.deepEqual(handler(updated(at('one'), at('two'))), ['ns/x', 'one', 'ns/m', 'two'])
})

const with_ = (metadata: KubeObject['metadata']): KubeObject => ({ metadata })

test('predicates judge updates, and let everything else pass', () => {
  const cases: readonly (readonly [Predicate, KubeObject, KubeObject, boolean])[] = [
    [generationChanged, with_({ generation: 1 }), with_({ generation: 2 }), true],
    [
      generationChanged,
      with_({ generation: 1, labels: { a: 'b' } }),
      with_({ generation: 1 }),
      false,
    ],
    [labelsChanged, with_({ labels: { a: 'b' } }), with_({ labels: { a: 'c' } }), true],
    [
      labelsChanged,
      with_({ labels: { a: 'b', c: 'd' } }),
      with_({ labels: { c: 'd', a: 'b' } }),
      false,
    ],
    [annotationsChanged, with_({}), with_({ annotations: { a: 'b' } }), true],
    [annotationsChanged, with_({ generation: 1 }), with_({ generation: 2 }), false],
    [
      resourceVersionChanged,
      with_({ resourceVersion: '1' }),
      with_({ resourceVersion: '1' }),
      false,
    ],
    [labelsMatch('a=b'), with_({ labels: { a: 'b' } }), with_({}), true],
    [labelsMatch('a=b'), with_({}), with_({ labels: { a: 'c' } }), false],
  ]
  for (const [predicate, old, object, passes] of cases)
    assert.equal(predicate(updated(old, object)), passes)
  for (const predicate of [generationChanged, labelsChanged, annotationsChanged])
    assert.equal(predicate(created(with_({}))), true)
})

test('predicates combine', () => {
  const yes = objectsWhere(() => true)
  const no = not(yes)
  const event = created(with_({}))
  assert.deepEqual(
    [and(yes, no), and(yes, yes), or(no, yes), or(no, no), and(), or()].map((it) => it(event)),
    [false, true, true, false, true, false],
  )
})
