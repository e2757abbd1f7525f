import assert from 'node:assert/strict'
import test from 'node:test'
import type { Node } from 'kubewright/kinds/core/v1'
import { GRACE, judgedConditions, taintsOf } from './taints.ts'

const TEXT = '2026-01-01T00:00:00Z'

const node = (conditions: Record<string, string>, spec: Node['spec'] = {}): Node => ({
  metadata: { name: 'n' },
  spec: spec!,
  status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
})

const told = (it: Node): readonly string[] =>
  taintsOf(it, it.status!.conditions!, TEXT).map((one) => `${one.key}:${one.effect}`)

test('conditions keep pods away by taints, and let them in again', () => {
  assert.deepEqual(told(node({ Ready: 'True' })), [])
  assert.deepEqual(told(node({ Ready: 'False', DiskPressure: 'True' })), [
    'node.kubernetes.io/not-ready:NoSchedule',
    'node.kubernetes.io/not-ready:NoExecute',
    'node.kubernetes.io/disk-pressure:NoSchedule',
  ])
  assert.deepEqual(told(node({ Ready: 'Unknown' })), [
    'node.kubernetes.io/unreachable:NoSchedule',
    'node.kubernetes.io/unreachable:NoExecute',
  ])
  const mine = { key: 'mine', effect: 'NoSchedule' } as const
  const stale = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const
  assert.deepEqual(told(node({ Ready: 'True' }, { taints: [stale, mine] })), ['mine:NoSchedule'])
  assert.deepEqual(told(node({ Ready: 'True' }, { unschedulable: true })), [
    'node.kubernetes.io/unschedulable:NoSchedule',
  ])
})

test('a node that is silent for too long is unknown, but for what its kubelet does not tell', () => {
  const it = node({ NetworkUnavailable: 'False', Ready: 'True', MemoryPressure: 'False' })
  const { monitor, startup } = GRACE
  assert.equal(judgedConditions(it, monitor - 1, TEXT), it.status!.conditions)
  const silent = judgedConditions(it, monitor, TEXT)
  assert.deepEqual(
    silent.map((one) => [one.type, one.status, one.reason]),
    [
      ['NetworkUnavailable', 'False', undefined],
      ['Ready', 'Unknown', 'NodeStatusUnknown'],
      ['MemoryPressure', 'Unknown', 'NodeStatusUnknown'],
      ['DiskPressure', 'Unknown', 'NodeStatusNeverUpdated'],
      ['PIDPressure', 'Unknown', 'NodeStatusNeverUpdated'],
    ],
  )
  const again = judgedConditions({ ...it, status: { conditions: [...silent] } }, monitor, 'later')
  assert.deepEqual(again, silent, 'and stays as it is')
  assert.deepEqual(judgedConditions(node({}), startup - 1, TEXT), [])
  assert.equal(judgedConditions(node({}), startup, TEXT).length, 4)
  assert.equal(judgedConditions(it, monitor, TEXT, { monitor: 2 * monitor, startup }).length, 3)
})
