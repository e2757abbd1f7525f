import type { Clock } from '../base/clock.ts'
import { noMetrics, type Metrics } from '../base/metrics.ts'
import type { QueueState, Taken } from './queue-machine.ts'

/** What the shell of a queue reports. */
export interface QueueMeter {
  added(after: number | undefined): void
  retried(): void
  taken(taken: Taken): void
  done(key: string): void
}

/** Twelve buckets from 10 ns, each ten times the last (client-go's workqueue metrics). */
const BUCKETS = Array.from({ length: 12 }, (_, i) => 1e-8 * 10 ** i)

const SILENT: QueueMeter = { added() {}, retried() {}, taken() {}, done() {} }

/** The `workqueue_*` metrics of controller-runtime, labelled with the queue's name (twice, as dashboards expect). */
export function queueMetrics(
  metrics: Metrics,
  name: string,
  clock: Clock,
  state: QueueState,
): QueueMeter {
  if (metrics === noMetrics) return SILENT
  const labels = { name, controller: name }
  const names = ['name', 'controller']
  const of = (metric: string, help: string) => ({
    name: `workqueue_${metric}`,
    help,
    labels: names,
  })
  const adds = metrics.counter(of('adds_total', 'Total number of adds handled by workqueue'))
  const retries = metrics.counter(
    of('retries_total', 'Total number of retries handled by workqueue'),
  )
  const waited = metrics.histogram({
    ...of(
      'queue_duration_seconds',
      'How long in seconds an item stays in workqueue before being requested',
    ),
    buckets: BUCKETS,
  })
  const worked = metrics.histogram({
    ...of('work_duration_seconds', 'How long in seconds processing an item from workqueue takes.'),
    buckets: BUCKETS,
  })
  gauges(metrics, labels, clock, state)
  const started = new Map<string, number>()
  return {
    added: (after) => {
      adds.add(labels)
      if (after && after > 0) retries.add(labels)
    },
    retried: () => {
      adds.add(labels)
      retries.add(labels)
    },
    taken: (taken) => {
      started.set(taken.key, clock.now())
      waited.observe(taken.waited / 1000, labels)
    },
    done: (key) => {
      const at = started.get(key)
      started.delete(key)
      if (at !== undefined) worked.observe((clock.now() - at) / 1000, labels)
    },
  }
}

function gauges(
  metrics: Metrics,
  labels: { readonly name: string; readonly controller: string },
  clock: Clock,
  state: QueueState,
): void {
  const names = ['name', 'controller']
  const depth = metrics.gauge({
    name: 'workqueue_depth',
    help: 'Current depth of workqueue by workqueue and priority',
    labels: [...names, 'priority'],
  })
  const unfinished = metrics.gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: "How many seconds of work has been done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
    labels: names,
  })
  const longest = metrics.gauge({
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How many seconds has the longest running processor for workqueue been running.',
    labels: names,
  })
  const known = new Set<number>()
  metrics.beforeRead(() => {
    const counts = new Map<number, number>([0, ...state.priorities].map((it) => [it, 0]))
    const running: number[] = []
    for (const entry of state.entries.values()) {
      if (entry.place === 'ready') counts.set(entry.priority, (counts.get(entry.priority) ?? 0) + 1)
      if (entry.place === 'processing') running.push((clock.now() - entry.takenAt) / 1000)
    }
    for (const [priority, count] of byLabel(counts, known))
      depth.set(count, { ...labels, priority })
    unfinished.set(
      running.reduce((a, b) => a + b, 0),
      labels,
    )
    longest.set(Math.max(0, ...running), labels)
  })
}

/** How many priorities get a series of their own (controller-runtime priorityqueue/metrics.go). */
const SERIES = 25

/** Counts by label: a program that makes up ever new priorities must not make ever new series. */
function byLabel(
  counts: ReadonlyMap<number, number>,
  known: Set<number>,
): ReadonlyMap<string, number> {
  const labelled = new Map<string, number>()
  for (const [priority, count] of counts) {
    if (known.size < SERIES) known.add(priority)
    const label = known.has(priority) ? String(priority) : 'exceeded_cardinality_limit'
    labelled.set(label, (labelled.get(label) ?? 0) + count)
  }
  return labelled
}
