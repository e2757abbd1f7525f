import assert from 'node:assert/strict'
import test from 'node:test'
import type { Node } from 'kubewright/kinds/core/v1'
import { evictionOn } from './disruption.ts'
import { taintsOf } from './taints.ts'

const nodes = (ready: number, unready: number, zone = 'a'): readonly Node[] =>
  Array.from({ length: ready + unready }, (_, index) => ({
    metadata: { name: `${zone}-${index}`, labels: { 'topology.kubernetes.io/zone': zone } },
    spec: {},
    status: { conditions: [{ type: 'Ready', status: index < ready ? 'True' : 'Unknown' }] },
  }))

const lastOf = (all: readonly Node[]): Node => all.at(-1)!

test('pods are evicted from a node that is lost among others, and not where all are', () => {
  const evicts = (all: readonly Node[]): string => evictionOn(lastOf(all), all)
  assert.equal(evicts(nodes(1, 1)), 'on')
  assert.equal(evicts(nodes(0, 1)), 'off')
  assert.equal(evicts(nodes(0, 3)), 'off')
  assert.equal(evicts([...nodes(1, 0, 'b'), ...nodes(0, 3)]), 'on', 'another zone is well')
  assert.equal(evicts([...nodes(0, 2, 'b'), ...nodes(0, 3)]), 'off')
})

test('where most of a zone is lost, no further node is begun with, unless it is large', () => {
  const evicts = (all: readonly Node[]): string => evictionOn(lastOf(all), all)
  assert.equal(evicts(nodes(1, 2)), 'on', 'two are too few')
  assert.equal(evicts(nodes(2, 3)), 'held')
  assert.equal(evicts(nodes(3, 3)), 'on', 'half of them')
  assert.equal(evicts(nodes(11, 40)), 'on', 'more than fifty')
  const excluded = nodes(2, 3).map((it) => ({
    ...it,
    metadata: { ...it.metadata, labels: { 'node.kubernetes.io/exclude-disruption': '' } },
  }))
  assert.equal(evicts([...nodes(1, 0, 'b'), ...excluded]), 'on')
})

test('what is held stays as it is, and what is off is taken back', () => {
  const node = lastOf(nodes(0, 1))
  const taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' } as const
  const begun: Node = { ...node, spec: { taints: [taint] } }
  const effects = (it: Node, eviction: 'held' | 'off'): readonly string[] =>
    taintsOf(it, it.status!.conditions!, 'now', eviction).map((one) => one.effect)
  assert.deepEqual(effects(node, 'held'), ['NoSchedule'])
  assert.deepEqual(effects(begun, 'held'), ['NoExecute', 'NoSchedule'])
  assert.deepEqual(effects(begun, 'off'), ['NoSchedule'])
})
