// The kinds of apiregistration.k8s.io/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** apiregistration.k8s.io/v1 APIService. */
export interface APIService extends KubeObject {
  readonly spec: APIServiceSpec
  readonly status?: APIServiceStatus
}

/** The kind of apiservices. */
export const APIService: Kind<APIService> = kindOf(
  'apiregistration.k8s.io/v1',
  'APIService',
  'apiservices',
  'Cluster',
)

/** apiregistration.k8s.io/v1 APIServiceCondition. */
export interface APIServiceCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

/** apiregistration.k8s.io/v1 APIServiceSpec. */
export interface APIServiceSpec {
  readonly service?: ServiceReference
  readonly group?: string
  readonly version?: string
  readonly insecureSkipTLSVerify?: boolean
  readonly caBundle?: string
  readonly groupPriorityMinimum: number
  readonly versionPriority: number
}

/** apiregistration.k8s.io/v1 APIServiceStatus. */
export interface APIServiceStatus {
  readonly conditions?: readonly APIServiceCondition[]
}

/** apiregistration.k8s.io/v1 ServiceReference. */
export interface ServiceReference {
  readonly namespace?: string
  readonly name?: string
  readonly port?: number
}
