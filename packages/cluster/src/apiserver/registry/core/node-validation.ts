import {
  forbiddenField,
  invalidValue,
  isLabelValue,
  isQualifiedName,
  quantitySign,
  formatQuantity,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { isIPv6 } from 'node:net'
import { itemsAt, objectAt, same, textAt, textsAt, type Readable } from '../fields.ts'
import { checkName, requireOneOf, type Errors } from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { checkCidr } from './ip-validation.ts'
import { amountOf, resourcesAt } from './resource-list.ts'

/** A new node (ValidateNode). */
export function validateNode(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec')
  checkTaints(errors, spec)
  checkAmounts(errors, object)
  const cidrs = textsAt(spec, 'podCIDRs')
  cidrs.forEach((it, i) => checkCidr(errors, `spec.podCIDRs[${i}]`, it))
  const families = new Set(cidrs.map((it) => isIPv6(it.split('/')[0] ?? '')))
  if (cidrs.length > families.size) {
    const why = 'may specify no more than one CIDR for each IP family'
    errors.push(invalidValue('spec.podCIDRs', cidrs, why))
  }
  return errors
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
      const value = { Key: key, Value: textAt(it, 'value'), Effect: effect, TimeAdded: null }
      const detail = 'taints must be unique by key and effect pair'
      errors.push({ type: 'FieldValueDuplicate', field: at, value, detail })
    }
    seen.add(`${key}:${effect}`)
  })
}

function checkAmounts(errors: Errors, object: Draft): void {
  for (const list of ['capacity', 'allocatable']) {
    const amounts = resourcesAt(objectAt(object, 'status'), list)
    for (const name in amounts) {
      const amount = amountOf(amounts[name])
      if (!amount || quantitySign(amount) >= 0) continue
      const why = 'must be greater than or equal to 0'
      errors.push(invalidValue(`status.${list}.${name}`, formatQuantity(amount), why))
    }
  }
}

/** What an update may not change of a node (ValidateNodeUpdate). */
export function validateNodeUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec')
  const before = objectAt(old, 'spec')
  checkAmounts(errors, object)
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
