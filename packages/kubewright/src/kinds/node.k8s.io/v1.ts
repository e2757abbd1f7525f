// The kinds of node.k8s.io/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Toleration } from '../core/v1.ts'

/** node.k8s.io/v1 RuntimeClass. */
export interface RuntimeClass extends KubeObject {
  readonly handler: string
  readonly overhead?: Overhead
  readonly scheduling?: Scheduling
}

/** The kind of runtimeclasses. */
export const RuntimeClass: Kind<RuntimeClass> = kindOf(
  'node.k8s.io/v1',
  'RuntimeClass',
  'runtimeclasses',
  'Cluster',
)

/** node.k8s.io/v1 Overhead. */
export interface Overhead {
  readonly podFixed?: Readonly<Record<string, string>>
}

/** node.k8s.io/v1 Scheduling. */
export interface Scheduling {
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly tolerations?: readonly Toleration[]
}
