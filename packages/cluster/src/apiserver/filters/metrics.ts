import type { Clock } from 'kubewright/base'
import type { Exchange, Filter } from '../endpoints/exchange.ts'

/** Bounds of the latency histogram, in seconds. */
const BOUNDS = [0.005, 0.025, 0.1, 0.5, 1, 5, 30] as const

/** How many series are kept: paths say what they like, also those of nobody. */
const MOST_SERIES = 4096
/** What a resource, group or version may be called; whatever else a path says counts as `other`. */
const PLAIN = /^[a-zA-Z0-9./-]{0,128}$/

interface Series {
  count: number
  seconds: number
  readonly buckets: number[]
}

/** Counts requests and how long they took, in the names of the real server (`apiserver_request_total` …). */
export class RequestMetrics {
  readonly #clock: Clock
  readonly #totals = new Map<string, number>()
  readonly #durations = new Map<string, Series>()
  #inFlight = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The filter that counts. A stream counts when it begins. */
  readonly filter: Filter = (next) => async (exchange) => {
    const start = this.#clock.now()
    this.#inFlight++
    try {
      const answer = await next(exchange)
      this.#note(exchange, answer.status, (this.#clock.now() - start) / 1000)
      return answer
    } finally {
      this.#inFlight--
    }
  }

  #note({ info }: Exchange, code: number, seconds: number): void {
    const verb = info.verb.toUpperCase()
    const known = labelsOf(info, verb)
    const isFull = this.#durations.size >= MOST_SERIES && !this.#durations.has(known)
    const labels = isFull ? labelsOf(OTHER, verb) : known
    const total = `code="${code}",${labels}`
    this.#totals.set(total, (this.#totals.get(total) ?? 0) + 1)
    const series = this.#durations.get(labels) ?? {
      count: 0,
      seconds: 0,
      buckets: BOUNDS.map(() => 0),
    }
    series.count++
    series.seconds += seconds
    BOUNDS.forEach((bound, i) => {
      if (seconds <= bound) series.buckets[i]!++
    })
    this.#durations.set(labels, series)
  }

  /** Everything, in Prometheus' text format. `revision` is the store's. */
  text(revision: number): string {
    return [
      ...family('apiserver_request_total', 'counter', 'Requests by verb, resource and code.'),
      ...[...this.#totals].map(([labels, it]) => `apiserver_request_total{${labels}} ${it}`),
      ...family('apiserver_request_duration_seconds', 'histogram', 'How long requests took.'),
      ...[...this.#durations].flatMap(([labels, it]) => histogram(labels, it)),
      ...family(
        'apiserver_current_inflight_requests',
        'gauge',
        'Requests that are being answered.',
      ),
      `apiserver_current_inflight_requests ${this.#inFlight}`,
      ...family('apiserver_storage_revision', 'gauge', 'The newest revision of the store.'),
      `apiserver_storage_revision ${revision}`,
      ...family('process_resident_memory_bytes', 'gauge', 'Resident memory in bytes.'),
      `process_resident_memory_bytes ${process.memoryUsage.rss()}`,
      '',
    ].join('\n')
  }
}

type Subject = Pick<Exchange['info'], 'group' | 'resource' | 'subresource' | 'version'>

const OTHER: Subject = { group: '', resource: 'other', subresource: '', version: '' }

function labelsOf(subject: Subject, verb: string): string {
  const { group, resource, subresource, version } = subject
  if (![group, resource, subresource, version].every((it) => PLAIN.test(it)))
    return labelsOf(OTHER, verb)
  return `group="${group}",resource="${resource}",subresource="${subresource}",verb="${verb}",version="${version}"`
}

const family = (name: string, type: string, help: string): readonly string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
]

function histogram(labels: string, { count, seconds, buckets }: Series): readonly string[] {
  const name = 'apiserver_request_duration_seconds'
  return [
    ...BOUNDS.map((bound, i) => `${name}_bucket{${labels},le="${bound}"} ${buckets[i]}`),
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${seconds}`,
    `${name}_count{${labels}} ${count}`,
  ]
}
