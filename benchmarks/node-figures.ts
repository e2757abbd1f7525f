import { type Cluster, startCluster } from '@kubewright/cluster/testing'
import type { Deployment as DeploymentType } from 'kubewright/kinds/apps/v1'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { Lease } from 'kubewright/kinds/coordination.k8s.io/v1'
import { ConfigMap, Namespace, Node, Pod } from 'kubewright/kinds/core/v1'
import type { Draft } from 'kubewright/machinery'
import { residentMemory } from './server.ts'

/** How much is measured. */
export interface NodeScale {
  readonly pods: number
  readonly nodes: number
  /** Pods on those nodes; 0: not measured. */
  readonly scale: number
  readonly runs: number
}

/** What was measured, once for each run. */
export interface Figure {
  readonly name: string
  readonly unit: string
  readonly values: readonly number[]
  readonly better: 'less' | 'more'
}

/** How many requests are under way at once. */
const AT_ONCE = 50
/** How long anything may take, in milliseconds. */
const PATIENCE = { timeout: 3_600_000 }

/** Measures a control plane with simulated nodes, all in this process. */
export async function nodeFigures({
  pods,
  nodes,
  scale,
  runs,
}: NodeScale): Promise<readonly Figure[]> {
  await warmUp()
  const scheduled: number[] = []
  const bound: number[] = []
  const deployments: number[] = []
  const namespaces: number[] = []
  for (let run = 0; run < runs; run++) {
    console.error(`run ${run + 1} of ${runs}`)
    scheduled.push(await podsPerSecond(pods, false))
    bound.push(await podsPerSecond(pods, true))
    deployments.push(await deploymentReady())
    namespaces.push(await namespaceGone(1000))
  }
  return [
    { name: 'pods-to-running-per-second', unit: 'pods/s', values: scheduled, better: 'more' },
    { name: 'bound-pods-to-running-per-second', unit: 'pods/s', values: bound, better: 'more' },
    { name: 'deployment-of-3-to-ready-ms', unit: 'ms', values: deployments, better: 'less' },
    { name: 'namespace-1000-objects-deleted-ms', unit: 'ms', values: namespaces, better: 'less' },
    ...(scale > 0 ? await atScale(nodes, scale) : []),
  ]
}

/** Lets the machine learn what is to be done. */
async function warmUp(): Promise<void> {
  await podsPerSecond(300, false)
  await deploymentReady()
}

const pod = (name: string, nodeName?: string): Draft<Pod> => ({
  metadata: { name, namespace: 'default' },
  spec: {
    containers: [{ name: 'main', image: 'nginx:1.27' }],
    ...(nodeName !== undefined && { nodeName }),
  },
})

const isRunning = (it: Pod): boolean => it.status?.phase === 'Running'

async function podsPerSecond(count: number, isBound: boolean): Promise<number> {
  const nodes = Math.ceil(count / 100)
  await using cluster = await startCluster({ nodes })
  await nodesReady(cluster, nodes)
  const started = performance.now()
  const running = untilRunning(cluster, count)
  await createPods(cluster, count, (i) => (isBound ? `node-${(i % nodes) + 1}` : undefined))
  await running
  return count / ((performance.now() - started) / 1000)
}

/** Resolves when so many pods run: each is counted once, by the events of a watch. */
async function untilRunning({ client }: Cluster, count: number): Promise<void> {
  const { metadata } = await client.list(Pod, { limit: 1 })
  const running = new Set<string>()
  for await (const event of client.watch(Pod, {
    resourceVersion: metadata.resourceVersion ?? '',
  })) {
    if (event.type === 'ERROR') throw new Error(event.object.message)
    if (event.type !== 'BOOKMARK' && isRunning(event.object))
      running.add(event.object.metadata.name!)
    if (running.size >= count) return
  }
}

async function nodesReady(cluster: Cluster, count: number): Promise<void> {
  await cluster.untilList(
    Node,
    {},
    (all) => all.length === count && all.every((it) => !it.spec?.taints?.length),
    PATIENCE,
  )
  await cluster.untilList(
    Lease,
    { namespace: 'kube-node-lease' },
    (all) => all.length === count,
    PATIENCE,
  )
}

async function createPods(
  { client }: Cluster,
  count: number,
  nodeOf: (index: number) => string | undefined,
): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next++
      await client.create(Pod, pod(`pod-${index}`, nodeOf(index)))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

const web = (): Draft<DeploymentType> => ({
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'nginx:1.27' }] },
    },
  },
})

async function deploymentReady(): Promise<number> {
  await using cluster = await startCluster({ nodes: 3 })
  await nodesReady(cluster, 3)
  const started = performance.now()
  await cluster.client.create(Deployment, web())
  await cluster.until(Deployment, 'default/web', (it) => it.status?.readyReplicas === 3, PATIENCE)
  return performance.now() - started
}

async function namespaceGone(objects: number): Promise<number> {
  await using cluster = await startCluster()
  const { client } = cluster
  await client.create(Namespace, { metadata: { name: 'full' } })
  for (let at = 0; at < objects; at += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, objects - at) }, (_, i) =>
      client.create(ConfigMap, { metadata: { name: `map-${at + i}`, namespace: 'full' } }),
    )
    await Promise.all(some)
  }
  const started = performance.now()
  await client.delete(Namespace, 'full')
  await cluster.untilGone(Namespace, 'full', PATIENCE)
  return performance.now() - started
}

/** How long it is watched what nodes cost that do nothing, in milliseconds: two rounds of heartbeats. */
const IDLE = 40_000

async function atScale(nodes: number, pods: number): Promise<readonly Figure[]> {
  console.error(`${nodes} nodes with ${pods} pods`)
  const capacity = { pods: String(Math.ceil(pods / nodes) + 10) }
  await using cluster = await startCluster({
    nodes: Array.from({ length: nodes }, () => ({ capacity })),
  })
  await nodesReady(cluster, nodes)
  const idle = await cpuShare()
  const started = performance.now()
  const running = untilRunning(cluster, pods)
  await createPods(cluster, pods, (i) => `node-${(i % nodes) + 1}`)
  await running
  const seconds = (performance.now() - started) / 1000
  globalThis.gc?.()
  const memory = await residentMemory(process.pid)
  const full = await cpuShare()
  const name = `nodes-${nodes}`
  return [
    { name: `${name}-idle-cpu-percent`, unit: '%', values: [idle], better: 'less' },
    {
      name: `${name}-pods-${pods}-running-per-second`,
      unit: 'pods/s',
      values: [pods / seconds],
      better: 'more',
    },
    { name: `${name}-pods-${pods}-rss`, unit: 'MiB', values: [memory], better: 'less' },
    { name: `${name}-pods-${pods}-idle-cpu-percent`, unit: '%', values: [full], better: 'less' },
  ]
}

/** Which share of one processor this process uses while nothing is asked of it, in percent. */
async function cpuShare(): Promise<number> {
  const before = process.cpuUsage()
  await new Promise((resolve) => setTimeout(resolve, IDLE))
  const { user, system } = process.cpuUsage(before)
  return ((user + system) / 1000 / IDLE) * 100
}
