import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import test from 'node:test'
import fc from 'fast-check'
import type { Pod } from 'kubewright/kinds/core/v1'
import { findCondition } from 'kubewright/machinery'
import type { DeploymentPlan } from './plan.ts'
import { DESIRED_REPLICAS, REVISION, REVISION_HISTORY, ROLLBACK_TO } from './revision.ts'
import { isComplete } from './status.ts'
import { maxSurge, maxUnavailable, wanted } from './strategy.ts'
import { edit, picture, settle, sync, template, type World, world } from './world.fixture.ts'

const events = (plan: DeploymentPlan): readonly string[] =>
  plan.steps.flatMap((it) => (it.type === 'event' ? [`${it.reason}: ${it.message}`] : []))

/** Runs until a sync changes nothing. */
function finish(it: World, most: number = 100): void {
  for (let round = 0; round < most; round++) {
    const before = picture(it)
    sync(it)
    settle(it)
    if (picture(it) === before && isComplete(it.deployment, it.deployment.status)) return
  }
  assert.fail(`the rollout did not end in ${most} rounds:\n${picture(it)}`)
}

const images = (it: World): Record<string, number> =>
  Object.fromEntries(
    [...it.replicaSets.values()].map((set) => [
      set.spec.template!.spec.containers[0]!.image!,
      set.spec.replicas!,
    ]),
  )

test('a rollout, an update, a rollback and a scaling, as a transcript', () => {
  const lines: string[] = []
  const it = world('web', 'nginx:1.25', 4)
  const act = (title: string, change: () => void): void => {
    change()
    lines.push(`# ${title}`)
    for (let round = 0; round < 20; round++) {
      const before = picture(it)
      const plan = sync(it)
      lines.push(...events(plan).map((line) => `event ${line}`), picture(it))
      settle(it)
      if (picture(it) === before && isComplete(it.deployment, it.deployment.status)) break
    }
    lines.push('')
  }
  act('create', () => {})
  act('update the image', () => edit(it, { template: template('web', 'nginx:1.26') }))
  act('scale to 6', () => edit(it, { replicas: 6 }))
  act('go back', () => {
    it.deployment = {
      ...it.deployment,
      metadata: {
        ...it.deployment.metadata,
        annotations: { ...it.deployment.metadata.annotations, [ROLLBACK_TO]: '1' },
      },
    }
  })
  const golden = new URL('./testdata/rollout.txt', import.meta.url)
  const text = lines.join('\n')
  if (process.env['UPDATE_GOLDEN']) writeFileSync(golden, text)
  assert.equal(text, readFileSync(golden, 'utf8'))
})

const limits = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.integer({ min: 0, max: 100 }).map((it) => `${it}%`),
)

test('a rolling update stays between its two limits and ends, however slowly pods become available', () => {
  const property = fc.property(
    fc.integer({ min: 0, max: 12 }),
    limits,
    limits,
    fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
    (replicas, surge, down, luck) => {
      const it = world('web', 'a', replicas, {
        type: 'RollingUpdate',
        rollingUpdate: { maxSurge: surge, maxUnavailable: down },
      })
      finish(it)
      edit(it, { template: template('web', 'b') })
      const available = new Map(
        [...it.replicaSets].map(([name, set]) => [name, set.status!.availableReplicas!]),
      )
      for (let round = 0; round < 200; round++) {
        sync(it)
        const sets = [...it.replicaSets.values()]
        const total = sets.reduce((sum, set) => sum + set.spec.replicas!, 0)
        assert.ok(total <= wanted(it.deployment) + maxSurge(it.deployment), picture(it))
        settle(it, (name, n) => {
          const next = Math.min(n, (available.get(name) ?? 0) + luck.next().value!)
          available.set(name, next)
          return next
        })
        const up = [...it.replicaSets.values()].reduce(
          (sum, set) => sum + set.status!.availableReplicas!,
          0,
        )
        assert.ok(up >= wanted(it.deployment) - maxUnavailable(it.deployment), picture(it))
        if (isComplete(it.deployment, it.deployment.status) && (images(it)['a'] ?? 0) === 0) break
      }
      finish(it)
      assert.equal(images(it)['b'], replicas)
      assert.equal(images(it)['a'] ?? 0, 0)
    },
  )
  fc.assert(property, { numRuns: 200 })
})

test('scaling in the middle of a rollout keeps the total at what is wanted and the surge', () => {
  const property = fc.property(
    fc.integer({ min: 1, max: 20 }),
    fc.integer({ min: 0, max: 40 }),
    fc.integer({ min: 0, max: 4 }),
    (before, after, rounds) => {
      const it = world('web', 'a', before)
      finish(it)
      edit(it, { template: template('web', 'b') })
      for (let round = 0; round < rounds; round++) {
        sync(it)
        settle(it, (_, n) => Math.ceil(n / 2))
      }
      edit(it, { replicas: after })
      sync(it)
      const total = [...it.replicaSets.values()].reduce((sum, set) => sum + set.spec.replicas!, 0)
      assert.ok(total <= after + maxSurge(it.deployment), picture(it))
      for (const set of it.replicaSets.values()) {
        if (set.spec.replicas! > 0) {
          assert.equal(set.metadata.annotations![DESIRED_REPLICAS], String(after))
        }
      }
      finish(it)
      assert.equal(images(it)['b'] ?? (rounds === 0 ? images(it)['a'] : undefined), after)
    },
  )
  fc.assert(property, { numRuns: 200 })
})

