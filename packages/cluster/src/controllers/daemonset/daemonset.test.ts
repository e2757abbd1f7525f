import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { DaemonSet } from 'kubewright/kinds/apps/v1'
import type { Node, Pod } from 'kubewright/kinds/core/v1'
import { place, worldOf } from '../scheduler/world.fixture.ts'
import { type DaemonObserved, daemonStatus, planDaemonSet } from './plan.ts'
import { daemonPod, nodeOf } from './pods.ts'

const node = (name: string, spec: Node['spec'] = {}): Node => ({
  metadata: { name, labels: { name } },
  spec: spec!,
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
})

/** A daemon set on some nodes. */
class World {
  set: DaemonSet
  nodes: readonly Node[]
  hash: string = 'a'
  readonly pods: Map<string, Pod> = new Map()
  readonly log: string[] = []
  #count = 0

  constructor(nodes: readonly Node[], spec: Partial<DaemonSet['spec']> = {}) {
    this.nodes = nodes
    this.set = {
      metadata: { name: 'agent', namespace: 'default', uid: 'uid-agent', generation: 1 },
      spec: {
        selector: { matchLabels: { app: 'agent' } },
        template: {
          metadata: { labels: { app: 'agent' } },
          spec: { containers: [{ name: 'main' }] },
        },
        ...spec,
      },
    }
  }

  get observed(): DaemonObserved {
    return {
      set: this.set,
      pods: [...this.pods.values()],
      nodes: this.nodes,
      hash: this.hash,
      now: 0,
    }
  }

  sync(): number {
    const plan = planDaemonSet(this.observed)
    for (const pod of plan.remove) {
      const metadata = { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' }
      this.pods.set(pod.metadata.name!, { ...pod, metadata })
      this.log.push(`-${nodeOf(pod)}`)
    }
    for (const name of plan.create) {
      const pod = daemonPod(this.set, name, this.hash) as Pod
      const metadata = { ...pod.metadata, name: `agent-${this.#count++}` }
      const placed = place({ ...pod, metadata }, worldOf(this.nodes))
      assert.equal(placed, name, 'the scheduler puts it where it is meant to be')
      this.pods.set(metadata.name, { ...pod, metadata, status: { phase: 'Pending' } })
      this.log.push(`+${name}`)
    }
    return plan.remove.length + plan.create.length
  }

  live(): void {
    for (const [name, pod] of this.pods) {
      if (pod.metadata.deletionTimestamp !== undefined) this.pods.delete(name)
      else if (pod.status?.phase === 'Pending') {
        const conditions = [{ type: 'Ready', status: 'True' }]
        this.pods.set(name, { ...pod, status: { phase: 'Running', conditions } })
      }
    }
  }

  settle(): this {
    for (let round = 0, idle = 0; round < 60 && idle < 2; round++) {
      idle = this.sync() === 0 ? idle + 1 : 0
      this.live()
    }
    return this
  }

  take(): readonly string[] {
    return this.log.splice(0)
  }
}

test('there is one pod on each node that does not keep daemons away', () => {
  const taint = { key: 'k', effect: 'NoSchedule' } as const
  const cordoned = node('c', { unschedulable: true })
  const it = new World([node('a'), node('b', { taints: [taint] }), cordoned]).settle()
  assert.deepEqual(it.take(), ['+a', '+c'], 'a cordon does not keep a daemon away')
  const { desiredNumberScheduled, currentNumberScheduled, numberReady, numberAvailable } =
    daemonStatus(it.observed)
  assert.deepEqual(
    [desiredNumberScheduled, currentNumberScheduled, numberReady, numberAvailable],
    [2, 2, 2, 2],
  )
  it.nodes = [node('a', { taints: [{ key: 'k', effect: 'NoExecute' }] }), node('d')]
  it.settle()
  assert.deepEqual(it.take().toSorted(), ['+d', '-a', '-c'])
})

test('an update takes one node after another, and with a surge the new pod comes first', () => {
  const it = new World([node('a'), node('b')]).settle()
  it.take()
  it.hash = 'b'
  it.settle()
  assert.deepEqual(it.take(), ['-a', '+a', '-b', '+b'])
  const surging = new World([node('a'), node('b')], {
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
  }).settle()
  surging.take()
  surging.hash = 'b'
  surging.settle()
  assert.deepEqual(surging.take(), ['+a', '-a', '+b', '-b'])
})

test('a failed pod is replaced, a second one of the same kind goes', () => {
  const it = new World([node('a')]).settle()
  it.take()
  const [first] = [...it.pods.values()]
  it.pods.set(first!.metadata.name!, { ...first!, status: { phase: 'Failed' } })
  assert.equal(planDaemonSet(it.observed).failed.length, 1)
  it.settle()
  assert.deepEqual(it.take(), ['-a', '+a'])
  const [only] = [...it.pods.values()]
  it.pods.set('twin', { ...only!, metadata: { ...only!.metadata, name: 'twin' } })
  it.settle()
  assert.deepEqual(it.take(), ['-a'])
})

test('a rolling update never has more nodes without an available pod than it may', () => {
  const property = fc.property(
    fc.integer({ min: 1, max: 8 }),
    fc.integer({ min: 1, max: 4 }),
    (count, most) => {
      const nodes = Array.from({ length: count }, (_, index) => node(`n${index}`))
      const it = new World(nodes, {
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: most } },
      }).settle()
      it.hash = 'b'
      for (let round = 0; round < 40; round++) {
        it.sync()
        const up = nodes.filter((one) =>
          [...it.pods.values()].some(
            (pod) =>
              nodeOf(pod) === one.metadata.name &&
              pod.status?.phase === 'Running' &&
              !pod.metadata.deletionTimestamp,
          ),
        )
        assert.ok(up.length >= count - most)
        it.live()
      }
      assert.equal(daemonStatus(it.observed).updatedNumberScheduled, count)
    },
  )
  fc.assert(property, { numRuns: 50 })
})
