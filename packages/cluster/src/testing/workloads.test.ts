import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from 'kubewright/kinds/apps/v1'
import { Job } from 'kubewright/kinds/batch/v1'
import {
  ConfigMap,
  Endpoints,
  Event,
  Namespace,
  Node,
  Pod,
  ReplicationController,
  ResourceQuota,
  ServiceAccount,
  Service,
} from 'kubewright/kinds/core/v1'
import { EndpointSlice } from 'kubewright/kinds/discovery.k8s.io/v1'
import { PodDisruptionBudget } from 'kubewright/kinds/policy/v1'
import { isConditionTrue } from 'kubewright/machinery'
import { templateHash } from '../controllers/workload/template-hash.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { deployment, here, job, selector, template } from './objects.fixture.ts'

let cluster: Cluster
before(async () => {
  cluster = await startCluster({ nodes: 2 })
})
after(() => cluster.close())

const podsOf = async (app: string): Promise<readonly Pod[]> =>
  (await cluster.client.list(Pod, { namespace: 'default', labelSelector: `app=${app}` })).items

const isRolledOut = (it: Deployment): boolean => {
  const { observedGeneration = 0, replicas, updatedReplicas, availableReplicas } = it.status ?? {}
  const wanted = it.spec.replicas
  return (
    observedGeneration >= (it.metadata.generation ?? 0) &&
    [replicas, updatedReplicas, availableReplicas].every((count) => (count ?? 0) === wanted)
  )
}

test('every namespace has a service account and the root certificate', async () => {
  const { client } = cluster
  await client.create(Namespace, { metadata: { name: 'fresh' } })
  await cluster.until(ServiceAccount, 'fresh/default', () => true)
  await cluster.until(
    ConfigMap,
    'fresh/kube-root-ca.crt',
    (it) => it.data?.['ca.crt'] !== undefined,
  )
  await client.delete(ServiceAccount, 'fresh/default')
  await cluster.until(ServiceAccount, 'fresh/default', () => true)
})

test('nodes register, are ready and have no taint left', async () => {
  const node = await cluster.until(
    Node,
    'node-2',
    (it) => isConditionTrue(it.status?.conditions, 'Ready') && !it.spec?.taints?.length,
  )
  assert.equal(node.metadata.labels!['kubernetes.io/hostname'], 'node-2')
  assert.equal(node.status!.nodeInfo!.kubeletVersion, 'v1.36.3')
})

test('a deployment is rolled out, updated, scaled and rolled back', async () => {
  const { client } = cluster
  await client.create(Deployment, deployment('web', 3))
  const first = await cluster.until(Deployment, 'default/web', isRolledOut)
  assert.deepEqual(
    first.status!.conditions!.map((it) => [it.type, it.status, it.reason]),
    [
      ['Available', 'True', 'MinimumReplicasAvailable'],
      ['Progressing', 'True', 'NewReplicaSetAvailable'],
    ],
  )
  assert.equal(
    new Set((await podsOf('web')).map((it) => it.spec!.nodeName)).size,
    2,
    'spread over both nodes',
  )
  const update = { spec: { template: template('web', { image: 'nginx:1.26' }) } }
  await client.patch(Deployment, here('web'), { type: 'strategic', body: update })
  const second = await cluster.until(Deployment, 'default/web', isRolledOut)
  assert.equal(second.metadata.annotations!['deployment.kubernetes.io/revision'], '2')
  const images = async (): Promise<readonly (string | undefined)[]> => {
    const living = (await podsOf('web')).filter((it) => !it.metadata.deletionTimestamp)
    return living.map((it) => it.spec!.containers[0]!.image)
  }
  assert.deepEqual(await images(), ['nginx:1.26', 'nginx:1.26', 'nginx:1.26'])
  const scale = { type: 'merge', body: { spec: { replicas: 5 } } } as const
  await client.patch(Deployment, here('web'), scale, { subresource: 'scale' })
  await cluster.until(Deployment, 'default/web', (it) => it.spec.replicas === 5 && isRolledOut(it))
  const sets = await client.list(ReplicaSet, { namespace: 'default', labelSelector: 'app=web' })
  const old = sets.items.find(
    (it) => it.metadata.annotations!['deployment.kubernetes.io/revision'] === '1',
  )!
  const back = { spec: { template: { spec: old.spec.template!.spec } } }
  await client.patch(Deployment, here('web'), { type: 'strategic', body: back })
  const third = await cluster.until(
    Deployment,
    'default/web',
    (it) =>
      it.metadata.annotations?.['deployment.kubernetes.io/revision'] === '3' && isRolledOut(it),
  )
  assert.ok(third)
  assert.equal((await images()).length, 5)
})

