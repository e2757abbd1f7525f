import type { UnknownObject } from 'kubewright/machinery'
import type { ResourceList } from '../registry/core/resource-list.ts'
import { itemsAt, numberAt, objectAt, type Readable, textAt } from '../registry/fields.ts'

/** How quotas name the devices of a class: `<class>.deviceclass.resource.k8s.io/devices`. */
const OF_CLASS = '.deviceclass.resource.k8s.io/devices'
/** How many devices a claim can be given at the most, which is what `All` may come to (resource/v1 AllocationResultsMaxSize). */
const MOST = 32

/** Whether a quota's name is for what ResourceClaims take. */
export const countsDevices = (name: string): boolean =>
  name === 'count/resourceclaims.resource.k8s.io' || name.endsWith(OF_CLASS)

/**
 * What a ResourceClaim takes: itself, and the devices that it asks for by their class. Of requests that may be met in several ways,
 * the most that each class may have to give (kubernetes/pkg/quota/v1/evaluator/core/resource_claims.go).
 */
export function deviceUsage(claim: UnknownObject): ResourceList {
  const devices = new Map<string, number>()
  for (const request of itemsAt(objectAt(objectAt(claim, 'spec'), 'devices'), 'requests'))
    for (const [name, count] of asked(request)) devices.set(name, (devices.get(name) ?? 0) + count)
  return {
    'count/resourceclaims.resource.k8s.io': '1',
    ...Object.fromEntries([...devices].map(([name, count]) => [name, `${count}`])),
  }
}

function asked(request: Readable): ReadonlyMap<string, number> {
  const ways = itemsAt(request, 'firstAvailable')
  const exactly = objectAt(request, 'exactly')
  const most = new Map<string, number>()
  for (const way of ways.length > 0 ? ways : exactly ? [exactly] : []) {
    const name = textAt(way, 'deviceClassName') + OF_CLASS
    most.set(name, Math.max(most.get(name) ?? 0, countOf(way)))
  }
  return most
}

function countOf(way: Readable): number {
  switch (textAt(way, 'allocationMode')) {
    case 'ExactCount':
      return numberAt(way, 'count') ?? 0
    case 'All':
      return MOST
    default:
      return 0
  }
}
