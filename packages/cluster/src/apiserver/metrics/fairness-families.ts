import type { Fairness } from '../fairness/fairness.ts'
import type { MetricRegistry } from './registry.ts'

/** Tells what the levels of a server's fairness do, when the metrics are read (apiserver/pkg/util/flowcontrol/metrics). */
export function fairnessMetrics(registry: MetricRegistry, fairness: Fairness): void {
  const labels = ['priority_level']
  const gauge = (name: string, help: string) => registry.gauge({ name, help, labels })
  const families = {
    nominal: gauge(
      'apiserver_flowcontrol_nominal_limit_seats',
      '[BETA] Nominal number of execution seats configured for each priority level',
    ),
    lower: gauge(
      'apiserver_flowcontrol_lower_limit_seats',
      '[ALPHA] Configured lower bound on number of execution seats available to each priority level',
    ),
    upper: gauge(
      'apiserver_flowcontrol_upper_limit_seats',
      '[ALPHA] Configured upper bound on number of execution seats available to each priority level',
    ),
  }
  const executing = gauge(
    'apiserver_flowcontrol_current_executing_requests',
    '[BETA] Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem',
  )
  const waiting = gauge(
    'apiserver_flowcontrol_current_inqueue_requests',
    '[BETA] Number of requests currently pending in queues of the API Priority and Fairness subsystem',
  )
  const dispatched = registry.counter({
    name: 'apiserver_flowcontrol_dispatched_requests_total',
    help: '[BETA] Number of requests executed by API Priority and Fairness subsystem',
    labels,
  })
  const rejected = registry.counter({
    name: 'apiserver_flowcontrol_rejected_requests_total',
    help: '[BETA] Number of requests rejected by API Priority and Fairness subsystem',
    labels: ['priority_level', 'reason'],
  })
  const told = new Map<string, number>()
  const grown = (key: string, value: number): number => {
    const by = value - (told.get(key) ?? 0)
    told.set(key, value)
    return Math.max(by, 0)
  }
  registry.beforeText(async () => {
    for (const it of await fairness.levels()) {
      for (const bound of ['nominal', 'lower', 'upper'] as const)
        families[bound].set(it.seats[bound], [it.name])
      executing.set(it.executing, [it.name])
      waiting.set(it.waiting, [it.name])
      dispatched.add([it.name], grown(`d ${it.name}`, it.dispatched))
      if (it.rejected > 0)
        rejected.add([it.name, 'concurrency-limit'], grown(`r ${it.name}`, it.rejected))
      if (it.timedOut > 0) rejected.add([it.name, 'time-out'], grown(`t ${it.name}`, it.timedOut))
    }
  })
}
