import {
  forbiddenField,
  invalidValue,
  isDns1123Subdomain,
  isQualifiedName,
  rangeProblem,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  itemsAt,
  mapAt,
  numberAt,
  objectAt,
  same,
  textAt,
  type Fields,
  type Readable,
} from '../fields.ts'
import { checkName, type Errors } from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { unifiedDiff } from '../generic/unified-diff.ts'
import { checkImage } from './container-validation.ts'
import { checkIp } from './ip-validation.ts'
import { qosClass } from './pod-resources.ts'
import { podErrors } from './pod-validation.ts'
import { checkAddedTolerations } from './scheduling-validation.ts'

const MAX_INT32 = 2 ** 31 - 1
const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')
const LISTS = ['containers', 'initContainers'] as const

/** What an update may change of a pod: very little (ValidatePodUpdate). */
export function validatePodUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {}
  const before = objectAt(old, 'spec') ?? {}
  // Nothing of the spec changed, as in most updates: it was valid before.
  if (spec === before) return []
  const errors = podErrors(object)
  for (const list of LISTS) if (!checkSameContainers(errors, list, spec, before)) return errors
  if (!checkDeadline(errors, spec, before)) return errors
  const tolerations = itemsAt(spec, 'tolerations')
  checkAddedTolerations(errors, 'spec.tolerations', tolerations, itemsAt(before, 'tolerations'))
  checkGatesOnlyGo(errors, spec, before)
  const munged = munge(spec, before)
  if (itemsAt(before, 'schedulingGates').length > 0) freeGated(errors, munged, before)
  if (same(munged, before)) return errors
  const why = `pod updates may not change fields other than ${UPDATABLE}\n${unifiedDiff(before, munged)}`
  errors.push(forbiddenField('spec', why))
  return errors
}

function checkSameContainers(
  errors: Errors,
  list: string,
  spec: Readable,
  before: Readable,
): boolean {
  const containers = itemsAt(spec, list)
  if (containers.length !== itemsAt(before, list).length) {
    errors.push(forbiddenField(`spec.${list}`, 'pod updates may not add or remove containers'))
    return false
  }
  containers.forEach((it, i) => {
    if (textAt(it, 'image') === '') errors.push(required(`spec.${list}[${i}].image`))
    checkImage(errors, `spec.${list}[${i}]`, it)
  })
  return true
}

function checkDeadline(errors: Errors, spec: Readable, before: Readable): boolean {
  const at = 'spec.activeDeadlineSeconds'
  const now = numberAt(spec, 'activeDeadlineSeconds')
  const was = numberAt(before, 'activeDeadlineSeconds')
  if (now === undefined) {
    if (was !== undefined) {
      errors.push(invalidValue(at, null, 'must not update from a positive integer to nil value'))
    }
    return true
  }
  if (now < 0 || now > MAX_INT32) errors.push(invalidValue(at, now, rangeProblem(0, MAX_INT32)))
  else if (was !== undefined && was < now) {
    errors.push(invalidValue(at, now, 'must be less than or equal to previous value'))
  } else return true
  return false
}

function checkGatesOnlyGo(errors: Errors, spec: Readable, before: Readable): void {
  const held = new Set(itemsAt(before, 'schedulingGates').map((it) => textAt(it, 'name')))
  itemsAt(spec, 'schedulingGates').forEach((it, i) => {
    const name = textAt(it, 'name')
    if (held.has(name)) return
    const why = `only deletion is allowed, but found new scheduling gate '${name}'`
    errors.push(forbiddenField(`spec.schedulingGates[${i}].name`, why))
  })
}

const FREE = ['activeDeadlineSeconds', 'schedulingGates', 'tolerations'] as const

/** The new spec with everything that may change put back. */
function munge(spec: Readable, before: Readable): Fields {
  const munged: Fields = { ...spec }
  for (const list of LISTS) {
    if (munged[list] === undefined) continue
    munged[list] = itemsAt(spec, list).map((it, i) => ({
      ...it,
      image: itemsAt(before, list)[i]?.['image'],
    }))
  }
  for (const name of FREE) munged[name] = before[name]
  const grace = numberAt(before, 'terminationGracePeriodSeconds') ?? 0
  if (grace < 0 && munged['terminationGracePeriodSeconds'] === 1) {
    munged['terminationGracePeriodSeconds'] = grace
  }
  return munged
}

