import { objectAt, textAt } from '../registry/fields.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { isUnder } from './refusal.ts'

/** What a pod is told of where its node is. */
const LABELS = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region']

/** The node that a pod, or a binding of one, is for; empty for none. */
function nodeNameOf({ object, subresource }: AdmissionRequest): string {
  if (subresource === '') return textAt(objectAt(object, 'spec'), 'nodeName')
  const target = objectAt(object, 'target')
  return textAt(target, 'kind') === 'Node' ? textAt(target, 'name') : ''
}

/** PodTopologyLabels: a pod has the zone and region of its node as labels (kubernetes/plugin/pkg/admission/podtopologylabels). */
export const POD_TOPOLOGY_LABELS: AdmissionPlugin = Object.freeze({
  name: 'PodTopologyLabels',
  handles: (request: AdmissionRequest) =>
    request.operation === 'CREATE' &&
    isUnder(request, '/pods') &&
    (request.subresource === '' || request.subresource === 'binding'),
  admit: async (request: AdmissionRequest) => {
    const name = nodeNameOf(request)
    const node = name === '' ? undefined : await request.context.find('/nodes', '', name)
    const known = Object.entries(node?.metadata.labels ?? {}).filter(([it]) => LABELS.includes(it))
    if (known.length === 0) return
    const { metadata } = request.object!
    metadata.labels = { ...metadata.labels, ...Object.fromEntries(known) }
  },
})
