import {
  forbiddenField,
  invalidValue,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isPortNumber,
  notSupported,
  rangeProblem,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  flagAt,
  itemsAt,
  mapAt,
  numberAt,
  objectAt,
  same,
  textAt,
  textsAt,
  type Readable,
} from '../fields.ts'
import { checkName, checkOneOf, requireName, requireText, type Errors } from '../generic/checks.ts'
import { labelErrors } from '../generic/object-meta.ts'
import type { Draft } from '../strategy.ts'
import { amountOf, resourcesAt } from '../core/resource-list.ts'
import { checkAmount, checkContainerResourceName } from '../core/resource-validation.ts'
import { checkTolerations } from '../core/scheduling-validation.ts'

const IMMUTABLE = 'field is immutable'

/** A lease (kubernetes/pkg/apis/coordination/validation). */
export function validateLease(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec')
  const seconds = numberAt(spec, 'leaseDurationSeconds')
  if (seconds !== undefined && seconds <= 0) {
    errors.push(invalidValue('spec.leaseDurationSeconds', seconds, 'must be greater than 0'))
  }
  const transitions = numberAt(spec, 'leaseTransitions')
  if (transitions !== undefined && transitions < 0) {
    const why = 'must be greater than or equal to 0'
    errors.push(invalidValue('spec.leaseTransitions', transitions, why))
  }
  return errors
}

const HIGHEST_USER = 1_000_000_000
const SYSTEM_CLASSES: Readonly<Record<string, number>> = {
  'system-node-critical': 2000001000,
  'system-cluster-critical': 2000000000,
}

/** A priority class; those of the system are known (kubernetes/pkg/apis/scheduling/validation). */
export function validatePriorityClass(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const { name = '' } = object.metadata
  const value = numberAt(object, 'value') ?? 0
  if (name.startsWith('system-')) {
    const problem = systemProblem(name, value, flagAt(object, 'globalDefault'))
    if (problem) {
      const why = `priority class names with 'system-' prefix are reserved for system use only. error: ${problem}`
      errors.push(forbiddenField('metadata.name', why))
    }
  } else if (value > HIGHEST_USER) {
    const why = `maximum allowed value of a user defined priority is ${HIGHEST_USER}`
    errors.push(forbiddenField('value', why))
  }
  const policy = textAt(object, 'preemptionPolicy')
  checkOneOf(errors, 'preemptionPolicy', policy, ['PreemptLowerPriority', 'Never'])
  return errors
}