test('a replica set puts back what is taken from it, and adopts what fits', async () => {
  const { client } = cluster
  await client.create(Pod, {
    metadata: { ...here('stray'), labels: { app: 'rs' } },
    spec: template('rs').spec,
  })
  await client.create(ReplicaSet, {
    metadata: here('rs'),
    spec: { replicas: 2, selector: selector('rs'), template: template('rs') },
  })
  const set = await cluster.until(ReplicaSet, 'default/rs', (it) => it.status?.readyReplicas === 2)
  const pods = await podsOf('rs')
  assert.equal(pods.length, 2)
  assert.ok(pods.every((it) => it.metadata.ownerReferences?.[0]?.uid === set.metadata.uid))
  assert.ok(pods.some((it) => it.metadata.name === 'stray'))
  await client.delete(Pod, here('stray'))
  await cluster.untilGone(Pod, 'default/stray')
  await cluster.until(ReplicaSet, 'default/rs', (it) => it.status?.readyReplicas === 2)
  const [one] = await podsOf('rs')
  await client.patch(
    Pod,
    { namespace: 'default', name: one!.metadata.name! },
    { type: 'merge', body: { metadata: { labels: { app: 'other' } } } },
  )
  const released = await cluster.until(
    Pod,
    `default/${one!.metadata.name}`,
    (it) => !it.metadata.ownerReferences?.length,
  )
  assert.ok(released)
  const where = { namespace: 'default', labelSelector: 'app=rs' }
  await cluster.untilList(
    Pod,
    where,
    (pods) => pods.filter((it) => it.status?.phase === 'Running').length === 2,
  )
})

test('a service tells where its pods are, ready or not', async () => {
  const { client } = cluster
  const port = { name: 'http', port: 80, targetPort: 8080 }
  await client.create(Service, {
    metadata: here('front'),
    spec: { selector: { app: 'front' }, ports: [port] },
  })
  await client.create(Deployment, deployment('front', 2))
  const full = await cluster.until(
    Endpoints,
    'default/front',
    (it) => it.subsets?.[0]?.addresses?.length === 2,
  )
  assert.deepEqual(full.subsets![0]!.ports, [{ name: 'http', port: 8080, protocol: 'TCP' }])
  const where = { namespace: 'default', labelSelector: 'kubernetes.io/service-name=front' }
  const slices = await cluster.untilList(
    EndpointSlice,
    where,
    ([it]) => it?.endpoints?.filter((one) => one.conditions?.ready).length === 2,
  )
  assert.equal(slices.length, 1)
  const addresses = new Set(slices[0]!.endpoints!.flatMap((it) => it.addresses))
  assert.deepEqual(addresses, new Set((await podsOf('front')).map((it) => it.status!.podIP)))
  await client.delete(Service, here('front'))
  await cluster.untilGone(Endpoints, 'default/front')
  await cluster.untilGone(EndpointSlice, `default/${slices[0]!.metadata.name}`)
})

test('jobs succeed, fail and are counted', async () => {
  const { client } = cluster
  await client.create(Job, job('good', ['true'], { completions: 3, parallelism: 2 }))
  const good = await cluster.until(Job, 'default/good', (it) =>
    isConditionTrue(it.status?.conditions, 'Complete'),
  )
  assert.equal(good.status!.succeeded, 3)
  assert.deepEqual(
    good.status!.conditions!.map((it) => it.type),
    ['SuccessCriteriaMet', 'Complete'],
  )
  assert.ok(
    (await podsOf('good')).every(
      (it) => it.status!.phase === 'Succeeded' && !it.metadata.finalizers?.length,
    ),
  )
  await client.create(Job, job('bad', ['sh', '-c', 'exit 3'], { backoffLimit: 0 }))
  const bad = await cluster.until(Job, 'default/bad', (it) =>
    isConditionTrue(it.status?.conditions, 'Failed'),
  )
  assert.equal(bad.status!.conditions!.at(-1)!.reason, 'BackoffLimitExceeded')
  assert.equal(bad.status!.failed, 1)
  await client.create(
    Job,
    job('indexed', ['true'], { completions: 3, parallelism: 3, completionMode: 'Indexed' }),
  )
  const indexed = await cluster.until(Job, 'default/indexed', (it) =>
    isConditionTrue(it.status?.conditions, 'Complete'),
  )
  assert.equal(indexed.status!.completedIndexes, '0-2')
  await client.create(Job, job('short', ['true'], { ttlSecondsAfterFinished: 0 }))
  await cluster.untilGone(Job, 'default/short')
  await client.delete(Job, here('good'), { propagation: 'Background' })
  await cluster.untilGone(Job, 'default/good')
  for (const it of await podsOf('good')) await cluster.untilGone(Pod, `default/${it.metadata.name}`)
})

