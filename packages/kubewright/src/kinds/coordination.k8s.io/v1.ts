// The kinds of coordination.k8s.io/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** coordination.k8s.io/v1 Lease. */
export interface Lease extends KubeObject {
  readonly spec: LeaseSpec
}

/** The kind of leases. */
export const Lease: Kind<Lease> = kindOf('coordination.k8s.io/v1', 'Lease', 'leases', 'Namespaced')

/** coordination.k8s.io/v1 LeaseSpec. */
export interface LeaseSpec {
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly acquireTime?: string
  readonly renewTime?: string
  readonly leaseTransitions?: number
  readonly strategy?: string
  readonly preferredHolder?: string
}
