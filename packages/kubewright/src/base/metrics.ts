/** Label values of one series; every label declared for the metric must be given. */
export type MetricLabels = Readonly<Record<string, string>>

/** A number that only grows. */
export interface Counter {
  add(labels?: MetricLabels, by?: number): void
}

/** A number that goes up and down. */
export interface Gauge {
  set(value: number, labels?: MetricLabels): void
  add(by: number, labels?: MetricLabels): void
}

/** A distribution of observed values, in seconds where it measures time. */
export interface Histogram {
  observe(value: number, labels?: MetricLabels): void
}

/** What a metric is called and which labels it carries. */
export interface MetricSpec {
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
  /** Upper bounds of a histogram's buckets, ascending. */
  readonly buckets?: readonly number[]
}

/**
 * Where measurements go. Asking twice for the same name answers with the same metric. Implementations never throw on a
 * measurement and keep no process-global state.
 */
export interface Metrics {
  counter(spec: MetricSpec): Counter
  gauge(spec: MetricSpec): Gauge
  histogram(spec: MetricSpec): Histogram
  /** Calls `update` before the metrics are read, for values that are only worth computing then. */
  beforeRead(update: () => void): void
}

const nothing = (): void => {}

/** Metrics that measure nothing, at no cost. */
export const noMetrics: Metrics = Object.freeze({
  counter: () => ({ add: nothing }),
  gauge: () => ({ set: nothing, add: nothing }),
  histogram: () => ({ observe: nothing }),
  beforeRead: nothing,
})
