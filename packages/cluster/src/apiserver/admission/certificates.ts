import { forbiddenField, invalid } from 'kubewright/machinery'
import type { Authorizer } from '../endpoints/authorizer.ts'
import { objectAt, same, textAt } from '../registry/fields.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { isAbout, isUnder, refuse, updates } from './refusal.ts'

const REQUESTS = 'certificates.k8s.io/certificatesigningrequests'
const BUNDLES = 'certificates.k8s.io/clustertrustbundles'

/** Whether a user may do something as a signer, or as all signers of its domain (certificates/authorization IsAuthorizedForSignerName). */
async function maySign(
  authorizer: Authorizer,
  { context: { user } }: AdmissionRequest,
  verb: string,
  signer: string,
): Promise<boolean> {
  for (const name of [signer, `${signer.split('/')[0]}/*`]) {
    const asked = { verb, group: 'certificates.k8s.io', version: '*', resource: 'signers', name }
    const attributes = { ...asked, kind: 'resource', user, subresource: '', namespace: '' } as const
    if ((await authorizer(attributes)).allowed) return true
  }
  return false
}

const signerOf = (object: object | undefined): string =>
  textAt(objectAt(object as Record<string, unknown> | undefined, 'spec'), 'signerName')

const notPermitted = (request: AdmissionRequest, what: string, signer: string): Error =>
  refuse(request, `user not permitted to ${what} ${JSON.stringify(signer)}`)

/** CertificateApproval: only who may approve for a signer approves (kubernetes/plugin/pkg/admission/certificates/approval). */
export const certificateApproval = ({
  authorizer,
}: {
  authorizer: Authorizer
}): AdmissionPlugin => ({
  name: 'CertificateApproval',
  handles: updates(REQUESTS, 'approval'),
  validate: async (request) => {
    const signer = signerOf(request.old)
    if (await maySign(authorizer, request, 'approve', signer)) return
    throw notPermitted(request, 'approve requests with signerName', signer)
  },
})

/** CertificateSigning: only who may sign as a signer issues what it signs (…/certificates/signing). */
export const certificateSigning = ({
  authorizer,
}: {
  authorizer: Authorizer
}): AdmissionPlugin => ({
  name: 'CertificateSigning',
  handles: updates(REQUESTS, 'status'),
  validate: async (request) => {
    const [before, after] = [request.old, request.object].map((it) => objectAt(it, 'status'))
    const unchanged = ['certificate', 'conditions'].every((it) => same(before?.[it], after?.[it]))
    const signer = signerOf(request.old)
    if (unchanged || (await maySign(authorizer, request, 'sign', signer))) return
    throw notPermitted(request, 'sign requests with signerName', signer)
  },
})

const POD_CERTIFICATES = 'certificates.k8s.io/podcertificaterequests'

/**
 * Only who may sign as a signer decides about its PodCertificateRequests. No plugin of Kubernetes' own: there it is a rule of the kind
 * itself (registry/certificates/podcertificaterequest), and the answer is that the object is invalid.
 */
export const podCertificateSigning = ({
  authorizer,
}: {
  authorizer: Authorizer
}): AdmissionPlugin => ({
  name: 'PodCertificateSigning',
  handles: updates(POD_CERTIFICATES, 'status'),
  validate: async (request) => {
    const { old, object, name, context } = request
    if (same(old?.['status'], object?.['status'])) return
    const signer = signerOf(old)
    if (await maySign(authorizer, request, 'sign', signer)) return
    const [user, named] = [context.user.name, signer].map((it) => JSON.stringify(it))
    const why = `User ${user} is not permitted to "sign" for signer ${named}`
    throw invalid(context.resource, name, [forbiddenField('spec.signerName', why)])
  },
})

/** ClusterTrustBundleAttest: only who may attest for a signer publishes what it trusts (…/certificates/ctbattest). */
export const clusterTrustBundleAttest = ({
  authorizer,
}: {
  authorizer: Authorizer
}): AdmissionPlugin => ({
  name: 'ClusterTrustBundleAttest',
  handles: (request) =>
    (request.operation === 'CREATE' || request.operation === 'UPDATE') && isUnder(request, BUNDLES),
  validate: async (request) => {
    const signer = signerOf(request.object)
    if (signer === '') return
    if (request.old && same(request.old['spec'], request.object?.['spec'])) return
    if (await maySign(authorizer, request, 'attest', signer)) return
    throw notPermitted(request, 'attest for signerName', signer)
  },
})

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client'
const MASTERS = 'system:masters'

/** CertificateSubjectRestriction: nobody becomes a master by certificate (…/certificates/subjectrestriction). */
export const CERTIFICATE_SUBJECT_RESTRICTION: AdmissionPlugin = Object.freeze({
  name: 'CertificateSubjectRestriction',
  handles: (request: AdmissionRequest) =>
    request.operation === 'CREATE' && isAbout(request, REQUESTS),
  validate: async (request: AdmissionRequest) => {
    if (signerOf(request.object) !== CLIENT_SIGNER) return
    const text = textAt(objectAt(request.object, 'spec'), 'request')
    let organizations: readonly string[]
    try {
      // Heavy, and hardly ever needed.
      const { organizationsIn } = await import('./certificate-organizations.ts')
      organizations = organizationsIn(text)
    } catch (error) {
      throw refuse(request, `failed to parse CSR: ${(error as Error).message}`)
    }
    if (!organizations.includes(MASTERS)) return
    throw refuse(request, `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`)
  },
})
