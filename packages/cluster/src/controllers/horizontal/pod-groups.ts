import type { Pod } from 'kubewright/kinds/core/v1'
import { findCondition } from 'kubewright/machinery'
import { parseTimestamp } from '../workload/time.ts'

/** What one pod used, in thousandths; times in milliseconds. */
export interface PodMetric {
  /** The end of the time that was measured. */
  readonly timestamp: number
  readonly window: number
  readonly value: bigint
}

/** What pods used, by their names. */
export type PodMetrics = ReadonlyMap<string, PodMetric>

/** How long a pod may need before what it uses tells anything, in milliseconds. */
export interface Initialization {
  /** For so long after its start, the processor time of a pod counts only while it is ready. */
  readonly cpuPeriod: number
  /** A pod that became unready within so long after its start has never been ready. */
  readonly readinessDelay: number
}

/** Pods by what is known of them (podautoscaler/replica_calculator.go groupPods). */
export interface PodGroups {
  readonly ready: number
  /** Names of pods that are there, but not at work yet. */
  readonly unready: ReadonlySet<string>
  /** Names of pods that nothing is measured of. */
  readonly missing: ReadonlySet<string>
  /** Names of pods that are going or have failed. */
  readonly ignored: ReadonlySet<string>
}

/** Sorts pods by what is known of them; `resource` is empty for metrics that are no resource. */
export function groupPods(
  pods: readonly Pod[],
  metrics: PodMetrics,
  resource: string,
  initialization: Initialization,
  now: number,
): PodGroups {
  const [unready, missing, ignored] = [new Set<string>(), new Set<string>(), new Set<string>()]
  let ready = 0
  for (const pod of pods) {
    const name = pod.metadata.name ?? ''
    const metric = metrics.get(name)
    if (pod.metadata.deletionTimestamp !== undefined || pod.status?.phase === 'Failed')
      ignored.add(name)
    else if (pod.status?.phase === 'Pending') unready.add(name)
    else if (!metric) missing.add(name)
    else if (resource === 'cpu' && isUnready(pod, metric, initialization, now)) unready.add(name)
    else ready++
  }
  return { ready, unready, missing, ignored }
}

/** Whether the processor time of a pod says nothing yet: it is starting, or has never been ready. */
function isUnready(
  { status }: Pod,
  metric: PodMetric,
  { cpuPeriod, readinessDelay }: Initialization,
  now: number,
): boolean {
  const condition = findCondition(status?.conditions, 'Ready')
  if (!condition || status?.startTime === undefined) return true
  const start = parseTimestamp(status.startTime) ?? NEVER
  const changed = parseTimestamp(condition.lastTransitionTime ?? '') ?? NEVER
  const isFalse = condition.status === 'False'
  return start + cpuPeriod > now
    ? isFalse || metric.timestamp < changed + metric.window
    : isFalse && start + readinessDelay > changed
}

/** A time before all others, as Go's zero time is. */
const NEVER = Date.parse('0001-01-01T00:00:00Z')
