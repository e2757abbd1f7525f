import {
  duplicate,
  forbiddenField,
  invalidValue,
  isDns1123Subdomain,
  isPathSegmentName,
  required,
  type FieldError,
} from 'kubewright/machinery'
import { objectAt, textAt, textsAt, type Readable } from '../fields.ts'
import { checkLabelSelector, checkName, checkOneOf, type Errors } from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { checkMatch } from './admission-rules.ts'

const ACTIONS = ['Audit', 'Deny', 'Warn']
const TWICE =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'

/** Where a policy holds, and what it does (validateValidatingAdmissionPolicyBindingSpec). */
export function validateBinding(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  checkFrame(errors, spec, false)
  const actions = textsAt(spec, 'validationActions')
  const at = 'spec.validationActions'
  actions.forEach((it, i) => {
    checkOneOf(errors, `${at}[${i}]`, it, ACTIONS)
    if (actions.indexOf(it) < i) errors.push(duplicate(`${at}[${i}]`, it))
  })
  if (actions.includes('Deny') && actions.includes('Warn')) {
    errors.push(invalidValue(at, actions, TWICE))
  }
  if (actions.length === 0) errors.push(required(at, 'at least one validation action is required'))
  return errors
}

/** Where a mutating policy holds. */
export function validateMutatingBinding(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  checkFrame(errors, objectAt(object, 'spec') ?? {}, true)
  return errors
}

function checkFrame(errors: Errors, spec: Readable, mutating: boolean): void {
  const policy = textAt(spec, 'policyName')
  if (policy === '') errors.push(required('spec.policyName'))
  else checkName(errors, 'spec.policyName', policy, isDns1123Subdomain)
  const param = objectAt(spec, 'paramRef')
  if (param) checkParam(errors, 'spec.paramRef', param)
  const match = objectAt(spec, 'matchResources')
  if (match) checkMatch(errors, 'spec.matchResources', match, mutating)
}

function checkParam(errors: Errors, field: string, param: Readable): void {
  const name = textAt(param, 'name')
  const selector = objectAt(param, 'selector')
  const exclusive = 'name and selector are mutually exclusive'
  if (name !== '') {
    checkName(errors, `${field}.name`, name, isPathSegmentName)
    if (selector) errors.push(forbiddenField(`${field}.name`, exclusive))
  }
  if (selector) {
    checkLabelSelector(errors, `${field}.selector`, selector)
    if (name !== '') errors.push(forbiddenField(`${field}.selector`, exclusive))
  }
  if (name === '' && !selector) {
    errors.push(required(field, 'one of name or selector must be specified'))
  }
  const action = textAt(param, 'parameterNotFoundAction')
  const at = `${field}.parameterNotFoundAction`
  if (action === '') errors.push(required(at))
  else checkOneOf(errors, at, action, ['Deny', 'Allow'])
}
