// The kinds of rbac.authorization.k8s.io/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { LabelSelector } from '../meta/v1.ts'

/** rbac.authorization.k8s.io/v1 ClusterRoleBinding. */
export interface ClusterRoleBinding extends KubeObject {
  readonly subjects?: readonly Subject[]
  readonly roleRef: RoleRef
}

/** The kind of clusterrolebindings. */
export const ClusterRoleBinding: Kind<ClusterRoleBinding> = kindOf(
  'rbac.authorization.k8s.io/v1',
  'ClusterRoleBinding',
  'clusterrolebindings',
  'Cluster',
)

/** rbac.authorization.k8s.io/v1 ClusterRole. */
export interface ClusterRole extends KubeObject {
  readonly rules?: readonly PolicyRule[] | null
  readonly aggregationRule?: AggregationRule
}

/** The kind of clusterroles. */
export const ClusterRole: Kind<ClusterRole> = kindOf(
  'rbac.authorization.k8s.io/v1',
  'ClusterRole',
  'clusterroles',
  'Cluster',
)

/** rbac.authorization.k8s.io/v1 RoleBinding. */
export interface RoleBinding extends KubeObject {
  readonly subjects?: readonly Subject[]
  readonly roleRef: RoleRef
}

/** The kind of rolebindings. */
export const RoleBinding: Kind<RoleBinding> = kindOf(
  'rbac.authorization.k8s.io/v1',
  'RoleBinding',
  'rolebindings',
  'Namespaced',
)

/** rbac.authorization.k8s.io/v1 Role. */
export interface Role extends KubeObject {
  readonly rules?: readonly PolicyRule[] | null
}

/** The kind of roles. */
export const Role: Kind<Role> = kindOf(
  'rbac.authorization.k8s.io/v1',
  'Role',
  'roles',
  'Namespaced',
)

/** rbac.authorization.k8s.io/v1 AggregationRule. */
export interface AggregationRule {
  readonly clusterRoleSelectors?: readonly LabelSelector[]
}

/** rbac.authorization.k8s.io/v1 PolicyRule. */
export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

/** rbac.authorization.k8s.io/v1 RoleRef. */
export interface RoleRef {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
}

/** rbac.authorization.k8s.io/v1 Subject. */
export interface Subject {
  readonly kind: string
  readonly apiGroup?: string
  readonly name: string
  readonly namespace?: string
}
