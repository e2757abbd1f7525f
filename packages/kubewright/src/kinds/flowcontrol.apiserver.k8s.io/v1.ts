// The kinds of flowcontrol.apiserver.k8s.io/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** flowcontrol.apiserver.k8s.io/v1 FlowSchema. */
export interface FlowSchema extends KubeObject {
  readonly spec: FlowSchemaSpec
  readonly status?: FlowSchemaStatus
}

/** The kind of flowschemas. */
export const FlowSchema: Kind<FlowSchema> = kindOf(
  'flowcontrol.apiserver.k8s.io/v1',
  'FlowSchema',
  'flowschemas',
  'Cluster',
)

/** flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration. */
export interface PriorityLevelConfiguration extends KubeObject {
  readonly spec: PriorityLevelConfigurationSpec
  readonly status?: PriorityLevelConfigurationStatus
}

/** The kind of prioritylevelconfigurations. */
export const PriorityLevelConfiguration: Kind<PriorityLevelConfiguration> = kindOf(
  'flowcontrol.apiserver.k8s.io/v1',
  'PriorityLevelConfiguration',
  'prioritylevelconfigurations',
  'Cluster',
)

/** flowcontrol.apiserver.k8s.io/v1 ExemptPriorityLevelConfiguration. */
export interface ExemptPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number
  readonly lendablePercent?: number
}

/** flowcontrol.apiserver.k8s.io/v1 FlowDistinguisherMethod. */
export interface FlowDistinguisherMethod {
  readonly type: string
}

/** flowcontrol.apiserver.k8s.io/v1 FlowSchemaCondition. */
export interface FlowSchemaCondition {
  readonly type?: string
  readonly status?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

/** flowcontrol.apiserver.k8s.io/v1 FlowSchemaSpec. */
export interface FlowSchemaSpec {
  readonly priorityLevelConfiguration: PriorityLevelConfigurationReference
  readonly matchingPrecedence?: number
  readonly distinguisherMethod?: FlowDistinguisherMethod
  readonly rules?: readonly PolicyRulesWithSubjects[]
}

/** flowcontrol.apiserver.k8s.io/v1 FlowSchemaStatus. */
export interface FlowSchemaStatus {
  readonly conditions?: readonly FlowSchemaCondition[]
}

/** flowcontrol.apiserver.k8s.io/v1 GroupSubject. */
export interface GroupSubject {
  readonly name: string
}

/** flowcontrol.apiserver.k8s.io/v1 LimitResponse. */
export interface LimitResponse {
  readonly type: string
  readonly queuing?: QueuingConfiguration
}

/** flowcontrol.apiserver.k8s.io/v1 LimitedPriorityLevelConfiguration. */
export interface LimitedPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number | null
  readonly limitResponse?: LimitResponse
  readonly lendablePercent?: number
  readonly borrowingLimitPercent?: number
}

/** flowcontrol.apiserver.k8s.io/v1 NonResourcePolicyRule. */
export interface NonResourcePolicyRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

/** flowcontrol.apiserver.k8s.io/v1 PolicyRulesWithSubjects. */
export interface PolicyRulesWithSubjects {
  readonly subjects: readonly Subject[]
  readonly resourceRules?: readonly ResourcePolicyRule[]
  readonly nonResourceRules?: readonly NonResourcePolicyRule[]
}

/** flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfigurationCondition. */
export interface PriorityLevelConfigurationCondition {
  readonly type?: string
  readonly status?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

/** flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfigurationReference. */
export interface PriorityLevelConfigurationReference {
  readonly name: string
}

/** flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfigurationSpec. */
export interface PriorityLevelConfigurationSpec {
  readonly type: string
  readonly limited?: LimitedPriorityLevelConfiguration
  readonly exempt?: ExemptPriorityLevelConfiguration
}

/** flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfigurationStatus. */
export interface PriorityLevelConfigurationStatus {
  readonly conditions?: readonly PriorityLevelConfigurationCondition[]
}

/** flowcontrol.apiserver.k8s.io/v1 QueuingConfiguration. */
export interface QueuingConfiguration {
  readonly queues?: number
  readonly handSize?: number
  readonly queueLengthLimit?: number
}

/** flowcontrol.apiserver.k8s.io/v1 ResourcePolicyRule. */
export interface ResourcePolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly clusterScope?: boolean
  readonly namespaces?: readonly string[] | null
}

/** flowcontrol.apiserver.k8s.io/v1 ServiceAccountSubject. */
export interface ServiceAccountSubject {
  readonly namespace: string
  readonly name: string
}

/** flowcontrol.apiserver.k8s.io/v1 Subject. */
export interface Subject {
  readonly kind: string
  readonly user?: UserSubject
  readonly group?: GroupSubject
  readonly serviceAccount?: ServiceAccountSubject
}

/** flowcontrol.apiserver.k8s.io/v1 UserSubject. */
export interface UserSubject {
  readonly name: string
}
