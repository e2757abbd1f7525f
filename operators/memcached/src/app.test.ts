import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { controllerReference, findCondition, isConditionTrue } from 'kubewright'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { Pod } from 'kubewright/kinds/core/v1'
import { Event } from 'kubewright/kinds/events.k8s.io/v1'
import { operate, type Operated } from '../../operator.fixture.ts'
import { app, Memcached } from './app.ts'

let operated: Operated
before(async () => {
  operated = await operate(app)
})
after(() => operated[Symbol.asyncDispose]())

const here = (name: string) => ({ namespace: 'default', name })

const make = (name: string, spec: object = {}): Promise<Memcached> =>
  operated.client.create(Memcached, { metadata: here(name), spec: { size: 2, ...spec } })

const change = (name: string, spec: object): Promise<Memcached> =>
  operated.client.patch(Memcached, here(name), { type: 'merge', body: { spec } })

const podsOf = (name: string) => ({
  namespace: 'default',
  labelSelector: `app.kubernetes.io/name=memcached,app.kubernetes.io/instance=${name}`,
})

/** Resolves when the Memcached says that so many servers run, and names them. */
const settled = (name: string, size: number): Promise<Memcached> =>
  operated.cluster.until(
    Memcached,
    `default/${name}`,
    ({ metadata, spec, status }) =>
      status?.observedGeneration === metadata.generation &&
      spec.size === size &&
      isConditionTrue(status?.conditions, 'Available') &&
      status?.nodes?.length === size,
  )

test('a Memcached becomes a Deployment, and its status names the pods', async () => {
  const { client } = operated
  const made = await make('create', { size: 3 })
  assert.equal(made.spec.containerPort, 11211)
  const ready = await settled('create', 3)
  assert.deepEqual(ready.metadata.finalizers, ['cache.example.com/finalizer'])
  const deployment = await client.get(Deployment, here('create'))
  assert.deepEqual(deployment.metadata.ownerReferences, [controllerReference(Memcached, made)])
  const [container] = deployment.spec.template.spec!.containers
  assert.ok(container!.command?.includes('--port=11211'))
  const pods = (await client.list(Pod, podsOf('create'))).items
  assert.deepEqual(ready.status?.nodes, pods.map((it) => it.metadata.name).sort())
  assert.equal(findCondition(ready.status?.conditions, 'Degraded')?.reason, 'AsExpected')
})

test('it scales, and its status names those that are left', async () => {
  await make('scale')
  await settled('scale', 2)
  await change('scale', { size: 5 })
  await settled('scale', 5)
  await change('scale', { size: 1 })
  const one = await settled('scale', 1)
  const [pod] = await operated.cluster.untilList(Pod, podsOf('scale'), (pods) => pods.length === 1)
  assert.deepEqual(one.status?.nodes, [pod!.metadata.name])
})

test('another image rolls the servers', async () => {
  await make('upgrade', { size: 1 })
  const old = await settled('upgrade', 1)
  await change('upgrade', { image: 'memcached:1.6.39-alpine' })
  await operated.cluster.until(
    Memcached,
    'default/upgrade',
    ({ status }) => status?.nodes?.length === 1 && status.nodes[0] !== old.status?.nodes?.[0],
  )
  const [pod] = (await operated.client.list(Pod, podsOf('upgrade'))).items.filter(
    (it) => !it.metadata.deletionTimestamp,
  )
  assert.equal(pod!.spec.containers[0]!.image, 'memcached:1.6.39-alpine')
})

test('a deleted Deployment comes back, a changed one is set right', async () => {
  const { client, cluster } = operated
  await make('repair')
  await settled('repair', 2)
  const { uid } = (await client.get(Deployment, here('repair'))).metadata
  await client.delete(Deployment, here('repair'))
  await cluster.until(
    Deployment,
    'default/repair',
    (it) => it.metadata.uid !== uid && it.status?.readyReplicas === 2,
  )
  const body = { spec: { replicas: 4 } }
  await client.patch(Deployment, here('repair'), { type: 'merge', body })
  await cluster.until(Deployment, 'default/repair', (it) => it.spec.replicas === 2)
  await settled('repair', 2)
})

test('an image that is not there makes it degraded, and a good one available again', async () => {
  await make('lost', { size: 1, image: 'memcached:does-not-exist' })
  const degraded = await operated.cluster.until(Memcached, 'default/lost', (it) =>
    isConditionTrue(it.status?.conditions, 'Degraded'),
  )
  const fault = findCondition(degraded.status?.conditions, 'Degraded')
  assert.match(fault!.reason, /^(ErrImagePull|ImagePullBackOff)$/)
  assert.match(fault!.message, /^container memcached of pod lost-.*memcached:does-not-exist/)
  assert.equal(isConditionTrue(degraded.status?.conditions, 'Available'), false)
  await change('lost', { image: 'memcached:1.6.38-alpine' })
  const good = await settled('lost', 1)
  assert.equal(isConditionTrue(good.status?.conditions, 'Degraded'), false)
})

test('the finalizer says goodbye before the children go', async () => {
  const { client, cluster } = operated
  await make('gone')
  await settled('gone', 2)
  await client.delete(Memcached, here('gone'))
  await cluster.untilGone(Memcached, 'default/gone')
  await cluster.untilGone(Deployment, 'default/gone')
  await cluster.untilList(Pod, podsOf('gone'), (pods) => pods.length === 0)
  const events = await cluster.untilList(Event, { namespace: 'default' }, (all) =>
    all.some((it) => it.reason === 'Deleting' && it.regarding?.name === 'gone'),
  )
  const goodbye = events.find((it) => it.reason === 'Deleting' && it.regarding?.name === 'gone')
  assert.equal(goodbye?.note, 'Custom resource gone is being deleted from the namespace default')
  assert.equal(goodbye?.type, 'Warning')
})

test('a size that the rule does not allow is refused as Kubernetes refuses it', async () => {
  for (const size of [0, 6])
    await assert.rejects(
      make('bad', { size }),
      /Memcached\.cache\.example\.com "bad" is invalid: spec\.size: Invalid value: size must be between 1 and 5$/,
    )
  await make('good', { size: 5 })
  await settled('good', 5)
  await assert.rejects(change('good', { size: 6 }), /size must be between 1 and 5$/)
})

test('at rest it writes nothing, and does not set itself off', async () => {
  const { client, events, quiet, runs, sent } = operated
  await make('calm')
  await settled('calm', 2)
  await quiet()
  const from = events.length
  for (const note of ['one', 'two']) {
    const body = { metadata: { annotations: { note } } }
    await client.patch(Memcached, here('calm'), { type: 'merge', body })
    await quiet()
  }
  assert.equal(runs('default/calm', from), 2)
  assert.deepEqual(sent('default/calm', from), [])
})
