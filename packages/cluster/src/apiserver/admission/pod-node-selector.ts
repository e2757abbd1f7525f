import { ApiError, failure, forbidden, notFound, type UnknownObject } from 'kubewright/machinery'
import { ensureObject, mapAt, objectAt } from '../registry/fields.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { isAbout } from './refusal.ts'

type Labels = Readonly<Record<string, string>>

/** Selectors as text (`a=b,c=d`): of all namespaces without their own (`clusterDefaultNodeSelector`), and what pods of a namespace may have. */
export type NodeSelectorConfiguration = Readonly<Record<string, string>>

const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector'

/** `a=b,c=d` as labels. Throws an ApiError for anything else (labels.ConvertSelectorToLabelsMap). */
function labelsIn(text: string | undefined): Labels {
  if (!text) return {}
  return Object.fromEntries(
    text.split(',').map((it) => {
      const parts = it.split('=')
      if (parts.length !== 2) {
        const message = `invalid selector: [${parts.join(' ')}]`
        throw new ApiError(failure(500, undefined, message))
      }
      return [parts[0]!.trim(), parts[1]!.trim()]
    }),
  )
}

const conflict = (a: Labels, b: Labels): boolean =>
  Object.entries(a).some(([key, value]) => Object.hasOwn(b, key) && b[key] !== value)

const isWithin = (some: Labels, all: Labels): boolean =>
  Object.keys(all).length === 0 || Object.entries(some).every(([key, value]) => all[key] === value)

/** PodNodeSelector: the pods of a namespace go where it says (kubernetes/plugin/pkg/admission/podnodeselector). Off by default. */
export const podNodeSelector = (configuration: NodeSelectorConfiguration): AdmissionPlugin => {
  const selectorOf = async (request: AdmissionRequest): Promise<Labels> => {
    const namespace = await namespaceOf(request)
    const own = namespace.metadata.annotations?.[ANNOTATION]
    return labelsIn(own ?? configuration['clusterDefaultNodeSelector'])
  }
  const check = (request: AdmissionRequest, wanted: Labels): void => {
    const own = mapAt(objectAt(request.object, 'spec'), 'nodeSelector')
    const refused = (why: string): Error =>
      forbidden(request.context.resource, request.object?.metadata.name ?? '', why)
    if (conflict(wanted, own)) {
      throw refused('pod node label selector conflicts with its namespace node label selector')
    }
    if (!isWithin(own, labelsIn(configuration[request.context.namespace]))) {
      throw refused('pod node label selector labels conflict with its namespace whitelist')
    }
  }
  return {
    name: 'PodNodeSelector',
    handles: (request) => request.operation === 'CREATE' && isAbout(request, '/pods'),
    admit: async (request) => {
      const wanted = await selectorOf(request)
      check(request, wanted)
      const spec = ensureObject(request.object!, 'spec')
      const merged = { ...wanted, ...mapAt(spec, 'nodeSelector') }
      if (Object.keys(merged).length > 0) spec['nodeSelector'] = merged
      check(request, wanted)
    },
    validate: async (request) => check(request, await selectorOf(request)),
  }
}

async function namespaceOf({ context }: AdmissionRequest): Promise<UnknownObject> {
  const found = await context.find('/namespaces', '', context.namespace)
  if (!found) throw notFound({ group: '', plural: 'namespaces' }, context.namespace)
  return found
}
