import { ApiError, failure, type Status, type StatusDetails } from 'kubewright/machinery'
import type { AdmissionRequest } from '../admission/admission.ts'
import { requestFields } from '../admission/attributes.ts'
import type { MatchedAs, Versioned } from '../admission/matching/versions.ts'
import type { Webhook } from './configuration.ts'

/** What a webhook decided (admission/v1 AdmissionResponse). */
export interface Verdict {
  readonly allowed: boolean
  readonly status?: Partial<Status>
  /** The bytes of a patch; absent or empty where nothing is to be changed. */
  readonly patch?: Buffer
  readonly patchType: string
  readonly warnings: readonly string[]
  readonly auditAnnotations: Readonly<Record<string, string>>
}

const GROUP = 'admission.k8s.io'

/** The version of AdmissionReview in which a webhook is asked: the first that it lists and that there is. Throws an Error. */
export function reviewVersionOf({ admissionReviewVersions = [] }: Webhook): 'v1' | 'v1beta1' {
  const found = admissionReviewVersions.find((it) => it === 'v1' || it === 'v1beta1')
  if (found) return found as 'v1' | 'v1beta1'
  throw new Error('webhook does not accept known AdmissionReview versions (v1, v1beta1)')
}

/** The AdmissionReview that asks a webhook (apiserver/pkg/admission/plugin/webhook/request). */
export function reviewOf(
  request: AdmissionRequest,
  as: MatchedAs,
  { object, old }: Versioned,
  version: 'v1' | 'v1beta1',
  uid: string,
): object {
  const { dryRun, options, ...fields } = requestFields(request, as)
  return {
    kind: 'AdmissionReview',
    apiVersion: `${GROUP}/${version}`,
    request: { uid, ...fields, object: object ?? null, oldObject: old ?? null, dryRun, options },
  }
}

interface Response {
  readonly uid?: string
  readonly allowed?: boolean
  readonly status?: Partial<Status>
  readonly patch?: string
  readonly patchType?: string
  readonly warnings?: readonly string[]
  readonly auditAnnotations?: Readonly<Record<string, string>>
}

/** Reads the review that a webhook sent back. Throws an Error with the real server's sentence where it is not good. */
export function verdictOf(
  answer: { readonly [name: string]: unknown },
  version: 'v1' | 'v1beta1',
  uid: string,
  mutating: boolean,
): Verdict {
  const response = answer['response'] as Response | null | undefined
  if (!response) throw new Error('webhook response was absent')
  if (version === 'v1') check(answer, response, uid, mutating)
  const { allowed = false, status, warnings, patch, patchType, auditAnnotations } = response
  const bytes = mutating && patch ? Buffer.from(patch, 'base64') : undefined
  return {
    allowed,
    ...(status ? { status } : {}),
    ...(bytes && bytes.length > 0 ? { patch: bytes } : {}),
    patchType: version === 'v1' ? (patchType ?? '') : 'JSONPatch',
    warnings: warnings ?? [],
    auditAnnotations: auditAnnotations ?? {},
  }
}

function check(
  { apiVersion = '', kind = '' }: { readonly [name: string]: unknown },
  { uid: own = '', patch = '', patchType }: Response,
  uid: string,
  mutating: boolean,
): void {
  if (own !== uid) throw new Error(`expected response.uid="${uid}", got ${JSON.stringify(own)}`)
  const expected = `${GROUP}/v1, Kind=AdmissionReview`
  const given = `${apiVersion === '' ? '/' : String(apiVersion)}, Kind=${String(kind)}`
  if (given !== expected) throw new Error(`expected webhook response of ${expected}, got ${given}`)
  const typed = patchType !== undefined && patchType !== null
  if (!mutating) {
    if (patch !== '') throw new Error('validating webhook may not return response.patch')
    if (typed) throw new Error('validating webhook may not return response.patchType')
    return
  }
  if (patch !== '' && !typed) {
    throw new Error('webhook returned response.patch but not response.patchType')
  }
  if (patch === '' && typed) {
    throw new Error('webhook returned response.patchType but not response.patch')
  }
  if (patchType === '') throw new Error('webhook returned invalid response.patchType of ""')
}

/** The refusal of a webhook as the client hears it (webhook/errors ToStatusErr): its own Status, with its name before the message. */
export function denial(name: string, status: Partial<Status> = {}): ApiError {
  const why = status.message || status.reason
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`
  const message = why ? `${denied}: ${why}` : `${denied} without explanation`
  const code = Math.max(status.code ?? 0, 400)
  const shown = failure(code, status.reason, message, status.details && ordered(status.details))
  return new ApiError({ ...shown, metadata: status.metadata ?? {} })
}

/** As Go writes the details of a Status. */
function ordered(details: StatusDetails): StatusDetails {
  const { name, group, kind, uid, causes, retryAfterSeconds } = details
  const parts = {
    name,
    group,
    kind,
    uid,
    causes: causes?.map(({ reason, message, field }) => written({ reason, message, field })),
    retryAfterSeconds,
  }
  return written(parts)
}

/** Without what is empty. */
const written = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, it]) => it !== undefined && it !== ''))
