import {
  duplicate,
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  ensureObject,
  fillEmpty,
  has,
  itemsAt,
  numberAt,
  objectAt,
  same,
  textAt,
  type Fields,
  type Readable,
} from '../fields.ts'
import { checkName, checkOneOf, type Errors } from '../generic/checks.ts'
import { specChanged, statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy } from '../strategy.ts'
import { canonicalAmount } from '../core/resource-list.ts'

function defaultRequest(request: Fields): void {
  fillEmpty(request, { allocationMode: 'ExactCount' })
  if (request['allocationMode'] === 'ExactCount') fillEmpty(request, { count: 1 })
}

/** SetDefaults_ExactDeviceRequest, SetDefaults_DeviceSubRequest (kubernetes/pkg/apis/resource/v1/defaults.go). */
function defaultClaimSpec(spec: Fields): void {
  for (const request of itemsAt(ensureObject(spec, 'devices'), 'requests')) {
    const exactly = objectAt(request, 'exactly')
    if (exactly) defaultRequest(exactly)
    for (const each of itemsAt(request, 'firstAvailable')) defaultRequest(each)
  }
}

/** The rules of a claim's requests; CEL expressions are not compiled (kubernetes/pkg/apis/resource/validation). */
function checkRequests(errors: Errors, spec: Readable | undefined, at: string): void {
  const field = `${at}.devices.requests`
  const requests = itemsAt(objectAt(spec, 'devices'), 'requests')
  requests.forEach((request, i) => checkRequest(errors, request, `${field}[${i}]`))
  checkDistinct(errors, requests, field)
}

function checkDistinct(errors: Errors, requests: readonly Readable[], field: string): void {
  const names = requests.map((it) => textAt(it, 'name'))
  names.forEach((name, i) => {
    if (names.indexOf(name) < i) errors.push(duplicate(`${field}[${i}]`, name))
  })
}

function checkRequest(errors: Errors, request: Readable, at: string): void {
  const exactly = objectAt(request, 'exactly')
  const others = itemsAt(request, 'firstAvailable')
  checkName(errors, `${at}.name`, textAt(request, 'name'), isDns1123Label)
  const rule = 'exactly one of `exactly` or `firstAvailable` is required'
  if (!exactly && others.length === 0) errors.push(required(at, rule))
  else if (exactly && others.length > 0) {
    errors.push(invalidValue(at, null, `${rule}, but multiple fields are set`))
  } else if (exactly) checkWanted(errors, exactly, `${at}.exactly`)
  others.forEach((it, i) => {
    const inside = `${at}.firstAvailable[${i}]`
    checkName(errors, `${inside}.name`, textAt(it, 'name'), isDns1123Label)
    checkWanted(errors, it, inside)
  })
  checkDistinct(errors, others, `${at}.firstAvailable`)
}

function checkWanted(errors: Errors, wanted: Readable, at: string): void {
  const name = textAt(wanted, 'deviceClassName')
  if (name === '') errors.push(required(`${at}.deviceClassName`))
  else checkName(errors, `${at}.deviceClassName`, name, isDns1123Subdomain)
  checkSelectors(errors, wanted, `${at}.selectors`)
  const mode = textAt(wanted, 'allocationMode')
  const count = numberAt(wanted, 'count') ?? 0
  checkOneOf(errors, `${at}.allocationMode`, mode, ['All', 'ExactCount'])
  if (mode === 'All' && count !== 0) {
    const why = "must not be specified when allocationMode is 'All'"
    errors.push(invalidValue(`${at}.count`, count, why))
  }
  if (mode === 'ExactCount' && count <= 0) {
    errors.push(invalidValue(`${at}.count`, count, 'must be greater than zero'))
  }
}

function checkSelectors(errors: Errors, holder: Readable | undefined, at: string): void {
  itemsAt(holder, 'selectors').forEach((it, i) => {
    if (!has(it, 'cel')) errors.push(required(`${at}[${i}].cel`))
  })
}

function validateClaim(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  checkRequests(errors, objectAt(object, 'spec'), 'spec')
  return errors
}

function validateTemplate(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  checkRequests(errors, objectAt(objectAt(object, 'spec'), 'spec'), 'spec.spec')
  return errors
}

function validateClass(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  checkSelectors(errors, objectAt(object, 'spec'), 'spec.selectors')
  return errors
}

const specIsFixed = (object: Draft, old: Readable): readonly FieldError[] =>
  same(object['spec'], old['spec'])
    ? []
    : [invalidValue('spec', object['spec'], 'field is immutable')]

/** ResourceClaim (kubernetes/pkg/registry/resource/resourceclaim/strategy.go). */
export const RESOURCE_CLAIM: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => defaultClaimSpec(ensureObject(object, 'spec')),
  ...whole({ emptyStatus: {} }),
  validate: validateClaim,
  validateUpdate: (object: Draft, old: UnknownObject) => specIsFixed(object, old as Readable),
  subresources: { status: statusOnly({ statusKeeps: 'metadata' }) },
})

/** ResourceClaimTemplate. */
export const RESOURCE_CLAIM_TEMPLATE: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => {
    const spec = ensureObject(object, 'spec')
    ensureObject(spec, 'metadata')
    defaultClaimSpec(ensureObject(spec, 'spec'))
  },
  validate: validateTemplate,
  validateUpdate: (object: Draft, old: UnknownObject) => specIsFixed(object, old as Readable),
})

/** DeviceClass. */
export const DEVICE_CLASS: Strategy = Object.freeze({
  ...whole({ counts: specChanged }),
  validate: validateClass,
})

function defaultSlice(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  const pool = ensureObject(spec, 'pool')
  pool['generation'] ??= 0
  for (const device of itemsAt(spec, 'devices')) {
    const capacity = objectAt(device, 'capacity')
    for (const name in capacity) canonicalAmount(objectAt(capacity, name), 'value')
  }
}

function sliceWarnings(object: Draft): readonly string[] {
  const driver = textAt(objectAt(object, 'spec'), 'driver')
  return driver === driver.toLowerCase()
    ? []
    : [
        `spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`,
      ]
}

/** ResourceSlice. */
export const RESOURCE_SLICE: Strategy = Object.freeze({
  applyDefaults: defaultSlice,
  ...whole({ counts: specChanged }),
  warningsOnCreate: sliceWarnings,
  warningsOnUpdate: sliceWarnings,
  selectableFields: {
    'spec.nodeName': (it) => String(objectAt(it, 'spec')?.['nodeName'] ?? ''),
    'spec.driver': (it) => String(objectAt(it, 'spec')?.['driver'] ?? ''),
  },
} satisfies Strategy)
