// The kinds of policy/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Condition, DeleteOptions, LabelSelector } from '../meta/v1.ts'

/** policy/v1 PodDisruptionBudget. */
export interface PodDisruptionBudget extends KubeObject {
  readonly spec: PodDisruptionBudgetSpec
  readonly status?: PodDisruptionBudgetStatus
}

/** The kind of poddisruptionbudgets. */
export const PodDisruptionBudget: Kind<PodDisruptionBudget> = kindOf(
  'policy/v1',
  'PodDisruptionBudget',
  'poddisruptionbudgets',
  'Namespaced',
)

/** policy/v1 Eviction. */
export interface Eviction extends KubeObject {
  readonly deleteOptions?: DeleteOptions
}

/** policy/v1 PodDisruptionBudgetSpec. */
export interface PodDisruptionBudgetSpec {
  readonly minAvailable?: number | string
  readonly selector?: LabelSelector
  readonly maxUnavailable?: number | string
  readonly unhealthyPodEvictionPolicy?: 'AlwaysAllow' | 'IfHealthyBudget'
}

/** policy/v1 PodDisruptionBudgetStatus. */
export interface PodDisruptionBudgetStatus {
  readonly observedGeneration?: number
  readonly disruptedPods?: Readonly<Record<string, string>>
  readonly disruptionsAllowed?: number
  readonly currentHealthy?: number
  readonly desiredHealthy?: number
  readonly expectedPods?: number
  readonly conditions?: readonly Condition[]
}
