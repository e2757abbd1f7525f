import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { controllerReference, findCondition, isConditionTrue } from 'kubewright'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { Pod, Service } from 'kubewright/kinds/core/v1'
import { Event } from 'kubewright/kinds/events.k8s.io/v1'
import { operate, type Operated } from '../../operator.fixture.ts'
import { app, AppOTP } from './app.ts'

let operated: Operated
before(async () => {
  operated = await operate(app)
})
after(() => operated[Symbol.asyncDispose]())

const here = (name: string) => ({ namespace: 'default', name })

const make = (name: string, spec: object = {}): Promise<AppOTP> =>
  operated.client.create(AppOTP, {
    metadata: here(name),
    spec: { size: 2, image: 'nginx:1.22.0', ports: [{ containerPort: 80 }], ...spec },
  })

const change = (name: string, spec: object): Promise<AppOTP> =>
  operated.client.patch(AppOTP, here(name), { type: 'merge', body: { spec } })

/** Resolves when the AppOTP says this of its present spec. */
const settled = (name: string, ready: number): Promise<AppOTP> =>
  operated.cluster.until(
    AppOTP,
    `default/${name}`,
    ({ metadata, status }) =>
      status?.observedGeneration === metadata.generation &&
      status?.deploymentStatus === 'normal' &&
      (status.readyReplicas ?? 0) === ready,
  )

test('an AppOTP becomes a Deployment, a Service and ready pods', async () => {
  const { client } = operated
  const made = await make('create', {
    envs: [{ name: 'GREETING', value: 'hello' }],
    resources: { requests: { cpu: '100m' } },
  })
  const ready = await settled('create', 2)
  assert.ok(isConditionTrue(ready.status?.conditions, 'Available'))
  assert.equal(
    findCondition(ready.status?.conditions, 'Available')?.message,
    '2 of 2 pods are ready',
  )
  assert.equal(isConditionTrue(ready.status?.conditions, 'Degraded'), false)
  const deployment = await client.get(Deployment, here('create'))
  assert.deepEqual(deployment.metadata.ownerReferences, [controllerReference(AppOTP, made)])
  const [container] = deployment.spec.template.spec!.containers
  assert.equal(container!.image, 'nginx:1.22.0')
  assert.deepEqual(container!.env, [{ name: 'GREETING', value: 'hello' }])
  assert.deepEqual(container!.resources, { requests: { cpu: '100m' } })
  const service = await client.get(Service, here('create'))
  assert.deepEqual(service.spec?.ports, [
    { name: 'port-80', port: 80, protocol: 'TCP', targetPort: 80 },
  ])
  const events = await operated.cluster.untilList(Event, { namespace: 'default' }, (all) =>
    all.some((it) => it.regarding?.kind === 'AppOTP' && it.regarding.name === 'create'),
  )
  const said = events.find(
    (it) => it.regarding?.name === 'create' && it.regarding.kind === 'AppOTP',
  )
  assert.equal(`${said?.reason}: ${said?.note}`, 'Created: Created Deployment create')
})

test('another image rolls the pods', async () => {
  await make('upgrade')
  await settled('upgrade', 2)
  const changed = await change('upgrade', { image: 'nginx:1.23.0' })
  const ready = await settled('upgrade', 2)
  assert.equal(ready.status?.observedGeneration, changed.metadata.generation)
  const { items } = await operated.client.list(Pod, {
    namespace: 'default',
    labelSelector: 'appotp.learn.com/name=upgrade',
  })
  const living = items.filter((it) => !it.metadata.deletionTimestamp)
  assert.deepEqual(
    living.map((it) => it.spec.containers[0]!.image),
    ['nginx:1.23.0', 'nginx:1.23.0'],
  )
})

test('another size scales, down to nothing', async () => {
  await make('scale')
  await settled('scale', 2)
  await change('scale', { size: 4 })
  await settled('scale', 4)
  await change('scale', { size: 0 })
  const none = await settled('scale', 0)
  assert.ok(isConditionTrue(none.status?.conditions, 'Available'))
})

test('a deleted child comes back, a changed one is set right', async () => {
  const { client, cluster } = operated
  await make('repair')
  await settled('repair', 2)
  const [deployment, service] = [
    await client.get(Deployment, here('repair')),
    await client.get(Service, here('repair')),
  ]
  await client.delete(Deployment, here('repair'))
  await cluster.until(
    Deployment,
    'default/repair',
    (it) => it.metadata.uid !== deployment.metadata.uid && it.status?.readyReplicas === 2,
  )
  await client.delete(Service, here('repair'))
  await cluster.until(Service, 'default/repair', (it) => it.metadata.uid !== service.metadata.uid)
  await client.patch(Deployment, here('repair'), {
    type: 'strategic',
    body: {
      spec: {
        replicas: 7,
        template: { spec: { containers: [{ name: 'app-otp', image: 'httpd:2' }] } },
      },
    },
  })
  await cluster.until(
    Deployment,
    'default/repair',
    ({ spec }) =>
      spec.replicas === 2 && spec.template.spec?.containers[0]?.image === 'nginx:1.22.0',
  )
  await settled('repair', 2)
})

test('without ports there is no Service', async () => {
  await make('ports')
  await settled('ports', 2)
  await change('ports', { ports: null })
  await operated.cluster.untilGone(Service, 'default/ports')
  await settled('ports', 2)
})

test('an image that is not there makes it degraded, and a good one normal again', async () => {
  await make('lost', { image: 'nginx:does-not-exist' })
  const degraded = await operated.cluster.until(
    AppOTP,
    'default/lost',
    (it) => it.status?.deploymentStatus === 'degraded',
  )
  const fault = findCondition(degraded.status?.conditions, 'Degraded')
  assert.match(fault!.reason, /^(ErrImagePull|ImagePullBackOff)$/)
  assert.match(fault!.message, /^container app-otp of pod lost-.*nginx:does-not-exist/)
  assert.equal(isConditionTrue(degraded.status?.conditions, 'Available'), false)
  await change('lost', { image: 'nginx:1.22.0' })
  await settled('lost', 2)
})

test('what is deleted takes its children with it', async () => {
  const { client, cluster } = operated
  await make('gone')
  await settled('gone', 2)
  await client.delete(AppOTP, here('gone'))
  await cluster.untilGone(Deployment, 'default/gone')
  await cluster.untilGone(Service, 'default/gone')
  await cluster.untilList(
    Pod,
    { namespace: 'default', labelSelector: 'appotp.learn.com/name=gone' },
    (pods) => pods.length === 0,
  )
})

test('what the schema does not allow is refused as Kubernetes refuses it', async () => {
  await assert.rejects(
    make('bad', { size: -1 }),
    /^\w+: AppOTP\.appotp\.learn\.com "bad" is invalid: spec\.size: Invalid value: -1: spec\.size in body should be greater than or equal to 0$/,
  )
  await assert.rejects(
    make('bad', { size: 'two', image: undefined }),
    /"bad" is invalid: \[spec\.size: Invalid value: "string": spec\.size in body must be of type integer: "string", spec\.image: Required value\]$/,
  )
})

test('at rest it writes nothing, and does not set itself off', async () => {
  const { client, events, quiet, runs, sent } = operated
  await make('calm')
  await settled('calm', 2)
  await quiet()
  const from = events.length
  for (const note of ['one', 'two']) {
    const body = { metadata: { annotations: { note } } }
    await client.patch(AppOTP, here('calm'), { type: 'merge', body })
    await quiet()
  }
  assert.equal(runs('default/calm', from), 2)
  assert.deepEqual(sent('default/calm', from), [])
})
