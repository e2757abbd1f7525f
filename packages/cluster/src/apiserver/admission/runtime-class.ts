import {
  ensureObject,
  has,
  itemsAt,
  mapAt,
  objectAt,
  same,
  textAt,
  type Fields,
} from '../registry/fields.ts'
import { resourcesAt } from '../registry/core/resource-list.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { isAbout, refuse } from './refusal.ts'

const NO_MATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
const NO_CLASS =
  'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead'

async function classOf(request: AdmissionRequest): Promise<Fields | undefined> {
  const spec = objectAt(request.object, 'spec')
  if (!has(spec, 'runtimeClassName')) return undefined
  const name = textAt(spec, 'runtimeClassName')
  const found = await request.context.find('node.k8s.io/runtimeclasses', '', name)
  if (found === undefined) {
    throw refuse(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`)
  }
  return found as unknown as Fields
}

async function admit(request: AdmissionRequest): Promise<void> {
  const found = await classOf(request)
  if (found === undefined) return
  const spec = ensureObject(request.object!, 'spec')
  const overhead = objectAt(objectAt(found, 'overhead'), 'podFixed')
  if (overhead) {
    const own = resourcesAt(spec, 'overhead')
    if (Object.keys(own).length > 0 && !same(own, overhead)) throw refuse(request, NO_MATCH)
    spec['overhead'] = { ...overhead }
  }
  const scheduling = objectAt(found, 'scheduling')
  if (scheduling) direct(request, spec, scheduling)
}

/** A pod runs where its runtime does. */
function direct(request: AdmissionRequest, spec: Fields, scheduling: Fields): void {
  const own = mapAt(spec, 'nodeSelector')
  const wanted = mapAt(scheduling, 'nodeSelector')
  for (const key in wanted) {
    if (own[key] === undefined || own[key] === wanted[key]) continue
    const why = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${wanted[key]}; pod.spec.nodeSelector[${key}] = ${own[key]}`
    throw refuse(request, why)
  }
  if (Object.keys(wanted).length > 0) spec['nodeSelector'] = { ...own, ...wanted }
  const held = itemsAt(spec, 'tolerations')
  const added = itemsAt(scheduling, 'tolerations').filter(
    (it) => !held.some((one) => same(one, it)),
  )
  if (added.length > 0) spec['tolerations'] = [...held, ...added]
}

async function validate(request: AdmissionRequest): Promise<void> {
  const found = await classOf(request)
  const spec = objectAt(request.object, 'spec')
  const overhead = objectAt(objectAt(found, 'overhead'), 'podFixed')
  if (overhead && !same(overhead, objectAt(spec, 'overhead'))) throw refuse(request, NO_MATCH)
  if (!overhead && has(spec, 'overhead')) throw refuse(request, NO_CLASS)
}

/** RuntimeClass: what a pod's runtime costs, and where it is (kubernetes/plugin/pkg/admission/runtimeclass). */
export const RUNTIME_CLASS_ADMISSION: AdmissionPlugin = Object.freeze({
  name: 'RuntimeClass',
  handles: (request: AdmissionRequest) =>
    request.operation === 'CREATE' && isAbout(request, '/pods'),
  admit,
  validate,
})