test('a job holds the pods that it counts, and no others', async () => {
  const { client } = cluster
  await client.create(Job, job('holds', ['sleep', '600']))
  await cluster.until(Job, 'default/holds', (it) => it.status?.active === 1)
  const [held] = await podsOf('holds')
  const labels = held!.metadata.labels!
  const relabel = (pod: Pod, to: Readonly<Record<string, string | null>>): Promise<Pod> =>
    client.patch(Pod, here(pod.metadata.name!), {
      type: 'merge',
      body: { metadata: { labels: to } },
    })
  const isHeld = (it: Pod): boolean =>
    it.metadata.ownerReferences?.length === 1 && it.metadata.finalizers?.length === 1
  const isFree = (it: Pod): boolean =>
    !it.metadata.ownerReferences?.length && !it.metadata.finalizers?.length
  const name = `default/${held!.metadata.name}`
  await relabel(held!, Object.fromEntries(Object.keys(labels).map((it) => [it, null])))
  await cluster.until(Pod, name, isFree)
  await relabel(held!, labels)
  await cluster.until(Pod, name, isHeld)
  await client.delete(Job, here('holds'), { propagation: 'Orphan' })
  await cluster.untilGone(Job, 'default/holds')
  await cluster.until(Pod, name, isFree)
  for (const it of await podsOf('holds')) await client.delete(Pod, here(it.metadata.name!))
  await cluster.untilGone(Pod, name)
})

test('a revision whose name is taken by another content gets another name', async () => {
  const { client } = cluster
  const metadata = here('clash')
  await client.create(DaemonSet, {
    metadata,
    spec: { selector: selector('clash'), template: template('clash') },
  })
  const isOut = (it: DaemonSet): boolean =>
    it.status?.observedGeneration === it.metadata.generation &&
    it.status?.updatedNumberScheduled === 2
  const set = await cluster.until(DaemonSet, 'default/clash', isOut)
  const next = { ...set.spec!.template }
  next.spec = { ...next.spec!, terminationGracePeriodSeconds: 1 }
  await client.create(ControllerRevision, {
    metadata: here(`clash-${templateHash(next)}`),
    data: {},
    revision: 1,
  })
  const body = { spec: { template: { spec: { terminationGracePeriodSeconds: 1 } } } }
  await client.patch(DaemonSet, metadata, { type: 'strategic', body })
  const done = await cluster.until(
    DaemonSet,
    'default/clash',
    (it) => isOut(it) && it.metadata.generation === 2,
  )
  assert.equal(done.status?.collisionCount, 1)
  await client.delete(DaemonSet, metadata)
})

test('a stateful set starts in order and is updated from the end', async () => {
  const { client } = cluster
  const spec = {
    serviceName: 'db',
    replicas: 3,
    selector: selector('db'),
    template: template('db'),
  }
  await client.create(StatefulSet, { metadata: here('db'), spec })
  await cluster.until(StatefulSet, 'default/db', (it) => it.status?.readyReplicas === 3)
  const pods = (await podsOf('db')).toSorted((a, b) =>
    a.metadata.name! < b.metadata.name! ? -1 : 1,
  )
  assert.deepEqual(
    pods.map((it) => it.metadata.name),
    ['db-0', 'db-1', 'db-2'],
  )
  const update = { spec: { template: template('db', { image: 'nginx:1.26' }) } }
  await client.patch(StatefulSet, here('db'), { type: 'strategic', body: update })
  const done = await cluster.until(
    StatefulSet,
    'default/db',
    ({ metadata, status }) =>
      status?.observedGeneration === metadata.generation &&
      status?.updatedReplicas === 3 &&
      status.readyReplicas === 3 &&
      status.currentRevision === status.updateRevision,
  )
  assert.equal(done.status!.currentReplicas, 3)
  assert.ok((await podsOf('db')).every((it) => it.spec!.containers[0]!.image === 'nginx:1.26'))
})

