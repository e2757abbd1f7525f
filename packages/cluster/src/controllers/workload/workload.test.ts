import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { Pod } from 'kubewright/kinds/core/v1'
import type { KubeObject } from 'kubewright/machinery'
import { claim } from './claim.ts'
import { withCondition } from './condition.ts'
import { deletionOrder } from './deletion-order.ts'
import { scaledValue } from './int-or-percent.ts'
import { templatesEqual } from './pod-template.ts'
import { isPodAvailable, untilNextAvailable } from './pod.ts'
import { slowStart } from './slow-start.ts'
import { canonicalJson, fnv32a, safeEncode, templateHash } from './template-hash.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString()

interface Sketch {
  readonly node?: string
  readonly phase?: 'Pending' | 'Running'
  readonly readyFor?: number
  readonly restarts?: number
  readonly age?: number
  readonly cost?: string
}

function pod(name: string, it: Sketch = {}): Pod {
  const { node = 'n', phase = 'Running', readyFor, restarts = 0, age = 100, cost } = it
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: ago(readyFor ?? 0) }
  const main = { name: 'main', ready: true, restartCount: restarts, image: '', imageID: '' }
  return {
    metadata: {
      name,
      uid: name,
      creationTimestamp: ago(age),
      ...(cost !== undefined && {
        annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost },
      }),
    },
    spec: { containers: [], ...(node && { nodeName: node }) },
    status: { phase, conditions: readyFor === undefined ? [] : [ready], containerStatuses: [main] },
  }
}

test('pods are deleted in the order in which they are missed least', () => {
  const pods = [
    pod('ready-long', { readyFor: 5000 }),
    pod('ready-lately', { readyFor: 2 }),
    pod('ready-cheap', { readyFor: 5000, cost: '-5' }),
    pod('ready-crowded', { readyFor: 5000, node: 'crowded' }),
    pod('unready-restarting', { restarts: 7 }),
    pod('unready'),
    pod('pending', { phase: 'Pending' }),
    pod('unassigned', { node: '', phase: 'Pending' }),
  ]
  const related = [
    ...pods,
    pod('x', { node: 'crowded' }),
    ...Array.from({ length: 9 }, (_, i) => pod(`y${i}`, { node: 'crowded' })),
  ]
  assert.deepEqual(
    deletionOrder(pods, related, NOW).map((it) => it.metadata.name),
    [
      'unassigned',
      'pending',
      'unready-restarting',
      'unready',
      'ready-cheap',
      'ready-crowded',
      'ready-lately',
      'ready-long',
    ],
  )
})

test('the order is total: whatever the beginning, the same pods go first', () => {
  const sketch = fc.record({
    node: fc.constantFrom('', 'a', 'b'),
    phase: fc.constantFrom('Pending' as const, 'Running' as const),
    readyFor: fc.option(fc.integer({ min: 1, max: 5000 }), { nil: undefined }),
    restarts: fc.nat(3),
    age: fc.integer({ min: 1, max: 5000 }),
  })
  const property = fc.property(fc.array(sketch, { maxLength: 12 }), fc.nat(), (list, turn) => {
    const pods = list.map(({ readyFor, ...it }, i) =>
      pod(`p${i}`, { ...it, ...(readyFor !== undefined && { readyFor }) }),
    )
    const turned = pods.map((_, i) => pods[(i + turn) % pods.length]!)
    const names = (of: readonly Pod[]): readonly string[] =>
      deletionOrder(of, pods, NOW).map((it) => it.metadata.name!)
    assert.deepEqual(names(turned), names(pods))
  })
  fc.assert(property)
})

test('a pod is available when it has been ready for long enough, and it is known when', () => {
  assert.equal(isPodAvailable(pod('a', { readyFor: 10 }), 0, NOW), true)
  assert.equal(isPodAvailable(pod('a', { readyFor: 10 }), 10, NOW), true)
  assert.equal(isPodAvailable(pod('a', { readyFor: 10 }), 11, NOW), false)
  assert.equal(isPodAvailable(pod('a'), 0, NOW), false)
  const pods = [pod('a', { readyFor: 10 }), pod('b', { readyFor: 25 }), pod('c')]
  assert.equal(untilNextAvailable(pods, 30, NOW), 5000)
  assert.equal(untilNextAvailable(pods, 5, NOW), undefined)
})

const owned = (name: string, owner?: string, deleting: boolean = false): KubeObject => ({
  metadata: {
    name,
    namespace: 'n',
    ...(owner && {
      ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: owner, uid: owner, controller: true }],
    }),
    ...(deleting && { deletionTimestamp: ago(1) }),
  },
})

