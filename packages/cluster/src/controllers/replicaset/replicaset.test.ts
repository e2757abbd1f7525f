import assert from 'node:assert/strict'
import test from 'node:test'
import type { Pod } from 'kubewright/kinds/core/v1'
import { BURST_REPLICAS, planReplicas } from './plan.ts'
import { replicaSetStatus, type ReplicaSetObserved } from './status.ts'

const NOW = Date.UTC(2026, 0, 1)

const pod = (
  name: string,
  ready: boolean = true,
  labels: Record<string, string> = { app: 'web' },
): Pod => ({
  metadata: { name, uid: name, labels },
  spec: { containers: [], nodeName: 'n' },
  status: {
    phase: 'Running',
    conditions: [
      {
        type: 'Ready',
        status: ready ? 'True' : 'False',
        lastTransitionTime: '2025-12-31T23:59:50Z',
      },
    ],
  },
})

test('the difference to what is wanted is made up for, at most five hundred at a time', () => {
  const pods = [pod('a'), pod('b', false), pod('c')]
  assert.deepEqual(planReplicas(3, pods, pods, NOW), { type: 'keep' })
  assert.deepEqual(planReplicas(5, pods, pods, NOW), { type: 'create', count: 2 })
  assert.deepEqual(planReplicas(10_000, pods, pods, NOW), { type: 'create', count: BURST_REPLICAS })
  const fewer = planReplicas(2, pods, pods, NOW)
  assert.deepEqual(fewer.type === 'delete' && fewer.pods.map((it) => it.metadata.name), ['b'])
  assert.deepEqual(planReplicas(0, pods, pods, NOW), { type: 'delete', pods })
})

const observed = (more: Partial<ReplicaSetObserved> = {}): ReplicaSetObserved => ({
  replicas: 3,
  minReadySeconds: 0,
  templateLabels: { app: 'web' },
  generation: 2,
  status: undefined,
  active: [pod('a'), pod('b', false), pod('c', true, { app: 'other' })],
  terminating: [pod('d')],
  failure: undefined,
  now: NOW,
  ...more,
})

test('the status counts, and leaves zeros out', () => {
  assert.deepEqual(replicaSetStatus(observed()), {
    replicas: 3,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    terminatingReplicas: 1,
    observedGeneration: 2,
  })
  assert.equal(replicaSetStatus(observed({ minReadySeconds: 60 })).availableReplicas, undefined)
  assert.deepEqual(replicaSetStatus(observed({ active: [], terminating: [] })), {
    replicas: 0,
    terminatingReplicas: 0,
    observedGeneration: 2,
  })
})

test('a failure is told once, with what was tried, and goes when it is over', () => {
  const failed = replicaSetStatus(observed({ replicas: 5, failure: 'quota' }))
  assert.deepEqual(failed.conditions, [
    {
      type: 'ReplicaFailure',
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      reason: 'FailedCreate',
      message: 'quota',
    },
  ])
  const again = replicaSetStatus(observed({ status: failed, failure: 'another', now: NOW + 5000 }))
  assert.deepEqual(again.conditions, failed.conditions)
  assert.equal(replicaSetStatus(observed({ status: failed })).conditions, undefined)
  assert.equal(
    replicaSetStatus(observed({ replicas: 1, failure: 'x' })).conditions![0]!.reason,
    'FailedDelete',
  )
})
