import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fakeClock } from 'kubewright/base'
import { createClient } from 'kubewright/client'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { CronJob, Job } from 'kubewright/kinds/batch/v1'
import { ConfigMap, Node, Pod } from 'kubewright/kinds/core/v1'
import { PriorityClass } from 'kubewright/kinds/scheduling.k8s.io/v1'
import { condition, controllerReference } from 'kubewright/machinery'
import { manager } from 'kubewright/manager'
import { startCluster } from './cluster.ts'
import { deployment, here, job, template } from './objects.fixture.ts'

test('a cluster without controllers is a server alone', async () => {
  await using cluster = await startCluster({ controllers: false })
  await cluster.client.create(Deployment, deployment('web', 1))
  assert.equal((await cluster.client.list(Node)).items.length, 0)
  assert.equal(
    (await cluster.client.get(Deployment, here('web'))).status?.observedGeneration,
    undefined,
  )
  assert.throws(() => cluster.kubeconfig(), /listens nowhere: start it with a port/)
})

test('what does not come to hold is told with what was there instead', async () => {
  await using cluster = await startCluster({ controllers: false })
  await cluster.client.create(ConfigMap, { metadata: here('a'), data: { k: 'v' } })
  const never = cluster.until(ConfigMap, 'default/a', (it) => it.data?.['k'] === 'w', {
    timeout: 1,
  })
  await assert.rejects(never, (error: Error) => {
    assert.match(
      error.message,
      /^ConfigMap default\/a: .*'w' did not hold within 1 ms; seen last: .*"data":{"k":"v"}/,
    )
    return true
  })
  const gone = cluster.until(ConfigMap, 'default/b', () => true, { timeout: 1 })
  await assert.rejects(gone, /did not hold within 1 ms; seen last: nothing/)
})

test('a cluster with a port lets any client in with its kubeconfig, and publishes its certificate', async () => {
  await using cluster = await startCluster({ port: 0 })
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-'))
  const file = join(folder, 'kubeconfig')
  const { writeFileSync } = await import('node:fs')
  writeFileSync(file, cluster.kubeconfig())
  const client = createClient({ kubeconfig: file })
  const map = await cluster.until(ConfigMap, 'default/kube-root-ca.crt', () => true)
  assert.match(map.data!['ca.crt']!, /^-----BEGIN CERTIFICATE-----/)
  assert.equal((await client.list(Node)).items.length, 1)
  await client.close()
  rmSync(folder, { recursive: true })
})

test('an operator runs against the cluster and ends with it', async () => {
  await using cluster = await startCluster()
  const app = manager()
  app
    .controller(ConfigMap, { name: 'deployer' })
    .owns(Deployment)
    .where(({ object }) => object.metadata.labels?.['deploy'] === 'yes')
    .reconcile(async (map, { apply, client }) => {
      const { metadata, spec } = deployment(map.metadata.name!, 1)
      const made = await apply(Deployment, { ...(metadata && { metadata }), ...(spec && { spec }) })
      const ready = String(made.status?.readyReplicas ?? 0)
      if (map.data?.['ready'] === ready) return
      await client.patch(ConfigMap, here(map.metadata.name!), {
        type: 'merge',
        body: { data: { ready } },
      })
    })
  await cluster.run(app)
  const map = await cluster.client.create(ConfigMap, {
    metadata: { ...here('app'), labels: { deploy: 'yes' } },
  })
  await cluster.until(ConfigMap, 'default/app', (it) => it.data?.['ready'] === '1')
  const made = await cluster.client.get(Deployment, here('app'))
  assert.deepEqual(made.metadata.ownerReferences, [controllerReference(ConfigMap, map)])
  assert.equal(condition('A', true, 'B').status, 'True')
})

test('objects outlive a restart with a data folder, and pods go on running', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kubewright-'))
  {
    await using cluster = await startCluster({ dataDir })
    await cluster.client.create(Deployment, deployment('web', 2))
    await cluster.until(Deployment, 'default/web', (it) => it.status?.readyReplicas === 2)
  }
  await using cluster = await startCluster({ dataDir })
  const pods = (await cluster.client.list(Pod, { namespace: 'default' })).items
  assert.equal(pods.length, 2)
  assert.ok(pods.every((it) => it.status?.phase === 'Running'))
  await cluster.client.patch(Deployment, here('web'), {
    type: 'merge',
    body: { spec: { replicas: 3 } },
  })
  await cluster.until(Deployment, 'default/web', (it) => it.status?.readyReplicas === 3)
  const after = (await cluster.client.list(Pod, { namespace: 'default' })).items
  assert.ok(
    pods.every((it) => after.some((one) => one.metadata.uid === it.metadata.uid)),
    'the old ones are still there',
  )
  await cluster.close()
  rmSync(dataDir, { recursive: true })
})

