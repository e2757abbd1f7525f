import {
  duplicate,
  forbiddenField,
  invalidValue,
  isDns1123Subdomain,
  isPortNumber,
  isQualifiedName,
  required,
  type FieldError,
} from 'kubewright/machinery'
import { has, itemsAt, numberAt, objectAt, textAt, textsAt, type Readable } from '../fields.ts'
import {
  checkLabelSelector,
  checkName,
  checkOneOf,
  requireText,
  type Errors,
} from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'

const REVIEWS = ['v1', 'v1beta1']

/** The webhooks of a ValidatingWebhookConfiguration (kubernetes/pkg/apis/admissionregistration/validation). */
export function validateWebhooks(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const names = new Set<string>()
  itemsAt(object, 'webhooks').forEach((webhook, i) => {
    const at = `webhooks[${i}]`
    const name = textAt(webhook, 'name')
    checkWebhook(errors, at, webhook)
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
  })
  return errors
}

/** Those of a MutatingWebhookConfiguration may be called again. */
export function validateMutatingWebhooks(object: Draft): readonly FieldError[] {
  const errors: Errors = [...validateWebhooks(object)]
  itemsAt(object, 'webhooks').forEach((webhook, i) => {
    if (!has(webhook, 'reinvocationPolicy')) return
    const policy = textAt(webhook, 'reinvocationPolicy')
    checkOneOf(errors, `webhooks[${i}].reinvocationPolicy`, policy, ['IfNeeded', 'Never'])
  })
  return errors
}

function checkWebhook(errors: Errors, field: string, webhook: Readable): void {
  checkWebhookName(errors, `${field}.name`, textAt(webhook, 'name'))
  checkReviews(
    errors,
    `${field}.admissionReviewVersions`,
    textsAt(webhook, 'admissionReviewVersions'),
  )
  itemsAt(webhook, 'rules').forEach((it, i) =>
    checkAdmissionRule(errors, `${field}.rules[${i}]`, it, true),
  )
  checkOneOf(errors, `${field}.failurePolicy`, textAt(webhook, 'failurePolicy'), ['Fail', 'Ignore'])
  checkOneOf(errors, `${field}.matchPolicy`, textAt(webhook, 'matchPolicy'), [
    'Equivalent',
    'Exact',
  ])
  const effects = ['None', 'NoneOnDryRun']
  if (!has(webhook, 'sideEffects')) {
    errors.push(required(`${field}.sideEffects`, 'must specify one of None, NoneOnDryRun'))
  } else checkOneOf(errors, `${field}.sideEffects`, textAt(webhook, 'sideEffects'), effects)
  const seconds = numberAt(webhook, 'timeoutSeconds')
  if (seconds !== undefined && (seconds < 1 || seconds > 30)) {
    const why = 'the timeout value must be between 1 and 30 seconds'
    errors.push(invalidValue(`${field}.timeoutSeconds`, seconds, why))
  }
  for (const name of ['namespaceSelector', 'objectSelector']) {
    checkLabelSelector(errors, `${field}.${name}`, objectAt(webhook, name))
  }
  checkClient(errors, `${field}.clientConfig`, objectAt(webhook, 'clientConfig') ?? {})
  checkConditions(errors, `${field}.matchConditions`, webhook)
}

function checkWebhookName(errors: Errors, field: string, name: string): void {
  if (name === '') return void errors.push(required(field))
  const problems = isDns1123Subdomain(name)
  if (problems.length > 0) errors.push(invalidValue(field, name, problems.join(',')))
  else if (name.split('.').length < 3) {
    const why = 'should be a domain with at least three segments separated by dots'
    errors.push(invalidValue(field, name, why))
  }
}

function checkReviews(errors: Errors, field: string, versions: readonly string[]): void {
  if (versions.length === 0) {
    errors.push(required(field, 'must specify one of v1, v1beta1'))
    return
  }
  versions.forEach((it, i) => {
    if (versions.indexOf(it) < i)
      errors.push(invalidValue(`${field}[${i}]`, it, 'duplicate version'))
  })
  if (!versions.some((it) => REVIEWS.includes(it))) {
    errors.push(invalidValue(field, versions, 'must include at least one of v1, v1beta1'))
  }
}

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']

