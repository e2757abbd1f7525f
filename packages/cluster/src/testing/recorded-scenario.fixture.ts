import { type FakeClock, fakeClock, seededRandom } from 'kubewright/base'
import { Deployment, ReplicaSet, StatefulSet } from 'kubewright/kinds/apps/v1'
import { HorizontalPodAutoscaler } from 'kubewright/kinds/autoscaling/v2'
import { CronJob, Job } from 'kubewright/kinds/batch/v1'
import { Lease } from 'kubewright/kinds/coordination.k8s.io/v1'
import { Event, Node, Pod, Service } from 'kubewright/kinds/core/v1'
import { EndpointSlice } from 'kubewright/kinds/discovery.k8s.io/v1'
import { PodDisruptionBudget } from 'kubewright/kinds/policy/v1'
import { ApiError, type Kind, type KubeObject } from 'kubewright/machinery'
import { type Cluster, startCluster } from './cluster.ts'
import { whenPod } from './index.ts'
import { deployment, here, job, selector, template } from './objects.fixture.ts'

/** What is written down. */
const WATCHED: readonly Kind[] = [
  Pod,
  Node,
  Lease,
  Event,
  Deployment,
  ReplicaSet,
  StatefulSet,
  Job,
  CronJob,
  HorizontalPodAutoscaler,
  PodDisruptionBudget,
  EndpointSlice,
] as readonly Kind[]

/** How far the clock is turned at once, in milliseconds. */
const STEP = 5000

/**
 * Half an hour of a cluster's life (or its first `minutes`) in which much happens, from a seed: rollouts, a node that is lost and comes back, another that is drained, crash
 * loops, an autoscaler. Answers with every change that watches told of, a line each, in the order of their versions.
 */
export async function recordedScenario(
  seed: number,
  minutes: number = 30,
): Promise<readonly string[]> {
  const clock = fakeClock()
  await using cluster = await startCluster({
    clock,
    random: seededRandom(seed),
    nodes: 4,
    pods: RULES,
  })
  const lines: { readonly revision: number; readonly text: string }[] = []
  const stop = new AbortController()
  for (const kind of WATCHED) {
    void record(cluster, kind, stop.signal, (revision, text) => lines.push({ revision, text }))
  }
  for (const { minute, act } of SCENES.filter((it) => it.minute < minutes)) {
    await turnTo(clock, minute)
    await act(cluster)
  }
  await turnTo(clock, minutes)
  stop.abort()
  return lines.toSorted((a, b) => a.revision - b.revision).map((it) => it.text)
}

const START = fakeClock().now()

async function turnTo(clock: FakeClock, minute: number): Promise<void> {
  while (clock.now() < START + minute * 60_000) await clock.advance(STEP)
}

async function record(
  { client }: Cluster,
  kind: Kind,
  signal: AbortSignal,
  note: (revision: number, text: string) => void,
): Promise<void> {
  try {
    for await (const event of client.watch(kind, { resourceVersion: '0', signal })) {
      if (event.type === 'BOOKMARK' || event.type === 'ERROR') continue
      const object: KubeObject = event.object
      note(Number(object.metadata.resourceVersion), `${event.type} ${JSON.stringify(object)}`)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

const RULES = [
  whenPod('app=crashing').failsWith(1, { after: '3s' }),
  whenPod('job-name=flaky').failsWith(2).times(2),
  whenPod('app=web').uses((seconds) => ({ cpu: seconds < 240 ? 0.3 : 0.02, memory: 2 ** 26 })),
]

interface Scene {
  readonly minute: number
  readonly act: (cluster: Cluster) => Promise<unknown>
}

const image = (name: string): object => ({
  spec: { template: { spec: { containers: [{ name: 'main', image: name }] } } },
})

const strategic = (name: string, body: object) => (cluster: Cluster) =>
  cluster.client.patch(Deployment, here(name), { type: 'strategic', body })

const kubelet =
  (node: string, state: string | null) =>
  ({ client }: Cluster): Promise<unknown> =>
    client.patch(Node, node, {
      type: 'merge',
      body: { metadata: { annotations: { 'kubewright.dev/kubelet': state } } },
    })

const SCENES: readonly Scene[] = [
  { minute: 0.5, act: populate },
  { minute: 4, act: strategic('web', image('nginx:1.26')) },
  { minute: 8, act: kubelet('node-2', 'stopped') },
  { minute: 16, act: kubelet('node-2', null) },
  { minute: 18, act: drain },
  { minute: 21, act: strategic('web', image('nginx:does-not-exist')) },
  { minute: 24, act: strategic('web', image('nginx:1.27')) },
  {
    minute: 26,
    act: ({ client }) =>
      client.patch(Node, 'node-3', { type: 'merge', body: { spec: { unschedulable: null } } }),
  },
  { minute: 27, act: strategic('crashing', { spec: { replicas: 4 } }) },
]

async function populate({ client }: Cluster): Promise<void> {
  const web = deployment('web', 4)
  const hungry = template('web', {
    resources: { requests: { cpu: '200m' } },
    readinessProbe: { httpGet: { port: 80 } },
  })
  await client.create(Deployment, { ...web, spec: { ...web.spec!, template: hungry } })
  await client.create(Service, {
    metadata: here('web'),
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  })
  await client.create(Deployment, deployment('crashing', 2))
  await client.create(StatefulSet, {
    metadata: here('db'),
    spec: { replicas: 3, serviceName: 'db', selector: selector('db'), template: template('db') },
  })
  await client.create(Job, job('flaky', ['sleep', '20']))
  const { spec } = job('tick', ['sleep', '5'])
  await client.create(CronJob, {
    metadata: here('tick'),
    spec: { schedule: '*/5 * * * *', jobTemplate: { spec: spec as NonNullable<Job['spec']> } },
  })
  await client.create(PodDisruptionBudget, {
    metadata: here('web'),
    spec: { minAvailable: 1, selector: selector('web') },
  })
  await client.create(HorizontalPodAutoscaler, {
    metadata: here('web'),
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 2,
      maxReplicas: 8,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
        },
      ],
    },
  })
}

/** As `kubectl drain` does: no new pods, and an eviction for each that is there. */
async function drain({ client }: Cluster): Promise<void> {
  await client.patch(Node, 'node-3', { type: 'merge', body: { spec: { unschedulable: true } } })
  const { items } = await client.list(Pod, { fieldSelector: 'spec.nodeName=node-3' })
  for (const { metadata } of items) {
    const { namespace, name } = metadata
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } }
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`
    // A budget may forbid it: whoever drains tries again later, or does not.
    await client.raw({ method: 'POST', path, body: eviction }).catch(unlessForbidden)
  }
}

function unlessForbidden(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 429) throw error
}
