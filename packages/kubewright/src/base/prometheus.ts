import type { Metrics, MetricSpec } from './metrics.ts'

/** {@link Metrics} that can be scraped: `text` is the exposition of everything measured so far. */
export interface PrometheusMetrics extends Metrics {
  /** The media type of `text`. */
  readonly contentType: string
  text(): Promise<string>
}

/**
 * Makes metrics kept in a prom-client registry of their own; `process: true` adds the process's and Node's own. The library is
 * loaded only now: who does not measure does not pay for it.
 */
export async function prometheusMetrics(
  options: { readonly process?: boolean } = {},
): Promise<PrometheusMetrics> {
  const { default: prom } = await import('prom-client')
  const registry = new prom.Registry()
  if (options.process) prom.collectDefaultMetrics({ register: registry })
  const updates: (() => void)[] = []
  const known = new Map<string, unknown>()
  const once = <M>(name: string, make: () => M): M => {
    if (!known.has(name)) known.set(name, make())
    return known.get(name) as M
  }
  const config = (it: MetricSpec) => ({
    name: it.name,
    help: it.help,
    labelNames: [...(it.labels ?? [])],
    registers: [registry],
  })
  return {
    contentType: registry.contentType,
    text: () => {
      for (const update of updates) update()
      return registry.metrics()
    },
    beforeRead: (update) => void updates.push(update),
    counter: (spec) =>
      once(spec.name, () => {
        const metric = new prom.Counter(config(spec))
        return { add: (labels = {}, by = 1) => metric.inc(labels, by) }
      }),
    gauge: (spec) =>
      once(spec.name, () => {
        const metric = new prom.Gauge(config(spec))
        return {
          set: (value, labels = {}) => metric.set(labels, value),
          add: (by, labels = {}) => metric.inc(labels, by),
        }
      }),
    histogram: (spec) =>
      once(spec.name, () => {
        const buckets = spec.buckets ? { buckets: [...spec.buckets] } : {}
        const metric = new prom.Histogram({ ...config(spec), ...buckets })
        return { observe: (value, labels = {}) => metric.observe(labels, value) }
      }),
  }
}
