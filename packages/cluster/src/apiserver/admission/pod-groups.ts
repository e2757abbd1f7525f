import { itemsAt, objectAt, textAt } from '../registry/fields.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { isAbout, refuse } from './refusal.ts'

const GROUPS = 'scheduling.k8s.io/podgroups'
const WORKLOADS = 'scheduling.k8s.io/workloads'
const FINALIZER = 'scheduling.k8s.io/podgroup-protection'

/** PodGroupProtection: a group stays while pods are in it (kubernetes/plugin/pkg/admission/scheduling/podgroupprotection). */
export const POD_GROUP_PROTECTION: AdmissionPlugin = Object.freeze({
  name: 'PodGroupProtection',
  handles: (request: AdmissionRequest) =>
    request.operation === 'CREATE' && isAbout(request, GROUPS),
  admit: ({ object }: AdmissionRequest) => {
    const { metadata } = object!
    if (metadata.finalizers?.includes(FINALIZER)) return
    metadata.finalizers = [...(metadata.finalizers ?? []), FINALIZER]
  },
})

async function checkWorkload(request: AdmissionRequest): Promise<void> {
  const reference = objectAt(
    objectAt(objectAt(request.object, 'spec'), 'podGroupTemplateRef'),
    'workload',
  )
  if (!reference) return
  const name = textAt(reference, 'workloadName')
  const template = textAt(reference, 'podGroupTemplateName')
  const quoted = JSON.stringify(name)
  const { context } = request
  const workload = await context.find(WORKLOADS, context.namespace, name)
  if (!workload) throw refuse(request, `PodGroup rejected: Workload ${quoted} not found`)
  if (workload.metadata.deletionTimestamp)
    throw refuse(request, `PodGroup rejected: Workload ${quoted} is being deleted`)
  const templates = itemsAt(objectAt(workload, 'spec'), 'podGroupTemplates')
  if (templates.some((it) => textAt(it, 'name') === template)) return
  const why = `PodGroupTemplate ${JSON.stringify(template)} not found in Workload ${quoted}`
  throw refuse(request, `PodGroup rejected: ${why}`)
}

/** PodGroupWorkloadExists: a group is made after a template that is there (kubernetes/plugin/pkg/admission/podgroup). */
export const POD_GROUP_WORKLOAD_EXISTS: AdmissionPlugin = Object.freeze({
  name: 'PodGroupWorkloadExists',
  handles: (request: AdmissionRequest) =>
    request.operation === 'CREATE' && isAbout(request, GROUPS),
  validate: checkWorkload,
})
