import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fakeClock } from 'kubewright/base'
import { CustomResourceDefinition } from 'kubewright/kinds/apiextensions.k8s.io/v1'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { HorizontalPodAutoscaler } from 'kubewright/kinds/autoscaling/v2'
import { Pod } from 'kubewright/kinds/core/v1'
import { Event } from 'kubewright/kinds/events.k8s.io/v1'
import { type Kind, kindOf, type KubeObject, timeText } from 'kubewright/machinery'
import { type Cluster, startCluster } from './cluster.ts'
import { deployment, template } from './objects.fixture.ts'

/** What a metrics server would serve: here a custom resource of the same name. */
interface PodMetrics extends KubeObject {
  readonly timestamp: string
  readonly window: string
  readonly containers: readonly {
    readonly name: string
    readonly usage: { readonly cpu: string }
  }[]
}

const PodMetrics: Kind<PodMetrics> = kindOf(
  'metrics.k8s.io/v1beta1',
  'PodMetrics',
  'pods',
  'Namespaced',
)

const clock = fakeClock(Date.parse('2026-01-02T03:04:05Z'))
let cluster: Cluster
before(async () => {
  cluster = await startCluster({ nodes: 1, clock, metrics: false })
})
after(() => cluster.close())

/** Lets time go on, a second at a time, until something holds. */
async function turning<T>(wanted: Promise<T>): Promise<T> {
  const over = wanted.then(() => true)
  const step = (): Promise<false> => clock.advance(1000).then(() => false as const)
  while (!(await Promise.race([over, step()]))) continue
  return wanted
}

const autoscaler = (
  name: string,
  spec: Partial<HorizontalPodAutoscaler['spec']> = {},
): HorizontalPodAutoscaler => ({
  metadata: { name, namespace: 'default' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
    minReplicas: 1,
    maxReplicas: 10,
    metrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
      },
    ],
    ...spec,
  },
})

/** Type, status, reason and message of each condition. */
const told = ({ status }: HorizontalPodAutoscaler): readonly (readonly unknown[])[] =>
  (status?.conditions ?? []).map((it) => [it.type, it.status, it.reason, it.message])

