// The kinds of scheduling.k8s.io/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** scheduling.k8s.io/v1 PriorityClass. */
export interface PriorityClass extends KubeObject {
  readonly value?: number
  readonly globalDefault?: boolean
  readonly description?: string
  readonly preemptionPolicy?: 'Never' | 'PreemptLowerPriority'
}

/** The kind of priorityclasses. */
export const PriorityClass: Kind<PriorityClass> = kindOf(
  'scheduling.k8s.io/v1',
  'PriorityClass',
  'priorityclasses',
  'Cluster',
)
