import { formatQuantity, roundUpQuantity, type UnknownObject } from 'kubewright/machinery'
import { podResources, qosClass } from '../registry/core/pod-resources.ts'
import {
  addResources,
  amountOf,
  maxResources,
  resourcesAt,
  type ResourceList,
} from '../registry/core/resource-list.ts'
import {
  has,
  itemsAt,
  numberAt,
  objectAt,
  textAt,
  textsAt,
  type Readable,
} from '../registry/fields.ts'
import { countsDevices, deviceUsage } from './quota-devices.ts'

/** One thing that a quota's scope asks of an object (core/v1 ScopedResourceSelectorRequirement). */
export interface ScopeRequirement {
  readonly scopeName: string
  readonly operator: string
  readonly values: readonly string[]
}

/** How a quota counts objects of one resource (kubernetes/pkg/quota/v1/evaluator). */
export interface UsageEvaluator {
  /** Whether it counts what a quota names so. */
  readonly counts: (name: string) => boolean
  readonly inScope: (object: UnknownObject, requirement: ScopeRequirement) => boolean
  readonly usage: (object: UnknownObject, nowMs: number) => ResourceList
  /** Why an object cannot be counted for these names. */
  readonly problem?: (object: UnknownObject, names: readonly string[]) => string | undefined
}

const specOf = (it: UnknownObject): Readable => objectAt(it, 'spec') ?? {}
const statusOf = (it: UnknownObject): Readable => objectAt(it, 'status') ?? {}

// Pods (evaluator/core/pods.go).

const COMPUTE =
  /^(count\/pods|pods|cpu|memory|ephemeral-storage|(requests|limits)\.(cpu|memory|ephemeral-storage)|(requests\.)?hugepages-.*)$/
const MUST_STATE = /^(cpu|memory|(requests|limits)\.(cpu|memory))$/
const isExtended = (name: string): boolean => name.includes('/') && !name.includes('kubernetes.io/')
const isExtendedRequest = (name: string): boolean =>
  name.startsWith('requests.') &&
  (isExtended(name) || name.startsWith('requests.deviceclass.resource.kubernetes.io/'))

/** What a pod or a container uses, by each of the names that a quota may have for it. */
function computeUsage(requests: ResourceList, limits: ResourceList): ResourceList {
  const used: Record<string, string | number> = { pods: '1' }
  for (const name in requests) {
    const amount = requests[name]!
    if (/^(cpu|memory|ephemeral-storage|hugepages-.*)$/.test(name)) {
      used[name] = amount
      used[`requests.${name}`] = amount
    } else if (isExtended(name) && !name.startsWith('requests.')) {
      used[`requests.${name}`] = amount
    }
  }
  for (const name of ['cpu', 'memory', 'ephemeral-storage']) {
    if (limits[name] !== undefined) used[`limits.${name}`] = limits[name]
  }
  return used
}

function podUsage(pod: UnknownObject, nowMs: number): ResourceList {
  if (hasEnded(pod, nowMs)) return { 'count/pods': '1' }
  const spec = specOf(pod)
  return {
    'count/pods': '1',
    ...computeUsage(podResources(spec, 'requests'), podResources(spec, 'limits')),
  }
}

/** Pods that are over, or should long be gone, are not charged for. */
function hasEnded(pod: UnknownObject, nowMs: number): boolean {
  const phase = textAt(statusOf(pod), 'phase')
  if (phase === 'Failed' || phase === 'Succeeded') return true
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false
  return nowMs > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000
}

/** Whether a pod has a deadline. */
export const isTerminating = (pod: UnknownObject | undefined): boolean =>
  (numberAt(objectAt(pod, 'spec'), 'activeDeadlineSeconds') ?? -1) >= 0

