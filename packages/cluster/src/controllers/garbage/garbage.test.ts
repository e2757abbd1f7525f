import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { kindOf, type ObjectMeta, type OwnerReference } from 'kubewright/machinery'
import { graphNode, type GraphWork, OwnerGraph } from './owner-graph.ts'
import { blockingDependents, decideSweep } from './sweep.ts'

const Thing = kindOf('example.com/v1', 'Thing', 'things', 'Namespaced')

const ref = (uid: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  name: uid,
  uid,
  ...more,
})

const node = (uid: string, owners: readonly OwnerReference[] = [], more: ObjectMeta = {}) =>
  graphNode(Thing, { name: uid, namespace: 'default', uid, ownerReferences: owners, ...more })

const told = (work: readonly GraphWork[]): readonly string[] =>
  work.map((it) => `${it.type} ${it.uid}`)

const deleting = (finalizer: string): ObjectMeta => ({
  deletionTimestamp: '2026-01-01T00:00:00Z',
  finalizers: [finalizer],
})

test('when an owner goes, what it owned is looked at', () => {
  const graph = new OwnerGraph()
  assert.deepEqual(told(graph.put(node('a'))), [])
  assert.deepEqual(told(graph.put(node('b', [ref('a')]))), [])
  assert.deepEqual(told(graph.remove('a')), ['sweep b'])
  assert.deepEqual(told(graph.remove('b')), [])
  assert.equal(graph.size, 0)
})

test('an owner that is not known, or is another than it is said to be, makes one look', () => {
  const graph = new OwnerGraph()
  assert.deepEqual(told(graph.put(node('b', [ref('a')]))), ['sweep b'])
  assert.deepEqual(told(graph.put(node('b', [ref('a')]))), [], 'once is enough')
  assert.deepEqual(told(graph.put(node('a'))), [], 'it was there after all')
  assert.deepEqual(told(graph.put(node('c', [ref('a', { name: 'other' })]))), ['sweep c'])
  assert.deepEqual(told(graph.put(node('d', [ref('a')], { namespace: 'elsewhere' }))), ['sweep d'])
})

test('foreground deletion looks at the dependents, and at the owner each time one goes or stops blocking', () => {
  const graph = new OwnerGraph()
  graph.put(node('a'))
  graph.put(node('b', [ref('a', { blockOwnerDeletion: true })]))
  graph.put(node('c', [ref('a', { blockOwnerDeletion: true })]))
  assert.deepEqual(told(graph.put(node('a', [], deleting('foregroundDeletion')))), [
    'sweep b',
    'sweep c',
    'sweep a',
  ])
  const blocking = (): readonly string[] =>
    blockingDependents(graph.get('a')!, graph.dependents('a')).map((it) => it.uid)
  assert.deepEqual(blocking(), ['b', 'c'])
  assert.deepEqual(told(graph.put(node('b', [ref('a')]))), ['sweep a'])
  assert.deepEqual(told(graph.remove('c')), ['sweep a'])
  assert.deepEqual(blocking(), [])
})

test('deletion that orphans asks for that, once', () => {
  const graph = new OwnerGraph()
  graph.put(node('a'))
  assert.deepEqual(told(graph.put(node('a', [], deleting('orphan')))), ['orphan a'])
  assert.deepEqual(told(graph.put(node('a', [], deleting('orphan')))), [])
})

test('an object goes when no owner is left, and stays with those that are', () => {
  const [a, b] = [ref('a'), ref('b')]
  const owners = (
    solid: OwnerReference[],
    dangling: OwnerReference[],
    waiting: OwnerReference[] = [],
  ) => ({ solid, dangling, waiting })
  assert.deepEqual(decideSweep({}, owners([], []), []), { type: 'keep' })
  assert.deepEqual(decideSweep({}, owners([a], []), []), { type: 'keep' })
  assert.deepEqual(decideSweep({}, owners([a], [b]), []), { type: 'unlink', uids: ['b'] })
  const gone = (propagation: string, unblock = false) => ({ type: 'delete', propagation, unblock })
  assert.deepEqual(decideSweep({}, owners([], [a]), []), gone('Background'))
  assert.deepEqual(decideSweep({ finalizers: ['orphan'] }, owners([], [a]), []), gone('Orphan'))
  const child = node('c', [ref('x')])
  assert.deepEqual(decideSweep({}, owners([], [], [a]), [child]), gone('Foreground'))
  assert.deepEqual(decideSweep({}, owners([], [], [a]), []), gone('Background'))
  const circle = node('c', [ref('x')], deleting('foregroundDeletion'))
  assert.deepEqual(decideSweep({}, owners([], [], [a]), [circle]), gone('Foreground', true))
})

test('the graph knows at any time what a plain scan finds', () => {
  const uid = fc.integer({ min: 0, max: 6 }).map((it) => `u${it}`)
  const change = fc.oneof(
    fc.record({ put: uid, owners: fc.uniqueArray(uid, { maxLength: 3 }) }),
    fc.record({ remove: uid }),
  )
  const property = fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
    const graph = new OwnerGraph()
    const plain = new Map<string, readonly string[]>()
    for (const it of changes) {
      if ('put' in it) {
        graph.put(
          node(
            it.put,
            it.owners.map((one) => ref(one)),
          ),
        )
        plain.set(it.put, it.owners)
        continue
      }
      const work = graph.remove(it.remove)
      const was = plain.delete(it.remove)
      const owned = [...plain]
        .filter(([, owners]) => owners.includes(it.remove))
        .map(([one]) => `sweep ${one}`)
      assert.deepEqual([...told(work)].sort(), was ? owned.sort() : [])
    }
    assert.equal(graph.size, plain.size)
    for (let index = 0; index < 7; index++) {
      const found = graph.dependents(`u${index}`).map((it) => it.uid)
      const expected = [...plain]
        .filter(([, owners]) => owners.includes(`u${index}`))
        .map(([one]) => one)
      assert.deepEqual([...found].sort(), expected.sort())
    }
  })
  fc.assert(property)
})
