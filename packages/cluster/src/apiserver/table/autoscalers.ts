import type { HorizontalPodAutoscaler as OldAutoscaler } from 'kubewright/kinds/autoscaling/v1'
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from 'kubewright/kinds/autoscaling/v2'
import type { UnknownObject } from 'kubewright/machinery'
import { convertBuiltin } from '../registry/convert.ts'
import { age } from './age.ts'
import { printer, type Printer } from './printer.ts'

const SHOWN_METRICS = 2
const UNKNOWN = '<unknown>'

function metricsText(specs: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (specs.length === 0) return '<none>'
  const all = specs.map((spec, index) => metricText(spec, statuses[index]))
  const text = all.slice(0, SHOWN_METRICS).join(', ')
  return all.length > SHOWN_METRICS ? `${text} + ${all.length - SHOWN_METRICS} more...` : text
}

function metricText(spec: MetricSpec, status: MetricStatus | undefined): string {
  if (spec.external) return amountText(spec.external.target, status?.external?.current)
  if (spec.object) return amountText(spec.object.target, status?.object?.current)
  if (spec.pods) {
    return `${status?.pods?.current.averageValue ?? UNKNOWN}/${spec.pods.target.averageValue ?? '<nil>'}`
  }
  if (spec.resource) {
    return usageText(spec.resource.name, spec.resource.target, status?.resource?.current)
  }
  const container = spec.containerResource
  if (!container) return '<unknown type>'
  return usageText(container.name, container.target, status?.containerResource?.current)
}

/** A metric of something outside of the pods: a value, or an average over them. */
function amountText(target: MetricTarget, current: MetricValueStatus | undefined): string {
  return target.averageValue === undefined
    ? `${current?.value ?? UNKNOWN}/${target.value ?? '<nil>'}`
    : `${current?.averageValue ?? UNKNOWN}/${target.averageValue} (avg)`
}

/** A metric of the pods' own resources: an amount, or a share of what they ask for. */
function usageText(
  name: string,
  target: MetricTarget,
  current: MetricValueStatus | undefined,
): string {
  if (target.averageValue !== undefined) {
    return `${name}: ${current?.averageValue ?? UNKNOWN}/${target.averageValue}`
  }
  const percent = (share: number | undefined, none: string): string =>
    share === undefined ? none : `${share}%`
  const now = percent(current?.averageUtilization, UNKNOWN)
  return `${name}: ${now}/${percent(target.averageUtilization, '<auto>')}`
}

function autoscalerCells(it: HorizontalPodAutoscaler, now: number): readonly unknown[] {
  const { spec, status, metadata } = it
  return [
    metadata.name,
    `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
    metricsText(spec.metrics ?? [], status?.currentMetrics ?? []),
    spec.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
    spec.maxReplicas,
    status?.currentReplicas ?? 0,
    age(metadata.creationTimestamp, now),
  ]
}

/** What autoscaling/v1 says, as autoscaling/v2 says it: v1 keeps all but the CPU in annotations. */
const asNew = (it: OldAutoscaler): HorizontalPodAutoscaler =>
  convertBuiltin(
    it as unknown as UnknownObject,
    'autoscaling/v1',
    'autoscaling/v2',
  ) as unknown as HorizontalPodAutoscaler

/** Printers of autoscaling, by version: `autoscaling/v1/…` where the older one differs. */
export const AUTOSCALERS: Readonly<Record<string, Printer>> = {
  'autoscaling/horizontalpodautoscalers': printer<HorizontalPodAutoscaler>(autoscalerCells),
  'autoscaling/v1/horizontalpodautoscalers': printer<OldAutoscaler>((it, now) =>
    autoscalerCells(asNew(it), now),
  ),
}
