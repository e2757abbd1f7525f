import {
  compareQuantities,
  parseQuantity,
  quantityMilliValue,
  type UnknownObject,
} from 'kubewright/machinery'
import { podResources } from '../registry/core/pod-resources.ts'
import { resourcesAt, type ResourceList } from '../registry/core/resource-list.ts'
import {
  ensureObject,
  itemsAt,
  objectAt,
  textAt,
  type Fields,
  type Readable,
} from '../registry/fields.ts'
import type { Draft } from '../registry/strategy.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { isUnder, joined, refuse } from './refusal.ts'

const ANNOTATION = 'kubernetes.io/limit-ranger'
const NONE: ResourceList = Object.freeze({})

const rangesOf = (request: AdmissionRequest): Promise<readonly UnknownObject[]> =>
  request.context.all('/limitranges', request.context.namespace)

const limitsOf = (range: UnknownObject, type: string): readonly Fields[] =>
  itemsAt(objectAt(range, 'spec'), 'limits').filter((it) => it['type'] === type)

async function admit(request: AdmissionRequest): Promise<void> {
  if (!isUnder(request, '/pods') || request.old?.metadata.deletionTimestamp) return
  for (const range of await rangesOf(request)) fillContainers(request.object!, range)
}

/** Gives containers what the range gives them by default, and notes it in an annotation. */
function fillContainers(pod: Draft, range: UnknownObject): void {
  const limits: Record<string, string | number> = {}
  const requests: Record<string, string | number> = {}
  for (const item of limitsOf(range, 'Container')) {
    Object.assign(requests, resourcesAt(item, 'defaultRequest'))
    Object.assign(limits, resourcesAt(item, 'default'))
  }
  const spec = objectAt(pod, 'spec')
  const notes = (
    [
      ['containers', 'container'],
      ['initContainers', 'init container'],
    ] as const
  ).flatMap(([list, what]) =>
    itemsAt(spec, list).flatMap((it) => fillContainer(it, what, requests, limits)),
  )
  if (notes.length === 0) return
  pod.metadata.annotations ??= {}
  pod.metadata.annotations[ANNOTATION] = `LimitRanger plugin set: ${notes.join('; ')}`
}

function fillContainer(
  container: Fields,
  what: string,
  requests: ResourceList,
  limits: ResourceList,
): readonly string[] {
  const resources = ensureObject(container, 'resources')
  const name = textAt(container, 'name')
  return (
    [
      ['requests', requests, 'request'],
      ['limits', limits, 'limit'],
    ] as const
  ).flatMap(([field, given, word]) => {
    const own = resourcesAt(resources, field)
    const added = Object.keys(given)
      .filter((it) => own[it] === undefined)
      .toSorted()
    if (added.length === 0) return []
    const list = ensureObject(resources, field)
    for (const it of added) list[it] = given[it]
    return [`${added.join(', ')} ${word} for ${what} ${name}`]
  })
}

async function validate(request: AdmissionRequest): Promise<void> {
  if (request.old?.metadata.deletionTimestamp) return
  const check = isUnder(request, '/pods') ? podProblems : claimProblems
  for (const range of await rangesOf(request)) {
    const problems = check(request.object!, range)
    if (problems.length > 0) throw refuse(request, joined(problems))
  }
}

interface Asked {
  readonly type: string
  readonly requests: ResourceList
  readonly limits: ResourceList
}

function podProblems(pod: Draft, range: UnknownObject): readonly string[] {
  const spec = objectAt(pod, 'spec') ?? {}
  const containers = [...itemsAt(spec, 'containers'), ...itemsAt(spec, 'initContainers')]
  return itemsAt(objectAt(range, 'spec'), 'limits').flatMap((item) => {
    const type = textAt(item, 'type')
    if (type === 'Container') return containers.flatMap((it) => problems(item, askedBy(it)))
    if (type !== 'Pod') return []
    const { overhead: _, ...bare } = spec
    return problems(item, {
      type,
      requests: podResources(bare, 'requests'),
      limits: podResources(bare, 'limits'),
    })
  })
}

