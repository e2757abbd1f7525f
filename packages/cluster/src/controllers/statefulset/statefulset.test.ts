import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { ControllerRevision, StatefulSet } from 'kubewright/kinds/apps/v1'
import { StatefulSet as StatefulSetKind } from 'kubewright/kinds/apps/v1'
import type { Pod } from 'kubewright/kinds/core/v1'
import {
  planRevision,
  REVISION_HASH,
  revisionTemplate,
  surplusRevisions,
} from '../history/revisions.ts'
import { planStatefulSet, type StatefulObserved, statefulStatus } from './plan.ts'
import { retainedOwners } from './retention.ts'
import { claimsOf, ordinalOf, POD_REVISION, statefulPod } from './pods.ts'

const template = (image: string): StatefulSet['spec']['template'] => ({
  metadata: { labels: { app: 'db' } },
  spec: { containers: [{ name: 'main', image }] },
})

/** A stateful set with its pods and revisions, as a server would keep them. */
class World {
  set: StatefulSet
  readonly pods: Map<string, Pod> = new Map()
  readonly log: string[] = []
  revisions: ControllerRevision[] = []
  ill: ReadonlySet<string> = new Set()

  constructor(spec: Partial<StatefulSet['spec']> = {}) {
    this.set = {
      metadata: { name: 'db', namespace: 'default', uid: 'uid-db', generation: 1 },
      spec: {
        replicas: 3,
        serviceName: 'db',
        selector: { matchLabels: { app: 'db' } },
        template: template('a'),
        ...spec,
      },
    }
  }

  edit(spec: Partial<StatefulSet['spec']>): this {
    this.set = { ...this.set, spec: { ...this.set.spec, ...spec } }
    return this
  }

  observed(): StatefulObserved {
    const owner = {
      kind: StatefulSetKind,
      object: this.set,
      template: this.set.spec.template,
      collisions: undefined,
      hashLabel: REVISION_HASH,
      hashes: 'data' as const,
    }
    const plan = planRevision(owner, this.revisions)
    const update = plan.update as ControllerRevision
    if (plan.write !== 'none') {
      const others = this.revisions.filter((it) => it.metadata.name !== update.metadata.name)
      this.revisions = [...others, update]
    }
    const current =
      this.revisions.find((it) => it.metadata.name === this.set.status?.currentRevision) ?? update
    const named = (it: ControllerRevision) => ({
      name: it.metadata.name!,
      template: revisionTemplate(it),
    })
    return {
      set: this.set,
      pods: [...this.pods.values()],
      current: named(current),
      update: named(update),
      now: 0,
    }
  }