function systemProblem(name: string, value: number, isDefault: boolean): string | undefined {
  const known = SYSTEM_CLASSES[name]
  if (known === undefined) return `${name} is not a known system priority class`
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`
  return isDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined
}

export function validatePriorityClassUpdate(
  object: Draft,
  old: UnknownObject,
): readonly FieldError[] {
  const errors: Errors = []
  if ((numberAt(object, 'value') ?? 0) !== (numberAt(old, 'value') ?? 0)) {
    errors.push(forbiddenField('value', 'may not be changed in an update.'))
  }
  if (!same(object['preemptionPolicy'], old['preemptionPolicy'])) {
    const policy = object['preemptionPolicy'] ?? null
    errors.push(invalidValue('preemptionPolicy', policy, IMMUTABLE))
  }
  return errors
}

/** A runtime class (kubernetes/pkg/apis/node/validation). */
export function validateRuntimeClass(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  requireName(errors, 'handler', textAt(object, 'handler'), isDns1123Label)
  const overhead = resourcesAt(objectAt(object, 'overhead'), 'podFixed')
  for (const name in overhead) {
    const at = `overhead.limits[${name}]`
    checkContainerResourceName(errors, at, name)
    const amount = amountOf(overhead[name])
    if (amount) checkAmount(errors, at, name, amount)
  }
  const scheduling = objectAt(object, 'scheduling')
  labelErrors(mapAt(scheduling, 'nodeSelector'), 'scheduling.nodeSelector', errors)
  checkTolerations(errors, 'scheduling.tolerations', itemsAt(scheduling, 'tolerations'))
  return errors
}

export function validateRuntimeClassUpdate(
  object: Draft,
  old: UnknownObject,
): readonly FieldError[] {
  const handler = textAt(object, 'handler')
  const stays = handler === textAt(old, 'handler')
  return stays ? [] : [invalidValue('handler', handler, IMMUTABLE)]
}

/** Which requests a flow takes (kubernetes/pkg/apis/flowcontrol/validation). */
export function validateFlowSchema(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const precedence = numberAt(spec, 'matchingPrecedence') ?? 0
  if (precedence <= 0) {
    errors.push(invalidValue('spec.matchingPrecedence', precedence, 'must be a positive value'))
  }
  if (precedence > 10000) {
    const why = 'must not be greater than 10000'
    errors.push(invalidValue('spec.matchingPrecedence', precedence, why))
  }
  const method = objectAt(spec, 'distinguisherMethod')
  const type = textAt(method, 'type')
  if (method && type !== 'ByNamespace' && type !== 'ByUser') {
    const known = ['ByNamespace', 'ByUser']
    errors.push(notSupported('spec.distinguisherMethod.type', { Type: type }, known))
  }
  const level = textAt(objectAt(spec, 'priorityLevelConfiguration'), 'name')
  const at = 'spec.priorityLevelConfiguration.name'
  if (level === '') errors.push(required(at, 'must reference a priority level'))
  else checkName(errors, at, level, isDns1123Subdomain)
  itemsAt(spec, 'rules').forEach((it, i) => checkFlowRule(errors, `spec.rules[${i}]`, it))
  return errors
}

function checkFlowRule(errors: Errors, field: string, rule: Readable): void {
  if (itemsAt(rule, 'subjects').length === 0) {
    errors.push(required(`${field}.subjects`, 'subjects must contain at least one value'))
  }
  const lists = ['resourceRules', 'nonResourceRules']
  if (lists.some((it) => itemsAt(rule, it).length > 0)) return
  const why = 'at least one of resourceRules and nonResourceRules has to be non-empty'
  errors.push(required(field, why))
}

/** How much a level of priority may do at once. */
export function validatePriorityLevel(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const type = textAt(spec, 'type')
  const { name = '' } = object.metadata
  if ((name === 'exempt') !== (type === 'Exempt') && (type === 'Exempt' || type === 'Limited')) {
    const why = "must be 'Exempt' if and only if `name` is 'exempt'"
    errors.push(invalidValue('spec.type', type, why))
  }
  checkOneOf(errors, 'spec.type', type, ['Exempt', 'Limited'])
  const limited = objectAt(spec, 'limited')
  if (type === 'Exempt' && limited) {
    errors.push(forbiddenField('spec.limited', 'must be nil if the type is not Limited'))
  }
  if (type !== 'Limited') return errors
  if (limited) checkLimited(errors, 'spec.limited', limited)
  else errors.push(required('spec.limited', 'must not be empty when type is Limited'))
  return errors
}

function checkLimited(errors: Errors, field: string, limited: Readable): void {
  const shares = numberAt(limited, 'nominalConcurrencyShares') ?? 0
  if (shares < 0) {
    const why = 'must be a non-negative integer'
    errors.push(invalidValue(`${field}.nominalConcurrencyShares`, shares, why))
  }
  const percent = numberAt(limited, 'lendablePercent') ?? 0
  if (percent < 0 || percent > 100) {
    errors.push(invalidValue(`${field}.lendablePercent`, percent, rangeProblem(0, 100)))
  }
  const response = objectAt(limited, 'limitResponse')
  const type = textAt(response, 'type')
  const queuing = objectAt(response, 'queuing')
  const at = `${field}.limitResponse`
  if (type === 'Queue') {
    if (queuing) checkQueuing(errors, `${at}.queuing`, queuing)
    else {
      const why = 'must not be empty if limited.limitResponse.type is Limited'
      errors.push(required(`${at}.queuing`, why))
    }
  } else if (type === 'Reject') {
    const why = 'must be nil if limited.limitResponse.type is not Limited'
    if (queuing) errors.push(forbiddenField(`${at}.queuing`, why))
  } else checkOneOf(errors, `${at}.type`, type, ['Queue', 'Reject'])
}

function checkQueuing(errors: Errors, field: string, queuing: Readable): void {
  const queues = numberAt(queuing, 'queues') ?? 0
  const hand = numberAt(queuing, 'handSize') ?? 0
  const length = numberAt(queuing, 'queueLengthLimit') ?? 0
  for (const [name, value] of [
    ['queueLengthLimit', length],
    ['queues', queues],
    ['handSize', hand],
  ] as const) {
    if (value <= 0) errors.push(invalidValue(`${field}.${name}`, value, 'must be positive'))
  }
  if (hand > queues) {
    const why = `should not be greater than queues (${queues})`
    errors.push(invalidValue(`${field}.handSize`, hand, why))
  }
}

/** An API served by someone else (kube-aggregator/pkg/apis/apiregistration/validation). */
export function validateApiService(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const group = textAt(spec, 'group')
  const version = textAt(spec, 'version')
  const { name = '' } = object.metadata
  if (name !== `${version}.${group}`) {
    const why = `must be \`spec.version+"."+spec.group\`: "${version}.${group}"`
    errors.push(invalidValue('metadata.name', name, why))
  }
  checkName(errors, 'spec.group', group, isDns1123Subdomain)
  checkName(errors, 'spec.version', version, isDns1035Label)
  for (const [field, most] of [
    ['groupPriorityMinimum', 20000],
    ['versionPriority', 1000],
  ] as const) {
    const value = numberAt(spec, field) ?? 0
    if (value > 0 && value <= most) continue
    const why = `must be positive and less than ${most}`
    errors.push(invalidValue(`spec.${field}`, value, why))
  }
  checkApiBackend(errors, spec)
  return errors
}

