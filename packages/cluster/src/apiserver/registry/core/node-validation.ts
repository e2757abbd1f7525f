import {
  duplicate,
  forbiddenField,
  invalidValue,
  isLabelValue,
  isQualifiedName,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { isIP, isIPv6 } from 'node:net'
import { itemsAt, objectAt, same, textAt, textsAt, type Readable } from '../fields.ts'
import { checkName, requireOneOf, type Errors } from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { checkCidr } from './ip-validation.ts'
import { amountOf, resourcesAt } from './resource-list.ts'
import { checkAmount } from './resource-validation.ts'

/** A new node (ValidateNode). */
export function validateNode(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec')
  checkTaints(errors, spec)
  checkAmounts(errors, object)
  checkDeclaredFeatures(errors, textsAt(objectAt(object, 'status'), 'declaredFeatures'))
  const cidrs = textsAt(spec, 'podCIDRs')
  cidrs.forEach((it, i) => checkCidr(errors, `spec.podCIDRs[${i}]`, it))
  const families = new Set(cidrs.map((it) => isIPv6(it.split('/')[0] ?? '')))
  const wrong = cidrs.findIndex((it) => !isCidr(it))
  if (cidrs.length > 1 && wrong >= 0) {
    const cause = `invalid CIDR[${wrong}]: <nil> (invalid CIDR address: ${cidrs[wrong]})`
    const detail = `invalid PodCIDRs. failed to check with dual stack with error:${cause}`
    errors.push({ type: 'InternalError', field: 'spec.podCIDRs', detail })
  }
  if (cidrs.length > families.size || (cidrs.length > 1 && wrong >= 0)) {
    const why = 'may specify no more than one CIDR for each IP family'
    errors.push(invalidValue('spec.podCIDRs', cidrs, why))
  }
  return errors
}

const isCidr = (text: string): boolean => {
  const [ip = '', bits = ''] = text.split('/')
  return isIP(ip) !== 0 && /^[0-9]+$/.test(bits) && Number(bits) <= (isIPv6(ip) ? 128 : 32)
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** Taints are unique by key and effect; Kubernetes looks for them under metadata. */
function checkTaints(errors: Errors, spec: Readable | undefined): void {
  const seen = new Set<string>()
  itemsAt(spec, 'taints').forEach((it, i) => {
    const at = `metadata.taints[${i}]`
    const key = textAt(it, 'key')
    const effect = textAt(it, 'effect')
    checkName(errors, `${at}.key`, key, isQualifiedName)
    const problems = isLabelValue(textAt(it, 'value'))
    if (problems.length > 0) {
      errors.push(invalidValue(`${at}.value`, textAt(it, 'value'), problems.join(';')))
    }
    requireOneOf(errors, `${at}.effect`, effect, EFFECTS)
    if (seen.has(`${key}:${effect}`)) {
      const value = {
        Key: key,
        Value: textAt(it, 'value'),
        Effect: effect,
        TimeAdded: it['timeAdded'] ?? null,
      }
      const detail = 'taints must be unique by key and effect pair'
      errors.push({ type: 'FieldValueDuplicate', field: at, value, detail })
    }
    seen.add(`${key}:${effect}`)
  })
}

const FEATURE = /^[A-Z][A-Za-z0-9]*(\/[A-Za-z0-9]+)*$/

/** What a kubelet says it can, in order (KEP-5328). */
function checkDeclaredFeatures(errors: Errors, features: readonly string[]): void {
  features.forEach((name, i) => {
    const at = `status.declaredFeatures[${i}]`
    const before = features[i - 1]
    const problem = featureProblem(name)
    if (i > 0 && before === name) errors.push(duplicate(at, name))
    else if (before !== undefined && before > name) {
      errors.push(invalidValue(at, name, 'list must be sorted alphabetically'))
    }
    if (problem !== undefined) errors.push(invalidValue(at, name, problem))
  })
}

function featureProblem(name: string): string | undefined {
  const invalid = `invalid feature name ${JSON.stringify(name)}`
  if (name.length > 253) return `${invalid}: must be no more than 253 characters`
  if (FEATURE.test(name)) return undefined
  return `${invalid}: must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`
}

function checkAmounts(errors: Errors, object: Draft): void {
  for (const list of ['capacity', 'allocatable']) {
    const amounts = resourcesAt(objectAt(object, 'status'), list)
    for (const name in amounts) {
      const amount = amountOf(amounts[name])
      if (amount) checkAmount(errors, `status.${list}.${name}`, name, amount)
    }
  }
}

function checkAddresses(errors: Errors, object: Draft): void {
  const seen = new Set<string>()
  itemsAt(objectAt(object, 'status'), 'addresses').forEach((it, i) => {
    const value = { Type: textAt(it, 'type'), Address: textAt(it, 'address') }
    const key = JSON.stringify(value)
    if (seen.has(key)) errors.push(duplicate(`status.addresses[${i}]`, value))
    seen.add(key)
  })
}

/** A changed node: judged as a new one, and by what may not change of it. */
export const validateNodeUpdate = (object: Draft, old: UnknownObject): readonly FieldError[] => [
  ...validateNode(object),
  ...validateNodeStatus(object, old),
]

/** What an update may not change of a node (ValidateNodeUpdate). */
export function validateNodeStatus(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec')
  const before = objectAt(old, 'spec')
  checkAmounts(errors, object)
  checkDeclaredFeatures(errors, textsAt(objectAt(object, 'status'), 'declaredFeatures'))
  checkAddresses(errors, object)
  const held = textsAt(before, 'podCIDRs')
  if (held.length > 0 && !same(held, textsAt(spec, 'podCIDRs'))) {
    const why = 'node updates may not change podCIDR except from "" to valid'
    errors.push(forbiddenField('spec.podCIDRs', why))
  }
  const provider = textAt(before, 'providerID')
  if (provider !== '' && provider !== textAt(spec, 'providerID')) {
    const why = 'node updates may not change providerID except from "" to valid'
    errors.push(forbiddenField('spec.providerID', why))
  }
  checkTaints(errors, spec)
  if (textAt(spec, 'externalID') !== textAt(before, 'externalID')) {
    errors.push(forbiddenField('spec.externalID', 'may not be updated'))
  }
  return errors
}
