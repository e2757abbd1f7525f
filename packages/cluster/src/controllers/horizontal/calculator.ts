import type { Container, Pod } from 'kubewright/kinds/core/v1'
import { findCondition, parseQuantity, quantityMilliValue } from 'kubewright/machinery'
import {
  groupPods,
  type Initialization,
  type PodGroups,
  type PodMetric,
  type PodMetrics,
} from './pod-groups.ts'

/** How far from its target a metric may be before anything changes, as a part of the target. */
export interface Tolerances {
  readonly scaleDown: number
  readonly scaleUp: number
}

/** How many replicas a metric asks for, and what it stands at. */
export interface Proposal {
  readonly replicas: number
  /** What a pod uses on average, or the metric itself, in thousandths. */
  readonly usage: bigint
  /** Percent of what is requested; only of targets that are given so. */
  readonly utilization?: number
}

/** What all calculations go by. */
export interface Calculation {
  /** How many replicas the target is to have now. */
  readonly replicas: number
  readonly tolerances: Tolerances
  /** The pods of the target. */
  readonly pods: readonly Pod[]
  readonly initialization: Initialization
  /** Milliseconds since the epoch. */
  readonly now: number
}

const MAX_INT32 = 2_147_483_647
/** The largest int64, at which sums of external metrics stop. */
export const MAX_INT64: bigint = 9_223_372_036_854_775_807n

const isWithin = ({ scaleDown, scaleUp }: Tolerances, ratio: number): boolean =>
  1 - scaleDown <= ratio && ratio <= 1 + scaleUp

const ceilInt32 = (it: number): number => Math.min(Math.ceil(it), MAX_INT32)

const NO_PODS = 'no pods returned by selector while calculating replica count'
const NO_METRICS = 'did not receive metrics for targeted pods (pods might be unready)'

/** How much pods use, beside what they should. */
interface Usage {
  readonly ratio: number
  readonly usage: bigint
  readonly utilization?: number
}

/** What stands in for a pod that nothing is known of, while the others use less than they should; thousandths. */
type Fallback = (podName: string) => bigint

/**
 * The replicas for a target in percent of what pods request of a resource (GetResourceReplicas); `container` is empty for whole pods.
 * Throws an Error with Kubernetes' sentence.
 */
export function resourceReplicas(
  all: PodMetrics,
  target: number,
  resource: string,
  container: string,
  calculation: Calculation,
): Proposal {
  const { groups, metrics } = grouped(all, resource, calculation)
  const requests = requestsOf(calculation.pods, container, resource)
  const utilizationOf = (metrics: PodMetrics): Usage => utilization(metrics, requests, target)
  const percent = BigInt(Math.max(100, target))
  const fallback: Fallback = (name) => ((requests.get(name) ?? 0n) * percent) / 100n
  return proposal(metrics, groups, utilizationOf, fallback, calculation)
}

/** The replicas for a target amount a pod, in thousandths (GetRawResourceReplicas, GetMetricReplicas); `resource` is empty for other metrics. */
export function averageReplicas(
  all: PodMetrics,
  target: bigint,
  resource: string,
  calculation: Calculation,
): Proposal {
  const { groups, metrics } = grouped(all, resource, calculation)
  const usageOf = (metrics: PodMetrics): Usage => {
    const usage = sum(metrics) / BigInt(metrics.size)
    return { ratio: Number(usage) / Number(target), usage }
  }
  return proposal(metrics, groups, usageOf, () => target, calculation)
}

function grouped(
  all: PodMetrics,
  resource: string,
  { pods, initialization, now }: Calculation,
): { readonly groups: PodGroups; readonly metrics: PodMetrics } {
  if (pods.length === 0) throw new Error(NO_PODS)
  const groups = groupPods(pods, all, resource, initialization, now)
  const metrics = new Map(
    [...all].filter(([name]) => !groups.ignored.has(name) && !groups.unready.has(name)),
  )
  if (metrics.size === 0) throw new Error(NO_METRICS)
  return { groups, metrics }
}

/**
 * What is not known of pods must never make more of a change: while there is too little to do, pods without metrics count as busy, and
 * while there is too much, they and those that are not ready count as idle. What would then change the direction changes nothing.
 */
function proposal(
  metrics: PodMetrics,
  { ready, unready, missing }: PodGroups,
  usageOf: (metrics: PodMetrics) => Usage,
  fallback: Fallback,
  { replicas, tolerances }: Calculation,
): Proposal {
  const { ratio, ...told } = usageOf(metrics)
  const unreadyCount = unready.size > 0 && ratio > 1
  if (!unreadyCount && missing.size === 0) {
    if (isWithin(tolerances, ratio)) return { replicas, ...told }
    return { replicas: ceilInt32(ratio * ready), ...told }
  }
  const filled = new Map(metrics)
  const fill = (name: string, value: bigint): void => void filled.set(name, { ...IDLE, value })
  if (ratio < 1) for (const name of missing) fill(name, fallback(name))
  else if (ratio > 1) for (const name of missing) fill(name, 0n)
  if (unreadyCount) for (const name of unready) fill(name, 0n)
  const next = usageOf(filled).ratio
  const turns = (ratio < 1 && next > 1) || (ratio > 1 && next < 1)
  if (isWithin(tolerances, next) || turns) return { replicas, ...told }
  const wanted = ceilInt32(next * filled.size)
  const against = (next < 1 && wanted > replicas) || (next > 1 && wanted < replicas)
  return { replicas: against ? replicas : wanted, ...told }
}