  sync(): number {
    const observed = this.observed()
    const steps = planStatefulSet(observed)
    for (const step of steps) {
      if (step.type === 'create') {
        const pod = statefulPod(
          this.set,
          step.revision.template,
          step.ordinal,
          step.revision.name,
        ) as Pod
        this.log.push(`+${pod.metadata.name} ${pod.spec.containers[0]!.image}`)
        this.pods.set(pod.metadata.name!, { ...pod, status: { phase: 'Pending' } })
      } else {
        const { name } = step.pod.metadata
        this.log.push(`-${name}`)
        const metadata = { ...step.pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' }
        this.pods.set(name!, { ...step.pod, metadata })
      }
    }
    this.set = { ...this.set, status: statefulStatus(this.observed()) }
    return steps.length
  }

  /** The nodes: what is deleted goes, what is pending runs. */
  live(): void {
    for (const [name, pod] of this.pods) {
      if (pod.metadata.deletionTimestamp !== undefined) this.pods.delete(name)
      else {
        const status = this.ill.has(name) ? 'False' : 'True'
        this.pods.set(name, {
          ...pod,
          status: { phase: 'Running', conditions: [{ type: 'Ready', status }] },
        })
      }
    }
  }

  settle(): this {
    for (let round = 0, idle = 0; round < 60 && idle < 2; round++) {
      idle = this.sync() === 0 ? idle + 1 : 0
      this.live()
    }
    this.sync()
    return this
  }

  take(): readonly string[] {
    return this.log.splice(0)
  }

  get images(): readonly string[] {
    return [...this.pods.values()]
      .sort((a, b) => ordinalOf(this.set, a)! - ordinalOf(this.set, b)!)
      .map((it) => it.spec.containers[0]!.image!)
  }
}

test('pods come one after another and have their names, and go from the last', () => {
  const it = new World().settle()
  assert.deepEqual(it.take(), ['+db-0 a', '+db-1 a', '+db-2 a'])
  it.edit({ replicas: 1 }).settle()
  assert.deepEqual(it.take(), ['-db-2', '-db-1'])
  const pod = it.pods.get('db-0')!
  assert.equal(pod.spec.hostname, 'db-0')
  assert.equal(pod.spec.subdomain, 'db')
  assert.equal(pod.metadata.labels!['statefulset.kubernetes.io/pod-name'], 'db-0')
  assert.equal(pod.metadata.labels!['apps.kubernetes.io/pod-index'], '0')
})

test('an update replaces pods from the last to the first, and waits for each', () => {
  const it = new World().settle()
  it.take()
  it.edit({ template: template('b') }).settle()
  assert.deepEqual(it.take(), ['-db-2', '+db-2 b', '-db-1', '+db-1 b', '-db-0', '+db-0 b'])
  assert.equal(it.set.status!.currentRevision, it.set.status!.updateRevision)
  assert.equal(it.revisions.length, 2)
})

test('an ill pod stops what comes after it', () => {
  const it = new World()
  it.ill = new Set(['db-1'])
  it.settle()
  assert.deepEqual(it.take(), ['+db-0 a', '+db-1 a'])
  assert.equal(it.set.status!.readyReplicas, 1)
})

test('a partition keeps the lower ordinals as they are, also when they are lost', () => {
  const it = new World().settle()
  it.edit({
    template: template('b'),
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } },
  }).settle()
  assert.deepEqual(it.images, ['a', 'a', 'b'])
  it.pods.delete('db-0')
  it.settle()
  assert.deepEqual(it.images, ['a', 'a', 'b'])
  it.edit({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } }).settle()
  assert.deepEqual(it.images, ['b', 'b', 'b'])
})

test('in parallel all come at once', () => {
  const it = new World({ podManagementPolicy: 'Parallel' })
  it.ill = new Set(['db-0'])
  assert.equal(it.sync(), 3)
  assert.deepEqual(it.take(), ['+db-0 a', '+db-1 a', '+db-2 a'])
})

test('a pod that has ended is made anew, and on delete only what is deleted is updated', () => {
  const it = new World({ updateStrategy: { type: 'OnDelete' } }).settle()
  it.take()
  it.edit({ template: template('b') }).settle()
  assert.deepEqual(it.take(), [])
  it.pods.set('db-1', { ...it.pods.get('db-1')!, status: { phase: 'Failed' } })
  it.settle()
  assert.deepEqual(it.take(), ['-db-1', '+db-1 b'])
})

test('ordinals may begin elsewhere', () => {
  const it = new World({ replicas: 2, ordinals: { start: 5 } }).settle()
  assert.deepEqual(it.take(), ['+db-5 a', '+db-6 a'])
})

test('going back to an old template uses its revision again, as the newest', () => {
  const it = new World().settle()
  const first = it.set.status!.currentRevision
  it.edit({ template: template('b') }).settle()
  it.edit({ template: template('a') }).settle()
  assert.equal(it.set.status!.currentRevision, first)
  assert.deepEqual(it.revisions.map((one) => one.revision).sort(), [2, 3])
  const inUse = new Set([first!])
  assert.deepEqual(
    surplusRevisions(it.revisions, 0, inUse).map((one) => one.revision),
    [2],
  )
  assert.deepEqual(surplusRevisions(it.revisions, 1, inUse), [])
})