/** Waits until an autoscaler has told all of this; the wait ends with the test. */
async function noted(name: string, wanted: readonly string[]): Promise<void> {
  for (;;) {
    const all = await notes(name)
    if (wanted.every((it) => all.includes(it))) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The notes of an autoscaler's events: type, reason and text. */
async function notes(name: string): Promise<readonly string[]> {
  const { items } = await cluster.client.list(Event, { namespace: 'default' })
  return items
    .filter((it) => it.regarding?.kind === 'HorizontalPodAutoscaler' && it.regarding.name === name)
    .map((it) => `${it.type} ${it.reason} ${it.note}`)
}

const NO_METRICS =
  'failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)'

// The sentences below are those of kube-controller-manager v1.36.3 in front of the same objects.

test('without metrics an autoscaler says so, and keeps only to its limits', async () => {
  const { client } = cluster
  await client.create(Deployment, deployment('big', 7))
  const pods = {
    type: 'Pods' as const,
    pods: {
      metric: { name: 'rps' },
      target: { type: 'AverageValue' as const, averageValue: '10' },
    },
  }
  const asked = autoscaler('big', { maxReplicas: 4 })
  const metrics = [...(asked.spec.metrics ?? []), pods]
  await client.create(HorizontalPodAutoscaler, { ...asked, spec: { ...asked.spec, metrics } })
  const limited = await cluster.until(
    HorizontalPodAutoscaler,
    'default/big',
    (it) => it.status?.lastScaleTime !== undefined,
  )
  assert.deepEqual(told(limited), [
    [
      'AbleToScale',
      'True',
      'SucceededRescale',
      'the HPA controller was able to update the target scale to 4',
    ],
  ])
  assert.equal((await client.get(Deployment, 'default/big')).spec.replicas, 4)
  await clock.advance(15_000)
  const stuck = await cluster.until(
    HorizontalPodAutoscaler,
    'default/big',
    (it) => (it.status?.conditions ?? []).length === 2,
  )
  assert.deepEqual(told(stuck), [
    [
      'AbleToScale',
      'True',
      'SucceededGetScale',
      "the HPA controller was able to get the target's current scale",
    ],
    [
      'ScalingActive',
      'False',
      'FailedGetResourceMetric',
      `the HPA was unable to compute the replica count: ${NO_METRICS}`,
    ],
  ])
  assert.deepEqual(
    [stuck.status?.currentReplicas, stuck.status?.desiredReplicas, stuck.status?.currentMetrics],
    [4, 4, [{ type: '' }, { type: '' }]],
  )
  await noted('big', [
    'Normal SuccessfulRescale New size: 4; reason: Current number of replicas above Spec.MaxReplicas',
    `Warning FailedGetResourceMetric ${NO_METRICS}`,
    'Warning FailedGetPodsMetric unable to get metric rps: unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
  ])
})

test('a target that cannot be had is told of', async () => {
  const { client } = cluster
  await client.create(HorizontalPodAutoscaler, autoscaler('gone'))
  const missing = await cluster.until(
    HorizontalPodAutoscaler,
    'default/gone',
    (it) => it.status?.conditions !== undefined,
  )
  assert.deepEqual(told(missing), [
    [
      'AbleToScale',
      'False',
      'FailedGetScale',
      'the HPA controller was unable to get the target\'s current scale: deployments.apps "gone" not found',
    ],
  ])
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Nope', name: 'gone' }
  await client.create(HorizontalPodAutoscaler, autoscaler('nokind', { scaleTargetRef }))
  const unknown = await cluster.until(
    HorizontalPodAutoscaler,
    'default/nokind',
    (it) => it.status?.conditions !== undefined,
  )
  assert.deepEqual(told(unknown)[0]?.slice(2), [
    'FailedGetScale',
    'the HPA controller was unable to get the target\'s current scale: no matches for kind "Nope" in group "apps"',
  ])
})

test('metrics of something outside are asked for by their selector', async () => {
  const { client } = cluster
  await client.create(Deployment, deployment('ext', 2))
  const metrics = [
    {
      type: 'External' as const,
      external: {
        metric: { name: 'queue', selector: { matchLabels: { a: 'b' } } },
        target: { type: 'Value' as const, value: '10' },
      },
    },
    {
      type: 'Object' as const,
      object: {
        describedObject: { apiVersion: 'v1', kind: 'Service', name: 's' },
        metric: { name: 'rps' },
        target: { type: 'Value' as const, value: '10' },
      },
    },
  ]
  await client.create(HorizontalPodAutoscaler, autoscaler('ext', { metrics }))
  const stuck = await cluster.until(
    HorizontalPodAutoscaler,
    'default/ext',
    (it) => (it.status?.conditions ?? []).length === 2,
  )
  const queue =
    'unable to get external metric default/queue/&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},}: unable to fetch metrics from external metrics API: the server could not find the requested resource (get queue.external.metrics.k8s.io)'
  assert.deepEqual(told(stuck)[1]?.slice(2), [
    'FailedGetExternalMetric',
    `the HPA was unable to compute the replica count: ${queue}`,
  ])
  await noted('ext', [
    `Warning FailedGetExternalMetric ${queue}`,
    'Warning FailedGetObjectMetric unable to get metric rps: Service on default s/unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
    `Warning FailedComputeMetricsReplicas invalid metrics (2 invalid out of 2), first error is: failed to get queue external metric value: failed to get external metric queue: ${queue}`,
  ])
})

async function serveMetrics(): Promise<void> {
  await cluster.client.create(CustomResourceDefinition, {
    metadata: {
      name: 'pods.metrics.k8s.io',
      annotations: { 'api-approved.kubernetes.io': 'https://example.com/metrics' },
    },
    spec: {
      group: 'metrics.k8s.io',
      scope: 'Namespaced',
      names: { plural: 'pods', singular: 'pod', kind: 'PodMetrics', listKind: 'PodMetricsList' },
      versions: [
        {
          name: 'v1beta1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  })
  await cluster.until(CustomResourceDefinition, 'pods.metrics.k8s.io', (it) =>
    (it.status?.conditions ?? []).some(
      (each) => each.type === 'Established' && each.status === 'True',
    ),
  )
}

/** Lets every pod of a deployment use so much, from now on. */
async function use(app: string, cpu: string): Promise<void> {
  const { client } = cluster
  const { items } = await client.list(Pod, { namespace: 'default', labelSelector: `app=${app}` })
  for (const { metadata } of items) {
    await client.apply(PodMetrics, {
      metadata: { name: metadata.name!, namespace: 'default', labels: { app } },
      timestamp: timeText(clock.now()),
      window: '30s',
      containers: [{ name: 'main', usage: { cpu } }],
    })
  }
}

const replicasOf = async (name: string): Promise<number> =>
  (await cluster.client.get(Deployment, `default/${name}`)).spec.replicas ?? 0

test('a target grows with what its pods use, and shrinks only when that has been steady', async () => {
  const { client } = cluster
  await serveMetrics()
  const wanted = deployment('web', 2)
  const pod = template('web')
  const [container] = pod.spec!.containers
  const resources = { requests: { cpu: '100m' } }
  await client.create(Deployment, {
    ...wanted,
    spec: {
      ...wanted.spec,
      template: {
        ...pod,
        spec: { ...pod.spec, containers: [{ ...container!, name: 'main', resources }] },
      },
    },
  })
  await turning(cluster.until(Deployment, 'default/web', (it) => it.status?.readyReplicas === 2))
  // What a pod uses while it starts does not count.
  await clock.advance(400_000)
  await use('web', '100m')
  await client.create(HorizontalPodAutoscaler, autoscaler('web'))
  const grown = await cluster.until(
    HorizontalPodAutoscaler,
    'default/web',
    (it) => it.status?.desiredReplicas === 4,
  )
  assert.deepEqual(
    told(grown).map((it) => it.slice(0, 3)),
    [
      ['AbleToScale', 'True', 'SucceededRescale'],
      ['ScalingActive', 'True', 'ValidMetricFound'],
      ['ScalingLimited', 'False', 'DesiredWithinRange'],
    ],
  )
  assert.deepEqual(grown.status?.currentMetrics, [
    {
      type: 'Resource',
      resource: { name: 'cpu', current: { averageUtilization: 100, averageValue: '100m' } },
    },
  ])
  assert.equal(await replicasOf('web'), 4)
  await use('web', '50m')
  await turning(cluster.until(Deployment, 'default/web', (it) => it.status?.readyReplicas === 4))

  await clock.advance(15_000)
  await use('web', '10m')
  await clock.advance(15_000)
  const held = await cluster.until(HorizontalPodAutoscaler, 'default/web', (it) =>
    told(it).some((condition) => condition[2] === 'ScaleDownStabilized'),
  )
  assert.equal(held.status?.desiredReplicas, 4)
  // For as long as more was asked for within five minutes, nothing becomes smaller.
  for (let i = 0; (await replicasOf('web')) !== 1; i++) {
    assert.ok(i < 60, 'the target never became smaller')
    await clock.advance(15_000)
    await use('web', '10m')
  }
  const shrunk = await cluster.until(
    HorizontalPodAutoscaler,
    'default/web',
    (it) => it.status?.desiredReplicas === 1,
  )
  assert.equal(shrunk.status?.conditions?.find((it) => it.type === 'AbleToScale')?.status, 'True')
})
