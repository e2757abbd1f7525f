import {
  compareQuantities,
  forbiddenField,
  formatQuantity,
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  notSupported,
  quantityOf,
  quantitySign,
  required,
  type FieldError,
  type Quantity,
  type UnknownObject,
} from 'kubewright/machinery'
import { has, objectAt, same, textAt, textsAt, type Fields, type Readable } from '../fields.ts'
import {
  checkLabelSelector,
  checkName,
  checkOneOf,
  requireText,
  type Errors,
} from '../generic/checks.ts'
import { internalForm } from '../generic/internal-form.ts'
import { unifiedDiff } from '../generic/unified-diff.ts'
import { keepEmptied } from '../../resources/emptied.ts'
import type { Draft } from '../strategy.ts'
import { amountOf, resourcesAt, type ResourceList } from './resource-list.ts'

const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']

/** How a volume may be mounted: by one pod alone, or in the other ways. */
export function checkAccessModes(errors: Errors, field: string, modes: readonly string[]): void {
  for (const mode of modes) {
    if (!MODES.includes(mode)) errors.push(notSupported(field, mode, MODES))
  }
  const others = modes.filter((it) => MODES.includes(it) && it !== 'ReadWriteOncePod')
  if (modes.includes('ReadWriteOncePod') && others.length > 0) {
    errors.push(forbiddenField(field, 'may not use ReadWriteOncePod with other access modes'))
  }
}

/** The spec of a claim, alone or as a template, and what it was before (ValidatePersistentVolumeClaimSpec). */
export function checkClaimSpec(
  errors: Errors,
  field: string,
  spec: Readable,
  before?: Readable,
): void {
  const modes = textsAt(spec, 'accessModes')
  if (modes.length === 0) {
    errors.push(required(`${field}.accessModes`, 'at least 1 access mode is required'))
  }
  checkLabelSelector(errors, `${field}.selector`, objectAt(spec, 'selector'))
  checkAccessModes(errors, `${field}.accessModes`, modes)
  checkStorage(errors, `${field}.resources[storage]`, spec)
  for (const name of ['storageClassName', 'volumeAttributesClassName']) {
    const value = textAt(spec, name)
    if (value !== '') checkName(errors, `${field}.${name}`, value, isDns1123Subdomain)
  }
  if (has(spec, 'volumeMode')) {
    const mode = textAt(spec, 'volumeMode')
    checkOneOf(errors, `${field}.volumeMode`, mode, ['Block', 'Filesystem'])
  }
  checkSources(errors, field, spec, before)
}

function checkStorage(errors: Errors, field: string, spec: Readable): void {
  const amount = amountOf(resourcesAt(objectAt(spec, 'resources'), 'requests')['storage'])
  if (amount === undefined) errors.push(required(field))
  else if (quantitySign(amount) <= 0) {
    errors.push(invalidValue(field, formatQuantity(amount), 'must be greater than zero'))
  }
}

function checkSources(
  errors: Errors,
  field: string,
  spec: Readable,
  before: Readable | undefined,
): void {
  const one = objectAt(spec, 'dataSource')
  const ref = objectAt(spec, 'dataSourceRef')
  // A group that was there before there was a rule for it stays.
  const bears = SOURCES.some((it) => has(objectAt(before, it), 'apiGroup'))
  if (one) checkSource(errors, `${field}.dataSource`, one, bears)
  if (ref) checkSource(errors, `${field}.dataSourceRef`, ref, bears)
  const namespace = textAt(ref, 'namespace')
  if (namespace !== '') {
    checkName(errors, `${field}.dataSourceRef.namespace`, namespace, isDns1123Label)
  }
  if (!one || !ref) return
  if (namespace !== '') {
    const why = 'may not be specified when dataSourceRef.namespace is specified'
    errors.push(invalidValue(field, {}, why))
  } else if (['apiGroup', 'kind', 'name'].some((it) => textAt(one, it) !== textAt(ref, it))) {
    errors.push(invalidValue(field, {}, 'must match dataSourceRef'))
  }
}

