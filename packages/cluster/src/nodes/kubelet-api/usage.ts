import type { Pod } from 'kubewright/kinds/core/v1'
import { timeText } from 'kubewright/machinery'
import { isRunning } from './container-state.ts'
import type { ContainerUsage, KubeletHost, PodRef, Usage } from './pod-access.ts'

/** A pod by what access asks for. */
export const refOf = ({ metadata }: Pod): PodRef => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
})

/** What the running containers of a pod use; those that do not run use nothing. */
export interface MeasuredPod {
  readonly pod: Pod
  readonly containers: readonly ContainerUsage[]
}

/** What the pods of a node use, those of which anything is known. */
export const measuredPods = (host: KubeletHost): readonly MeasuredPod[] =>
  host.pods().flatMap((pod) => {
    const usage = host.access.usage(refOf(pod))
    const containers = usage?.containers.filter((it) => isRunning(pod, it.name)) ?? []
    return containers.length > 0 ? [{ pod, containers }] : []
  })

/** Several uses together; none is nothing, now. */
export function summed(parts: readonly Usage[], now: number): Usage {
  const [first = { at: now, window: 0 }] = parts
  const sum = (of: (it: Usage) => number): number => parts.reduce((total, it) => total + of(it), 0)
  return {
    at: Math.min(first.at, ...parts.map((it) => it.at)),
    window: Math.max(first.window, ...parts.map((it) => it.window)),
    cpuCores: sum((it) => it.cpuCores),
    cpuSeconds: sum((it) => it.cpuSeconds),
    workingSetBytes: sum((it) => it.workingSetBytes),
  }
}

/** What a whole node uses: its machine and all of its pods. */
export const nodeUsage = (host: KubeletHost): Usage =>
  summed([host.overhead(), ...measuredPods(host).flatMap((it) => it.containers)], host.now())

/** `/stats/summary` (kubelet/pkg/apis/stats/v1alpha1 Summary): CPU and memory, which is what is measured. */
export function statsSummary(host: KubeletHost): object {
  return {
    node: {
      nodeName: host.node,
      startTime: timeText(host.startedAt),
      ...stats(nodeUsage(host)),
    },
    pods: measuredPods(host).map(({ pod, containers }) => ({
      podRef: refOf(pod),
      startTime: pod.status?.startTime,
      containers: containers.map((it) => ({
        name: it.name,
        startTime: timeText(it.startedAt),
        ...stats(it),
      })),
      ...stats(summed(containers, host.now())),
    })),
  }
}

function stats(usage: Usage): object {
  const time = timeText(usage.at)
  const bytes = Math.round(usage.workingSetBytes)
  return {
    cpu: {
      time,
      usageNanoCores: Math.round(usage.cpuCores * 1e9),
      usageCoreNanoSeconds: Math.round(usage.cpuSeconds * 1e9),
    },
    memory: { time, usageBytes: bytes, workingSetBytes: bytes, rssBytes: bytes },
  }
}

/** `/metrics/resource`: what a metrics-server scrapes (kubernetes/pkg/kubelet/metrics/collectors/resource_metrics.go). */
export function resourceMetrics(host: KubeletHost): string {
  const pods = measuredPods(host)
  const rows = (value: (it: ContainerUsage) => string, timed: boolean): readonly string[] =>
    pods.flatMap(({ pod, containers }) =>
      containers.map((it) => {
        const { namespace, name } = refOf(pod)
        const labels = labelled({ container: it.name, namespace, pod: name })
        return `${labels} ${value(it)}${timed ? ` ${Math.round(it.at)}` : ''}`
      }),
    )
  const podRows = (value: (it: Usage) => string): readonly string[] =>
    pods.map(({ pod, containers }) => {
      const { namespace, name } = refOf(pod)
      const usage = summed(containers, host.now())
      return `${labelled({ namespace, pod: name })} ${value(usage)} ${Math.round(usage.at)}`
    })
  const node = nodeUsage(host)
  const at = Math.round(node.at)
  return [
    family('container_cpu_usage_seconds_total', 'counter', rows(cpu, true)),
    family('container_memory_working_set_bytes', 'gauge', rows(memory, true)),
    family(
      'container_start_time_seconds',
      'gauge',
      rows((it) => String(it.startedAt / 1000), false),
    ),
    family('node_cpu_usage_seconds_total', 'counter', [` ${cpu(node)} ${at}`]),
    family('node_memory_working_set_bytes', 'gauge', [` ${memory(node)} ${at}`]),
    family('pod_cpu_usage_seconds_total', 'counter', podRows(cpu)),
    family('pod_memory_working_set_bytes', 'gauge', podRows(memory)),
    family('resource_scrape_error', 'gauge', [' 0']),
  ].join('')
}

const cpu = ({ cpuSeconds }: Usage): string => String(cpuSeconds)
const memory = ({ workingSetBytes }: Usage): string => String(Math.round(workingSetBytes))

const labelled = (labels: Readonly<Record<string, string>>): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',')}}`

const HELP: Readonly<Record<string, string>> = {
  container_cpu_usage_seconds_total: 'CPU time that a container has used, in core-seconds',
  container_memory_working_set_bytes: 'Working set of a container, in bytes',
  container_start_time_seconds: 'When a container started, in seconds since the epoch',
  node_cpu_usage_seconds_total: 'CPU time that the node has used, in core-seconds',
  node_memory_working_set_bytes: 'Working set of the node, in bytes',
  pod_cpu_usage_seconds_total: 'CPU time that a pod has used, in core-seconds',
  pod_memory_working_set_bytes: 'Working set of a pod, in bytes',
  resource_scrape_error: '1 if there was an error while getting container metrics, 0 otherwise',
}

const family = (name: string, type: string, rows: readonly string[]): string =>
  rows.length === 0
    ? ''
    : `# HELP ${name} ${HELP[name]}\n# TYPE ${name} ${type}\n${rows.map((it) => `${name}${it}\n`).join('')}`
