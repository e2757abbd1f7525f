import { invalidValue, required, type FieldError, type UnknownObject } from 'kubewright/machinery'
import { numberAt, same } from '../fields.ts'
import { checkNonNegative, type Errors } from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { IMMUTABLE } from './workload-checks.ts'

/** A revision says something, and never says anything else (ValidateControllerRevisionCreate). */
export function validateRevision(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  checkNonNegative(errors, 'revision', numberAt(object, 'revision'))
  const data = object['data']
  if (data === undefined || data === null) errors.push(required('data', 'data is mandatory'))
  else if (typeof data !== 'object' || Array.isArray(data)) {
    errors.push(required('data', 'data must be a valid JSON object'))
  }
  return errors
}

/** What a revision says stays (ValidateControllerRevisionUpdate). */
export function validateRevisionUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  checkNonNegative(errors, 'revision', numberAt(object, 'revision'))
  if (!same(object['data'], old['data'])) {
    errors.push(invalidValue('data', object['data'] ?? null, IMMUTABLE))
  }
  return errors
}
