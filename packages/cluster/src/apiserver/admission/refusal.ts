import { type ApiError, forbidden } from 'kubewright/machinery'
import type { AdmissionRequest } from './admission.ts'

/** Refuses a request as a plugin does (apiserver/pkg/admission NewForbidden): by the object's name, or its generateName. */
export function refuse(request: AdmissionRequest, why: string): ApiError {
  const meta = request.object?.metadata
  const name = request.name || meta?.name || meta?.generateName || 'Unknown'
  return forbidden(request.context.resource, name, why)
}

/** Several reasons as one, as Kubernetes joins them; equal ones are said once. */
export function joined(reasons: readonly string[]): string {
  const distinct = [...new Set(reasons)]
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`
}

/** Whether a request is about a resource itself, not a subresource, under `group/plural` (`/pods` in the core group). */
export const isAbout = (request: AdmissionRequest, ...keys: readonly string[]): boolean =>
  request.subresource === '' && isUnder(request, ...keys)

/** Whether a request is about a resource or one of its subresources. */
export const isUnder = (request: AdmissionRequest, ...keys: readonly string[]): boolean => {
  const { group, plural } = request.context.resource
  return keys.some(
    (key) => key.length === group.length + plural.length + 1 && key === `${group}/${plural}`,
  )
}

/** Whether a request updates one subresource of a resource. */
export const updates =
  (key: string, subresource: string) =>
  (request: AdmissionRequest): boolean =>
    request.operation === 'UPDATE' && request.subresource === subresource && isUnder(request, key)
