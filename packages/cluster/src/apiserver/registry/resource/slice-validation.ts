import {
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { checkNodeSelector } from '../core/scheduling-validation.ts'
import {
  flagAt,
  has,
  itemsAt,
  numberAt,
  objectAt,
  same,
  shownAt,
  textAt,
  type Readable,
} from '../fields.ts'
import { checkName, requireName, type Errors } from '../generic/checks.ts'
import { checkDriverName } from '../generic/driver-name.ts'
import type { Draft } from '../strategy.ts'
import { checkCounters, checkDevice } from './device-validation.ts'
import { checkPoolName, checkSet } from './shared-rules.ts'

const MOST_DEVICES = 128
const MOST_DEVICES_WITH_MORE = 64
const MOST_COUNTER_SETS = 8

/** Devices of one driver that nodes can use (kubernetes/pkg/apis/resource/validation). */
export function validateSlice(object: Draft, old?: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const before = objectAt(old, 'spec')
  checkDriverName(errors, 'spec.driver', textAt(spec, 'driver'))
  checkPool(errors, objectAt(spec, 'pool'))
  if (before) checkFixed(errors, spec, before)
  checkNodes(errors, spec)
  checkContent(errors, spec, before)
  return errors
}

function checkPool(errors: Errors, pool: Readable | undefined): void {
  checkPoolName(errors, 'spec.pool.name', textAt(pool, 'name'))
  const slices = numberAt(pool, 'resourceSliceCount') ?? 0
  if (slices <= 0) {
    errors.push(invalidValue('spec.pool.resourceSliceCount', slices, 'must be greater than zero'))
  }
  const generation = numberAt(pool, 'generation') ?? 0
  if (generation >= 0) return
  const why = 'must be greater than or equal to zero'
  errors.push(invalidValue('spec.pool.generation', generation, why))
}

function checkFixed(errors: Errors, spec: Readable, before: Readable): void {
  const fixed: readonly (readonly [string, unknown, unknown])[] = [
    ['pool.name', objectAt(spec, 'pool')?.['name'], objectAt(before, 'pool')?.['name']],
    ['driver', spec['driver'], before['driver']],
    ['nodeName', spec['nodeName'], before['nodeName']],
  ]
  for (const [field, now, was] of fixed) {
    if (same(now, was)) continue
    const shown = now ?? (field === 'nodeName' ? null : '')
    errors.push(invalidValue(`spec.${field}`, shown, 'field is immutable'))
  }
}

const ONE_OF =
  'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required'

function checkNodes(errors: Errors, spec: Readable): void {
  const set: string[] = []
  if (has(spec, 'nodeName')) {
    const name = textAt(spec, 'nodeName')
    if (name === '') {
      const why = 'must be either unset or set to a non-empty string'
      errors.push(invalidValue('spec.nodeName', name, why))
    } else {
      set.push('`nodeName`')
      checkName(errors, 'spec.nodeName', name, isDns1123Subdomain)
    }
  }
  const selector = objectAt(spec, 'nodeSelector')
  if (selector) {
    set.push('`nodeSelector`')
    checkNodeSelector(errors, 'spec.nodeSelector', selector)
    const terms = itemsAt(selector, 'nodeSelectorTerms')
    if (terms.length !== 1) {
      const why = 'must have exactly one node selector term'
      const at = 'spec.nodeSelector.nodeSelectorTerms'
      errors.push(invalidValue(at, shownTerms(selector), why))
    }
  }
  for (const name of ['allNodes', 'perDeviceNodeSelection']) {
    if (flagAt(spec, name)) set.push(`\`${name}\``)
    else if (has(spec, name)) {
      errors.push(invalidValue(`spec.${name}`, false, 'must be either unset or set to true'))
    }
  }
  if (set.length === 0) errors.push(required('spec', ONE_OF))
  if (set.length > 1) {
    const why = `${ONE_OF}, but multiple fields are set`
    errors.push(invalidValue('spec', `{${set.join(', ')}}`, why))
  }
}

const shownTerms = (selector: Readable): readonly object[] | null =>
  has(selector, 'nodeSelectorTerms') ? itemsAt(selector, 'nodeSelectorTerms').map(shownTerm) : null

/** A term as Go shows its internal struct. */
const shownTerm = (term: Readable): object => ({
  MatchExpressions: shownRequirements(term, 'matchExpressions'),
  MatchFields: shownRequirements(term, 'matchFields'),
})

const shownRequirements = (term: Readable, name: string): readonly object[] | null =>
  has(term, name)
    ? itemsAt(term, name).map((it) => ({
        Key: textAt(it, 'key'),
        Operator: textAt(it, 'operator'),
        Values: shownAt(it, 'values'),
      }))
    : null

function checkContent(errors: Errors, spec: Readable, before: Readable | undefined): void {
  // An empty list is one too.
  if (shownAt(spec, 'sharedCounters') !== null && shownAt(spec, 'devices') !== null) {
    errors.push(invalidValue('spec', '', 'only one of `sharedCounters` or `devices` is allowed'))
  }
  const devices = itemsAt(spec, 'devices')
  const hasMore = devices.some(
    (it) => itemsAt(it, 'taints').length > 0 || itemsAt(it, 'consumesCounters').length > 0,
  )
  const known = itemsAt(before, 'devices')
  const perDevice = flagAt(spec, 'perDeviceNodeSelection')
  checkSet(
    errors,
    'spec.devices',
    devices,
    hasMore ? MOST_DEVICES_WITH_MORE : MOST_DEVICES,
    (found, where, it) => {
      const old = known.find((one) => one['name'] === it['name'])
      checkDevice(found, where, it, { old, perDevice })
    },
    (it) => textAt(it, 'name'),
  )
  const sets = itemsAt(spec, 'sharedCounters')
  const at = 'spec.sharedCounters'
  checkSet(errors, at, sets, MOST_COUNTER_SETS, checkCounterSet, (it) => textAt(it, 'name'))
}

function checkCounterSet(errors: Errors, field: string, set: Readable): void {
  requireName(errors, `${field}.name`, textAt(set, 'name'), isDns1123Label)
  checkCounters(errors, field, set)
}