test('proportional scaling shares pods out as the sizes are', () => {
  const it = world('web', 'a', 10, {
    type: 'RollingUpdate',
    rollingUpdate: { maxSurge: 3, maxUnavailable: 2 },
  })
  finish(it)
  edit(it, { template: template('web', 'b') })
  sync(it)
  settle(it, (_, n) => (n === 10 ? 10 : 0))
  sync(it)
  settle(it, (_, n) => (n >= 8 ? n : 0))
  assert.deepEqual(images(it), { a: 8, b: 5 })
  edit(it, { replicas: 15 })
  sync(it)
  assert.deepEqual(images(it), { a: 11, b: 7 }, 'the example of the Deployment documentation')
})

test('a Recreate stops all old pods before it starts a new one', () => {
  const it = world('web', 'a', 3, { type: 'Recreate' })
  finish(it)
  edit(it, { template: template('web', 'b') })
  assert.deepEqual(
    events(sync(it)).map((line) => line.replace(/-[a-z0-9]+ from/, ' from')),
    ['ScalingReplicaSet: Scaled down replica set web from 3 to 0'],
  )
  const pod: Pod = {
    metadata: { name: 'p' },
    spec: { containers: [] },
    status: { phase: 'Running' },
  }
  const running = new Map([['uid-of-old', [pod]]])
  settle(it)
  sync(it, running)
  assert.equal(it.replicaSets.size, 1, 'an old pod still runs')
  sync(it)
  assert.deepEqual(images(it), { a: 0, b: 3 })
})

test('a paused deployment scales but does not roll', () => {
  const it = world('web', 'a', 2)
  finish(it)
  edit(it, { paused: true, replicas: 5, template: template('web', 'b') })
  sync(it)
  settle(it)
  assert.deepEqual(images(it), { a: 5 })
  assert.equal(
    findCondition(it.deployment.status!.conditions, 'Progressing')?.reason,
    'DeploymentPaused',
  )
  edit(it, { paused: false })
  finish(it)
  assert.deepEqual(images(it), { a: 0, b: 5 })
})

test('a rollout that stands still for its deadline has timed out', () => {
  const it = world('web', 'a', 2)
  const never = (): number => 0
  sync(it)
  settle(it, never)
  const { after } = sync(it)
  assert.ok(after !== undefined && after <= 601_000, `looks again in ${after} ms`)
  it.now += 700_000
  sync(it)
  const progressing = findCondition(it.deployment.status!.conditions, 'Progressing')!
  const name = [...it.replicaSets.keys()][0]
  assert.equal(progressing.status, 'False')
  assert.equal(progressing.reason, 'ProgressDeadlineExceeded')
  assert.equal(progressing.message, `ReplicaSet "${name}" has timed out progressing.`)
  finish(it)
  assert.equal(
    findCondition(it.deployment.status!.conditions, 'Progressing')?.reason,
    'NewReplicaSetAvailable',
  )
})

test('revisions rise, go into the history, and old replica sets go beyond the limit', () => {
  const it = world('web', 'a', 1)
  edit(it, { revisionHistoryLimit: 1 })
  finish(it)
  for (const image of ['b', 'c', 'a']) {
    edit(it, { template: template('web', image) })
    finish(it)
  }
  assert.deepEqual(Object.keys(images(it)).sort(), ['a', 'c'])
  edit(it, { template: template('web', 'c') })
  finish(it)
  const c = [...it.replicaSets.values()].find((set) => set.spec.replicas === 1)!
  assert.equal(c.metadata.annotations![REVISION], '5')
  assert.equal(c.metadata.annotations![REVISION_HISTORY], '3')
  assert.equal(it.deployment.metadata.annotations![REVISION], '5')
})

test('going back to a revision that is not there, or to the same template, says so', () => {
  const it = world('web', 'a', 1)
  finish(it)
  const ask = (revision: string): readonly string[] => {
    it.deployment = {
      ...it.deployment,
      metadata: {
        ...it.deployment.metadata,
        annotations: { ...it.deployment.metadata.annotations, [ROLLBACK_TO]: revision },
      },
    }
    const said = events(sync(it))
    assert.equal(it.deployment.metadata.annotations?.[ROLLBACK_TO], undefined)
    return said
  }
  assert.deepEqual(ask('0'), ['DeploymentRollbackRevisionNotFound: Unable to find last revision.'])
  assert.deepEqual(ask('9'), [
    'DeploymentRollbackRevisionNotFound: Unable to find the revision to rollback to.',
  ])
  assert.deepEqual(ask('1'), [
    'DeploymentRollbackTemplateUnchanged: The rollback revision contains the same template as current deployment "web"',
  ])
})

test('a deployment that selects everything is refused', () => {
  const it = world('web', 'a', 1)
  edit(it, { selector: {} })
  assert.deepEqual(events(sync(it)), [
    'SelectingAll: This deployment is selecting all pods. A non-empty selector is required.',
  ])
  assert.equal(it.replicaSets.size, 0)
  assert.equal(it.deployment.status?.observedGeneration, 2)
})

test('revisions are numbers of 64 bits', () => {
  const it = world('web', 'a', 1)
  finish(it)
  const [name, set] = [...it.replicaSets][0]!
  const annotations = { ...set.metadata.annotations, [REVISION]: '3546343826724305832' }
  it.replicaSets.set(name, { ...set, metadata: { ...set.metadata, annotations } })
  edit(it, { template: template('web', 'b') })
  finish(it)
  assert.equal(it.deployment.metadata.annotations![REVISION], '3546343826724305833')
})
