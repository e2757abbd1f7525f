import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { controllerReference, findCondition, isConditionTrue, type KubeObject } from 'kubewright'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { ConfigMap, Pod, Service } from 'kubewright/kinds/core/v1'
import { folder, run } from '../../../packages/cli/test/command.ts'
import { operate, type Operated } from '../../operator.fixture.ts'
import { app, MyApp } from './app.ts'
import { configRevision } from './workload.ts'

let operated: Operated
before(async () => {
  operated = await operate(app, { port: 0 })
})
after(() => operated[Symbol.asyncDispose]())

const here = (name: string) => ({ namespace: 'default', name })

const make = (name: string, spec: object = {}): Promise<MyApp> =>
  operated.client.create(MyApp, { metadata: here(name), spec: { image: 'nginx:1.25', ...spec } })

const change = (name: string, spec: object): Promise<MyApp> =>
  operated.client.patch(MyApp, here(name), { type: 'merge', body: { spec } })

/** Resolves when the MyApp says that so many pods are all it asks for. */
const settled = (name: string, ready: number): Promise<MyApp> =>
  operated.cluster.until(
    MyApp,
    `default/${name}`,
    ({ metadata, spec, status }) =>
      status?.observedGeneration === metadata.generation &&
      isConditionTrue(status?.conditions, 'Ready') &&
      spec.replicas === ready &&
      status?.replicas === ready &&
      status.readyReplicas === ready,
  )

test('a MyApp becomes a ConfigMap, a Deployment and a Service, and its status is written back', async () => {
  const { client } = operated
  const made = await make('create', { config: { GREETING: 'hello' }, port: 8080 })
  assert.equal(made.spec.replicas, 1, 'the default')
  const ready = await settled('create', 1)
  assert.equal(findCondition(ready.status?.conditions, 'Ready')?.message, '1 of 1 pods are ready')
  const owner = [controllerReference(MyApp, made)]
  const [map, deployment, service] = [
    await client.get(ConfigMap, here('create')),
    await client.get(Deployment, here('create')),
    await client.get(Service, here('create')),
  ]
  for (const child of [map, deployment, service])
    assert.deepEqual(child.metadata.ownerReferences, owner)
  assert.deepEqual(map.data, { GREETING: 'hello' })
  assert.equal(service.spec?.ports?.[0]?.targetPort, 8080)
  assert.deepEqual(deployment.spec.template.spec?.containers[0]?.envFrom, [
    { configMapRef: { name: 'create' } },
  ])
})

test('another image and another configuration roll the pods', async () => {
  const { client, cluster } = operated
  await make('upgrade', { config: { A: '1' } })
  await settled('upgrade', 1)
  await change('upgrade', { image: 'nginx:1.26' })
  await cluster.until(
    Deployment,
    'default/upgrade',
    ({ metadata, spec, status }) =>
      spec.template.spec?.containers[0]?.image === 'nginx:1.26' &&
      status?.observedGeneration === metadata.generation &&
      status?.updatedReplicas === 1 &&
      status.readyReplicas === 1 &&
      status.replicas === 1,
  )
  const before = await client.get(Deployment, here('upgrade'))
  await change('upgrade', { config: { A: '2' } })
  const rolled = await cluster.until(
    Deployment,
    'default/upgrade',
    ({ spec }) =>
      spec.template.metadata?.annotations?.['example.com/config'] !==
      before.spec.template.metadata?.annotations?.['example.com/config'],
  )
  assert.equal(
    rolled.spec.template.metadata?.annotations?.['example.com/config'],
    configRevision({ A: '2' }),
  )
  assert.deepEqual((await client.get(ConfigMap, here('upgrade'))).data, { A: '2' })
  await settled('upgrade', 1)
})

interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number }
  readonly status?: { readonly replicas: number; readonly selector?: string }
}

test('it scales by its spec and by its scale subresource', async () => {
  await make('scale', { replicas: 2 })
  await settled('scale', 2)
  const scale = operated.client.subresource<Scale>(MyApp, here('scale'), 'scale')
  const now = await scale.get()
  assert.deepEqual(now.spec, { replicas: 2 })
  assert.deepEqual(now.status, {
    replicas: 2,
    selector: 'app.kubernetes.io/name=my-app,app.kubernetes.io/instance=scale',
  })
  await scale.update({ ...now, spec: { replicas: 4 } })
  await settled('scale', 4)
  await change('scale', { replicas: 1 })
  await settled('scale', 1)
})

