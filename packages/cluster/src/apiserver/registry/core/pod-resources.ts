import {
  ensureObject,
  has,
  itemsAt,
  objectAt,
  textAt,
  type Fields,
  type Readable,
} from '../fields.ts'
import {
  addResources,
  amountOf,
  fillResources,
  isPositive,
  maxResources,
  resourcesAt,
  type ResourceList,
} from './resource-list.ts'
import { quantitiesEqual } from 'kubewright/machinery'

/** Init containers that stay are restarted always (KEP-753). */
const isSidecar = (container: Readable): boolean => textAt(container, 'restartPolicy') === 'Always'

/**
 * What a pod's containers ask for together (component-helpers/resource AggregateContainerRequests): containers and sidecars add
 * up; an init container needs no more than itself and the sidecars before it.
 */
export function containerResources(spec: Readable, which: 'requests' | 'limits'): ResourceList {
  let total: ResourceList = {}
  for (const container of itemsAt(spec, 'containers')) {
    total = addResources(total, resourcesAt(objectAt(container, 'resources'), which))
  }
  let sidecars: ResourceList = {}
  let start: ResourceList = {}
  for (const container of itemsAt(spec, 'initContainers')) {
    const own = resourcesAt(objectAt(container, 'resources'), which)
    if (isSidecar(container)) {
      total = addResources(total, own)
      sidecars = addResources(sidecars, own)
      start = maxResources(start, sidecars)
    } else start = maxResources(start, addResources(own, sidecars))
  }
  return maxResources(total, start)
}

/** What a pod asks for: of its containers, or what it says itself where it does (KEP-2837), and its overhead. */
export function podResources(spec: Readable, which: 'requests' | 'limits'): ResourceList {
  const own: Record<string, string | number> = { ...containerResources(spec, which) }
  const stated = resourcesAt(objectAt(spec, 'resources'), which)
  for (const name in stated) if (isPodLevel(name)) own[name] = stated[name]!
  if (!has(spec, 'overhead')) return own
  const overhead = resourcesAt(spec, 'overhead')
  if (which === 'requests') return addResources(own, overhead)
  const limited: Record<string, string | number> = {}
  for (const name in overhead) if (own[name] !== undefined) limited[name] = overhead[name]!
  return addResources(own, limited)
}

/** Resources that a pod may name beside its containers. */
const isPodLevel = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || isHugePages(name)

const isHugePages = (name: string): boolean => name.startsWith('hugepages-')

/** The defaults of a pod's own resources (defaultHugePagePodLimits, defaultPodRequests). */
export function defaultPodLevelResources(spec: Fields): void {
  const own = objectAt(spec, 'resources')
  if (own === undefined) return
  const limits = resourcesAt(own, 'limits')
  const requests = resourcesAt(own, 'requests')
  if (Object.keys(limits).length === 0 && Object.keys(requests).length === 0) return
  defaultHugePageLimits(spec, own)
  defaultOwnRequests(spec, own)
}

function defaultHugePageLimits(spec: Readable, own: Fields): void {
  const total = containerResources(spec, 'limits')
  const requests = resourcesAt(own, 'requests')
  for (const name in total) {
    if (!isHugePages(name) || requests[name] !== undefined) continue
    const limits = ensureObject(own, 'limits')
    limits[name] ??= total[name]
  }
}

function defaultOwnRequests(spec: Readable, own: Fields): void {
  const limits = resourcesAt(own, 'limits')
  if (Object.keys(limits).length === 0) return
  const found: Fields = { ...resourcesAt(own, 'requests') }
  const total = containerResources(spec, 'requests')
  for (const name in total) {
    if (isPodLevel(name) && !isHugePages(name)) found[name] ??= total[name]
  }
  fillResources(found, Object.fromEntries(Object.entries(limits).filter(([it]) => isPodLevel(it))))
  if (Object.keys(found).length > 0) own['requests'] = found
}

/** How a pod is treated when memory runs out (component-helpers/qos ComputePodQOS). */
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort'

const COMPUTE = ['cpu', 'memory'] as const

/** The class of a pod, by what it or its containers ask for of cpu and memory. */
export function qosClass(spec: Readable): QosClass {
  const own = objectAt(spec, 'resources')
  const stated = own ? [own] : undefined
  const parts = stated ?? [
    ...itemsAt(spec, 'containers').map((it) => objectAt(it, 'resources')),
    ...itemsAt(spec, 'initContainers').map((it) => objectAt(it, 'resources')),
  ]
  if (!parts.some(hasCompute)) return 'BestEffort'
  return parts.every(isGuaranteed) ? 'Guaranteed' : 'Burstable'
}

const hasCompute = (resources: Readable | undefined): boolean =>
  COMPUTE.some(
    (it) =>
      isPositive(resourcesAt(resources, 'requests')[it]) ||
      isPositive(resourcesAt(resources, 'limits')[it]),
  )

function isGuaranteed(resources: Readable | undefined): boolean {
  const limits = resourcesAt(resources, 'limits')
  const requests = resourcesAt(resources, 'requests')
  return COMPUTE.every((it) => {
    const limit = amountOf(limits[it])
    const request = amountOf(requests[it])
    return limit && isPositive(limits[it]) && (!request || quantitiesEqual(limit, request))
  })
}