function checkApiBackend(errors: Errors, spec: Readable): void {
  const service = objectAt(spec, 'service')
  const insecure = flagAt(spec, 'insecureSkipTLSVerify')
  if (service === undefined) {
    const may = 'local APIServices may not have'
    if (textAt(spec, 'caBundle') !== '') {
      const length = `${spec['caBundle']}`
      errors.push(invalidValue('spec.caBundle', `${length.length} bytes`, `${may} a caBundle`))
    }
    if (insecure) {
      errors.push(invalidValue('spec.insecureSkipTLSVerify', true, `${may} insecureSkipTLSVerify`))
    }
    return
  }
  for (const field of ['name', 'namespace']) {
    requireText(errors, `spec.service.${field}`, textAt(service, field))
  }
  const port = numberAt(service, 'port') ?? 0
  const [problem] = isPortNumber(port)
  if (problem) {
    errors.push(invalidValue('spec.service.port', port, `port is not valid: ${problem}`))
  }
  if (insecure && textAt(spec, 'caBundle') !== '') {
    const why = 'may not be true if caBundle is present'
    errors.push(invalidValue('spec.insecureSkipTLSVerify', true, why))
  }
}

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
]

/** A request to sign a certificate (kubernetes/pkg/apis/certificates/validation). */
export function validateSigningRequest(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const request = textAt(spec, 'request')
  const pem = Buffer.from(request, 'base64').toString('latin1')
  if (!/-----BEGIN CERTIFICATE REQUEST-----/.test(pem)) {
    const why = 'PEM block type must be CERTIFICATE REQUEST'
    errors.push(invalidValue('spec.request', request, why))
  }
  const usages = textsAt(spec, 'usages')
  if (usages.length === 0) errors.push(required('spec.usages'))
  usages.forEach((it, i) => {
    if (!USAGES.includes(it)) errors.push(notSupported(`spec.usages[${i}]`, it, USAGES))
    if (usages.indexOf(it) < i) {
      errors.push({
        type: 'FieldValueDuplicate',
        field: `spec.usages[${i}]`,
        value: it,
        detail: '',
      })
    }
  })
  checkSigner(errors, textAt(spec, 'signerName'))
  const seconds = numberAt(spec, 'expirationSeconds')
  if (seconds !== undefined && seconds < 600) {
    const why = 'may not specify a duration less than 600 seconds (10 minutes)'
    errors.push(invalidValue('spec.expirationSeconds', seconds, why))
  }
  return errors
}

function checkSigner(errors: Errors, name: string): void {
  const at = 'spec.signerName'
  if (name === '') return void errors.push(required(at))
  const [domain = '', path, ...rest] = name.split('/')
  if (path === undefined || rest.length > 0) {
    const why = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
    return void errors.push(invalidValue(at, name, why))
  }
  const labels = domain.split('.')
  checkParts(errors, at, domain, labels, isDns1123Label)
  if (labels.length < 2) {
    const why = 'should be a domain with at least two segments separated by dots'
    errors.push(invalidValue(at, domain, why))
  }
  checkParts(errors, at, path, path.split('.'), isDns1123Subdomain)
}

function checkParts(
  errors: Errors,
  field: string,
  value: string,
  parts: readonly string[],
  rule: (part: string) => readonly string[],
): void {
  for (const part of parts) {
    const problems = rule(part)
    for (const it of problems) {
      errors.push(invalidValue(field, value, `validating label ${JSON.stringify(part)}: ${it}`))
    }
    if (problems.length > 0) return
  }
}

/** Decisions on a request are made once (ValidateCertificateSigningRequestApprovalUpdate). */
export function validateApproval(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const conditions = itemsAt(objectAt(object, 'status'), 'conditions')
  conditions.forEach((it, i) => {
    const at = `status.conditions[${i}]`
    const type = textAt(it, 'type')
    if (type === '') errors.push(required(`${at}.type`))
    const decides = type === 'Approved' || type === 'Denied' || type === 'Failed'
    if (decides && textAt(it, 'status') !== 'True') {
      errors.push(notSupported(`${at}.status`, textAt(it, 'status'), ['True']))
    }
    if (conditions.findIndex((one) => one['type'] === type) < i) {
      errors.push({ type: 'FieldValueDuplicate', field: `${at}.type`, value: type, detail: '' })
    }
  })
  const types = conditions.map((it) => textAt(it, 'type'))
  if (types.includes('Approved') && types.includes('Denied')) {
    const i = Math.max(types.indexOf('Approved'), types.indexOf('Denied'))
    const why = 'Approved and Denied conditions are mutually exclusive'
    errors.push(invalidValue(`status.conditions[${i}].type`, types[i], why))
  }
  return errors
}
