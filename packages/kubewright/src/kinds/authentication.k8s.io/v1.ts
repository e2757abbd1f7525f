// The kinds of authentication.k8s.io/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** authentication.k8s.io/v1 SelfSubjectReview. */
export interface SelfSubjectReview extends KubeObject {
  readonly status?: SelfSubjectReviewStatus
}

/** The kind of selfsubjectreviews. */
export const SelfSubjectReview: Kind<SelfSubjectReview> = kindOf(
  'authentication.k8s.io/v1',
  'SelfSubjectReview',
  'selfsubjectreviews',
  'Cluster',
)

/** authentication.k8s.io/v1 TokenReview. */
export interface TokenReview extends KubeObject {
  readonly spec: TokenReviewSpec
  readonly status?: TokenReviewStatus
}

/** The kind of tokenreviews. */
export const TokenReview: Kind<TokenReview> = kindOf(
  'authentication.k8s.io/v1',
  'TokenReview',
  'tokenreviews',
  'Cluster',
)

/** authentication.k8s.io/v1 BoundObjectReference. */
export interface BoundObjectReference {
  readonly kind?: string
  readonly apiVersion?: string
  readonly name?: string
  readonly uid?: string
}

/** authentication.k8s.io/v1 SelfSubjectReviewStatus. */
export interface SelfSubjectReviewStatus {
  readonly userInfo?: UserInfo
}

/** authentication.k8s.io/v1 TokenRequest. */
export interface TokenRequest extends KubeObject {
  readonly spec: TokenRequestSpec
  readonly status?: TokenRequestStatus
}

/** authentication.k8s.io/v1 TokenRequestSpec. */
export interface TokenRequestSpec {
  readonly audiences?: readonly string[] | null
  readonly expirationSeconds?: number | null
  readonly boundObjectRef?: BoundObjectReference | null
}

/** authentication.k8s.io/v1 TokenRequestStatus. */
export interface TokenRequestStatus {
  readonly token?: string
  readonly expirationTimestamp?: string
}

/** authentication.k8s.io/v1 TokenReviewSpec. */
export interface TokenReviewSpec {
  readonly token: string
  readonly audiences?: readonly string[]
}

/** authentication.k8s.io/v1 TokenReviewStatus. */
export interface TokenReviewStatus {
  readonly authenticated?: boolean
  readonly user?: UserInfo
  readonly audiences?: readonly string[]
  readonly error?: string
}

/** authentication.k8s.io/v1 UserInfo. */
export interface UserInfo {
  readonly username?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}
