import assert from 'node:assert/strict'
import test from 'node:test'
import type { Pod } from 'kubewright/kinds/core/v1'
import type { PodDisruptionBudget } from 'kubewright/kinds/policy/v1'
import { budgetStatus } from './status.ts'

const NOW = Date.UTC(2026, 0, 1)

const pod = (name: string, ready: boolean = true): Pod => ({
  metadata: { name },
  spec: { containers: [] },
  status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
})

const budget = (
  spec: PodDisruptionBudget['spec'],
  status?: PodDisruptionBudget['status'],
): PodDisruptionBudget => ({
  metadata: { name: 'web', generation: 2 },
  spec: spec!,
  ...(status && { status }),
})

const five = ['a', 'b', 'c', 'd', 'e'].map((it) => pod(it))

test('what may go is what is healthy beyond what has to be', () => {
  const allowed = (spec: PodDisruptionBudget['spec'], pods: readonly Pod[] = five): number =>
    budgetStatus({ budget: budget(spec), pods, expected: 5, now: NOW }).disruptionsAllowed ?? 0
  assert.equal(allowed({ minAvailable: 3 }), 2)
  assert.equal(allowed({ minAvailable: '50%' }), 2, 'half of five, rounded up, stays')
  assert.equal(allowed({ maxUnavailable: 1 }), 1)
  assert.equal(allowed({ maxUnavailable: '30%' }), 2, 'thirty of a hundred, rounded up, may go')
  assert.equal(allowed({ minAvailable: 5 }), 0)
  assert.equal(
    allowed({ minAvailable: 3 }, [...five.slice(0, 3), pod('d', false), pod('e', false)]),
    0,
  )
  assert.equal(allowed({ maxUnavailable: 0 }), 0)
})

test('an eviction under way counts as gone until its time is over', () => {
  const evicted = (since: number) =>
    budgetStatus({
      budget: budget(
        { minAvailable: 3 },
        {
          currentHealthy: 0,
          desiredHealthy: 0,
          expectedPods: 0,
          disruptionsAllowed: 0,
          disruptedPods: { a: new Date(since).toISOString(), gone: new Date(since).toISOString() },
        },
      ),
      pods: five,
      expected: 5,
      now: NOW,
    })
  assert.equal(evicted(NOW - 1000).disruptionsAllowed, 1)
  assert.deepEqual(Object.keys(evicted(NOW - 1000).disruptedPods!), ['a'])
  assert.equal(evicted(NOW - 130_000).disruptionsAllowed, 2)
})

test('the condition says whether anything may go', () => {
  const { conditions, observedGeneration } = budgetStatus({
    budget: budget({ maxUnavailable: 1 }),
    pods: five,
    expected: 5,
    now: NOW,
  })
  assert.equal(observedGeneration, 2)
  assert.deepEqual(conditions, [
    {
      type: 'DisruptionAllowed',
      status: 'True',
      observedGeneration: 2,
      lastTransitionTime: '2026-01-01T00:00:00Z',
      reason: 'SufficientPods',
      message: '',
    },
  ])
})
