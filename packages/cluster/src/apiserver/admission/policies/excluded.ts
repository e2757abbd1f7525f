import type { AdmissionRequest } from '../admission.ts'

/** Reviews are never stored, and judging them may lock everybody out (kubeapiserver/admission/exclusion). */
const REVIEWS: ReadonlySet<string> = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
])

const GROUP = 'admissionregistration.k8s.io'
const POLICIES: ReadonlySet<string> = new Set([
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
])
const WEBHOOKS: ReadonlySet<string> = new Set([
  ...POLICIES,
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
])

/** Whether no policy may judge a request: nobody could mend a policy that refuses its own mending. */
export function isExcluded({ context: { resource } }: AdmissionRequest): boolean {
  const { group, plural } = resource
  if (group === GROUP) return POLICIES.has(plural)
  return REVIEWS.has(`${group}/${plural}`)
}

/** Whether no webhook may judge a request. */
export const isExcludedFromWebhooks = ({ context: { resource } }: AdmissionRequest): boolean =>
  resource.group === GROUP && WEBHOOKS.has(resource.plural)
