import type { Clock } from 'kubewright/base'
import type { AdmissionObserver } from '../admission/observer.ts'
import { KUBERNETES, versionInfo } from '../endpoints/version.ts'
import type { Storage } from '../storage/storage.ts'
import { admissionMetrics } from './admission-families.ts'
import { MetricRegistry } from './registry.ts'
import {
  type AccessFamilies,
  accessFamilies,
  type RequestFamilies,
  requestFamilies,
} from './request-families.ts'

/** Which resources there are to be counted, by where they lie. */
export interface CountedResource {
  readonly group: string
  readonly plural: string
  readonly storageKey: string
}

/** What a server measures of itself, under the names of kube-apiserver. */
export interface ServerMetrics {
  readonly registry: MetricRegistry
  readonly requests: RequestFamilies
  readonly access: AccessFamilies
  readonly admission: AdmissionObserver
}

/** Makes the metrics of a server; what is stored is counted when they are read. */
export function serverMetrics(
  storage: Storage,
  resources: () => readonly CountedResource[],
  clock: Clock,
): ServerMetrics {
  const registry = new MetricRegistry()
  processMetrics(registry, clock)
  objectCounts(registry, storage, resources)
  return {
    registry,
    requests: requestFamilies(registry),
    access: accessFamilies(registry),
    admission: admissionMetrics(registry),
  }
}

function objectCounts(
  registry: MetricRegistry,
  storage: Storage,
  resources: () => readonly CountedResource[],
): void {
  const why =
    'Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.'
  const old = registry.gauge({
    name: 'apiserver_storage_objects',
    help: `[STABLE] (Deprecated since 1.34.0) [DEPRECATED, consider using apiserver_resource_objects instead] ${why}`,
    labels: ['resource'],
  })
  const counts = registry.gauge({
    name: 'apiserver_resource_objects',
    help: `[ALPHA] ${why}`,
    labels: ['group', 'resource'],
  })
  registry.beforeText(async () => {
    counts.clear()
    old.clear()
    const unique = new Map(resources().map((it) => [it.storageKey, it]))
    for (const { group, plural, storageKey } of unique.values()) {
      const count = await countOf(storage, storageKey)
      counts.set(count, [group, plural])
      old.set(count, [group === '' ? plural : `${plural}.${group}`])
    }
  })
}

async function countOf(storage: Storage, storageKey: string): Promise<number> {
  try {
    const { items, remaining } = await storage.list({ prefix: `${storageKey}/`, limit: 1 })
    return items.length + remaining
  } catch {
    return -1
  }
}

function processMetrics(registry: MetricRegistry, clock: Clock): void {
  const started = clock.now() / 1000
  const build = registry.gauge({
    name: 'kubernetes_build_info',
    help: "[BETA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
    labels: ['git_version', 'major', 'minor'],
  })
  build.set(1, [versionInfo['gitVersion']!, KUBERNETES.major, KUBERNETES.minor])
  const cpu = registry.counter({
    name: 'process_cpu_seconds_total',
    help: 'Total user and system CPU time spent in seconds.',
  })
  const memory = registry.gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory size in bytes.',
  })
  const start = registry.gauge({
    name: 'process_start_time_seconds',
    help: 'Start time of the process since unix epoch in seconds.',
  })
  start.set(started)
  let told = 0
  registry.beforeText(() => {
    const { user, system } = process.cpuUsage()
    const seconds = (user + system) / 1e6
    cpu.add([], seconds - told)
    told = seconds
    memory.set(process.memoryUsage.rss())
  })
}
