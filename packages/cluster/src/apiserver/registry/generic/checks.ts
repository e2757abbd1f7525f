import {
  forbiddenField,
  invalidValue,
  isLabelValue,
  isPercent,
  isPortName,
  isPortNumber,
  isQualifiedName,
  notSupported,
  required,
  type FieldError,
  type NameRule,
} from 'kubewright/machinery'
import { itemsAt, mapAt, numberAt, objectAt, textAt, textsAt, type Readable } from '../fields.ts'
import { labelErrors } from './object-meta.ts'

/** Where checks put what they find. */
export type Errors = FieldError[]

/** A sentence for every problem that a rule has with a value. */
export function checkName(errors: Errors, field: string, value: string, rule: NameRule): void {
  for (const problem of rule(value)) errors.push(invalidValue(field, value, problem))
}

/** As {@link checkName}, and the value has to be there. */
export function requireName(errors: Errors, field: string, value: string, rule: NameRule): void {
  if (value === '') errors.push(required(field))
  else checkName(errors, field, value, rule)
}

/** The value has to be there. */
export function requireText(errors: Errors, field: string, value: string): void {
  if (value === '') errors.push(required(field))
}

/** The value is one of a list, which Kubernetes names in the order given. */
export function checkOneOf(
  errors: Errors,
  field: string,
  value: string,
  allowed: readonly string[],
): void {
  if (!allowed.includes(value)) errors.push(notSupported(field, value, allowed))
}

/** The value is there, and one of a list. */
export function requireOneOf(
  errors: Errors,
  field: string,
  value: string,
  allowed: readonly string[],
): void {
  if (value === '') errors.push(required(field))
  else checkOneOf(errors, field, value, allowed)
}

/** `must be greater than or equal to 0`. */
export function checkNonNegative(errors: Errors, field: string, value: number | undefined): void {
  if (value !== undefined && value < 0) {
    errors.push(invalidValue(field, value, 'must be greater than or equal to 0'))
  }
}

/** The named numbers of an object are not negative. */
export function checkNonNegativeFields(
  errors: Errors,
  field: string,
  at: Readable | undefined,
  names: readonly string[],
): void {
  for (const name of names) checkNonNegative(errors, `${field}.${name}`, numberAt(at, name))
}

/** `must be greater than zero`. */
export function checkPositive(errors: Errors, field: string, value: number | undefined): void {
  if (value !== undefined && value <= 0) {
    errors.push(invalidValue(field, value, 'must be greater than zero'))
  }
}

/** A port by number or by name. */
export function checkPort(errors: Errors, field: string, port: unknown): void {
  const problems =
    typeof port === 'string' ? isPortName(port) : isPortNumber(typeof port === 'number' ? port : 0)
  for (const problem of problems) errors.push(invalidValue(field, port ?? 0, problem))
}

/** A number that is not negative, or a percentage. */
export function checkIntOrPercent(errors: Errors, field: string, value: unknown): void {
  if (typeof value === 'string') {
    for (const problem of isPercent(value)) {
      errors.push(invalidValue(field, value, problem))
    }
  } else if (typeof value === 'number') checkNonNegative(errors, field, value)
}

const SELECTOR_OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist']

/** A label selector (meta/v1/validation ValidateLabelSelector). */
export function checkLabelSelector(
  errors: Errors,
  field: string,
  selector: Readable | undefined,
): void {
  if (selector === undefined) return
  labelErrors(mapAt(selector, 'matchLabels'), `${field}.matchLabels`, errors)
  itemsAt(selector, 'matchExpressions').forEach((it, i) => {
    const at = `${field}.matchExpressions[${i}]`
    const operator = textAt(it, 'operator')
    const values = textsAt(it, 'values')
    checkSelectorValues(errors, at, operator, values)
    if (!SELECTOR_OPERATORS.includes(operator)) {
      errors.push(invalidValue(`${at}.operator`, operator, 'not a valid selector operator'))
    }
    checkName(errors, `${at}.key`, textAt(it, 'key'), isQualifiedName)
    values.forEach((value, j) => checkName(errors, `${at}.values[${j}]`, value, isLabelValue))
  })
}

/** Operators that compare need values, those that ask for presence have none. */
export function checkSelectorValues(
  errors: Errors,
  at: string,
  operator: string,
  values: readonly string[],
): void {
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0) {
    errors.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
  }
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
    errors.push(
      forbiddenField(
        `${at}.values`,
        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      ),
    )
  }
}

/** Whether a label selector matches labels; an absent one matches nothing. */
export function selects(
  selector: Readable | undefined,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (selector === undefined) return false
  const wanted = mapAt(selector, 'matchLabels')
  for (const key in wanted) if (labels[key] !== wanted[key]) return false
  return itemsAt(selector, 'matchExpressions').every((it) => matches(it, labels))
}

function matches(requirement: Readable, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[textAt(requirement, 'key')]
  const values = textsAt(requirement, 'values')
  switch (textAt(requirement, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    default:
      return value === undefined
  }
}

/** Whether a label selector says nothing. */
export const isEmptySelector = (selector: Readable | undefined): boolean =>
  Object.keys(objectAt(selector, 'matchLabels') ?? {}).length === 0 &&
  itemsAt(selector, 'matchExpressions').length === 0
