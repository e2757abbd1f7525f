import {
  invalidValue,
  isQualifiedName,
  notSupported,
  quantityValue,
  required,
  type FieldError,
} from 'kubewright/machinery'
import { mapAt, objectAt, textsAt } from '../fields.ts'
import type { Errors } from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { amountOf, resourcesAt } from './resource-list.ts'
import { isNativeResource } from './resource-validation.ts'

const RESIZES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
]

/** How far a claim is (ValidatePersistentVolumeClaimStatusUpdate). */
export function validateClaimStatus(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const status = objectAt(object, 'status')
  if (textsAt(objectAt(object, 'spec'), 'accessModes').length === 0) {
    errors.push(required('Spec.accessModes'))
  }
  const capacity = resourcesAt(status, 'capacity')
  for (const name in capacity) checkBytes(errors, `status.capacity[${name}]`, capacity[name])
  const phases = mapAt(status, 'allocatedResourceStatuses')
  for (const name in phases) {
    const at = 'status.allocatedResourceStatuses'
    checkKey(errors, at, name)
    if (!RESIZES.includes(phases[name]!)) errors.push(notSupported(at, name, RESIZES))
  }
  const allocated = resourcesAt(status, 'allocatedResources')
  for (const name in allocated) {
    if (!checkKey(errors, 'status.allocatedResources', name)) continue
    checkBytes(errors, `status.allocatedResources[${name}]`, allocated[name])
  }
  return errors
}

/** Whether a resource is one that a claim can have: storage, or something of somebody else's. */
function checkKey(errors: Errors, field: string, name: string): boolean {
  const problems = isQualifiedName(name)
  for (const problem of problems) errors.push(invalidValue(field, name, problem))
  if (problems.length > 0) return false
  if (!isNativeResource(name) || name === 'storage') return true
  errors.push(notSupported(field, name, ['storage']))
  return false
}

function checkBytes(errors: Errors, field: string, written: string | number | undefined): void {
  const amount = amountOf(written)
  const value = amount === undefined ? 0n : quantityValue(amount)
  if (value >= 0n) return
  errors.push(invalidValue(field, Number(value), 'must be a valid resource quantity'))
}
