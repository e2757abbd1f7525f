// The kinds of admissionregistration.k8s.io/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Condition, LabelSelector } from '../meta/v1.ts'

/** admissionregistration.k8s.io/v1 MutatingAdmissionPolicy. */
export interface MutatingAdmissionPolicy extends KubeObject {
  readonly spec: MutatingAdmissionPolicySpec
}

/** The kind of mutatingadmissionpolicies. */
export const MutatingAdmissionPolicy: Kind<MutatingAdmissionPolicy> = kindOf(
  'admissionregistration.k8s.io/v1',
  'MutatingAdmissionPolicy',
  'mutatingadmissionpolicies',
  'Cluster',
)

/** admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding. */
export interface MutatingAdmissionPolicyBinding extends KubeObject {
  readonly spec: MutatingAdmissionPolicyBindingSpec
}

/** The kind of mutatingadmissionpolicybindings. */
export const MutatingAdmissionPolicyBinding: Kind<MutatingAdmissionPolicyBinding> = kindOf(
  'admissionregistration.k8s.io/v1',
  'MutatingAdmissionPolicyBinding',
  'mutatingadmissionpolicybindings',
  'Cluster',
)

/** admissionregistration.k8s.io/v1 MutatingWebhookConfiguration. */
export interface MutatingWebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly MutatingWebhook[]
}

/** The kind of mutatingwebhookconfigurations. */
export const MutatingWebhookConfiguration: Kind<MutatingWebhookConfiguration> = kindOf(
  'admissionregistration.k8s.io/v1',
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
  'Cluster',
)

/** admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy. */
export interface ValidatingAdmissionPolicy extends KubeObject {
  readonly spec: ValidatingAdmissionPolicySpec
  readonly status?: ValidatingAdmissionPolicyStatus
}

/** The kind of validatingadmissionpolicies. */
export const ValidatingAdmissionPolicy: Kind<ValidatingAdmissionPolicy> = kindOf(
  'admissionregistration.k8s.io/v1',
  'ValidatingAdmissionPolicy',
  'validatingadmissionpolicies',
  'Cluster',
)

/** admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding. */
export interface ValidatingAdmissionPolicyBinding extends KubeObject {
  readonly spec: ValidatingAdmissionPolicyBindingSpec
}

/** The kind of validatingadmissionpolicybindings. */
export const ValidatingAdmissionPolicyBinding: Kind<ValidatingAdmissionPolicyBinding> = kindOf(
  'admissionregistration.k8s.io/v1',
  'ValidatingAdmissionPolicyBinding',
  'validatingadmissionpolicybindings',
  'Cluster',
)

/** admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration. */
export interface ValidatingWebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly ValidatingWebhook[]
}

/** The kind of validatingwebhookconfigurations. */
export const ValidatingWebhookConfiguration: Kind<ValidatingWebhookConfiguration> = kindOf(
  'admissionregistration.k8s.io/v1',
  'ValidatingWebhookConfiguration',
  'validatingwebhookconfigurations',
  'Cluster',
)

/** admissionregistration.k8s.io/v1 ApplyConfiguration. */
export interface ApplyConfiguration {
  readonly expression?: string
}

/** admissionregistration.k8s.io/v1 AuditAnnotation. */
export interface AuditAnnotation {
  readonly key: string
  readonly valueExpression: string
}

/** admissionregistration.k8s.io/v1 ExpressionWarning. */
export interface ExpressionWarning {
  readonly fieldRef: string
  readonly warning: string
}

/** admissionregistration.k8s.io/v1 JSONPatch. */
export interface JSONPatch {
  readonly expression?: string
}

/** admissionregistration.k8s.io/v1 MatchCondition. */
export interface MatchCondition {
  readonly name: string
  readonly expression: string
}

/** admissionregistration.k8s.io/v1 MatchResources. */
export interface MatchResources {
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly resourceRules?: readonly NamedRuleWithOperations[]
  readonly excludeResourceRules?: readonly NamedRuleWithOperations[]
  readonly matchPolicy?: 'Equivalent' | 'Exact'
}

/** admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBindingSpec. */
export interface MutatingAdmissionPolicyBindingSpec {
  readonly policyName?: string
  readonly paramRef?: ParamRef
  readonly matchResources?: MatchResources
}

/** admissionregistration.k8s.io/v1 MutatingAdmissionPolicySpec. */
export interface MutatingAdmissionPolicySpec {
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchResources
  readonly variables?: readonly Variable[]
  readonly mutations?: readonly Mutation[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly matchConditions?: readonly MatchCondition[]
  readonly reinvocationPolicy?: 'IfNeeded' | 'Never'
}

/** admissionregistration.k8s.io/v1 MutatingWebhook. */
export interface MutatingWebhook {
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly rules?: readonly RuleWithOperations[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly matchPolicy?: 'Equivalent' | 'Exact'
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown'
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions: readonly string[]
  readonly reinvocationPolicy?: 'IfNeeded' | 'Never'
  readonly matchConditions?: readonly MatchCondition[]
}

/** admissionregistration.k8s.io/v1 Mutation. */
export interface Mutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch'
  readonly applyConfiguration?: ApplyConfiguration
  readonly jsonPatch?: JSONPatch
}

/** admissionregistration.k8s.io/v1 NamedRuleWithOperations. */
export interface NamedRuleWithOperations {
  readonly resourceNames?: readonly string[]
  readonly operations?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: '*' | 'Cluster' | 'Namespaced'
}

/** admissionregistration.k8s.io/v1 ParamKind. */
export interface ParamKind {
  readonly apiVersion?: string
  readonly kind?: string
}

/** admissionregistration.k8s.io/v1 ParamRef. */
export interface ParamRef {
  readonly name?: string
  readonly namespace?: string
  readonly selector?: LabelSelector
  readonly parameterNotFoundAction?: string
}

/** admissionregistration.k8s.io/v1 RuleWithOperations. */
export interface RuleWithOperations {
  readonly operations?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: '*' | 'Cluster' | 'Namespaced'
}

/** admissionregistration.k8s.io/v1 ServiceReference. */
export interface ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly path?: string
  readonly port?: number
}

/** admissionregistration.k8s.io/v1 TypeChecking. */
export interface TypeChecking {
  readonly expressionWarnings?: readonly ExpressionWarning[]
}

/** admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBindingSpec. */
export interface ValidatingAdmissionPolicyBindingSpec {
  readonly policyName: string
  readonly paramRef?: ParamRef
  readonly matchResources?: MatchResources
  readonly validationActions: readonly string[]
}

/** admissionregistration.k8s.io/v1 ValidatingAdmissionPolicySpec. */
export interface ValidatingAdmissionPolicySpec {
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchResources
  readonly validations?: readonly Validation[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly auditAnnotations?: readonly AuditAnnotation[]
  readonly matchConditions?: readonly MatchCondition[]
  readonly variables?: readonly Variable[]
}

/** admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyStatus. */
export interface ValidatingAdmissionPolicyStatus {
  readonly observedGeneration?: number
  readonly typeChecking?: TypeChecking
  readonly conditions?: readonly Condition[]
}

/** admissionregistration.k8s.io/v1 ValidatingWebhook. */
export interface ValidatingWebhook {
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly rules?: readonly RuleWithOperations[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly matchPolicy?: 'Equivalent' | 'Exact'
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown'
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions: readonly string[]
  readonly matchConditions?: readonly MatchCondition[]
}

/** admissionregistration.k8s.io/v1 Validation. */
export interface Validation {
  readonly expression: string
  readonly message?: string
  readonly reason?: string
  readonly messageExpression?: string
}

/** admissionregistration.k8s.io/v1 Variable. */
export interface Variable {
  readonly name: string
  readonly expression: string
}

/** admissionregistration.k8s.io/v1 WebhookClientConfig. */
export interface WebhookClientConfig {
  readonly url?: string
  readonly service?: ServiceReference
  readonly caBundle?: string
}
