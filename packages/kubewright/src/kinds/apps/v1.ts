// The kinds of apps/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { PersistentVolumeClaim, PodTemplateSpec } from '../core/v1.ts'
import type { LabelSelector } from '../meta/v1.ts'

/** apps/v1 ControllerRevision. */
export interface ControllerRevision extends KubeObject {
  readonly data?: Readonly<Record<string, unknown>>
  readonly revision: number
}

/** The kind of controllerrevisions. */
export const ControllerRevision: Kind<ControllerRevision> = kindOf(
  'apps/v1',
  'ControllerRevision',
  'controllerrevisions',
  'Namespaced',
)

/** apps/v1 DaemonSet. */
export interface DaemonSet extends KubeObject {
  readonly spec: DaemonSetSpec
  readonly status?: DaemonSetStatus
}

/** The kind of daemonsets. */
export const DaemonSet: Kind<DaemonSet> = kindOf('apps/v1', 'DaemonSet', 'daemonsets', 'Namespaced')

/** apps/v1 Deployment. */
export interface Deployment extends KubeObject {
  readonly spec: DeploymentSpec
  readonly status?: DeploymentStatus
}

/** The kind of deployments. */
export const Deployment: Kind<Deployment> = kindOf(
  'apps/v1',
  'Deployment',
  'deployments',
  'Namespaced',
)

/** apps/v1 ReplicaSet. */
export interface ReplicaSet extends KubeObject {
  readonly spec: ReplicaSetSpec
  readonly status?: ReplicaSetStatus
}

/** The kind of replicasets. */
export const ReplicaSet: Kind<ReplicaSet> = kindOf(
  'apps/v1',
  'ReplicaSet',
  'replicasets',
  'Namespaced',
)

/** apps/v1 StatefulSet. */
export interface StatefulSet extends KubeObject {
  readonly spec: StatefulSetSpec
  readonly status?: StatefulSetStatus
}

/** The kind of statefulsets. */
export const StatefulSet: Kind<StatefulSet> = kindOf(
  'apps/v1',
  'StatefulSet',
  'statefulsets',
  'Namespaced',
)

/** apps/v1 DaemonSetCondition. */
export interface DaemonSetCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

/** apps/v1 DaemonSetSpec. */
export interface DaemonSetSpec {
  readonly selector: LabelSelector
  readonly template: PodTemplateSpec
  readonly updateStrategy?: DaemonSetUpdateStrategy
  readonly minReadySeconds?: number
  readonly revisionHistoryLimit?: number
}

/** apps/v1 DaemonSetStatus. */
export interface DaemonSetStatus {
  readonly currentNumberScheduled: number
  readonly numberMisscheduled: number
  readonly desiredNumberScheduled: number
  readonly numberReady: number
  readonly observedGeneration?: number
  readonly updatedNumberScheduled?: number
  readonly numberAvailable?: number
  readonly numberUnavailable?: number
  readonly collisionCount?: number
  readonly conditions?: readonly DaemonSetCondition[]
}

/** apps/v1 DaemonSetUpdateStrategy. */
export interface DaemonSetUpdateStrategy {
  readonly type?: 'OnDelete' | 'RollingUpdate'
  readonly rollingUpdate?: RollingUpdateDaemonSet
}

/** apps/v1 DeploymentCondition. */
export interface DeploymentCondition {
  readonly type: string
  readonly status: string
  readonly lastUpdateTime?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

/** apps/v1 DeploymentSpec. */
export interface DeploymentSpec {
  readonly replicas?: number
  readonly selector: LabelSelector
  readonly template: PodTemplateSpec
  readonly strategy?: DeploymentStrategy
  readonly minReadySeconds?: number
  readonly revisionHistoryLimit?: number
  readonly paused?: boolean
  readonly progressDeadlineSeconds?: number
}

/** apps/v1 DeploymentStatus. */
export interface DeploymentStatus {
  readonly observedGeneration?: number
  readonly replicas?: number
  readonly updatedReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly unavailableReplicas?: number
  readonly terminatingReplicas?: number
  readonly conditions?: readonly DeploymentCondition[]
  readonly collisionCount?: number
}

/** apps/v1 DeploymentStrategy. */
export interface DeploymentStrategy {
  readonly type?: 'Recreate' | 'RollingUpdate'
  readonly rollingUpdate?: RollingUpdateDeployment
}

/** apps/v1 ReplicaSetCondition. */
export interface ReplicaSetCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

/** apps/v1 ReplicaSetSpec. */
export interface ReplicaSetSpec {
  readonly replicas?: number
  readonly minReadySeconds?: number
  readonly selector: LabelSelector
  readonly template?: PodTemplateSpec
}

/** apps/v1 ReplicaSetStatus. */
export interface ReplicaSetStatus {
  readonly replicas: number
  readonly fullyLabeledReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly terminatingReplicas?: number
  readonly observedGeneration?: number
  readonly conditions?: readonly ReplicaSetCondition[]
}

/** apps/v1 RollingUpdateDaemonSet. */
export interface RollingUpdateDaemonSet {
  readonly maxUnavailable?: number | string
  readonly maxSurge?: number | string
}

/** apps/v1 RollingUpdateDeployment. */
export interface RollingUpdateDeployment {
  readonly maxUnavailable?: number | string
  readonly maxSurge?: number | string
}

/** apps/v1 RollingUpdateStatefulSetStrategy. */
export interface RollingUpdateStatefulSetStrategy {
  readonly partition?: number
  readonly maxUnavailable?: number | string
}

/** apps/v1 StatefulSetCondition. */
export interface StatefulSetCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

/** apps/v1 StatefulSetOrdinals. */
export interface StatefulSetOrdinals {
  readonly start?: number
}

/** apps/v1 StatefulSetPersistentVolumeClaimRetentionPolicy. */
export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  readonly whenDeleted?: string
  readonly whenScaled?: string
}

/** apps/v1 StatefulSetSpec. */
export interface StatefulSetSpec {
  readonly replicas?: number
  readonly selector: LabelSelector
  readonly template: PodTemplateSpec
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[]
  readonly serviceName?: string
  readonly podManagementPolicy?: 'OrderedReady' | 'Parallel'
  readonly updateStrategy?: StatefulSetUpdateStrategy
  readonly revisionHistoryLimit?: number
  readonly minReadySeconds?: number
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy
  readonly ordinals?: StatefulSetOrdinals
}

/** apps/v1 StatefulSetStatus. */
export interface StatefulSetStatus {
  readonly observedGeneration?: number
  readonly replicas: number
  readonly readyReplicas?: number
  readonly currentReplicas?: number
  readonly updatedReplicas?: number
  readonly currentRevision?: string
  readonly updateRevision?: string
  readonly collisionCount?: number
  readonly conditions?: readonly StatefulSetCondition[]
  readonly availableReplicas?: number
}

/** apps/v1 StatefulSetUpdateStrategy. */
export interface StatefulSetUpdateStrategy {
  readonly type?: 'OnDelete' | 'RollingUpdate'
  readonly rollingUpdate?: RollingUpdateStatefulSetStrategy
}
