import type { GroupVersionKind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import { ApiError, failure, type Status } from '../machinery/status.ts'

/** What a server asks (admission.k8s.io/v1 AdmissionRequest). */
export interface AdmissionRequest<T extends KubeObject = KubeObject> {
  readonly uid: string
  readonly kind: GroupVersionKind
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string }
  readonly subResource?: string
  readonly requestKind?: GroupVersionKind
  readonly name?: string
  readonly namespace?: string
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly userInfo: {
    readonly username?: string
    readonly uid?: string
    readonly groups?: readonly string[]
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
  /** Absent when an object is deleted. */
  readonly object?: T | null
  /** Absent when one is created. */
  readonly oldObject?: T | null
  readonly dryRun?: boolean
  readonly options?: object | null
}

/** What it is answered (admission.k8s.io/v1 AdmissionResponse). `patch` is base64 of a JSON Patch. */
export interface AdmissionResponse {
  readonly uid: string
  readonly allowed: boolean
  readonly status?: Partial<Status>
  readonly patch?: string
  readonly patchType?: 'JSONPatch'
  readonly warnings?: readonly string[]
}

/** Judges one request; what it throws denies it. */
export type AdmissionHandler = (
  request: AdmissionRequest,
) => Omit<AdmissionResponse, 'uid'> | Promise<Omit<AdmissionResponse, 'uid'>>

/** Answers an AdmissionReview. Throws an ApiError (400) for anything else. */
export async function answerAdmission(handler: AdmissionHandler, body: unknown): Promise<object> {
  const review = body as {
    readonly kind?: string
    readonly apiVersion?: string
    readonly request?: AdmissionRequest
  }
  const { request } = review
  if (review.kind !== 'AdmissionReview' || !request?.uid)
    throw new ApiError(failure(400, 'BadRequest', 'an AdmissionReview with a request was expected'))
  if (review.apiVersion !== 'admission.k8s.io/v1')
    throw new ApiError(
      failure(
        400,
        'BadRequest',
        `AdmissionReview ${review.apiVersion} is not spoken here; put v1 in the configuration's admissionReviewVersions`,
      ),
    )
  const response = await Promise.resolve()
    .then(() => handler(request))
    .catch((error: unknown) => denied(error))
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: request.uid, ...response },
  }
}

/** The answer that an error is: an ApiError's Status, a sentence of the author's (403), or a bug (500). */
export function denied(error: unknown): Omit<AdmissionResponse, 'uid'> {
  if (error instanceof ApiError) return { allowed: false, status: error.status }
  if (error instanceof Error && !isBug(error))
    return { allowed: false, status: { code: 403, reason: 'Forbidden', message: error.message } }
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { allowed: false, status: { code: 500, message: `panic: ${text} [recovered]` } }
}

const isBug = (error: Error): boolean =>
  error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError
