import {
  ApiError,
  compareQuantities,
  quantityMilliValue,
  quantityValue,
  type UnknownObject,
} from 'kubewright/machinery'
import { podResources } from '../registry/core/pod-resources.ts'
import { amountOf, resourcesAt } from '../registry/core/resource-list.ts'
import { itemsAt, objectAt, same, textAt, textsAt, type Readable } from '../registry/fields.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { isUnder, refuse, updates } from './refusal.ts'

const specOf = (it: object | undefined): Readable =>
  objectAt(it as Readable | undefined, 'spec') ?? {}

/** An update of a pod that runs on a node and whose spec changes. */
const changesRunningPod = ({ object, old }: AdmissionRequest): boolean =>
  textAt(specOf(object), 'nodeName') !== '' &&
  object?.metadata.generation !== old?.metadata.generation

async function nodeOf(request: AdmissionRequest): Promise<UnknownObject> {
  const name = textAt(specOf(request.object), 'nodeName')
  const found = await request.context.find('/nodes', '', name)
  if (!found) throw refuse(request, `node ${JSON.stringify(name)} not found`)
  return found
}

const isSidecar = (container: Readable): boolean => textAt(container, 'restartPolicy') === 'Always'

/** What a node must say that it can do for an update to make sense there (component-helpers/nodedeclaredfeatures). */
const FEATURES: Readonly<Record<string, (before: Readable, after: Readable) => boolean>> = {
  InPlacePodLevelResourcesVerticalScaling: (before, after) =>
    !same(before['resources'], after['resources']),
  InPlacePodVerticalScalingInitContainers: (before, after) =>
    itemsAt(before, 'initContainers').some(
      (it, i) =>
        !isSidecar(it) &&
        !same(it['resources'], itemsAt(after, 'initContainers')[i]?.['resources']),
    ),
}

/** NodeDeclaredFeatureValidator: a pod is not changed into what its node cannot do (kubernetes/plugin/pkg/admission/nodedeclaredfeatures). */
export const NODE_DECLARED_FEATURES: AdmissionPlugin = Object.freeze({
  name: 'NodeDeclaredFeatureValidator',
  handles: (request: AdmissionRequest) =>
    request.operation === 'UPDATE' &&
    (request.subresource === '' || request.subresource === 'resize') &&
    isUnder(request, '/pods'),
  validate: async (request: AdmissionRequest) => {
    if (!changesRunningPod(request)) return
    const [before, after] = [specOf(request.old), specOf(request.object)]
    const needed = Object.keys(FEATURES).filter((it) => FEATURES[it]!(before, after))
    if (needed.length === 0) return
    const node = await nodeOf(request)
    const declared = textsAt(objectAt(node, 'status'), 'declaredFeatures')
    const missing = needed.filter((it) => !declared.includes(it))
    if (missing.length === 0) return
    const which = missing.join(', ')
    throw refuse(
      request,
      `pod update requires features ${which} which are not available on node ${JSON.stringify(node.metadata.name)}`,
    )
  },
})

const OS = 'kubernetes.io/os'

/** PodResizeValidator: a pod is not resized beyond its node (kubernetes/plugin/pkg/admission/podresize). */
export const POD_RESIZE: AdmissionPlugin = Object.freeze({
  name: 'PodResizeValidator',
  handles: updates('/pods', 'resize'),
  validate: async (request: AdmissionRequest) => {
    if (!changesRunningPod(request)) return
    const node = await nodeOf(request)
    const os = node.metadata.labels?.[OS] ?? 'linux'
    if (os !== 'linux') {
      const name = JSON.stringify(node.metadata.name)
      const why = `pod resize is only supported on linux nodes, node ${name} is ${JSON.stringify(os)}`
      throw resizeRefusal(request, why, 'UnsupportedPlatform')
    }
    const excess = excessOver(specOf(request.object), node)
    if (excess.length === 0) return
    const why = `node didn't have enough allocatable resources: ${excess.join('; ')}`
    throw resizeRefusal(request, why, 'NodeCapacity')
  },
})

function resizeRefusal(request: AdmissionRequest, why: string, reason: string): ApiError {
  const { status } = refuse(request, why)
  return new ApiError({ ...status, details: { ...status.details, causes: [{ reason }] } })
}

/** What a pod asks for beyond what its node has for pods. */
function excessOver(spec: Readable, node: UnknownObject): readonly string[] {
  const requests = podResources(spec, 'requests')
  const allocatable = resourcesAt(objectAt(node, 'status'), 'allocatable')
  return (
    [
      ['cpu', quantityMilliValue],
      ['memory', quantityValue],
    ] as const
  ).flatMap(([name, value]) => {
    const asked = amountOf(requests[name])
    const there = amountOf(allocatable[name] ?? '0')!
    if (!asked || compareQuantities(asked, there) <= 0) return []
    return [`${name}, requested: ${value(asked)}, allocatable: ${value(there)}`]
  })
}
