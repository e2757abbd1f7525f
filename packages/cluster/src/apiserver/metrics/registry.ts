/** What a family of series is, in Prometheus' words. */
export interface FamilySpec {
  readonly name: string
  /** As kube-apiserver tells it, with its stability: `[STABLE] …`. */
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels?: readonly string[]
  /** Upper bounds of a histogram, ascending. */
  readonly bounds?: readonly number[]
}

/** Something that can be told as text. */
interface Told {
  text(): string
}

/** How many series a family keeps: what a path says must not fill the memory. */
const MOST_SERIES = 4096

/** Values of labels, in the order of the family's; what comes beyond the most series counts as `other`. */
export type LabelValues = readonly string[]

const NONE: LabelValues = []

abstract class Family<Series> implements Told {
  readonly spec: FamilySpec
  protected readonly series: Map<string, Series> = new Map()
  readonly #names: readonly string[]
  #known: Branch<Series> = new Branch()

  constructor(spec: FamilySpec) {
    this.spec = spec
    this.#names = spec.labels ?? NONE
  }

  protected abstract make(): Series
  protected abstract lines(labels: string, series: Series): string

  protected of(values: LabelValues): Series {
    const leaf = this.#known.at(values)
    return leaf?.series ?? this.#meet(values)
  }

  protected forget(): void {
    this.series.clear()
    this.#known = new Branch()
  }

  #meet(values: LabelValues): Series {
    const isFull = this.series.size >= MOST_SERIES
    const key = values.join('\u0000')
    const known = this.series.get(key)
    if (known) return known
    const own = isFull ? this.#names.map(() => 'other').join('\u0000') : key
    const made = this.series.get(own) ?? this.make()
    this.series.set(own, made)
    if (!isFull) this.#known.grow(values).series = made
    return made
  }

  text(): string {
    if (this.series.size === 0) return ''
    const { name, help, type } = this.spec
    const head = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
    const sorted = [...this.series].sort(([a], [b]) => (a < b ? -1 : 1))
    return head + sorted.map(([key, it]) => this.lines(this.#labels(key), it)).join('')
  }

  #labels(key: string): string {
    if (this.#names.length === 0) return ''
    const values = key.split('\u0000')
    return this.#names.map((name, i) => `${name}="${escaped(values[i] ?? '')}"`).join(',')
  }
}

/** Series by their labels, one after the other: every request looks up a dozen, and need not put a name together for each. */
class Branch<Series> {
  series: Series | undefined
  readonly #branches = new Map<string, Branch<Series>>()

  at(values: LabelValues, depth = 0): Branch<Series> | undefined {
    if (depth === values.length) return this
    return this.#branches.get(values[depth]!)?.at(values, depth + 1)
  }

  grow(values: LabelValues, depth = 0): Branch<Series> {
    if (depth === values.length) return this
    const value = values[depth]!
    let next = this.#branches.get(value)
    if (!next) this.#branches.set(value, (next = new Branch()))
    return next.grow(values, depth + 1)
  }
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

const braces = (labels: string): string => (labels === '' ? '' : `{${labels}}`)

/** A number as Go writes it in metrics: `1e+06`. */
const numberText = (value: number): string => {
  if (value === Infinity) return '+Inf'
  const text = String(value)
  if (Math.abs(value) < 1e6 || !Number.isInteger(value)) return text
  const exact = value.toExponential().replace(/e\+(\d)$/, 'e+0$1')
  return exact
}

interface Value {
  value: number
}

/** A number that only grows. */
export class CounterFamily extends Family<Value> {
  add(values: LabelValues = NONE, by: number = 1): void {
    this.of(values).value += by
  }

  protected make(): Value {
    return { value: 0 }
  }

  protected lines(labels: string, { value }: Value): string {
    return `${this.spec.name}${braces(labels)} ${numberText(value)}\n`
  }
}

/** A number that goes up and down. */
export class GaugeFamily extends CounterFamily {
  set(value: number, values: LabelValues = NONE): void {
    this.of(values).value = value
  }

  clear(): void {
    this.forget()
  }
}

interface Distribution {
  count: number
  sum: number
  readonly buckets: number[]
}

/** A distribution of what was measured. */
export class HistogramFamily extends Family<Distribution> {
  observe(value: number, values: LabelValues = NONE): void {
    const series = this.of(values)
    const { bounds = [] } = this.spec
    series.count++
    series.sum += value
    let at = 0
    while (at < bounds.length && value > bounds[at]!) at++
    series.buckets[at]!++
  }

  protected make(): Distribution {
    const { bounds = [] } = this.spec
    return { count: 0, sum: 0, buckets: [...bounds, Infinity].map(() => 0) }
  }

  protected lines(labels: string, { count, sum, buckets }: Distribution): string {
    const { name, bounds = [] } = this.spec
    const more = labels === '' ? '' : `${labels},`
    let below = 0
    const lines = [...bounds, Infinity].map((bound, i) => {
      below += buckets[i]!
      return `${name}_bucket{${more}le="${numberText(bound)}"} ${below}\n`
    })
    return `${lines.join('')}${name}_sum${braces(labels)} ${sum}\n${name}_count${braces(labels)} ${count}\n`
  }
}

/** All families of a server. Nothing here is shared between servers. */
export class MetricRegistry {
  readonly #families: Told[] = []
  readonly #updates: (() => void | Promise<void>)[] = []

  counter(spec: Omit<FamilySpec, 'type'>): CounterFamily {
    return this.#keep(new CounterFamily({ ...spec, type: 'counter' }))
  }

  gauge(spec: Omit<FamilySpec, 'type'>): GaugeFamily {
    return this.#keep(new GaugeFamily({ ...spec, type: 'gauge' }))
  }

  histogram(spec: Omit<FamilySpec, 'type'>): HistogramFamily {
    return this.#keep(new HistogramFamily({ ...spec, type: 'histogram' }))
  }

  /** Calls `update` before the metrics are told, for what is only worth knowing then. */
  beforeText(update: () => void | Promise<void>): void {
    this.#updates.push(update)
  }

  /** Everything in Prometheus' text format, families by name. */
  async text(): Promise<string> {
    for (const update of this.#updates) await update()
    return this.#families.map((it) => it.text()).join('')
  }

  #keep<F extends Told & { readonly spec: FamilySpec }>(family: F): F {
    this.#families.push(family)
    const nameOf = (it: Told): string => (it as unknown as F).spec.name
    this.#families.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    return family
  }
}