const SOURCES = ['dataSource', 'dataSourceRef']

function checkSource(errors: Errors, field: string, source: Readable, bears: boolean): void {
  const group = textAt(source, 'apiGroup')
  const kind = textAt(source, 'kind')
  requireText(errors, `${field}.name`, textAt(source, 'name'))
  requireText(errors, `${field}.kind`, kind)
  if (group !== '') {
    if (!bears) checkName(errors, `${field}.apiGroup`, group, isDns1123Subdomain)
  } else if (kind !== 'PersistentVolumeClaim') {
    const why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
    errors.push(invalidValue(field, kind, why))
  }
}

/** A new claim. */
export function validateClaim(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  checkClaimSpec(errors, 'spec', objectAt(object, 'spec') ?? {})
  return errors
}

/** A claim is bound once, and then only grows (ValidatePersistentVolumeClaimUpdate). */
export function validateClaimUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const before = objectAt(old, 'spec') ?? {}
  if (spec === before) return errors
  checkClaimSpec(errors, 'spec', spec, before)
  const settled = settle(spec, before, textAt(objectAt(object, 'status'), 'phase') === 'Bound')
  // A name may be given once.
  const named = textAt(before, 'volumeName') === '' ? spec : before
  const stood: Fields = { ...before, volumeName: named['volumeName'] }
  if (!same(settled, stood)) {
    const why =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    const shown = (of: Readable): unknown => internalForm('PersistentVolumeClaimSpec', of)
    errors.push(forbiddenField('spec', `${why}\n${unifiedDiff(shown(stood), shown(settled))}`))
  }
  checkShrink(errors, spec, before, old)
  if (!same(spec['volumeMode'], before['volumeMode'])) {
    errors.push(invalidValue('volumeMode', spec['volumeMode'] ?? null, 'field is immutable'))
  }
  checkAttributesClass(errors, spec, before, old)
  return errors
}

/** A class that a volume has got is not taken away (KEP-3751). */
function checkAttributesClass(
  errors: Errors,
  spec: Readable,
  before: Readable,
  old: UnknownObject,
): void {
  const name = 'volumeAttributesClassName'
  const held = has(objectAt(old, 'status'), 'currentVolumeAttributesClassName')
  if (!held || same(spec[name], before[name]) || textAt(spec, name) !== '') return
  const what = has(spec, name) ? 'empty string' : 'nil'
  const why = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`
  errors.push(forbiddenField(`spec.${name}`, why))
}

/** The new spec with everything that may change put back. */
function settle(spec: Readable, before: Readable, bound: boolean): Fields {
  const settled: Fields = keepEmptied({ ...spec }, spec)
  if (!has(before, 'storageClassName')) settled['storageClassName'] = before['storageClassName']
  if (!bound) return settled
  settled['volumeAttributesClassName'] = before['volumeAttributesClassName']
  const requests = resourcesAt(objectAt(spec, 'resources'), 'requests')
  const storage = resourcesAt(objectAt(before, 'resources'), 'requests')['storage']
  settled['resources'] = { ...objectAt(spec, 'resources'), requests: { ...requests, storage } }
  return settled
}

function checkShrink(errors: Errors, spec: Readable, before: Readable, old: UnknownObject): void {
  const size = (list: ResourceList): Quantity => amountOf(list['storage']) ?? quantityOf(0)
  const now = size(resourcesAt(objectAt(spec, 'resources'), 'requests'))
  const was = size(resourcesAt(objectAt(before, 'resources'), 'requests'))
  const held = size(resourcesAt(objectAt(old, 'status'), 'capacity'))
  if (compareQuantities(now, was) >= 0 || compareQuantities(now, held) > 0) return
  const why = 'field can not be less than status.capacity'
  errors.push(forbiddenField('spec.resources.requests.storage', why))
}