/** A pod that may not be scheduled yet can still be told more narrowly where to go (KEP-3838). */
function freeGated(errors: Errors, munged: Fields, before: Readable): void {
  const was = mapAt(before, 'nodeSelector')
  const now = mapAt(munged, 'nodeSelector')
  if (!same(was, now)) {
    if (Object.keys(was).some((key) => was[key] !== now[key])) {
      const why = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)'
      errors.push(invalidValue('spec.nodeSelector', now, why))
    }
    munged['nodeSelector'] = before['nodeSelector']
  }
  const affinity = objectAt(munged, 'affinity')
  const wasNode = objectAt(objectAt(before, 'affinity'), 'nodeAffinity')
  if (same(objectAt(affinity, 'nodeAffinity'), wasNode)) return
  const rest: Fields = { ...affinity, nodeAffinity: wasNode }
  const empty = Object.values(rest).every((it) => it === undefined)
  munged['affinity'] = empty ? before['affinity'] : rest
}

const SYSTEM_CONDITIONS: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'Initialized'])

/** A write of a pod's status (ValidatePodStatusUpdate, without the parts that only nodes get wrong). */
export function validatePodStatus(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  const status = objectAt(object, 'status') ?? {}
  const before = objectAt(old, 'status') ?? {}
  itemsAt(status, 'conditions').forEach((it, i) => {
    const type = textAt(it, 'type')
    if (SYSTEM_CONDITIONS.has(type)) return
    checkName(errors, `status.conditions[${i}].Type`, type, isQualifiedName)
  })
  const nominated = textAt(status, 'nominatedNodeName')
  if (nominated !== '' && nominated !== textAt(before, 'nominatedNodeName')) {
    checkName(errors, 'status.nominatedNodeName', nominated, isDns1123Subdomain)
  }
  if (textAt(status, 'qosClass') !== textAt(before, 'qosClass')) {
    errors.push(invalidValue('status.qosClass', textAt(status, 'qosClass'), 'field is immutable'))
  }
  checkTerminated(errors, 'containerStatuses', status, old)
  itemsAt(status, 'podIPs').forEach((it, i) =>
    checkIp(errors, `status.podIPs[${i}]`, textAt(it, 'ip')),
  )
  return errors
}

/** A container that ended for good does not come back (ValidateContainerStateTransition). */
function checkTerminated(errors: Errors, list: string, status: Readable, old: UnknownObject): void {
  const policy = textAt(objectAt(old, 'spec'), 'restartPolicy')
  if (policy === 'Always') return
  const now = itemsAt(status, list)
  itemsAt(objectAt(old, 'status'), list).forEach((was, i) => {
    const terminated = objectAt(objectAt(was, 'state'), 'terminated')
    if (terminated === undefined) return
    if (policy === 'OnFailure' && terminated['exitCode'] !== 0) return
    const next = now.find((it) => it['name'] === was['name'])
    if (next === undefined || objectAt(objectAt(next, 'state'), 'terminated')) return
    const why = 'may not be transitioned to non-terminated state'
    errors.push(forbiddenField(`status.${list}[${i}].state`, why))
  })
}

/** Ephemeral containers come, and stay as they came (ValidatePodEphemeralContainersUpdate). */
export function validateEphemeralContainers(
  object: Draft,
  old: UnknownObject,
): readonly FieldError[] {
  const errors = podErrors(object)
  const at = 'spec.ephemeralContainers'
  if (old.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined) {
    return [forbiddenField('', 'static pods do not support ephemeral containers')]
  }
  const now = itemsAt(objectAt(object, 'spec'), 'ephemeralContainers')
  for (const was of itemsAt(objectAt(old, 'spec'), 'ephemeralContainers')) {
    const name = JSON.stringify(was['name'])
    const next = now.find((it) => it['name'] === was['name'])
    if (next === undefined) {
      errors.push(forbiddenField(at, `existing ephemeral containers ${name} may not be removed\n`))
    } else if (!same(was, next)) {
      const why = `existing ephemeral containers ${name} may not be changed\n${unifiedDiff(was, next)}`
      errors.push(forbiddenField(at, why))
    }
  }
  return errors
}

/** A resize changes cpu and memory, and nothing else (ValidatePodResize, KEP-1287). */
export function validateResize(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors = podErrors(object)
  const spec = objectAt(object, 'spec') ?? {}
  const before = objectAt(old, 'spec') ?? {}
  const qos = textAt(objectAt(old, 'status'), 'qosClass')
  for (const list of LISTS) {
    const was = itemsAt(before, list)
    const now = itemsAt(spec, list)
    const renamed =
      now.length !== was.length || now.some((it, i) => it['name'] !== was[i]?.['name'])
    if (renamed) {
      const why = 'only cpu and memory resources are mutable'
      return [...errors, forbiddenField('spec', why)]
    }
  }
  if (qos !== '' && qos !== qosClass(spec)) {
    const why = `Pod QOS Class may not change as a result of resizing`
    errors.push(invalidValue('spec', qos, why))
  }
  return errors
}
