import { ApiError, notFound } from 'kubewright/machinery'
import { objectAt, textAt } from '../registry/fields.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { isUnder, refuse } from './refusal.ts'

const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])
const NAMESPACES = { group: '', plural: 'namespaces' }

async function admit(request: AdmissionRequest): Promise<void> {
  const { namespace, find } = request.context
  if (isUnder(request, '/namespaces')) {
    if (request.operation === 'DELETE' && IMMORTAL.has(request.name)) {
      throw refuse(request, 'this namespace may not be deleted')
    }
    return
  }
  if (request.operation === 'DELETE') return
  const found = await find('/namespaces', '', namespace)
  if (found === undefined) throw notFound(NAMESPACES, namespace)
  const terminating = textAt(objectAt(found, 'status'), 'phase') === 'Terminating'
  if (request.operation === 'CREATE' && terminating) throw terminatingError(request, namespace)
}

function terminatingError(request: AdmissionRequest, namespace: string): ApiError {
  const { status } = refuse(
    request,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  )
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  }
  return new ApiError({ ...status, details: { ...status.details, causes: [cause] } })
}

/** NamespaceLifecycle: nothing new in a namespace that is not there or is going (apiserver/pkg/admission/plugin/namespace/lifecycle). */
export const NAMESPACE_LIFECYCLE: AdmissionPlugin = Object.freeze({
  name: 'NamespaceLifecycle',
  handles: (request: AdmissionRequest) =>
    request.operation !== 'CONNECT' &&
    (request.context.namespace !== '' || isUnder(request, '/namespaces')) &&
    request.context.resource.plural !== 'localsubjectaccessreviews',
  admit,
})
