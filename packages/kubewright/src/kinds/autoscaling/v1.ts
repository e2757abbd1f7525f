// The kinds of autoscaling/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** autoscaling/v1 HorizontalPodAutoscaler. */
export interface HorizontalPodAutoscaler extends KubeObject {
  readonly spec: HorizontalPodAutoscalerSpec
  readonly status?: HorizontalPodAutoscalerStatus
}

/** The kind of horizontalpodautoscalers. */
export const HorizontalPodAutoscaler: Kind<HorizontalPodAutoscaler> = kindOf(
  'autoscaling/v1',
  'HorizontalPodAutoscaler',
  'horizontalpodautoscalers',
  'Namespaced',
)

/** autoscaling/v1 CrossVersionObjectReference. */
export interface CrossVersionObjectReference {
  readonly kind: string
  readonly name: string
  readonly apiVersion?: string
}

/** autoscaling/v1 HorizontalPodAutoscalerSpec. */
export interface HorizontalPodAutoscalerSpec {
  readonly scaleTargetRef: CrossVersionObjectReference
  readonly minReplicas?: number
  readonly maxReplicas: number
  readonly targetCPUUtilizationPercentage?: number
}

/** autoscaling/v1 HorizontalPodAutoscalerStatus. */
export interface HorizontalPodAutoscalerStatus {
  readonly observedGeneration?: number
  readonly lastScaleTime?: string
  readonly currentReplicas: number
  readonly desiredReplicas: number
  readonly currentCPUUtilizationPercentage?: number
}

/** autoscaling/v1 Scale. */
export interface Scale extends KubeObject {
  readonly spec: ScaleSpec
  readonly status?: ScaleStatus
}

/** autoscaling/v1 ScaleSpec. */
export interface ScaleSpec {
  readonly replicas?: number
}

/** autoscaling/v1 ScaleStatus. */
export interface ScaleStatus {
  readonly replicas: number
  readonly selector?: string
}
