import type { CounterFamily, GaugeFamily, HistogramFamily, MetricRegistry } from './registry.ts'

const SECONDS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45,
  60,
]
const DOUBLING = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i)

/** What of a request is counted apart. */
const LABELS = [
  'component',
  'dry_run',
  'group',
  'resource',
  'scope',
  'subresource',
  'verb',
  'version',
]
const WITHOUT_DRY_RUN = LABELS.filter((it) => it !== 'dry_run')

/** The families that requests are counted in (apiserver/pkg/endpoints/metrics). */
export interface RequestFamilies {
  readonly total: CounterFamily
  readonly duration: HistogramFamily
  readonly sli: HistogramFamily
  readonly sizes: HistogramFamily
  readonly inFlight: GaugeFamily
  readonly longRunning: GaugeFamily
  readonly watchEvents: CounterFamily
}

/** Makes the families of requests. */
export const requestFamilies = (registry: MetricRegistry): RequestFamilies => ({
  total: registry.counter({
    name: 'apiserver_request_total',
    help: '[STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
    labels: ['code', ...LABELS],
  }),
  duration: registry.histogram({
    name: 'apiserver_request_duration_seconds',
    help: '[STABLE] Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
    labels: LABELS,
    bounds: SECONDS,
  }),
  sli: registry.histogram({
    name: 'apiserver_request_sli_duration_seconds',
    help: '[ALPHA] Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds for each verb, group, version, resource, subresource, scope and component.',
    labels: WITHOUT_DRY_RUN,
    bounds: SECONDS.slice(2),
  }),
  sizes: registry.histogram({
    name: 'apiserver_response_sizes',
    help: '[STABLE] Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.',
    labels: WITHOUT_DRY_RUN,
    bounds: Array.from({ length: 7 }, (_, i) => 1000 * 10 ** i),
  }),
  inFlight: registry.gauge({
    name: 'apiserver_current_inflight_requests',
    help: '[STABLE] Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
    labels: ['request_kind'],
  }),
  longRunning: registry.gauge({
    name: 'apiserver_longrunning_requests',
    help: '[STABLE] Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.',
    labels: WITHOUT_DRY_RUN,
  }),
  watchEvents: registry.counter({
    name: 'apiserver_watch_events_total',
    help: '[ALPHA] Number of events sent in watch clients',
    labels: ['group', 'resource', 'version'],
  }),
})

/** The families of who asks and who may (kubernetes' endpoints/filters/metrics.go). */
export interface AccessFamilies {
  readonly attempts: CounterFamily
  readonly users: CounterFamily
  readonly authentication: HistogramFamily
  readonly decisions: CounterFamily
  readonly authorization: HistogramFamily
  readonly auditEvents: CounterFamily
}

/** Makes the families of authentication, authorization and audit. */
export const accessFamilies = (registry: MetricRegistry): AccessFamilies => ({
  attempts: registry.counter({
    name: 'authentication_attempts',
    help: '[ALPHA] Counter of authenticated attempts.',
    labels: ['result'],
  }),
  users: registry.counter({
    name: 'authenticated_user_requests',
    help: '[ALPHA] Counter of authenticated requests broken out by username.',
    labels: ['username'],
  }),
  authentication: registry.histogram({
    name: 'authentication_duration_seconds',
    help: '[ALPHA] Authentication duration in seconds broken out by result.',
    labels: ['result'],
    bounds: DOUBLING,
  }),
  decisions: registry.counter({
    name: 'authorization_attempts_total',
    help: "[ALPHA] Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
    labels: ['result'],
  }),
  authorization: registry.histogram({
    name: 'authorization_duration_seconds',
    help: '[ALPHA] Authorization duration in seconds broken out by result.',
    labels: ['result'],
    bounds: DOUBLING,
  }),
  auditEvents: registry.counter({
    name: 'apiserver_audit_event_total',
    help: '[ALPHA] Counter of audit events generated and sent to the audit backend.',
  }),
})