const askedBy = (container: Readable): Asked => ({
  type: 'Container',
  requests: resourcesAt(objectAt(container, 'resources'), 'requests'),
  limits: resourcesAt(objectAt(container, 'resources'), 'limits'),
})

function claimProblems(claim: Draft, range: UnknownObject): readonly string[] {
  const type = 'PersistentVolumeClaim'
  const requests = resourcesAt(objectAt(objectAt(claim, 'spec'), 'resources'), 'requests')
  return limitsOf(range, type).flatMap((item) => [
    ...each(item, 'min', (name, bound) =>
      minProblem(name, bound, { type, requests, limits: NONE }),
    ),
    ...each(item, 'max', (name, bound) => maxRequestProblem(name, bound, type, requests)),
  ])
}

const problems = (item: Fields, asked: Asked): readonly string[] => [
  ...each(item, 'min', (name, bound) => minProblem(name, bound, asked)),
  ...each(item, 'max', (name, bound) => maxProblem(name, bound, asked)),
  ...each(item, 'maxLimitRequestRatio', (name, bound) => ratioProblem(name, bound, asked)),
]

function each(
  item: Fields,
  field: string,
  check: (name: string, bound: string) => string | undefined,
): readonly string[] {
  return Object.entries(resourcesAt(item, field)).flatMap(
    ([name, bound]) => check(name, String(bound)) ?? [],
  )
}

type Written = string | number | undefined

const below = (a: Written, b: string): boolean =>
  compareQuantities(parseQuantity(a ?? 0), parseQuantity(b)) < 0
const above = (a: Written, b: string): boolean =>
  compareQuantities(parseQuantity(a ?? 0), parseQuantity(b)) > 0

function minProblem(name: string, bound: string, asked: Asked): string | undefined {
  const request = asked.requests[name]
  const limit = asked.limits[name]
  const head = `minimum ${name} usage per ${asked.type} is ${bound}`
  if (request === undefined) return `${head}.  No request is specified`
  if (below(request, bound)) return `${head}, but request is ${request}`
  if (limit !== undefined && below(limit, bound)) return `${head}, but limit is ${limit}`
  return undefined
}

function maxProblem(name: string, bound: string, asked: Asked): string | undefined {
  const request = asked.requests[name]
  const limit = asked.limits[name]
  const head = `maximum ${name} usage per ${asked.type} is ${bound}`
  if (limit === undefined) return `${head}.  No limit is specified`
  if (above(limit, bound)) return `${head}, but limit is ${limit}`
  if (request !== undefined && above(request, bound)) return `${head}, but request is ${request}`
  return undefined
}

function maxRequestProblem(
  name: string,
  bound: string,
  type: string,
  requests: ResourceList,
): string | undefined {
  const request = requests[name]
  const head = `maximum ${name} usage per ${type} is ${bound}`
  if (request === undefined) return `${head}.  No request is specified`
  return above(request, bound) ? `${head}, but request is ${request}` : undefined
}

function ratioProblem(name: string, bound: string, asked: Asked): string | undefined {
  const head = `${name} max limit to request ratio per ${asked.type} is ${bound}, but`
  const request = quantityMilliValue(parseQuantity(asked.requests[name] ?? 0))
  const limit = quantityMilliValue(parseQuantity(asked.limits[name] ?? 0))
  if (request === 0n) return `${head} no request is specified or request is 0`
  if (limit === 0n) return `${head} no limit is specified or limit is 0`
  const ratio = Number(limit) / Number(request)
  const most = Number(quantityMilliValue(parseQuantity(bound)))
  return ratio * 1000 > most ? `${head} provided ratio is ${ratio.toFixed(6)}` : undefined
}

/** LimitRanger: what a namespace gives and allows a pod or a claim (kubernetes/plugin/pkg/admission/limitranger). */
export const LIMIT_RANGER: AdmissionPlugin = Object.freeze({
  name: 'LimitRanger',
  handles: (request: AdmissionRequest) => {
    if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return false
    if (isUnder(request, '/persistentvolumeclaims')) return request.subresource === ''
    if (!isUnder(request, '/pods')) return false
    return request.operation === 'CREATE'
      ? request.subresource === ''
      : request.subresource === 'resize'
  },
  admit,
  validate,
})
