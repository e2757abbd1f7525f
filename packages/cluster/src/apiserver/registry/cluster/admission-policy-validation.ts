import { AdmissionCompiler, type AdmissionScope } from 'kubewright/cel'
import {
  duplicate,
  invalidValue,
  isDns1035Label,
  isDns1123Subdomain,
  isQualifiedName,
  JsonPathError,
  parseApiVersion,
  parseJsonPath,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { has, itemsAt, objectAt, same, textAt, type Readable } from '../fields.ts'
import { checkName, checkOneOf, requireText, type Errors } from '../generic/checks.ts'
import { checkConditions } from '../generic/conditions.ts'
import type { Draft } from '../strategy.ts'
import { checkMatchConditions, checkExpression, checkVariables } from './admission-expressions.ts'
import { checkMatch } from './admission-rules.ts'

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']
const MOST_ANNOTATIONS = 20
const LONGEST_VALUE_EXPRESSION = 5 * 1024

/** A ValidatingAdmissionPolicy (kubernetes/pkg/apis/admissionregistration/validation); `old` is what it was before an update. */
export function validatePolicy(object: Draft, old?: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const compiler = new AdmissionCompiler(itemsAt(spec, 'variables').length > 0)
  const scope = { params: has(spec, 'paramKind'), authorizer: true }
  checkFrame(errors, spec, old, false)
  checkVariables(errors, spec, compiler, scope)
  const validations = itemsAt(spec, 'validations')
  const audits = itemsAt(spec, 'auditAnnotations')
  if (validations.length === 0 && audits.length === 0) {
    const why = 'validations or auditAnnotations must contain at least one item'
    errors.push(required('spec.validations', why), required('spec.auditAnnotations', why))
  }
  validations.forEach((it, i) =>
    checkValidation(errors, `spec.validations[${i}]`, it, compiler, scope),
  )
  checkAudits(errors, audits, object.metadata.name ?? '', compiler, scope)
  return errors
}

const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text)

function checkValidation(
  errors: Errors,
  at: string,
  validation: Readable,
  compiler: AdmissionCompiler,
  scope: AdmissionScope,
): void {
  const [expression, message, messageExpression] = [
    'expression',
    'message',
    'messageExpression',
  ].map((it) => textAt(validation, it)) as [string, string, string]
  if (expression.trim() === '') {
    errors.push(required(`${at}.expression`, 'expression is not specified'))
  } else checkExpression(errors, `${at}.expression`, expression, [compiler, 'condition', scope])
  const emptiness = 'must be non-empty if specified'
  if (messageExpression !== '') {
    const field = `${at}.messageExpression`
    const quiet = { ...scope, authorizer: false }
    if (messageExpression.trim() === '') {
      errors.push(invalidValue(field, messageExpression, emptiness))
    } else checkExpression(errors, field, messageExpression, [compiler, 'message', quiet])
  }
  if (message !== '' && message.trim() === '') {
    errors.push(invalidValue(`${at}.message`, message, emptiness))
  } else if (hasLineBreak(message.trim())) {
    errors.push(invalidValue(`${at}.message`, message, 'must not contain line breaks'))
  }
  if (has(validation, 'reason')) {
    checkOneOf(errors, `${at}.reason`, textAt(validation, 'reason'), REASONS)
  }
}

function checkAudits(
  errors: Errors,
  audits: readonly Readable[],
  name: string,
  compiler: AdmissionCompiler,
  scope: AdmissionScope,
): void {
  if (audits.length > MOST_ANNOTATIONS) {
    const shown = audits.map((it) => ({ Key: it['key'], ValueExpression: it['valueExpression'] }))
    const why = `must not have more than ${MOST_ANNOTATIONS} auditAnnotations`
    errors.push(invalidValue('spec.auditAnnotations', shown, why))
  }
  const keys = new Set<string>()
  audits.forEach((it, i) => {
    const at = `spec.auditAnnotations[${i}]`
    const key = textAt(it, 'key')
    if (name !== '') checkName(errors, `${at}.key`, `${name}/${key}`, isQualifiedName)
    else errors.push(invalidValue(`${at}.key`, key, 'requires metadata.name be non-empty'))
    checkAudit(errors, `${at}.valueExpression`, textAt(it, 'valueExpression'), compiler, scope)
    if (keys.has(key)) errors.push(duplicate(`${at}.key`, key))
    keys.add(key)
  })
}

function checkAudit(
  errors: Errors,
  field: string,
  expression: string,
  compiler: AdmissionCompiler,
  scope: AdmissionScope,
): void {
  const text = expression.trim()
  if (text === '') return void errors.push(required(field, 'valueExpression is not specified'))
  if (Buffer.byteLength(text) > LONGEST_VALUE_EXPRESSION) {
    errors.push(required(field, `must not exceed ${LONGEST_VALUE_EXPRESSION} bytes in length`))
    return
  }
  const { error, internal } = compiler.compile(text, 'annotation', scope)
  if (error === undefined) return
  if (internal) errors.push({ type: 'InternalError', field, detail: error })
  else errors.push(invalidValue(field, expression, error))
}