const IDLE: PodMetric = Object.freeze({ timestamp: 0, window: 0, value: 0n })

const sum = (metrics: PodMetrics): bigint =>
  [...metrics.values()].reduce((total, it) => total + it.value, 0n)

function utilization(
  metrics: PodMetrics,
  requests: ReadonlyMap<string, bigint>,
  target: number,
): Usage {
  const known = [...metrics].filter(([name]) => requests.has(name))
  const used = known.reduce((total, [, it]) => total + it.value, 0n)
  const requested = known.reduce((total, [name]) => total + requests.get(name)!, 0n)
  if (requested === 0n) throw new Error('no metrics returned matched known pods')
  const percent = Number((used * 100n) / requested)
  return { ratio: percent / target, usage: used / BigInt(known.length), utilization: percent }
}

/** What pods request of a resource, in thousandths: each as a whole where it says so, else by its containers, or one of them. */
export function requestsOf(
  pods: readonly Pod[],
  container: string,
  resource: string,
): ReadonlyMap<string, bigint> {
  return new Map(
    pods.map((pod) => {
      const whole = container === '' ? wholeRequests(pod) : undefined
      const name = pod.metadata.name ?? ''
      const amount = whole
        ? milliOf(whole[resource], `pod-level request for ${resource} in Pod ${name}`)
        : containerRequests(pod, container, resource)
      return [name, amount]
    }),
  )
}

/** The requests of a pod as a whole, where it has any of those that it may have (KEP-2837). */
function wholeRequests({ spec }: Pod): Readonly<Record<string, string>> | undefined {
  const requests = (spec?.resources?.requests ?? {}) as Readonly<Record<string, string>>
  const isSet = Object.keys(requests).some(
    (it) => it === 'cpu' || it === 'memory' || it.startsWith('hugepages-'),
  )
  return isSet ? { ...summed(containersOf(spec)), ...requests } : undefined
}

/** What a pod does not say as a whole, its containers say together. */
function summed(containers: readonly Container[]): Readonly<Record<string, string>> {
  const totals = new Map<string, bigint>()
  for (const { resources } of containers) {
    for (const [name, amount] of Object.entries(resources?.requests ?? {})) {
      totals.set(name, (totals.get(name) ?? 0n) + milliOf(amount as string, name))
    }
  }
  return Object.fromEntries([...totals].map(([name, milli]) => [name, `${milli}m`]))
}

/** The containers that run as long as the pod does. */
const containersOf = (spec: Pod['spec']): readonly Container[] => [
  ...(spec?.containers ?? []),
  ...(spec?.initContainers ?? []).filter((it) => it.restartPolicy === 'Always'),
]

function containerRequests({ metadata, spec }: Pod, container: string, resource: string): bigint {
  const all = containersOf(spec)
  const counted = container === '' ? all : all.filter((it) => it.name === container).slice(0, 1)
  if (container !== '' && counted.length === 0)
    throw new Error(`container ${container} not found in Pod ${metadata.name}`)
  return counted.reduce((total, { name, resources }) => {
    const amount = (resources?.requests as Readonly<Record<string, string>> | undefined)?.[resource]
    const what = `request for ${resource} in container ${name} of Pod ${metadata.name}`
    return total + milliOf(amount, what)
  }, 0n)
}

function milliOf(amount: string | undefined, what: string): bigint {
  if (amount === undefined) throw new Error(`missing ${what}`)
  return quantityMilliValue(parseQuantity(amount))
}

/** The replicas for a metric of one object, or of something outside, with a target of its own (GetObjectMetricReplicas, GetExternalMetricReplicas). */
export function valueReplicas(usage: bigint, target: bigint, calculation: Calculation): Proposal {
  const { replicas, tolerances, pods } = calculation
  const ratio = Number(usage) / Number(target)
  if (replicas === 0) return { replicas: ceilInt32(ratio), usage }
  if (isWithin(tolerances, ratio)) return { replicas, usage }
  if (pods.length === 0) throw new Error(`unable to calculate ready pods: ${NO_PODS}`)
  const ready = pods.filter(
    (it) =>
      it.status?.phase === 'Running' &&
      findCondition(it.status.conditions, 'Ready')?.status === 'True',
  )
  return { replicas: ceilInt32(ratio * ready.length), usage }
}

/** The replicas for such a metric with a target for each pod (GetObjectPerPodMetricReplicas, GetExternalPerPodMetricReplicas); `replicas` are those that are there. */
export function perPodReplicas(
  usage: bigint,
  target: bigint,
  { replicas, tolerances }: Pick<Calculation, 'replicas' | 'tolerances'>,
): Proposal {
  const ratio = Number(usage) / (Number(target) * replicas)
  const wanted = isWithin(tolerances, ratio) ? replicas : ceilInt32(Number(usage) / Number(target))
  if (Number(usage) >= Number(MAX_INT64)) return { replicas: wanted, usage: MAX_INT64 }
  const each = replicas === 0 ? 0 : Math.ceil(Number(usage) / replicas)
  return { replicas: wanted, usage: BigInt(each) }
}

/** The sum of what an external metric says, as far as an int64 goes. */
export const summedMetric = (values: readonly bigint[]): bigint =>
  values.reduce((total, it) => (total + it > MAX_INT64 ? MAX_INT64 : total + it), 0n)
