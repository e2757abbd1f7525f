import type { Client } from 'kubewright/client'
import type { CrossVersionObjectReference, MetricIdentifier } from 'kubewright/kinds/autoscaling/v2'
import {
  ApiError,
  type KubeObject,
  type Kind,
  kindOf,
  parseQuantity,
  quantityMilliValue,
  selectorOf,
} from 'kubewright/machinery'
import { messageOf } from '../workload/writes.ts'
import { parseTimestamp } from '../workload/time.ts'
import type { PodMetric, PodMetrics } from './pod-groups.ts'

/** metrics.k8s.io/v1beta1 PodMetrics. */
interface UsedByPod extends KubeObject {
  readonly timestamp?: string
  readonly window?: string
  readonly containers?: readonly {
    readonly name: string
    readonly usage?: Readonly<Record<string, string>>
  }[]
}

const PODS: Kind<UsedByPod> = kindOf('metrics.k8s.io/v1beta1', 'PodMetrics', 'pods', 'Namespaced')

/** custom.metrics.k8s.io MetricValue, and external.metrics.k8s.io ExternalMetricValue. */
interface MetricValue {
  readonly describedObject?: { readonly name?: string }
  readonly timestamp?: string
  readonly windowSeconds?: number
  readonly value?: string
}

/** How long a metric that does not say so was measured, in milliseconds. */
const WINDOW = 60_000

/**
 * Reads metrics where an operator finds them: from the APIs that others register (kubernetes podautoscaler/metrics). All of these reject with
 * an Error in Kubernetes' words.
 */
export interface MetricsClient {
  /** What pods use of a resource; `container` is empty for all of a pod. */
  readonly resource: (
    resource: string,
    namespace: string,
    selector: string,
    container: string,
  ) => Promise<PodMetrics>
  /** What a metric says of each pod. */
  readonly pods: (
    metric: MetricIdentifier,
    namespace: string,
    selector: string,
  ) => Promise<PodMetrics>
  /** What a metric says of one object; `resource` is its group and resource, as in `services` or `deployments.apps`. */
  readonly object: (
    metric: MetricIdentifier,
    namespace: string,
    of: CrossVersionObjectReference,
    resource: string,
  ) => Promise<bigint>
  /** What a metric of something outside of the cluster says. */
  readonly external: (metric: MetricIdentifier, namespace: string) => Promise<readonly bigint[]>
}

/** Reads metrics through an ordinary client. */
export function metricsClient(client: Client): MetricsClient {
  const read = async (
    api: string,
    resource: string,
    path: string,
    query: Readonly<Record<string, string>>,
  ): Promise<readonly MetricValue[]> => {
    const items = await asked(`${api} metrics API`, resource, async () => {
      const answer = await client.raw({ method: 'GET', path, query })
      return ((await answer.json()) as { readonly items?: readonly MetricValue[] }).items ?? []
    })
    if (items.length === 0) throw new Error(`no metrics returned from ${api} metrics API`)
    return items
  }
  const custom = async (
    namespace: string,
    of: string,
    metric: MetricIdentifier,
    selector: string | undefined,
  ): Promise<readonly MetricValue[]> => {
    const version = await asked('custom metrics API', '', () => customVersion(client))
    return read('custom', `${of}.custom.metrics.k8s.io`, pathOf(version, namespace, of, metric), {
      ...(selector ? { labelSelector: selector } : {}),
      ...selectorQuery('metricLabelSelector', metric),
    })
  }
  return {
    resource: async (resource, namespace, selector, container) => {
      const items = await asked('resource metrics API', 'pods.metrics.k8s.io', async () => {
        const all: UsedByPod[] = []
        for await (const it of client.listAll(PODS, { namespace, labelSelector: selector })) {
          all.push(it)
        }
        return all
      })
      if (items.length === 0) throw new Error('no metrics returned from resource metrics API')
      return new Map(items.flatMap((it) => usedBy(it, resource, container)))
    },
    pods: async (metric, namespace, selector) => {
      const items = await custom(namespace, 'pods/*', metric, selector)
      return new Map(items.map((it) => [it.describedObject?.name ?? '', measured(it)]))
    },
    object: async (metric, namespace, of, resource) => {
      const isNamespace = of.kind === 'Namespace' && !(of.apiVersion ?? '').includes('/')
      const path = isNamespace ? 'metrics' : `${resource}/${of.name}`
      const [first] = await custom(namespace, path, metric, undefined)
      return milli(first!)
    },
    external: async (metric, namespace) => {
      const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${namespace}/${metric.name}`
      const resource = `${metric.name}.external.metrics.k8s.io`
      const items = await read('external', resource, path, selectorQuery('labelSelector', metric))
      return items.map(milli)
    },
  }
}

const pathOf = (
  version: string,
  namespace: string,
  of: string,
  { name }: MetricIdentifier,
): string => `/apis/custom.metrics.k8s.io/${version}/namespaces/${namespace}/${of}/${name}`

const selectorQuery = (name: string, { selector }: MetricIdentifier): Record<string, string> => {
  const text = selector ? String(selectorOf(selector)) : ''
  return text === '' ? {} : { [name]: text }
}

/** The versions of custom metrics that can be read, the better one first. */
const VERSIONS = ['v1beta2', 'v1beta1'] as const

async function customVersion(client: Client): Promise<string> {
  try {
    const answer = await client.raw({ method: 'GET', path: '/apis/custom.metrics.k8s.io' })
    const group = (await answer.json()) as {
      readonly versions?: readonly { readonly version: string }[]
    }
    const found = VERSIONS.find((it) => group.versions?.some(({ version }) => version === it))
    if (found) return found
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 404) throw error
  }
  throw new Error('no custom metrics API (custom.metrics.k8s.io) registered')
}

async function asked<T>(api: string, resource: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const why = plainProblem(error, resource)
    throw new Error(`unable to fetch metrics from ${api}: ${why}`, { cause: error })
  }
}

/** What client-go says where no API server answered with a Status. */
function plainProblem(error: unknown, resource: string): string {
  if (!(error instanceof ApiError) || error.status.details?.name !== undefined)
    return messageOf(error)
  if (error.code === 404)
    return `the server could not find the requested resource (get ${resource})`
  if (error.code === 503)
    return `the server is currently unable to handle the request (get ${resource})`
  return error.message
}

const milli = ({ value = '0' }: MetricValue): bigint => quantityMilliValue(parseQuantity(value))

const measured = (it: MetricValue): PodMetric => ({
  timestamp: parseTimestamp(it.timestamp) ?? 0,
  window: it.windowSeconds === undefined ? WINDOW : it.windowSeconds * 1000,
  value: milli(it),
})

/** Of a pod that does not tell of all its containers nothing is known. */
function usedBy(
  { metadata, timestamp, window, containers = [] }: UsedByPod,
  resource: string,
  container: string,
): readonly (readonly [string, PodMetric])[] {
  const counted = container === '' ? containers : containers.filter((it) => it.name === container)
  const amounts = counted.map((it) => it.usage?.[resource])
  if (amounts.length === 0 || amounts.some((it) => it === undefined)) return []
  const value = amounts.reduce((sum, it) => sum + quantityMilliValue(parseQuantity(it!)), 0n)
  const told = {
    timestamp: parseTimestamp(timestamp) ?? 0,
    window: durationOf(window ?? '0s'),
    value,
  }
  return [[metadata.name ?? '', told]]
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

/** Milliseconds of a duration as Go writes it: `1m0s`, `30.5s`. */
export const durationOf = (text: string): number =>
  [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit!]!,
    0,
  )
