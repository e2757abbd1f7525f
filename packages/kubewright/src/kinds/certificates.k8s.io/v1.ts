// The kinds of certificates.k8s.io/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** certificates.k8s.io/v1 CertificateSigningRequest. */
export interface CertificateSigningRequest extends KubeObject {
  readonly spec: CertificateSigningRequestSpec
  readonly status?: CertificateSigningRequestStatus
}

/** The kind of certificatesigningrequests. */
export const CertificateSigningRequest: Kind<CertificateSigningRequest> = kindOf(
  'certificates.k8s.io/v1',
  'CertificateSigningRequest',
  'certificatesigningrequests',
  'Cluster',
)

/** certificates.k8s.io/v1 CertificateSigningRequestCondition. */
export interface CertificateSigningRequestCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastUpdateTime?: string
  readonly lastTransitionTime?: string
}

/** certificates.k8s.io/v1 CertificateSigningRequestSpec. */
export interface CertificateSigningRequestSpec {
  readonly request: string
  readonly signerName: string
  readonly expirationSeconds?: number
  readonly usages?: readonly string[]
  readonly username?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** certificates.k8s.io/v1 CertificateSigningRequestStatus. */
export interface CertificateSigningRequestStatus {
  readonly conditions?: readonly CertificateSigningRequestCondition[]
  readonly certificate?: string
}