/** Which requests a webhook or a policy is about (validateRuleWithOperations). */
function checkAdmissionRule(
  errors: Errors,
  field: string,
  rule: Readable,
  subresources: boolean,
): void {
  const operations = textsAt(rule, 'operations')
  if (operations.length === 0) errors.push(required(`${field}.operations`))
  checkAlone(errors, `${field}.operations`, operations, 'operations')
  operations.forEach((it, i) => checkOneOf(errors, `${field}.operations[${i}]`, it, OPERATIONS))
  for (const [name, what] of [
    ['apiGroups', 'API groups'],
    ['apiVersions', 'API versions'],
  ] as const) {
    const values = textsAt(rule, name)
    if (values.length === 0) errors.push(required(`${field}.${name}`))
    checkAlone(errors, `${field}.${name}`, values, what)
  }
  textsAt(rule, 'apiVersions').forEach((it, i) =>
    requireText(errors, `${field}.apiVersions[${i}]`, it),
  )
  checkResources(errors, `${field}.resources`, textsAt(rule, 'resources'), subresources)
  if (has(rule, 'scope')) {
    checkOneOf(errors, `${field}.scope`, textAt(rule, 'scope'), ['*', 'Cluster', 'Namespaced'])
  }
}

function checkAlone(errors: Errors, field: string, values: readonly string[], what: string): void {
  if (values.length < 2 || !values.includes('*')) return
  const why = `if '*' is present, must not specify other ${what}`
  errors.push(invalidValue(field, values, why))
}

function checkResources(
  errors: Errors,
  field: string,
  resources: readonly string[],
  subresources: boolean,
): void {
  if (resources.length === 0) errors.push(required(field))
  const whole = new Set<string>()
  const every = new Set<string>()
  resources.forEach((it, i) => {
    const at = `${field}[${i}]`
    const [resource = '', sub] = it.split('/')
    const bad = (why: string): void => void errors.push(invalidValue(at, it, why))
    if (it === '') errors.push(required(at))
    if (it === '*/*') return
    if (sub === undefined) return
    if (whole.has(resource)) bad(`if '${resource}/*' is present, must not specify ${it}`)
    if (every.has(sub)) bad(`if '*/${sub}' is present, must not specify ${it}`)
    if (sub === '*') whole.add(resource)
    if (resource === '*') every.add(sub)
  })
  const rest = resources.length > 1
  if (rest && resources.includes('*/*')) {
    const why = "if '*/*' is present, must not specify other resources"
    errors.push(invalidValue(field, resources, why))
  } else if (rest && resources.includes('*')) {
    const others = resources.some((it) => it !== '*' && (!subresources || !it.includes('/')))
    const why = "if '*' is present, must not specify other resources without subresources"
    if (others) errors.push(invalidValue(field, resources, why))
  }
}

function checkClient(errors: Errors, field: string, client: Readable): void {
  const service = objectAt(client, 'service')
  if (has(client, 'url') === (service !== undefined)) {
    errors.push(required(field, 'exactly one of url or service is required'))
  } else if (service) checkClientService(errors, `${field}.service`, service)
  else checkUrl(errors, `${field}.url`, textAt(client, 'url'))
}

function checkUrl(errors: Errors, field: string, text: string): void {
  const form = '; desired format: https://host[/path]'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) {
    errors.push(required(field, `url must be a valid URL: ${text}${form}`))
    return
  }
  if (url.protocol !== 'https:') {
    const scheme = JSON.stringify(url.protocol.slice(0, -1))
    errors.push(
      invalidValue(field, scheme.slice(1, -1), `'https' is the only allowed URL scheme${form}`),
    )
  }
  if (url.username !== '' || url.password !== '') {
    errors.push(invalidValue(field, url.username, 'user information is not permitted in the URL'))
  }
  if (url.hash !== '') {
    errors.push(invalidValue(field, url.hash.slice(1), 'fragments are not permitted in the URL'))
  }
  if (url.search !== '') {
    const why = 'query parameters are not permitted in the URL'
    errors.push(invalidValue(field, url.search.slice(1), why))
  }
}

