import {
  forbiddenField,
  invalidValue,
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
import type { Errors } from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { internalForm } from '../generic/internal-form.ts'
import { unifiedDiff } from '../generic/unified-diff.ts'
import { checkImage } from './container-validation.ts'
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
  const diff = unifiedDiff(internalForm('PodSpec', before), internalForm('PodSpec', munged))
  const why = `pod updates may not change fields other than ${UPDATABLE}`
  errors.push(forbiddenField('spec', `${why}\n${diff}`))
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
  freeNodeAffinity(errors, munged, before)
}

function freeNodeAffinity(errors: Errors, munged: Fields, before: Readable): void {
  const affinity = objectAt(munged, 'affinity')
  const was = objectAt(objectAt(before, 'affinity'), 'nodeAffinity')
  const now = objectAt(affinity, 'nodeAffinity')
  if (same(now, was)) return
  checkNarrower(errors, now, was)
  const rest: Fields = { ...affinity, nodeAffinity: was }
  const empty = Object.values(rest).every((it) => it === undefined)
  munged['affinity'] = empty ? before['affinity'] : rest
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'

/** What a node must have can only become more (validateNodeAffinityMutation). */
function checkNarrower(errors: Errors, now: Readable | undefined, was: Readable | undefined): void {
  const at = `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`
  const terms = itemsAt(objectAt(now, REQUIRED), 'nodeSelectorTerms')
  const held = itemsAt(objectAt(was, REQUIRED), 'nodeSelectorTerms')
  const shown = (it: Readable): unknown => internalForm('NodeSelectorTerm', it)
  if (held.length > 0 && held.length !== terms.length) {
    const why = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed'
    const value = terms.length === 0 ? null : terms.map(shown)
    return void errors.push(invalidValue(at, value, why))
  }
  held.forEach((it, i) => {
    if (addsOnly(terms[i]!, it)) return
    const why = 'only additions are allowed (no mutations or deletions)'
    errors.push(invalidValue(`${at}[${i}]`, shown(terms[i]!), why))
  })
}

const TERM_LISTS = ['matchExpressions', 'matchFields']

function addsOnly(now: Readable, was: Readable): boolean {
  const isEmpty = (it: Readable): boolean =>
    TERM_LISTS.every((list) => itemsAt(it, list).length === 0)
  if (isEmpty(was) && !isEmpty(now)) return false
  return TERM_LISTS.every((list) => {
    const held = itemsAt(was, list)
    return same(itemsAt(now, list).slice(0, held.length), held)
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
      const shown = (of: Readable): unknown => internalForm('EphemeralContainer', of)
      const why = `existing ephemeral containers ${name} may not be changed`
      errors.push(forbiddenField(at, `${why}\n${unifiedDiff(shown(was), shown(next))}`))
    }
  }
  return errors
}
