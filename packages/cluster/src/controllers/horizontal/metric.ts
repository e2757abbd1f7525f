import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscalerBehavior,
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from 'kubewright/kinds/autoscaling/v2'
import { formatQuantity, parseQuantity, quantityMilliValue, quantityOf } from 'kubewright/machinery'
import {
  averageReplicas,
  type Calculation,
  perPodReplicas,
  resourceReplicas,
  summedMetric,
  type Tolerances,
  valueReplicas,
} from './calculator.ts'
import type { MetricsClient } from './metrics-client.ts'

/** What a metric is looked at with. */
export interface MetricContext {
  readonly namespace: string
  /** The selector of the target's pods, as text. */
  readonly selector: string
  /** How many replicas there are, beside how many there are to be. */
  readonly statusReplicas: number
  readonly calculation: Calculation
  readonly metrics: MetricsClient
  /** The group and resource of a kind, as in `deployments.apps`. */
  readonly resourceOf: (reference: CrossVersionObjectReference) => Promise<string>
}

/** How many replicas one metric asks for: with its status, and what it is called; or what keeps it from telling. */
export type MetricAnswer =
  | {
      readonly ok: true
      readonly replicas: number
      readonly name: string
      readonly status: MetricStatus
    }
  | {
      readonly ok: false
      /** Of the event and the condition. */
      readonly reason: string
      /** What the event says. */
      readonly message: string
      /** What the sum of all metrics says. */
      readonly error: string
    }

const DEFAULT_TOLERANCE = 0.1

/** How far from its target a metric may be (tolerancesForHpa). */
export const tolerancesOf = (
  behavior: HorizontalPodAutoscalerBehavior | undefined,
): Tolerances => ({
  scaleDown: toleranceOf(behavior?.scaleDown?.tolerance),
  scaleUp: toleranceOf(behavior?.scaleUp?.tolerance),
})

const toleranceOf = (text: string | undefined): number => {
  if (text === undefined) return DEFAULT_TOLERANCE
  const { unscaled, exponent } = parseQuantity(text)
  return Number(unscaled) * 10 ** exponent
}

type Found = Omit<Extract<MetricAnswer, { readonly ok: true }>, 'ok'>

/** Says how many replicas a metric asks for (computeReplicasForMetric). Never rejects. */
export function askMetric(spec: MetricSpec, context: MetricContext): Promise<MetricAnswer> {
  switch (spec.type) {
    case 'Resource': {
      const { name, target } = spec.resource!
      return tried('FailedGetResourceMetric', `failed to get ${name} resource metric value`, () =>
        resourceMetric(name, target, '', context, (current) => ({
          type: 'Resource',
          resource: { name, current },
        })),
      )
    }
    case 'ContainerResource': {
      const { name, target, container } = spec.containerResource!
      const prefix = `failed to get ${container} container metric value`
      return tried('FailedGetContainerResourceMetric', prefix, () =>
        resourceMetric(name, target, container, context, (current) => ({
          type: 'ContainerResource',
          containerResource: { name, container, current },
        })),
      )
    }
    case 'Pods':
      return tried('FailedGetPodsMetric', 'failed to get pods metric value', () =>
        podsMetric(spec, context),
      )
    case 'Object':
      return objectMetric(spec, context)
    case 'External':
      return externalMetric(spec, context)
    default: {
      const error = `unknown metric source type ${JSON.stringify(spec.type)}`
      return Promise.resolve({
        ok: false,
        reason: 'InvalidMetricSourceType',
        message: error,
        error,
      })
    }
  }
}

async function tried(
  reason: string,
  prefix: string,
  ask: () => Promise<Found>,
): Promise<MetricAnswer> {
  try {
    return { ok: true, ...(await ask()) }
  } catch (error) {
    const { message } = error as Error
    return { ok: false, reason, message, error: `${prefix}: ${message}` }
  }
}

/** Lets an error say first what failed. */
async function telling<T>(prefix: string, ask: () => Promise<T> | T): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw new Error(`${prefix}: ${(error as Error).message}`, { cause: error })
  }
}

async function resourceMetric(
  name: string,
  target: MetricTarget,
  container: string,
  { metrics, namespace, selector, calculation }: MetricContext,
  statusOf: (current: MetricValueStatus) => MetricStatus,
): Promise<Found> {
  const read = (): ReturnType<MetricsClient['resource']> =>
    telling(`unable to get metrics for resource ${name}`, () =>
      metrics.resource(name, namespace, selector, container),
    )
  const { averageValue, averageUtilization } = target
  if (averageValue !== undefined) {
    const { replicas, usage } = await telling(`failed to get ${name} usage`, async () =>
      averageReplicas(await read(), milliOf(averageValue), name, calculation),
    )
    const current = { averageValue: amountOf(name, usage) }
    return { replicas, name: `${name} resource`, status: statusOf(current) }
  }
  if (averageUtilization === undefined) {
    throw new Error(
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
    )
  }
  const found = await telling(`failed to get ${name} utilization`, async () =>
    resourceReplicas(await read(), averageUtilization, name, container, calculation),
  )
  const current = {
    averageUtilization: found.utilization ?? 0,
    averageValue: amountOf(name, found.usage),
  }
  const what = container === '' ? 'resource' : 'container resource'
  return {
    replicas: found.replicas,
    name: `${name} ${what} utilization (percentage of request)`,
    status: statusOf(current),
  }
}