function checkClientService(errors: Errors, field: string, service: Readable): void {
  const name = textAt(service, 'name')
  const namespace = textAt(service, 'namespace')
  if (name === '') errors.push(required(`${field}.name`, 'service name is required'))
  if (namespace === '') errors.push(required(`${field}.namespace`, 'service namespace is required'))
  const port = numberAt(service, 'port') ?? 0
  const [problem] = isPortNumber(port)
  if (problem) errors.push(invalidValue(`${field}.port`, port, `port is not valid: ${problem}`))
  if (has(service, 'path')) checkServicePath(errors, `${field}.path`, textAt(service, 'path'))
}

function checkServicePath(errors: Errors, field: string, path: string): void {
  if (path === '' || path === '/') return
  if (path === '//')
    return void errors.push(invalidValue(field, path, 'segment[0] may not be empty'))
  if (!path.startsWith('/')) errors.push(invalidValue(field, path, "must start with a '/'"))
  const steps = path.replace(/^\//, '').replace(/\/$/, '').split('/')
  steps.forEach((it, i) => {
    if (it === '') errors.push(invalidValue(field, path, `segment[${i}] may not be empty`))
    for (const problem of it === '' ? [] : isDns1123Subdomain(it)) {
      errors.push(invalidValue(field, path, `segment[${i}]: ${problem}`))
    }
  })
}

/** Conditions have names; whether they compile is for those who evaluate them. */
function checkConditions(errors: Errors, field: string, owner: Readable): void {
  const names = new Set<string>()
  itemsAt(owner, 'matchConditions').forEach((it, i) => {
    const at = `${field}[${i}]`
    const name = textAt(it, 'name')
    requireText(errors, `${at}.expression`, textAt(it, 'expression').trim())
    if (name === '') errors.push(required(`${at}.name`))
    else checkName(errors, `${at}.name`, name, isQualifiedName)
    if (name !== '' && names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
  })
}

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']

/** A ValidatingAdmissionPolicy, but for whether its expressions compile. */
export function validatePolicy(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  checkPolicyFrame(errors, spec)
  const validations = itemsAt(spec, 'validations')
  const audits = itemsAt(spec, 'auditAnnotations')
  if (validations.length === 0 && audits.length === 0) {
    const why = 'validations or auditAnnotations must contain at least one item'
    errors.push(required('spec.validations', why), required('spec.auditAnnotations', why))
  }
  validations.forEach((it, i) => {
    const at = `spec.validations[${i}]`
    if (textAt(it, 'expression').trim() === '') {
      errors.push(required(`${at}.expression`, 'expression is not specified'))
    }
    if (has(it, 'reason')) checkOneOf(errors, `${at}.reason`, textAt(it, 'reason'), REASONS)
  })
  audits.forEach((it, i) => checkAudit(errors, `spec.auditAnnotations[${i}]`, it, object))
  return errors
}

function checkAudit(errors: Errors, field: string, audit: Readable, object: Draft): void {
  const key = `${object.metadata.name ?? ''}/${textAt(audit, 'key')}`
  checkName(errors, `${field}.key`, key, isQualifiedName)
  if (textAt(audit, 'valueExpression').trim() !== '') return
  errors.push(required(`${field}.valueExpression`, 'valueExpression is not specified'))
}

function checkPolicyFrame(errors: Errors, spec: Readable): void {
  checkOneOf(errors, 'spec.failurePolicy', textAt(spec, 'failurePolicy'), ['Fail', 'Ignore'])
  const kind = objectAt(spec, 'paramKind')
  if (kind) {
    for (const name of ['apiVersion', 'kind']) {
      requireText(errors, `spec.paramKind.${name}`, textAt(kind, name))
    }
  }
  const match = objectAt(spec, 'matchConstraints')
  if (match === undefined) errors.push(required('spec.matchConstraints'))
  else {
    checkMatch(errors, 'spec.matchConstraints', match)
    if (itemsAt(match, 'resourceRules').length === 0) {
      errors.push(required('spec.matchConstraints.resourceRules'))
    }
  }
  checkConditions(errors, 'spec.matchConditions', spec)
  itemsAt(spec, 'variables').forEach((it, i) => {
    const name = textAt(it, 'name')
    const at = `spec.variables[${i}].name`
    if (name === '') errors.push(required(at, 'name is not specified'))
    else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name)) {
      errors.push(invalidValue(at, name, 'must be a valid CEL identifier'))
    }
  })
}