/** What both sorts of policies have. Conditions that stay as they were are not judged again. */
function checkFrame(
  errors: Errors,
  spec: Readable,
  old: UnknownObject | undefined,
  mutating: boolean,
): void {
  checkOneOf(errors, 'spec.failurePolicy', textAt(spec, 'failurePolicy'), ['Fail', 'Ignore'])
  const kind = objectAt(spec, 'paramKind')
  if (kind) checkParamKind(errors, 'spec.paramKind', kind)
  const match = objectAt(spec, 'matchConstraints')
  if (match === undefined) errors.push(required('spec.matchConstraints'))
  else {
    checkMatch(errors, 'spec.matchConstraints', match, mutating)
    if (itemsAt(match, 'resourceRules').length === 0) {
      errors.push(required('spec.matchConstraints.resourceRules'))
    }
  }
  const before = objectAt(old, 'spec')
  const unchanged =
    before !== undefined &&
    same(before['paramKind'], spec['paramKind']) &&
    same(before['matchConditions'], spec['matchConditions'])
  if (!unchanged) checkMatchConditions(errors, 'spec.matchConditions', spec)
}

function checkParamKind(errors: Errors, field: string, kind: Readable): void {
  checkApiVersion(errors, `${field}.apiVersion`, textAt(kind, 'apiVersion'))
  const name = textAt(kind, 'kind')
  if (name === '') return void errors.push(required(`${field}.kind`))
  const problems = isDns1035Label(name.toLowerCase())
  if (problems.length === 0) return
  const why = `may have mixed case, but should otherwise match: ${problems.join(',')}`
  errors.push(invalidValue(`${field}.kind`, name, why))
}

function checkApiVersion(errors: Errors, field: string, text: string): void {
  if (text === '') return void errors.push(required(field))
  if (text.split('/').length > 2) {
    errors.push(invalidValue(field, text, `unexpected GroupVersion string: ${text}`))
    return
  }
  const { group, version } = text === '/' ? { group: '', version: '' } : parseApiVersion(text)
  const groupProblems = group === '' ? [] : isDns1123Subdomain(group)
  if (groupProblems.length > 0) errors.push(invalidValue(field, group, groupProblems.join(',')))
  if (version === '') {
    errors.push(invalidValue(field, text, 'version must be specified'))
    return
  }
  const problems = isDns1035Label(version)
  if (problems.length > 0) errors.push(invalidValue(field, version, problems.join(',')))
}

/** A MutatingAdmissionPolicy; `old` is what it was before an update. */
export function validateMutatingPolicy(object: Draft, old?: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const compiler = new AdmissionCompiler(true)
  const scope = { params: has(spec, 'paramKind'), authorizer: true }
  checkFrame(errors, spec, old, true)
  checkVariables(errors, spec, compiler, scope)
  const mutations = itemsAt(spec, 'mutations')
  if (mutations.length === 0) {
    errors.push(required('spec.mutations', 'mutations must contain at least one item'))
  }
  mutations.forEach((it, i) => checkMutation(errors, `spec.mutations[${i}]`, it, compiler, scope))
  const reinvocation = textAt(spec, 'reinvocationPolicy')
  if (reinvocation === '') errors.push(required('spec.reinvocationPolicy'))
  else checkOneOf(errors, 'spec.reinvocationPolicy', reinvocation, ['IfNeeded', 'Never'])
  return errors
}

const PATCHES = {
  ApplyConfiguration: ['applyConfiguration', 'jsonPatch'],
  JSONPatch: ['jsonPatch', 'applyConfiguration'],
} as const

function checkMutation(
  errors: Errors,
  field: string,
  mutation: Readable,
  compiler: AdmissionCompiler,
  scope: AdmissionScope,
): void {
  const type = textAt(mutation, 'patchType')
  if (type === '') return void errors.push(required(`${field}.patchType`))
  if (type !== 'ApplyConfiguration' && type !== 'JSONPatch') {
    checkOneOf(errors, `${field}.patchType`, type, Object.keys(PATCHES))
    return
  }
  const [own, other] = PATCHES[type]
  const body = objectAt(mutation, own)
  if (!body) {
    errors.push(required(`${field}.${own}`, `must be specified when patchType is ${type}`))
  } else {
    const at = `${field}.${own}.expression`
    const expression = textAt(body, 'expression').trim()
    requireText(errors, at, expression)
    const mutating = { ...scope, mutation: true }
    if (expression !== '') checkExpression(errors, at, expression, [compiler, own, mutating])
  }
  if (!has(mutation, other)) return
  const why = `must not be specified when patchType is ${type}`
  errors.push(invalidValue(`${field}.${other}`, `{${other}}`, why))
}

/** The status of a ValidatingAdmissionPolicy (validateValidatingAdmissionPolicyStatus). */
export function validatePolicyStatus(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const checking = objectAt(objectAt(object, 'status'), 'typeChecking')
  itemsAt(checking, 'expressionWarnings').forEach((it, i) => {
    const at = `status.typeChecking.expressionWarnings[${i}]`
    requireText(errors, `${at}.warning`, textAt(it, 'warning'))
    const ref = textAt(it, 'fieldRef').trim()
    if (ref === '') return void errors.push(required(`${at}.fieldRef`))
    try {
      parseJsonPath(`{${ref}}`)
    } catch (error) {
      if (!(error instanceof JsonPathError)) throw error
      errors.push(invalidValue(`${at}.fieldRef`, ref, `invalid JSONPath: ${error.message}`))
    }
  })
  checkConditions(errors, 'status.conditions', itemsAt(objectAt(object, 'status'), 'conditions'))
  return errors
}