test('a daemon set has a pod on every node', async () => {
  const { client } = cluster
  await client.create(DaemonSet, {
    metadata: here('agent'),
    spec: { selector: selector('agent'), template: template('agent') },
  })
  await cluster.until(DaemonSet, 'default/agent', (it) => it.status?.numberReady === 2)
  assert.deepEqual((await podsOf('agent')).map((it) => it.spec!.nodeName).sort(), [
    'node-1',
    'node-2',
  ])
})

test('a disruption budget counts what may go', async () => {
  const { client } = cluster
  await client.create(Deployment, deployment('guarded', 3))
  await client.create(PodDisruptionBudget, {
    metadata: here('guarded'),
    spec: { minAvailable: 2, selector: selector('guarded') },
  })
  const budget = await cluster.until(
    PodDisruptionBudget,
    'default/guarded',
    (it) => it.status?.disruptionsAllowed === 1,
  )
  assert.equal(budget.status!.currentHealthy, 3)
  assert.equal(budget.status!.expectedPods, 3)
})

test('a replication controller that a quota stops says so until it fits, and pods give back what they took', async () => {
  const { client } = cluster
  const [namespace, name] = ['limited', 'many']
  const usedUp = (pods: string) => (it: ResourceQuota) => it.status?.used?.['pods'] === pods
  await client.create(Namespace, { metadata: { name: namespace } })
  await client.create(ResourceQuota, {
    metadata: { namespace, name },
    spec: { hard: { pods: '2' } },
  })
  await cluster.until(ResourceQuota, 'limited/many', usedUp('0'))
  const spec = { replicas: 3, selector: { app: name }, template: template(name) }
  await client.create(ReplicationController, { metadata: { namespace, name }, spec })
  const stopped = await cluster.until(
    ReplicationController,
    'limited/many',
    ({ status }) => status?.replicas === 2 && isConditionTrue(status.conditions, 'ReplicaFailure'),
  )
  const { reason, message } = stopped.status!.conditions![0]!
  assert.equal(reason, 'FailedCreate')
  assert.match(message!, /exceeded quota: many, requested: pods=1, used: pods=2, limited: pods=2$/)
  await cluster.until(ResourceQuota, 'limited/many', usedUp('2'))
  const fewer = { type: 'merge', body: { spec: { replicas: 2 } } } as const
  await client.patch(ReplicationController, { namespace, name }, fewer)
  await cluster.until(
    ReplicationController,
    'limited/many',
    ({ status }) => status?.observedGeneration === 2 && !status.conditions?.length,
  )
  await client.delete(ReplicationController, { namespace, name }, { propagation: 'Background' })
  await cluster.until(ResourceQuota, 'limited/many', usedUp('0'))
})

test('a pod that fits nowhere says why, and is placed when it fits', async () => {
  const { client } = cluster
  const spec = { ...template('picky').spec, nodeSelector: { disk: 'ssd' } }
  await client.create(Pod, { metadata: here('picky'), spec })
  const waiting = await cluster.until(
    Pod,
    'default/picky',
    (it) => it.status?.conditions?.[0]?.reason === 'Unschedulable',
  )
  assert.equal(
    waiting.status!.conditions![0]!.message,
    "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
  )
  await client.patch(Node, 'node-1', {
    type: 'merge',
    body: { metadata: { labels: { disk: 'ssd' } } },
  })
  const placed = await cluster.until(Pod, 'default/picky', (it) => it.status?.phase === 'Running')
  assert.equal(placed.spec!.nodeName, 'node-1')
})

test('an image that is not there, and a program that fails, show as kubectl users know them', async () => {
  const { client } = cluster
  await client.create(Pod, {
    metadata: here('lost'),
    spec: template('lost', { image: 'nginx:does-not-exist' }).spec,
  })
  const reason = (it: Pod): string | undefined =>
    it.status?.containerStatuses?.[0]?.state?.waiting?.reason
  await cluster.until(Pod, 'default/lost', (it) => reason(it) === 'ImagePullBackOff')
  await client.create(Pod, {
    metadata: here('broken'),
    spec: template('broken', { command: ['false'] }).spec,
  })
  await cluster.until(Pod, 'default/broken', (it) => reason(it) === 'CrashLoopBackOff')
  const events = (
    await client.list(Event, { namespace: 'default', fieldSelector: 'involvedObject.name=lost' })
  ).items
  const said = new Set(events.map((it) => it.reason))
  for (const one of ['Scheduled', 'Pulling', 'Failed', 'BackOff'])
    assert.ok(said.has(one), `${one} of ${[...said]}`)
})
