import {
  forbiddenField,
  invalidValue,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { has, itemsAt, objectAt, same, textAt, type Fields, type Readable } from '../fields.ts'
import type { Errors } from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { qosClass } from './pod-resources.ts'
import { podErrors } from './pod-validation.ts'
import { resourcesAt, type ResourceList } from './resource-list.ts'

const LISTS = ['containers', 'initContainers'] as const
const MIRROR = 'kubernetes.io/config.mirror'
const ONLY = 'only cpu and memory resources are mutable'

/** A resize changes cpu and memory, and nothing else (ValidatePodResize, KEP-1287, KEP-5419). */
export function validateResize(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors = podErrors(object)
  const spec = objectAt(object, 'spec') ?? {}
  const before = objectAt(old, 'spec') ?? {}
  if (old.metadata.annotations?.[MIRROR] !== undefined) {
    return [forbiddenField('', 'static pods cannot be resized')]
  }
  if (textAt(objectAt(before, 'os'), 'name') === 'windows') {
    return [forbiddenField('', 'windows pods cannot be resized')]
  }
  checkClass(errors, object, old)
  checkNode(errors, objectAt(old, 'status'))
  const left: Fields = { ...spec }
  if ([spec, before].some(hasOwnResources)) checkOwnResources(errors, left, before)
  if (itemsAt(objectAt(old, 'status'), 'nodeAllocatableResourceClaimStatuses').length > 0) {
    const why = 'pods with node allocatable resource claims cannot be resized'
    errors.push(forbiddenField('spec', why))
  }
  const order = orderErrors(spec, before)
  if (order.length > 0) return [...errors, ...order]
  checkRemovals(errors, spec, before)
  checkOthers(errors, left, before)
  if (errors.length === 0 && !same(left, before)) errors.push(forbiddenField('spec', ONLY))
  return errors
}

function checkClass(errors: Errors, object: Draft, old: UnknownObject): void {
  const held = textAt(objectAt(old, 'status'), 'qosClass')
  const was = held || qosClass(objectAt(old, 'spec') ?? {})
  if (was === qosClass(objectAt(object, 'spec') ?? {})) return
  const why = 'Pod QOS Class may not change as a result of resizing'
  errors.push(invalidValue('spec', textAt(objectAt(object, 'status'), 'qosClass'), why))
}

/** A node that says what its containers have can change it. */
function checkNode(errors: Errors, status: Readable | undefined): void {
  const running = itemsAt(status, 'containerStatuses').find((it) =>
    has(objectAt(it, 'state'), 'running'),
  )
  if (running === undefined || has(running, 'resources')) return
  errors.push(forbiddenField('spec', 'Pod running on node without support for resize'))
}

const hasOwnResources = (spec: Readable): boolean => {
  const own = objectAt(spec, 'resources')
  return ['requests', 'limits'].some((it) => Object.keys(resourcesAt(own, it)).length > 0)
}

/** The resources of the pod itself; `left` is left with those that it had, where they may change. */
function checkOwnResources(errors: Errors, left: Fields, before: Readable): void {
  const was = objectAt(before, 'resources')
  const now = objectAt(left, 'resources')
  if (was && !now) {
    const why = 'pod-level resources cannot be removed'
    return void errors.push(forbiddenField('spec.resources', why))
  }
  for (const list of ['requests', 'limits']) {
    if (!was || !removes(resourcesAt(now, list), resourcesAt(was, list))) continue
    const why = `pod-level resource ${list} cannot be removed`
    errors.push(forbiddenField(`spec.resources.${list}`, why))
  }
  const settled = now && settledResources(now, was)
  left['resources'] = settled && Object.keys(settled).length === 0 && !was ? undefined : settled
  if (same(left['resources'], was)) return
  errors.push(forbiddenField('spec', `${ONLY} at pod-level`))
}

/** The resources with cpu and memory as they were; empty lists are none. */
function settledResources(now: Readable, was: Readable | undefined): Fields {
  const settled: Fields = { ...now }
  for (const list of ['requests', 'limits']) {
    const { cpu: _, memory: __, ...others } = resourcesAt(now, list)
    const held = resourcesAt(was, list)
    const amounts: Record<string, string | number> = { ...others }
    for (const name of ['cpu', 'memory']) {
      if (held[name] !== undefined) amounts[name] = held[name]
    }
    if (Object.keys(amounts).length > 0) settled[list] = amounts
    else delete settled[list]
  }
  return settled
}

const removes = (now: ResourceList, was: ResourceList): boolean =>
  Object.keys(was).some((it) => now[it] === undefined)

function orderErrors(spec: Readable, before: Readable): Errors {
  const errors: Errors = []
  for (const list of LISTS) {
    const [now, was] = [itemsAt(spec, list), itemsAt(before, list)]
    if (now.length !== was.length) {
      errors.push(forbiddenField(`spec.${list}`, `${list} may not be added or removed on resize`))
      continue
    }
    was.forEach((it, i) => {
      if (now[i]!['name'] === it['name']) return
      const why = `${list} may not be renamed or reordered on resize`
      errors.push(forbiddenField(`spec.${list}[${i}].name`, why))
    })
  }
  return errors
}

/** Which lists of containers are looked at first. */
const INIT_FIRST = LISTS.toReversed()

function checkRemovals(errors: Errors, spec: Readable, before: Readable): void {
  for (const list of INIT_FIRST) {
    itemsAt(before, list).forEach((was, i) => {
      const now = itemsAt(spec, list)[i]!
      for (const which of ['requests', 'limits']) {
        const [a, b] = [now, was].map((it) => resourcesAt(objectAt(it, 'resources'), which))
        if (!removes(a!, b!)) continue
        const at = `spec.${list}[${i}].resources.${which}`
        errors.push(forbiddenField(at, `resource ${which} cannot be removed`))
      }
    })
  }
}

/** What else changes of containers; `left` is left with containers that have the resources that they had. */
function checkOthers(errors: Errors, left: Fields, before: Readable): void {
  for (const list of LISTS) {
    if (!has(left, list)) continue
    left[list] = itemsAt(left, list).map((it, i) => {
      const was = itemsAt(before, list)[i]!
      const settled = settledContainer(it, was)
      const isInit = list === 'initContainers'
      const at = isInit ? `spec.initContainers[${i}]` : 'spec'
      const only = 'only cpu and memory resources for init or sidecar containers are mutable'
      if (!same(settled, was)) errors.push(forbiddenField(at, isInit ? only : ONLY))
      if (isInit && !same(it, was)) checkPlainInit(errors, at, it)
      return settled
    })
  }
}

function settledContainer(now: Readable, was: Readable): Fields {
  // Kubernetes forgets claims here, and so refuses a resize where there are any.
  const { claims: _, ...resources } = settledResources(
    objectAt(now, 'resources') ?? {},
    objectAt(was, 'resources'),
  )
  return { ...now, resources }
}

/** An init container that ends cannot be started again to be resized. */
function checkPlainInit(errors: Errors, field: string, container: Readable): void {
  if (textAt(container, 'restartPolicy') === 'Always') return
  for (const policy of itemsAt(container, 'resizePolicy')) {
    if (policy['restartPolicy'] !== 'RestartContainer') continue
    const why =
      'non-sidecar init containers with a resize policy of RestartContainer cannot be resized'
    errors.push(forbiddenField(field, why))
  }
}