/** An amount as metrics servers write it: memory by the powers of two. */
export const amountOf = (resource: string, milli: bigint): string =>
  formatQuantity(quantityOf(milli, resource === 'memory' ? 'BinarySI' : 'DecimalSI', -3))

const plain = (milli: bigint): string => amountOf('', milli)

const milliOf = (text: string): bigint => quantityMilliValue(parseQuantity(text))

async function podsMetric(
  { pods }: MetricSpec,
  { metrics, namespace, selector, calculation }: MetricContext,
): Promise<Found> {
  const { metric, target } = pods!
  const found = await telling(`unable to get metric ${metric.name}`, () =>
    metrics.pods(metric, namespace, selector),
  )
  const average = milliOf(target.averageValue ?? '0')
  const { replicas, usage } = averageReplicas(found, average, '', calculation)
  return {
    replicas,
    name: `pods metric ${metric.name}`,
    status: { type: 'Pods', pods: { metric, current: { averageValue: plain(usage) } } },
  }
}

function objectMetric(spec: MetricSpec, context: MetricContext): Promise<MetricAnswer> {
  const { metrics, namespace, calculation, statusReplicas, resourceOf } = context
  const { metric, target, describedObject } = spec.object!
  const { kind, name } = describedObject
  const read = async (): Promise<bigint> => {
    try {
      const resource = await resourceOf(describedObject)
      return await metrics.object(metric, namespace, describedObject, resource)
    } catch (error) {
      // Kubernetes gives its sentence the words in this order.
      const { message } = error as Error
      const where = `${kind} on ${namespace} ${name}/${message}`
      throw new Error(`unable to get metric ${metric.name}: ${where}`, { cause: error })
    }
  }
  const prefix = 'failed to get object metric value'
  const statusOf = (current: MetricValueStatus): MetricStatus => ({
    type: 'Object',
    object: { metric, current, describedObject },
  })
  if (target.type === 'AverageValue' && target.averageValue !== undefined) {
    const average = milliOf(target.averageValue)
    return tried(
      'FailedGetObjectMetric',
      `${prefix}: failed to get ${metric.name} object metric`,
      async () => {
        const usage = await read()
        const found = perPodReplicas(usage, average, { ...calculation, replicas: statusReplicas })
        const status = statusOf({ averageValue: plain(found.usage) })
        return { replicas: found.replicas, name: externalName(metric), status }
      },
    )
  }
  return tried('FailedGetObjectMetric', prefix, async () => {
    if (target.type !== 'Value' || target.value === undefined) throw new Error(NO_TARGET('object'))
    const { replicas, usage } = valueReplicas(await read(), milliOf(target.value), calculation)
    const status = statusOf({ value: plain(usage) })
    return { replicas, name: `${kind} metric ${metric.name}`, status }
  })
}

const NO_TARGET = (source: string): string =>
  `invalid ${source} metric source: neither a value target nor an average value target was set`

const externalName = ({ name, selector }: MetricIdentifier): string =>
  `external metric ${name}(${goSelector(selector)})`

function externalMetric(spec: MetricSpec, context: MetricContext): Promise<MetricAnswer> {
  const { metrics, namespace, calculation, statusReplicas } = context
  const { metric, target } = spec.external!
  const full = `${namespace}/${metric.name}/${goSelector(metric.selector)}`
  const read = (): Promise<bigint> =>
    telling(`unable to get external metric ${full}`, async () =>
      summedMetric(await metrics.external(metric, namespace)),
    )
  const statusOf = (current: MetricValueStatus): MetricStatus => ({
    type: 'External',
    external: { metric, current },
  })
  const reason = 'FailedGetExternalMetric'
  const prefix = `failed to get ${metric.name} external metric value`
  if (target.averageValue !== undefined) {
    const average = milliOf(target.averageValue)
    return tried(reason, `${prefix}: failed to get ${metric.name} external metric`, async () => {
      const usage = await read()
      const found = perPodReplicas(usage, average, { ...calculation, replicas: statusReplicas })
      const status = statusOf({ averageValue: plain(found.usage) })
      return { replicas: found.replicas, name: externalName(metric), status }
    })
  }
  if (target.value === undefined)
    return tried(reason, prefix, () => Promise.reject(new Error(NO_TARGET('external'))))
  const value = milliOf(target.value)
  return tried(reason, `${prefix}: failed to get external metric ${metric.name}`, async () => {
    const { replicas, usage } = valueReplicas(await read(), value, calculation)
    return { replicas, name: externalName(metric), status: statusOf({ value: plain(usage) }) }
  })
}

/** A selector as Go prints the struct. */
export function goSelector(selector: MetricIdentifier['selector']): string {
  if (!selector) return 'nil'
  const labels = Object.entries(selector.matchLabels ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`)
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(' ')}],},`,
  )
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`
}