test('a test turns the clock: a cron job starts at its minute, a job ends after its sleep', async () => {
  const clock = fakeClock(Date.UTC(2026, 0, 1, 0, 0, 30))
  await using cluster = await startCluster({ clock })
  const turn = async (): Promise<void> => clock.advance(1000)
  const { spec } = job('unused', ['sleep', '30'])
  await cluster.client.create(CronJob, {
    metadata: here('tick'),
    spec: { schedule: '* * * * *', jobTemplate: { spec: spec as NonNullable<Job['spec']> } },
  })
  const jobs = async (): Promise<readonly Job[]> => (await cluster.client.list(Job)).items
  for (let second = 0; second < 29; second++) await turn()
  assert.equal((await jobs()).length, 0, 'not before the minute')
  for (let second = 0; second < 12; second++) await turn()
  const [first] = await jobs()
  assert.equal(first!.metadata.name, `tick-${Date.UTC(2026, 0, 1, 0, 1) / 60_000}`)
  await cluster.until(Job, `default/${first!.metadata.name}`, (it) => it.status?.ready === 1)
  for (let second = 0; second < 60; second++) await turn()
  await cluster.until(Job, `default/${first!.metadata.name}`, (it) => it.status?.succeeded === 1)
  const status = (await cluster.client.get(CronJob, here('tick'))).status
  assert.equal(status?.lastScheduleTime, '2026-01-01T00:02:00Z')
})

test('nodes may be many, of other sizes, and slow', async () => {
  const clock = fakeClock()
  const small = { name: 'small', capacity: { cpu: '1', pods: '2' }, labels: { size: 's' } }
  await using cluster = await startCluster({ clock, nodes: [small], delays: { pull: 60_000 } })
  const { client } = cluster
  await cluster.until(
    Node,
    'small',
    (it) => !it.spec?.taints?.length && it.status?.capacity?.['cpu'] === '1',
  )
  await client.create(Pod, { metadata: here('slow'), spec: template('slow').spec })
  await cluster.until(Pod, 'default/slow', (it) => it.spec.nodeName === 'small')
  for (let step = 0; step < 50; step++) await clock.advance(1000)
  assert.equal((await client.get(Pod, here('slow'))).status?.phase, 'Pending')
  for (let step = 0; step < 20; step++) await clock.advance(1000)
  await cluster.until(Pod, 'default/slow', (it) => it.status?.phase === 'Running')
})

test('a more important pod takes the place of another, and a taint drives pods away', async () => {
  await using cluster = await startCluster({ nodes: [{ capacity: { cpu: '1' } }] })
  const { client } = cluster
  await client.create(PriorityClass, { metadata: { name: 'urgent' }, value: 1000 })
  const spec = template('x', { resources: { requests: { cpu: '800m' } } }).spec
  await client.create(Pod, { metadata: here('humble'), spec })
  await cluster.until(Pod, 'default/humble', (it) => it.status?.phase === 'Running')
  await client.create(Pod, {
    metadata: here('urgent'),
    spec: { ...spec, priorityClassName: 'urgent' },
  })
  await cluster.untilGone(Pod, 'default/humble')
  await cluster.until(Pod, 'default/urgent', (it) => it.status?.phase === 'Running')
  const taints = [{ key: 'out', effect: 'NoExecute' }]
  await client.patch(Node, 'node-1', { type: 'strategic', body: { spec: { taints } } })
  await cluster.untilGone(Pod, 'default/urgent')
})

test('a pod that wants company waits for it', async () => {
  await using cluster = await startCluster({ nodes: 2 })
  const { client } = cluster
  const requiredDuringSchedulingIgnoredDuringExecution = [
    { labelSelector: { matchLabels: { app: 'db' } }, topologyKey: 'kubernetes.io/hostname' },
  ]
  const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution } }
  const { spec } = template('x')
  await client.create(Pod, { metadata: here('web'), spec: { ...spec, affinity } })
  await cluster.until(
    Pod,
    'default/web',
    (it) => it.status?.conditions?.some((one) => one.reason === 'Unschedulable') ?? false,
  )
  await client.create(Pod, {
    metadata: { ...here('db'), labels: { app: 'db' } },
    spec: { ...spec, nodeSelector: { 'kubernetes.io/hostname': 'node-2' } },
  })
  await cluster.until(Pod, 'default/web', (it) => it.spec.nodeName === 'node-2')
})