test('a controller keeps, takes and lets go as its selector says, and nothing while it is being deleted', () => {
  const objects = [
    owned('own-yes', 'me'),
    owned('own-no', 'me'),
    owned('free-yes'),
    owned('free-no'),
    owned('other-yes', 'other'),
    owned('free-yes-ending', undefined, true),
  ]
  const selects = (it: KubeObject): boolean => it.metadata.name!.includes('yes')
  const sorted = (deleting: boolean): Record<string, readonly (string | undefined)[]> => {
    const me = {
      metadata: {
        name: 'me',
        uid: 'me',
        namespace: 'n',
        ...(deleting && { deletionTimestamp: ago(1) }),
      },
    }
    const it = claim(me, objects, selects)
    const names = (list: readonly KubeObject[]) => list.map((one) => one.metadata.name)
    return { owned: names(it.owned), adopt: names(it.adopt), release: names(it.release) }
  }
  assert.deepEqual(sorted(false), { owned: ['own-yes'], adopt: ['free-yes'], release: ['own-no'] })
  assert.deepEqual(sorted(true), { owned: ['own-yes'], adopt: [], release: [] })
})

test('creation starts slowly and stops at the first batch that fails', async () => {
  const sizes: number[] = []
  let open = 0
  const run = async (index: number): Promise<void> => {
    if (open === 0) sizes.push(0)
    open++
    sizes[sizes.length - 1]!++
    await new Promise((resolve) => setImmediate(resolve))
    open--
    if (index >= 5) throw new Error(`no room for ${index}`)
  }
  const { done, error } = await slowStart(30, run)
  assert.deepEqual(sizes, [1, 2, 4])
  assert.equal(done, 5)
  assert.equal((error as Error).message, 'no room for 5')
  assert.deepEqual(await slowStart(0, run), { done: 0, error: undefined })
})

test('shares of a number are rounded as asked', () => {
  assert.equal(scaledValue('25%', 10, 'up'), 3)
  assert.equal(scaledValue('25%', 10, 'down'), 2)
  assert.equal(scaledValue(4, 10, 'down'), 4)
  assert.equal(scaledValue(undefined, 10, 'up'), 0)
  assert.throws(() => scaledValue('four', 10, 'up'), RangeError)
})

test('a condition keeps its time while its status stays, and itself while nothing changes', () => {
  const before = [{ type: 'A', status: 'True', reason: 'X', lastTransitionTime: '1' }]
  assert.equal(
    withCondition(before, { type: 'A', status: 'True', reason: 'X', lastTransitionTime: '2' }),
    before,
  )
  assert.deepEqual(
    withCondition(before, { type: 'A', status: 'True', reason: 'Y', lastTransitionTime: '2' }),
    [{ type: 'A', status: 'True', reason: 'Y', lastTransitionTime: '1' }],
  )
  assert.deepEqual(
    withCondition(before, { type: 'A', status: 'False', reason: 'X', lastTransitionTime: '2' }),
    [{ type: 'A', status: 'False', reason: 'X', lastTransitionTime: '2' }],
  )
})

test('hashes are those of Go, in letters that spell no words', () => {
  assert.equal(fnv32a(''), 0x811c9dc5)
  assert.equal(fnv32a('foobar'), 0xbf9cf968)
  assert.equal(safeEncode('0123456789'), '456789bcdf')
  const a = { metadata: { labels: { x: 'y' } }, spec: { containers: [{ name: 'm', image: 'i' }] } }
  const b = {
    spec: { containers: [{ image: 'i', name: 'm', env: [] }] },
    metadata: { labels: { x: 'y' } },
  }
  assert.equal(templateHash(a), templateHash(b))
  assert.notEqual(templateHash(a), templateHash(a, 1))
  assert.match(templateHash(a), /^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/)
  const hashed = { ...a, metadata: { labels: { x: 'y', 'pod-template-hash': 'z' } } }
  assert.ok(templatesEqual(a, hashed))
  assert.ok(!templatesEqual(a, { ...a, metadata: { labels: { x: 'other' } } }))
})

test('canonical text is the same for the same meaning, and another for another', () => {
  const property = fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, it]) => [key, shuffled(it)]),
      )
    }
    assert.equal(canonicalJson(shuffled(a)), canonicalJson(a))
    if (typeof a !== 'object' && typeof b !== 'object' && !Object.is(a, b) && a !== b) {
      assert.notEqual(canonicalJson({ k: a ?? 0 }), canonicalJson({ k: b ?? 0 }))
    }
  })
  fc.assert(property)
})