function checkMatch(errors: Errors, field: string, match: Readable): void {
  checkOneOf(errors, `${field}.matchPolicy`, textAt(match, 'matchPolicy'), ['Equivalent', 'Exact'])
  for (const name of ['namespaceSelector', 'objectSelector']) {
    checkLabelSelector(errors, `${field}.${name}`, objectAt(match, name))
  }
  for (const list of ['resourceRules', 'excludeResourceRules']) {
    itemsAt(match, list).forEach((it, i) =>
      checkAdmissionRule(errors, `${field}.${list}[${i}]`, it, false),
    )
  }
}

/** A MutatingAdmissionPolicy, but for whether its expressions compile. */
export function validateMutatingPolicy(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  checkPolicyFrame(errors, spec)
  const mutations = itemsAt(spec, 'mutations')
  if (mutations.length === 0) {
    errors.push(required('spec.mutations', 'mutations must contain at least one item'))
  }
  const reinvocation = textAt(spec, 'reinvocationPolicy')
  if (reinvocation === '') errors.push(required('spec.reinvocationPolicy'))
  else checkOneOf(errors, 'spec.reinvocationPolicy', reinvocation, ['IfNeeded', 'Never'])
  return errors
}

const ACTIONS = ['Audit', 'Deny', 'Warn']
const TWICE =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'

/** Where a policy holds, and what it does. */
export function validateBinding(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  checkBindingFrame(errors, spec)
  const actions = textsAt(spec, 'validationActions')
  const at = 'spec.validationActions'
  if (actions.length === 0) errors.push(required(at, 'at least one validation action is required'))
  actions.forEach((it, i) => {
    checkOneOf(errors, `${at}[${i}]`, it, ACTIONS)
    if (actions.indexOf(it) < i) errors.push(duplicate(`${at}[${i}]`, it))
  })
  if (actions.includes('Deny') && actions.includes('Warn')) {
    errors.push(invalidValue(at, actions, TWICE))
  }
  return errors
}

/** Where a mutating policy holds. */
export function validateMutatingBinding(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  checkBindingFrame(errors, objectAt(object, 'spec') ?? {})
  return errors
}

function checkBindingFrame(errors: Errors, spec: Readable): void {
  const policy = textAt(spec, 'policyName')
  if (policy === '') errors.push(required('spec.policyName'))
  else checkName(errors, 'spec.policyName', policy, isDns1123Subdomain)
  const param = objectAt(spec, 'paramRef')
  if (param) checkParam(errors, 'spec.paramRef', param)
  const match = objectAt(spec, 'matchResources')
  if (match) checkMatch(errors, 'spec.matchResources', match)
}

function checkParam(errors: Errors, field: string, param: Readable): void {
  const name = textAt(param, 'name')
  const selector = objectAt(param, 'selector')
  if (name !== '' && selector) {
    const why = 'name and selector are mutually exclusive'
    errors.push(forbiddenField(`${field}.name`, why), forbiddenField(`${field}.selector`, why))
  } else if (name === '' && !selector) {
    errors.push(required(field, 'one of name or selector must be specified'))
  }
  const action = textAt(param, 'parameterNotFoundAction')
  const at = `${field}.parameterNotFoundAction`
  if (action === '') errors.push(required(at))
  else checkOneOf(errors, at, action, ['Allow', 'Deny'])
}
