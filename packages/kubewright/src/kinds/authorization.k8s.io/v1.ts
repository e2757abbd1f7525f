// The kinds of authorization.k8s.io/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { FieldSelectorRequirement, LabelSelectorRequirement } from '../meta/v1.ts'

/** authorization.k8s.io/v1 LocalSubjectAccessReview. */
export interface LocalSubjectAccessReview extends KubeObject {
  readonly spec: SubjectAccessReviewSpec
  readonly status?: SubjectAccessReviewStatus
}

/** The kind of localsubjectaccessreviews. */
export const LocalSubjectAccessReview: Kind<LocalSubjectAccessReview> = kindOf(
  'authorization.k8s.io/v1',
  'LocalSubjectAccessReview',
  'localsubjectaccessreviews',
  'Namespaced',
)

/** authorization.k8s.io/v1 SelfSubjectAccessReview. */
export interface SelfSubjectAccessReview extends KubeObject {
  readonly spec: SelfSubjectAccessReviewSpec
  readonly status?: SubjectAccessReviewStatus
}

/** The kind of selfsubjectaccessreviews. */
export const SelfSubjectAccessReview: Kind<SelfSubjectAccessReview> = kindOf(
  'authorization.k8s.io/v1',
  'SelfSubjectAccessReview',
  'selfsubjectaccessreviews',
  'Cluster',
)

/** authorization.k8s.io/v1 SelfSubjectRulesReview. */
export interface SelfSubjectRulesReview extends KubeObject {
  readonly spec: SelfSubjectRulesReviewSpec
  readonly status?: SubjectRulesReviewStatus
}

/** The kind of selfsubjectrulesreviews. */
export const SelfSubjectRulesReview: Kind<SelfSubjectRulesReview> = kindOf(
  'authorization.k8s.io/v1',
  'SelfSubjectRulesReview',
  'selfsubjectrulesreviews',
  'Cluster',
)

/** authorization.k8s.io/v1 SubjectAccessReview. */
export interface SubjectAccessReview extends KubeObject {
  readonly spec: SubjectAccessReviewSpec
  readonly status?: SubjectAccessReviewStatus
}

/** The kind of subjectaccessreviews. */
export const SubjectAccessReview: Kind<SubjectAccessReview> = kindOf(
  'authorization.k8s.io/v1',
  'SubjectAccessReview',
  'subjectaccessreviews',
  'Cluster',
)

/** authorization.k8s.io/v1 FieldSelectorAttributes. */
export interface FieldSelectorAttributes {
  readonly rawSelector?: string
  readonly requirements?: readonly FieldSelectorRequirement[]
}

/** authorization.k8s.io/v1 LabelSelectorAttributes. */
export interface LabelSelectorAttributes {
  readonly rawSelector?: string
  readonly requirements?: readonly LabelSelectorRequirement[]
}

/** authorization.k8s.io/v1 NonResourceAttributes. */
export interface NonResourceAttributes {
  readonly path?: string
  readonly verb?: string
}

/** authorization.k8s.io/v1 NonResourceRule. */
export interface NonResourceRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

/** authorization.k8s.io/v1 ResourceAttributes. */
export interface ResourceAttributes {
  readonly namespace?: string
  readonly verb?: string
  readonly group?: string
  readonly version?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
  readonly fieldSelector?: FieldSelectorAttributes
  readonly labelSelector?: LabelSelectorAttributes
}

/** authorization.k8s.io/v1 ResourceRule. */
export interface ResourceRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

/** authorization.k8s.io/v1 SelfSubjectAccessReviewSpec. */
export interface SelfSubjectAccessReviewSpec {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: NonResourceAttributes
}

/** authorization.k8s.io/v1 SelfSubjectRulesReviewSpec. */
export interface SelfSubjectRulesReviewSpec {
  readonly namespace?: string
}

/** authorization.k8s.io/v1 SubjectAccessReviewSpec. */
export interface SubjectAccessReviewSpec {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: NonResourceAttributes
  readonly user?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
  readonly uid?: string
}

/** authorization.k8s.io/v1 SubjectAccessReviewStatus. */
export interface SubjectAccessReviewStatus {
  readonly allowed: boolean
  readonly denied?: boolean
  readonly reason?: string
  readonly evaluationError?: string
}

/** authorization.k8s.io/v1 SubjectRulesReviewStatus. */
export interface SubjectRulesReviewStatus {
  readonly resourceRules: readonly ResourceRule[]
  readonly nonResourceRules: readonly NonResourceRule[]
  readonly incomplete: boolean
  readonly evaluationError?: string
}
