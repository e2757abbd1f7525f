import { isAlreadyExists, notFound } from 'kubewright/machinery'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { isNamespaces, namespaceOf } from './attributes.ts'
import { refuse } from './refusal.ts'

const isInside = (request: AdmissionRequest): boolean =>
  namespaceOf(request) !== '' && !isNamespaces(request.context.resource)

const isThere = async ({ context }: AdmissionRequest): Promise<boolean> =>
  (await context.find('/namespaces', '', context.namespace)) !== undefined

/** NamespaceExists: nothing in a namespace that is not there (kubernetes/plugin/pkg/admission/namespace/exists). Off by default. */
export const NAMESPACE_EXISTS: AdmissionPlugin = Object.freeze({
  name: 'NamespaceExists',
  handles: (request: AdmissionRequest) => request.operation !== 'CONNECT' && isInside(request),
  validate: async (request: AdmissionRequest) => {
    if (await isThere(request)) return
    throw notFound({ group: '', plural: 'namespaces' }, request.context.namespace)
  },
})

/** NamespaceAutoProvision: what is made in a namespace that is not there makes it (kubernetes/plugin/pkg/admission/namespace/autoprovision). Off by default. */
export const namespaceAutoProvision = ({
  makeNamespace,
}: {
  readonly makeNamespace: (name: string) => Promise<void>
}): AdmissionPlugin => ({
  name: 'NamespaceAutoProvision',
  handles: (request) =>
    request.operation === 'CREATE' && !request.context.dryRun && isInside(request),
  admit: async (request) => {
    if (await isThere(request)) return
    try {
      await makeNamespace(request.context.namespace)
    } catch (error) {
      if (!isAlreadyExists(error)) throw refuse(request, (error as Error).message)
    }
  },
})