test('claims are named for template, set and ordinal, and the pod mounts them', () => {
  const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce' as const] } }
  const it = new World({ volumeClaimTemplates: [claim] }).settle()
  assert.equal(claimsOf(it.set, 2)[0]!.metadata!.name, 'data-db-2')
  assert.deepEqual(it.pods.get('db-2')!.spec.volumes, [
    { name: 'data', persistentVolumeClaim: { claimName: 'data-db-2' } },
  ])
})

test('however its pods fare, an ordered set never has more than one pod on the way, and ends as wanted', () => {
  const edit = fc.record({
    replicas: fc.nat(5),
    image: fc.constantFrom('a', 'b', 'c'),
    ill: fc.nat(6),
  })
  const property = fc.property(fc.array(edit, { minLength: 1, maxLength: 5 }), (edits) => {
    const it = new World().settle()
    for (const { replicas, image, ill } of edits) {
      it.edit({ replicas, template: template(image) })
      it.ill = new Set([`db-${ill}`])
      for (let round = 0; round < 6; round++) {
        it.sync()
        const moving = [...it.pods.values()].filter(
          (pod) => pod.metadata.deletionTimestamp !== undefined || pod.status!.phase === 'Pending',
        )
        assert.ok(moving.length <= 1, 'one at a time')
        it.live()
      }
    }
    it.ill = new Set()
    it.live()
    it.settle()
    const last = edits.at(-1)!
    assert.deepEqual(
      it.images,
      Array.from({ length: last.replicas }, () => last.image),
    )
    assert.ok(
      [...it.pods.values()].every(
        (pod) => pod.metadata.labels![POD_REVISION] === it.set.status!.updateRevision,
      ),
    )
  })
  fc.assert(property, { numRuns: 100 })
})

test('a claim goes with its set, with a pod that is too many, or stays', () => {
  const owners = (
    policy: object,
    replicas: number,
    ownerReferences: readonly object[] = [],
  ): unknown => {
    const set = {
      metadata: { name: 'db', uid: 's' },
      spec: { replicas, persistentVolumeClaimRetentionPolicy: policy },
    } as never
    const pod = { metadata: { name: 'db-1', uid: 'p' } } as never
    const claim = { metadata: { name: 'data-db-1', ownerReferences } } as never
    return retainedOwners(claim, set, pod)?.map((it) => `${it.kind}/${it.uid}`)
  }
  const [keep, drop] = ['Retain', 'Delete']
  const ofSet = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    name: 'db',
    uid: 's',
    controller: true,
  }
  const ofPod = { apiVersion: 'v1', kind: 'Pod', name: 'db-1', uid: 'p', controller: true }
  assert.equal(owners({ whenScaled: keep, whenDeleted: keep }, 2), undefined)
  assert.deepEqual(owners({ whenScaled: keep, whenDeleted: keep }, 2, [ofSet]), [])
  assert.deepEqual(owners({ whenScaled: keep, whenDeleted: drop }, 1), ['StatefulSet/s'])
  assert.deepEqual(owners({ whenScaled: drop, whenDeleted: keep }, 1), ['Pod/p'])
  assert.deepEqual(owners({ whenScaled: drop, whenDeleted: drop }, 1, [ofSet]), ['Pod/p'])
  assert.deepEqual(owners({ whenScaled: drop, whenDeleted: drop }, 2, [ofPod]), ['StatefulSet/s'])
  assert.equal(owners({ whenScaled: drop, whenDeleted: drop }, 2, [ofSet]), undefined)
  assert.equal(
    owners({ whenScaled: drop, whenDeleted: drop }, 2, [{ ...ofPod, uid: 'old' }]),
    undefined,
  )
  const foreign = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x', controller: true }
  assert.equal(owners({ whenScaled: drop, whenDeleted: drop }, 2, [foreign]), undefined)
  assert.deepEqual(owners({ whenScaled: drop, whenDeleted: drop }, 2, [foreign, ofSet]), [
    'ConfigMap/x',
  ])
})
