import {
  duplicate,
  invalidValue,
  isQualifiedName,
  required,
  tooLong,
  tooMany,
  type FieldError,
} from 'kubewright/machinery'
import { has, itemsAt, numberAt, objectAt, shownAt, textAt, type Readable } from '../fields.ts'
import { checkName, checkNonNegative, checkOneOf, type Errors } from '../generic/checks.ts'
import { internalForm } from '../generic/internal-form.ts'
import { readIndexes } from './job-indexes.ts'

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore']

/** What a job makes of its pods' failures (validatePodFailurePolicy). */
export function checkFailurePolicy(errors: Errors, field: string, spec: Readable): void {
  const rules = itemsAt(objectAt(spec, 'podFailurePolicy'), 'rules')
  if (rules.length > 20) errors.push(tooMany(field, rules.length, 20))
  const pod = objectAt(objectAt(spec, 'template'), 'spec')
  const containers = ['containers', 'initContainers'].flatMap((list) =>
    itemsAt(pod, list).map((it) => textAt(it, 'name')),
  )
  rules.forEach((rule, i) => {
    const at = `${field}[${i}]`
    const action = textAt(rule, 'action')
    if (action === '') {
      errors.push(required(`${at}.action`, `valid values: ${goList(ACTIONS)}`))
    } else if (action === 'FailIndex' && !has(spec, 'backoffLimitPerIndex')) {
      const why = 'requires the backoffLimitPerIndex to be set'
      errors.push(invalidValue(`${at}.action`, action, why))
    } else checkOneOf(errors, `${at}.action`, action, ACTIONS)
    const codes = objectAt(rule, 'onExitCodes')
    const conditions = itemsAt(rule, 'onPodConditions')
    if (codes) checkExitCodes(errors, `${at}.onExitCodes`, codes, containers)
    checkConditions(errors, `${at}.onPodConditions`, conditions)
    if (codes && conditions.length > 0) {
      const why = 'specifying both OnExitCodes and OnPodConditions is not supported'
      errors.push(omitted(at, why))
    }
    if (!codes && conditions.length === 0) {
      errors.push(omitted(at, 'specifying one of OnExitCodes and OnPodConditions is required'))
    }
  })
}

const goList = (values: readonly string[]): string =>
  `[${values.map((it) => JSON.stringify(it)).join(' ')}]`

/** An error that does not repeat the value. */
export const omitted = (field: string, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  detail,
})

const STATUSES = ['False', 'True', 'Unknown']

function checkConditions(errors: Errors, field: string, conditions: readonly Readable[]): void {
  if (conditions.length > 20) errors.push(tooMany(field, conditions.length, 20))
  conditions.forEach((it, i) => {
    checkName(errors, `${field}[${i}].type`, textAt(it, 'type'), isQualifiedName)
    const status = textAt(it, 'status')
    if (status === '')
      errors.push(required(`${field}[${i}].status`, `valid values: ${goList(STATUSES)}`))
    else checkOneOf(errors, `${field}[${i}].status`, status, STATUSES)
  })
}

function checkExitCodes(
  errors: Errors,
  field: string,
  codes: Readable,
  containers: readonly string[],
): void {
  const operator = textAt(codes, 'operator')
  if (operator === '') {
    errors.push(required(`${field}.operator`, 'valid values: ["In" "NotIn"]'))
  } else checkOneOf(errors, `${field}.operator`, operator, ['In', 'NotIn'])
  const name = textAt(codes, 'containerName')
  if (has(codes, 'containerName') && !containers.includes(name)) {
    const why = 'must be one of the container or initContainer names in the pod template'
    errors.push(invalidValue(`${field}.containerName`, name, why))
  }
  const values = (codes['values'] as readonly number[] | null | undefined) ?? []
  if (values.length === 0) {
    const shown = shownAt(codes, 'values')
    errors.push(invalidValue(`${field}.values`, shown, 'at least one value is required'))
  } else if (values.length > 255) errors.push(tooMany(`${field}.values`, values.length, 255))
  values.forEach((value, i) => {
    if (operator === 'In' && value === 0) {
      errors.push(invalidValue(`${field}.values[${i}]`, value, 'must not be 0 for the In operator'))
    }
    if (values.indexOf(value) < i) errors.push(duplicate(`${field}.values[${i}]`, value))
  })
  if (values.some((it, i) => i > 0 && values[i - 1]! > it)) {
    errors.push(invalidValue(`${field}.values`, values, 'must be ordered'))
  }
}

/** When a job has done enough (validateSuccessPolicy). */
export function checkSuccessPolicy(errors: Errors, field: string, spec: Readable): void {
  const policy = objectAt(spec, 'successPolicy')
  if (policy === undefined) return
  const rules = itemsAt(policy, 'rules')
  if (textAt(spec, 'completionMode') !== 'Indexed') {
    const shown = internalForm('SuccessPolicy', policy)
    errors.push(invalidValue(field, shown, 'requires indexed completion mode'))
    return
  }
  if (rules.length === 0) {
    const why = 'at least one rules must be specified when the successPolicy is specified'
    errors.push(required(`${field}.rules`, why))
  }
  if (rules.length > 20) errors.push(tooMany(`${field}.rules`, rules.length, 20))
  const completions = numberAt(spec, 'completions') ?? 0
  rules.forEach((it, i) => checkSuccessRule(errors, `${field}.rules[${i}]`, it, completions))
}

/** 64 KiB */
const LONGEST_INDEXES = 64 * 1024

function checkSuccessRule(
  errors: Errors,
  field: string,
  rule: Readable,
  completions: number,
): void {
  const count = numberAt(rule, 'succeededCount')
  const indexes = rule['succeededIndexes'] ?? undefined
  if (count === undefined && indexes === undefined) {
    const why = 'at least one of succeededCount or succeededIndexes must be specified'
    errors.push(required(field, why))
  }
  if (typeof indexes === 'string' && indexes.length > LONGEST_INDEXES) {
    errors.push(tooLong(`${field}.succeededIndexes`, LONGEST_INDEXES))
  }
  const parsed = typeof indexes === 'string' ? readIndexes(indexes, completions) : undefined
  if (typeof parsed === 'string') {
    const why = `error parsing succeededIndexes: ${parsed}`
    errors.push(invalidValue(`${field}.succeededIndexes`, indexes, why))
  }
  if (count === undefined) return
  const at = `${field}.succeededCount`
  const total = typeof parsed === 'number' ? parsed : 0
  checkNonNegative(errors, at, count)
  if (count > completions) {
    const why = `must be less than or equal to ${completions} (the number of specified completions)`
    errors.push(invalidValue(at, count, why))
  }
  if (indexes !== undefined && count > total) {
    const why = `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`
    errors.push(invalidValue(at, count, why))
  }
}