function podInScope(pod: UnknownObject, requirement: ScopeRequirement): boolean {
  const spec = specOf(pod)
  switch (requirement.scopeName) {
    case 'Terminating':
      return isTerminating(pod)
    case 'NotTerminating':
      return !isTerminating(pod)
    case 'BestEffort':
      return qosClass(spec) === 'BestEffort'
    case 'NotBestEffort':
      return qosClass(spec) !== 'BestEffort'
    case 'PriorityClass':
      return meets(
        requirement,
        [textAt(spec, 'priorityClassName')].filter((it) => it !== ''),
      )
    case 'CrossNamespacePodAffinity':
      return reachesOut(objectAt(spec, 'affinity'))
    default:
      return false
  }
}

function meets({ operator, values }: ScopeRequirement, own: readonly string[]): boolean {
  if (operator === 'Exists') return own.length > 0
  if (operator === 'DoesNotExist') return own.length === 0
  if (operator === 'In') return own.some((it) => values.includes(it))
  return own.length === 0 || own.some((it) => !values.includes(it))
}

/** Whether a pod's affinity looks at pods of other namespaces. */
function reachesOut(affinity: Readable | undefined): boolean {
  return ['podAffinity', 'podAntiAffinity'].some((kind) => {
    const rules = objectAt(affinity, kind)
    const terms = [
      ...itemsAt(rules, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...itemsAt(rules, 'preferredDuringSchedulingIgnoredDuringExecution').map(
        (it) => objectAt(it, 'podAffinityTerm') ?? {},
      ),
    ]
    return terms.some((it) => itemsAt(it, 'namespaces').length > 0 || has(it, 'namespaceSelector'))
  })
}

/** Where a quota limits CPU or memory, every container must say what it takes. */
function unstated(pod: UnknownObject, names: readonly string[]): string | undefined {
  const spec = specOf(pod)
  const own = objectAt(spec, 'resources')
  if (['requests', 'limits'].some((it) => Object.keys(resourcesAt(own, it)).length > 0)) {
    return undefined
  }
  const wanted = names.filter((it) => MUST_STATE.test(it)).toSorted()
  const containers = [...itemsAt(spec, 'containers'), ...itemsAt(spec, 'initContainers')]
  const missing = wanted.flatMap((name) => {
    const without = containers.filter((it) => !(name in containerUsage(it)))
    const who = [...new Set(without.map((it) => textAt(it, 'name')))].toSorted()
    return who.length === 0 ? [] : [`${name} for: ${who.join(',')}`]
  })
  return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`
}

const containerUsage = (container: Readable): ResourceList => {
  const resources = objectAt(container, 'resources')
  return computeUsage(resourcesAt(resources, 'requests'), resourcesAt(resources, 'limits'))
}

const PODS: UsageEvaluator = Object.freeze({
  counts: (name: string) => COMPUTE.test(name) || isExtendedRequest(name),
  inScope: podInScope,
  usage: podUsage,
  problem: unstated,
})

// Services (evaluator/core/services.go).

function serviceUsage(service: UnknownObject): ResourceList {
  const spec = specOf(service)
  const type = textAt(spec, 'type')
  const ports = itemsAt(spec, 'ports')
  const isBalanced = type === 'LoadBalancer'
  const isSparing = isBalanced && spec['allocateLoadBalancerNodePorts'] === false
  const exposed = isSparing ? ports.filter((it) => (numberAt(it, 'nodePort') ?? 0) !== 0) : ports
  return {
    'count/services': '1',
    services: '1',
    'services.loadbalancers': isBalanced ? '1' : '0',
    'services.nodeports': isBalanced || type === 'NodePort' ? `${exposed.length}` : '0',
  }
}

const SERVICES: UsageEvaluator = Object.freeze({
  counts: (name: string) => /^(count\/services|services(\.nodeports|\.loadbalancers)?)$/.test(name),
  inScope: () => false,
  usage: serviceUsage,
})

// Claims of volumes (evaluator/core/persistent_volume_claims.go).

const OF_CLASS = '.storageclass.storage.k8s.io/'
const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class'

function claimUsage(claim: UnknownObject): ResourceList {
  const spec = specOf(claim)
  const named = claim.metadata.annotations?.[BETA_CLASS] ?? textAt(spec, 'storageClassName')
  const used: Record<string, string | number> = {
    persistentvolumeclaims: '1',
    'count/persistentvolumeclaims': '1',
  }
  if (named) used[`${named}${OF_CLASS}persistentvolumeclaims`] = '1'
  const asked = amountOf(resourcesAt(objectAt(spec, 'resources'), 'requests')['storage'])
  if (asked === undefined) return used
  const own = formatQuantity(roundUpQuantity(asked, 0))
  const allocated = amountOf(resourcesAt(statusOf(claim), 'allocatedResources')['storage'])
  const most = allocated
    ? maxResources({ one: own }, { one: formatQuantity(roundUpQuantity(allocated, 0)) })['one']!
    : own
  used['requests.storage'] = most
  if (named) used[`${named}${OF_CLASS}requests.storage`] = most
  return used
}

function claimInScope(claim: UnknownObject, requirement: ScopeRequirement): boolean {
  if (requirement.scopeName !== 'VolumeAttributesClass') return false
  const status = statusOf(claim)
  const names = [
    textAt(specOf(claim), 'volumeAttributesClassName'),
    textAt(status, 'currentVolumeAttributesClassName'),
    textAt(objectAt(status, 'modifyVolumeStatus'), 'targetVolumeAttributesClassName'),
  ]
  return meets(
    requirement,
    names.filter((it) => it !== ''),
  )
}

const CLAIMS: UsageEvaluator = Object.freeze({
  counts: (name: string) =>
    /^(count\/persistentvolumeclaims|(.*\.storageclass\.storage\.k8s\.io\/)?(persistentvolumeclaims|requests\.storage))$/.test(
      name,
    ),
  inScope: claimInScope,
  usage: claimUsage,
})

const DEVICES: UsageEvaluator = Object.freeze({
  counts: countsDevices,
  inScope: () => false,
  usage: deviceUsage,
})

// Everything else is only counted (apiserver/pkg/quota/v1/generic).

const ALIASES: readonly string[] = [
  'configmaps',
  'resourcequotas',
  'replicationcontrollers',
  'secrets',
]

function countedAs(names: readonly string[]): UsageEvaluator {
  const used = Object.freeze(Object.fromEntries(names.map((it) => [it, '1'])))
  return { counts: (name) => names.includes(name), inScope: () => false, usage: () => used }
}

/** How a quota counts a resource. */
export function evaluatorOf(group: string, plural: string): UsageEvaluator {
  if (group === 'resource.k8s.io' && plural === 'resourceclaims') return DEVICES
  if (group !== '') return countedAs([`count/${plural}.${group}`])
  if (plural === 'pods') return PODS
  if (plural === 'services') return SERVICES
  if (plural === 'persistentvolumeclaims') return CLAIMS
  return countedAs([`count/${plural}`, ...ALIASES.filter((it) => it === plural)])
}

/** What a quota's scopes ask. */
export function scopesOf(quota: UnknownObject): readonly ScopeRequirement[] {
  const spec = specOf(quota)
  const plain = textsAt(spec, 'scopes')
  return [
    ...plain.map((it) => ({ scopeName: it, operator: 'Exists', values: [] })),
    ...itemsAt(objectAt(spec, 'scopeSelector'), 'matchExpressions').map((it) => ({
      scopeName: textAt(it, 'scopeName'),
      operator: textAt(it, 'operator'),
      values: textsAt(it, 'values'),
    })),
  ]
}

/** The sum of what objects use. */
export function totalUsage(
  objects: readonly UnknownObject[],
  evaluator: UsageEvaluator,
  nowMs: number,
): ResourceList {
  return objects.reduce<ResourceList>(
    (sum, it) => addResources(sum, evaluator.usage(it, nowMs)),
    {},
  )
}
