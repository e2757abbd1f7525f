import {
  invalidValue,
  isLabelValue,
  isQualifiedName,
  parseFieldSelector,
  parseLabelSelector,
  required,
  type FieldError,
} from 'kubewright/machinery'
import { itemsAt, objectAt, textAt, textsAt, type Readable } from '../fields.ts'
import { checkName, checkSelectorValues, type Errors } from '../generic/checks.ts'

const AT = 'spec.resourceAttributes'

/**
 * What is wrong with the selectors that a review asks about (kubernetes/pkg/apis/authorization/validation); operators that this
 * server does not know are let pass, so that newer clients are answered.
 */
export function selectorErrors(attributes: Readable | undefined): readonly FieldError[] {
  const errors: Errors = []
  const fields = objectAt(attributes, 'fieldSelector')
  const labels = objectAt(attributes, 'labelSelector')
  if (fields) checkSelector(errors, `${AT}.fieldSelector`, fields, checkFieldRequirement)
  if (labels) checkSelector(errors, `${AT}.labelSelector`, labels, checkLabelRequirement)
  return errors
}

function checkSelector(
  errors: Errors,
  field: string,
  selector: Readable,
  check: (errors: Errors, field: string, requirement: Readable) => void,
): void {
  const raw = textAt(selector, 'rawSelector')
  const requirements = itemsAt(selector, 'requirements')
  if (raw !== '' && requirements.length > 0) {
    const why = 'may not specified at the same time as requirements'
    errors.push(invalidValue(`${field}.rawSelector`, raw, why))
  }
  if (raw === '' && requirements.length === 0) {
    const why = `when ${field} is specified, requirements or rawSelector is required`
    errors.push(required(`${field}.requirements`, why))
  }
  requirements.forEach((it, i) => check(errors, `${field}.requirements[${i}]`, it))
}

function checkFieldRequirement(errors: Errors, field: string, requirement: Readable): void {
  const values = textsAt(requirement, 'values')
  checkSelectorValues(errors, field, textAt(requirement, 'operator'), values)
  if (textAt(requirement, 'key') === '') errors.push(required(`${field}.key`, 'must be specified'))
}

function checkLabelRequirement(errors: Errors, field: string, requirement: Readable): void {
  const values = textsAt(requirement, 'values')
  checkSelectorValues(errors, field, textAt(requirement, 'operator'), values)
  checkName(errors, `${field}.key`, textAt(requirement, 'key'), isQualifiedName)
  values.forEach((it, i) => checkName(errors, `${field}.values[${i}]`, it, isLabelValue))
}

/** What a review that is answered tells of selectors that could not be read; undefined when all were (BuildEvaluationError). */
export function selectorRemark(attributes: Readable | undefined): string | undefined {
  const remarks = (['fieldSelector', 'labelSelector'] as const).flatMap((name) => {
    const selector = objectAt(attributes, name)
    const requirements = itemsAt(selector, 'requirements')
    const read = requirements.filter(name === 'fieldSelector' ? isField : isLabel).length
    const isRead =
      requirements.length > 0
        ? read === requirements.length
        : canParse(name, textAt(selector, 'rawSelector'))
    if (isRead) return []
    return [`${AT}.${name} ${read > 0 ? 'partially ' : ''}ignored due to parse error`]
  })
  return remarks.length === 0 ? undefined : remarks.join('; ')
}

const LABEL_OPERATORS: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist']
const FIELD_OPERATORS: readonly string[] = ['In', 'NotIn']

const isLabel = (it: Readable): boolean => LABEL_OPERATORS.includes(textAt(it, 'operator'))

/** Fields are selected by one value each. */
const isField = (it: Readable): boolean =>
  FIELD_OPERATORS.includes(textAt(it, 'operator')) && textsAt(it, 'values').length === 1

function canParse(of: 'fieldSelector' | 'labelSelector', text: string): boolean {
  try {
    if (of === 'labelSelector') parseLabelSelector(text)
    else parseFieldSelector(text)
    return true
  } catch {
    return false
  }
}