const kubectlThere = (await run('kubectl', ['version', '--client'], { cwd: '.' })).code === 0
const skip = kubectlThere || process.env['CI'] ? false : 'there is no kubectl on this machine'

test('kubectl scales it, and shows its columns', { skip }, async () => {
  await using made = await folder({ modules: false })
  const kubeconfig = path.join(made.path, 'kubeconfig')
  await writeFile(kubeconfig, operated.cluster.kubeconfig())
  const kubectl = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await run('kubectl', ['--kubeconfig', kubeconfig, ...args], {
      cwd: made.path,
    })
    assert.equal(code, 0, err)
    return out
  }
  await make('kubectl', { replicas: 2 })
  await settled('kubectl', 2)
  assert.equal(
    await kubectl('scale', 'myapp/kubectl', '--replicas=3', '--current-replicas=2'),
    'myapp.example.com/kubectl scaled\n',
  )
  await settled('kubectl', 3)
  assert.match(
    await kubectl('get', 'myapp', 'kubectl'),
    /^NAME +REPLICAS +READY +IMAGE +AGE\nkubectl +3 +3 +nginx:1\.25 +\d+s\n$/,
  )
})

test('deleted children come back, changed ones are set right', async () => {
  const { client, cluster } = operated
  await make('repair', { config: { A: '1' } })
  await settled('repair', 1)
  for (const kind of [ConfigMap, Deployment, Service]) {
    const { uid } = (await client.get<KubeObject>(kind, here('repair'))).metadata
    await client.delete(kind, here('repair'))
    await cluster.until<KubeObject>(kind, 'default/repair', (it) => it.metadata.uid !== uid)
  }
  await client.patch(ConfigMap, here('repair'), { type: 'merge', body: { data: { A: 'x' } } })
  await cluster.until(ConfigMap, 'default/repair', (it) => it.data?.['A'] === '1')
  const body = { spec: { ports: [{ name: 'http', port: 80, targetPort: 1 }] } }
  await client.patch(Service, here('repair'), { type: 'strategic', body })
  await cluster.until(Service, 'default/repair', (it) => it.spec?.ports?.[0]?.targetPort === 80)
  await settled('repair', 1)
})

test('with an image that is not there it is not ready', async () => {
  await make('lost')
  await settled('lost', 1)
  await change('lost', { image: 'nginx:does-not-exist', replicas: 2 })
  const waiting = await operated.cluster.until(
    MyApp,
    'default/lost',
    ({ metadata, status }) =>
      status?.observedGeneration === metadata.generation &&
      !isConditionTrue(status?.conditions, 'Ready'),
  )
  assert.equal(findCondition(waiting.status?.conditions, 'Ready')?.reason, 'PodsNotReady')
})

test('what is deleted takes its children with it', async () => {
  const { client, cluster } = operated
  await make('gone')
  await settled('gone', 1)
  await client.delete(MyApp, here('gone'))
  for (const kind of [ConfigMap, Deployment, Service])
    await cluster.untilGone<KubeObject>(kind, 'default/gone')
  const labelSelector = 'app.kubernetes.io/instance=gone'
  await cluster.untilList(Pod, { namespace: 'default', labelSelector }, (it) => it.length === 0)
})

test('what the schema does not allow is refused as Kubernetes refuses it', async () => {
  await assert.rejects(
    make('bad', { replicas: 0 }),
    /MyApp\.example\.com "bad" is invalid: spec\.replicas: Invalid value: 0: spec\.replicas in body should be greater than or equal to 1$/,
  )
  await assert.rejects(
    make('bad', { image: '' }),
    /"bad" is invalid: spec\.image: Invalid value: "": spec\.image in body should be at least 1 chars long$/,
  )
})

test('at rest it writes nothing, and does not set itself off', async () => {
  const { client, events, quiet, runs, sent } = operated
  await make('calm')
  await settled('calm', 1)
  await quiet()
  const from = events.length
  for (const note of ['one', 'two']) {
    const body = { metadata: { annotations: { note } } }
    await client.patch(MyApp, here('calm'), { type: 'merge', body })
    await quiet()
  }
  assert.equal(runs('default/calm', from), 2)
  assert.deepEqual(sent('default/calm', from), [])
})

test('the revision of a configuration differs when it does, whatever its order', () => {
  assert.equal(configRevision({ a: '1', b: '2' }), configRevision({ b: '2', a: '1' }))
  assert.notEqual(configRevision({ a: '1', b: '2' }), configRevision({ a: '2', b: '1' }))
  assert.match(configRevision({}), /^[0-9a-f]{8}$/)
})
