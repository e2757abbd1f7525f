import type { Metrics } from '../base/metrics.ts'
import type { Outcome } from './outcome.ts'

/** What the worker reports. */
export interface ControllerMeter {
  started(): void
  ended(outcome: Outcome, ms: number): void
}

const BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9,
  1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
]

/** The `controller_runtime_*` metrics of one controller, under the names and labels that dashboards know. */
export function controllerMeter(
  metrics: Metrics,
  controller: string,
  maxConcurrent: number,
): ControllerMeter {
  const labels = { controller }
  const of = (name: string, help: string, more: readonly string[] = []) => ({
    name: `controller_runtime_${name}`,
    help,
    labels: ['controller', ...more],
  })
  const total = metrics.counter(
    of('reconcile_total', 'Total number of reconciliations per controller', ['result']),
  )
  const errors = metrics.counter(
    of('reconcile_errors_total', 'Total number of reconciliation errors per controller'),
  )
  const terminal = metrics.counter(
    of(
      'terminal_reconcile_errors_total',
      'Total number of terminal reconciliation errors per controller',
    ),
  )
  const panics = metrics.counter(
    of('reconcile_panics_total', 'Total number of reconciliation panics per controller'),
  )
  const timeouts = metrics.counter(
    of('reconcile_timeouts_total', 'Total number of reconciliation timeouts per controller'),
  )
  const time = metrics.histogram({
    ...of('reconcile_time_seconds', 'Length of time per reconciliation per controller'),
    buckets: BUCKETS,
  })
  const active = metrics.gauge(
    of('active_workers', 'Number of currently used workers per controller'),
  )
  metrics
    .gauge(
      of('max_concurrent_reconciles', 'Maximum number of concurrent reconciles per controller'),
    )
    .set(maxConcurrent, labels)
  for (const counter of [errors, terminal, panics, timeouts]) counter.add(labels, 0)
  for (const result of ['success', 'error', 'requeue_after', 'requeue'])
    total.add({ ...labels, result }, 0)
  active.set(0, labels)
  return {
    started: () => active.add(1, labels),
    ended(outcome, ms) {
      active.add(-1, labels)
      total.add({ ...labels, result: outcome.label })
      time.observe(ms / 1000, labels)
      if (outcome.label === 'error') errors.add(labels)
      if (outcome.terminal) terminal.add(labels)
      if (outcome.panic) panics.add(labels)
      if (outcome.timeout) timeouts.add(labels)
    },
  }
}
