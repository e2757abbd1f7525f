// The kinds of autoscaling/v2, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { LabelSelector } from '../meta/v1.ts'

/** autoscaling/v2 HorizontalPodAutoscaler. */
export interface HorizontalPodAutoscaler extends KubeObject {
  readonly spec: HorizontalPodAutoscalerSpec
  readonly status?: HorizontalPodAutoscalerStatus
}

/** The kind of horizontalpodautoscalers. */
export const HorizontalPodAutoscaler: Kind<HorizontalPodAutoscaler> = kindOf(
  'autoscaling/v2',
  'HorizontalPodAutoscaler',
  'horizontalpodautoscalers',
  'Namespaced',
)

/** autoscaling/v2 ContainerResourceMetricSource. */
export interface ContainerResourceMetricSource {
  readonly name: string
  readonly target: MetricTarget
  readonly container: string
}

/** autoscaling/v2 ContainerResourceMetricStatus. */
export interface ContainerResourceMetricStatus {
  readonly name: string
  readonly current: MetricValueStatus
  readonly container: string
}

/** autoscaling/v2 CrossVersionObjectReference. */
export interface CrossVersionObjectReference {
  readonly kind: string
  readonly name: string
  readonly apiVersion?: string
}

/** autoscaling/v2 ExternalMetricSource. */
export interface ExternalMetricSource {
  readonly metric: MetricIdentifier
  readonly target: MetricTarget
}

/** autoscaling/v2 ExternalMetricStatus. */
export interface ExternalMetricStatus {
  readonly metric: MetricIdentifier
  readonly current: MetricValueStatus
}

/** autoscaling/v2 HPAScalingPolicy. */
export interface HPAScalingPolicy {
  readonly type: string
  readonly value: number
  readonly periodSeconds: number
}

/** autoscaling/v2 HPAScalingRules. */
export interface HPAScalingRules {
  readonly stabilizationWindowSeconds?: number
  readonly selectPolicy?: string
  readonly policies?: readonly HPAScalingPolicy[]
  readonly tolerance?: string
}

/** autoscaling/v2 HorizontalPodAutoscalerBehavior. */
export interface HorizontalPodAutoscalerBehavior {
  readonly scaleUp?: HPAScalingRules
  readonly scaleDown?: HPAScalingRules
}

/** autoscaling/v2 HorizontalPodAutoscalerCondition. */
export interface HorizontalPodAutoscalerCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

/** autoscaling/v2 HorizontalPodAutoscalerSpec. */
export interface HorizontalPodAutoscalerSpec {
  readonly scaleTargetRef: CrossVersionObjectReference
  readonly minReplicas?: number
  readonly maxReplicas: number
  readonly metrics?: readonly MetricSpec[]
  readonly behavior?: HorizontalPodAutoscalerBehavior
}

/** autoscaling/v2 HorizontalPodAutoscalerStatus. */
export interface HorizontalPodAutoscalerStatus {
  readonly observedGeneration?: number
  readonly lastScaleTime?: string
  readonly currentReplicas?: number
  readonly desiredReplicas: number
  readonly currentMetrics?: readonly MetricStatus[] | null
  readonly conditions?: readonly HorizontalPodAutoscalerCondition[]
}

/** autoscaling/v2 MetricIdentifier. */
export interface MetricIdentifier {
  readonly name: string
  readonly selector?: LabelSelector
}

/** autoscaling/v2 MetricSpec. */
export interface MetricSpec {
  readonly type: string
  readonly object?: ObjectMetricSource
  readonly pods?: PodsMetricSource
  readonly resource?: ResourceMetricSource
  readonly containerResource?: ContainerResourceMetricSource
  readonly external?: ExternalMetricSource
}

/** autoscaling/v2 MetricStatus. */
export interface MetricStatus {
  readonly type: string
  readonly object?: ObjectMetricStatus
  readonly pods?: PodsMetricStatus
  readonly resource?: ResourceMetricStatus
  readonly containerResource?: ContainerResourceMetricStatus
  readonly external?: ExternalMetricStatus
}

/** autoscaling/v2 MetricTarget. */
export interface MetricTarget {
  readonly type: string
  readonly value?: string
  readonly averageValue?: string
  readonly averageUtilization?: number
}

/** autoscaling/v2 MetricValueStatus. */
export interface MetricValueStatus {
  readonly value?: string
  readonly averageValue?: string
  readonly averageUtilization?: number
}

/** autoscaling/v2 ObjectMetricSource. */
export interface ObjectMetricSource {
  readonly describedObject: CrossVersionObjectReference
  readonly target: MetricTarget
  readonly metric: MetricIdentifier
}

/** autoscaling/v2 ObjectMetricStatus. */
export interface ObjectMetricStatus {
  readonly metric: MetricIdentifier
  readonly current: MetricValueStatus
  readonly describedObject: CrossVersionObjectReference
}

/** autoscaling/v2 PodsMetricSource. */
export interface PodsMetricSource {
  readonly metric: MetricIdentifier
  readonly target: MetricTarget
}

/** autoscaling/v2 PodsMetricStatus. */
export interface PodsMetricStatus {
  readonly metric: MetricIdentifier
  readonly current: MetricValueStatus
}

/** autoscaling/v2 ResourceMetricSource. */
export interface ResourceMetricSource {
  readonly name: string
  readonly target: MetricTarget
}

/** autoscaling/v2 ResourceMetricStatus. */
export interface ResourceMetricStatus {
  readonly name: string
  readonly current: MetricValueStatus
}
