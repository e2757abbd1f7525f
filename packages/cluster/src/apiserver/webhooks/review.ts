import { ApiError, apiVersionOf, failure, type Status } from 'kubewright/machinery'
import type { AdmissionRequest } from '../admission/admission.ts'
import type { Webhook } from './configuration.ts'

/** What a webhook decided (admission/v1 AdmissionResponse). */
export interface Verdict {
  readonly allowed: boolean
  readonly status?: Partial<Status>
  /** A JSON patch, parsed; absent where nothing is to be changed. */
  readonly patch?: unknown
  readonly warnings?: readonly string[]
}

/** The AdmissionReview that asks a webhook (apiserver/pkg/admission/plugin/webhook/request). */
export function reviewOf(webhook: Webhook, request: AdmissionRequest, uid: string): object {
  const { context, operation, subresource, name, object, old, options } = request
  const { group, version, kind: kindName, plural } = context.resource
  const kind = { group, version, kind: kindName }
  const resource = { group, version, resource: plural }
  const sub =
    subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource }
  const { user } = context
  return {
    kind: 'AdmissionReview',
    apiVersion: apiVersionOf({ group: 'admission.k8s.io', version: versionOf(webhook) }),
    request: {
      uid,
      kind,
      resource,
      ...sub,
      requestKind: kind,
      requestResource: resource,
      ...(name === '' ? {} : { name }),
      ...(context.namespace === '' ? {} : { namespace: context.namespace }),
      operation,
      userInfo: {
        username: user.name,
        ...(user.uid ? { uid: user.uid } : {}),
        groups: user.groups,
      },
      object: object ?? null,
      oldObject: old ?? null,
      dryRun: context.dryRun,
      options,
    },
  }
}

const versionOf = ({ admissionReviewVersions = [] }: Webhook): string =>
  admissionReviewVersions.find((it) => it === 'v1' || it === 'v1beta1') ?? 'v1'

interface Response {
  readonly uid?: string
  readonly allowed?: boolean
  readonly status?: Partial<Status>
  readonly patch?: string
  readonly patchType?: string
  readonly warnings?: readonly string[]
}

/** Reads the answer of a webhook. Throws an Error with the real server's sentence where it is none. */
export function verdictOf(answer: unknown, uid: string): Verdict {
  const response = (answer as { readonly response?: Response } | null)?.response
  if (!response) throw new Error('webhook response was absent')
  if (response.uid !== uid) {
    throw new Error(`expected response.uid="${uid}", got "${response.uid ?? ''}"`)
  }
  const { allowed = false, status, warnings, patch, patchType } = response
  if (patch && patchType !== 'JSONPatch') {
    throw new Error(
      `invalid response.patchType ${JSON.stringify(patchType ?? '')}: expected JSONPatch`,
    )
  }
  return {
    allowed,
    ...(status ? { status } : {}),
    ...(warnings ? { warnings } : {}),
    ...(patch ? { patch: JSON.parse(Buffer.from(patch, 'base64').toString()) as unknown } : {}),
  }
}

/** The refusal of a webhook as the client hears it (plugin/webhook/errors ToStatusErr). */
export function denial(name: string, status: Partial<Status> = {}): ApiError {
  const why = status.message || status.reason
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`
  const message = why ? `${denied}: ${why}` : `${denied} without explanation`
  const code = Math.max(status.code ?? 0, 400)
  return new ApiError(failure(code, status.reason, message, status.details))
}
