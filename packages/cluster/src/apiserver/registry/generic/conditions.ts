import {
  duplicate,
  invalidValue,
  isConditionReason,
  isQualifiedName,
  required,
  tooLong,
} from 'kubewright/machinery'
import { has, numberAt, textAt, type Readable } from '../fields.ts'
import { checkName, checkOneOf, type Errors } from './checks.ts'

const STATUSES = ['False', 'True', 'Unknown']
const LONGEST_REASON = 1024
const LONGEST_MESSAGE = 32 * 1024

/** Conditions as meta/v1 has them, each type once (meta/v1/validation ValidateConditions). */
export function checkConditions(
  errors: Errors,
  field: string,
  conditions: readonly Readable[],
): void {
  const types = conditions.map((it) => textAt(it, 'type'))
  conditions.forEach((it, i) => {
    const at = `${field}[${i}]`
    if (types.indexOf(types[i]!) < i) errors.push(duplicate(`${at}.type`, types[i]))
    checkCondition(errors, at, it)
  })
}

function checkCondition(errors: Errors, field: string, condition: Readable): void {
  checkName(errors, `${field}.type`, textAt(condition, 'type'), isQualifiedName)
  checkOneOf(errors, `${field}.status`, textAt(condition, 'status'), STATUSES)
  const generation = numberAt(condition, 'observedGeneration') ?? 0
  if (generation < 0) {
    const why = 'must be greater than or equal to zero'
    errors.push(invalidValue(`${field}.observedGeneration`, generation, why))
  }
  if (!has(condition, 'lastTransitionTime')) errors.push(required(`${field}.lastTransitionTime`))
  const reason = textAt(condition, 'reason')
  if (reason === '') errors.push(required(`${field}.reason`))
  else checkName(errors, `${field}.reason`, reason, isConditionReason)
  if (reason.length > LONGEST_REASON) errors.push(tooLong(`${field}.reason`, LONGEST_REASON))
  if (Buffer.byteLength(textAt(condition, 'message')) > LONGEST_MESSAGE) {
    errors.push(tooLong(`${field}.message`, LONGEST_MESSAGE))
  }
}
