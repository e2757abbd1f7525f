import { parseAnyUrl } from 'kubewright/cel'
import {
  duplicate,
  invalidValue,
  isDns1035Label,
  isDns1123Subdomain,
  isPortNumber,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  has,
  itemsAt,
  numberAt,
  objectAt,
  same,
  textAt,
  textsAt,
  type Readable,
} from '../fields.ts'
import { checkLabelSelector, checkOneOf, type Errors } from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { checkMatchConditions } from './admission-expressions.ts'
import { checkRule } from './admission-rules.ts'

const REVIEWS = ['v1', 'v1beta1']
const HARMLESS = ['None', 'NoneOnDryRun']
const SIDE_EFFECTS = ['None', 'NoneOnDryRun', 'Some', 'Unknown']
const SELECTORS = ['namespaceSelector', 'objectSelector']

/** What may be wrong with webhooks because it was wrong before (ValidateValidatingWebhookConfigurationUpdate). */
interface Allowance {
  readonly conditions: boolean
  readonly sideEffects: boolean
  readonly reviews: boolean
  readonly names: boolean
  readonly labelValues: boolean
}

const NOTHING: Allowance = {
  conditions: false,
  sideEffects: false,
  reviews: false,
  names: false,
  labelValues: false,
}

function allowanceOf(object: Draft, old: UnknownObject): Allowance {
  const before = itemsAt(old, 'webhooks')
  const after = itemsAt(object, 'webhooks')
  const names = before.map((it) => textAt(it, 'name'))
  return {
    conditions:
      before.length === after.length &&
      before.every((it, i) => same(it['matchConditions'], after[i]!['matchConditions'])),
    sideEffects: before.some((it) => !HARMLESS.includes(textAt(it, 'sideEffects'))),
    reviews: before.some((it) => {
      const versions = textsAt(it, 'admissionReviewVersions')
      return versions.length > 0 && !versions.some((one) => REVIEWS.includes(one))
    }),
    names: new Set(names).size < names.length,
    labelValues: before.some((it) => {
      const errors: Errors = []
      for (const name of SELECTORS) checkLabelSelector(errors, name, objectAt(it, name))
      return errors.length > 0
    }),
  }
}

/** The webhooks of a configuration (kubernetes/pkg/apis/admissionregistration/validation); `old` is what it was before an update. */
export function validateWebhooks(object: Draft, old?: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  const allow = old ? allowanceOf(object, old) : NOTHING
  const names = new Set<string>()
  itemsAt(object, 'webhooks').forEach((webhook, i) => {
    const at = `webhooks[${i}]`
    const name = textAt(webhook, 'name')
    checkWebhook(errors, at, webhook, allow)
    const versions = textsAt(webhook, 'admissionReviewVersions')
    checkReviews(errors, `${at}.admissionReviewVersions`, versions, allow)
    if (!allow.names && name !== '' && names.has(name)) {
      errors.push(duplicate(`${at}.name`, name))
    }
    names.add(name)
  })
  return errors
}

function checkWebhook(errors: Errors, field: string, webhook: Readable, allow: Allowance): void {
  checkWebhookName(errors, `${field}.name`, textAt(webhook, 'name'))
  itemsAt(webhook, 'rules').forEach((it, i) => checkRule(errors, `${field}.rules[${i}]`, it))
  checkOneOf(errors, `${field}.failurePolicy`, textAt(webhook, 'failurePolicy'), ['Fail', 'Ignore'])
  const policies = ['Equivalent', 'Exact']
  checkOneOf(errors, `${field}.matchPolicy`, textAt(webhook, 'matchPolicy'), policies)
  const effects = allow.sideEffects ? SIDE_EFFECTS : HARMLESS
  if (!has(webhook, 'sideEffects')) {
    errors.push(required(`${field}.sideEffects`, `must specify one of ${effects.join(', ')}`))
  } else checkOneOf(errors, `${field}.sideEffects`, textAt(webhook, 'sideEffects'), effects)
  const seconds = numberAt(webhook, 'timeoutSeconds')
  if (seconds !== undefined && (seconds < 1 || seconds > 30)) {
    const why = 'the timeout value must be between 1 and 30 seconds'
    errors.push(invalidValue(`${field}.timeoutSeconds`, seconds, why))
  }
  for (const name of SELECTORS) checkSelector(errors, `${field}.${name}`, webhook, name, allow)
  if (has(webhook, 'reinvocationPolicy')) {
    const policy = textAt(webhook, 'reinvocationPolicy')
    checkOneOf(errors, `${field}.reinvocationPolicy`, policy, ['IfNeeded', 'Never'])
  }
  checkClient(errors, `${field}.clientConfig`, objectAt(webhook, 'clientConfig') ?? {})
  if (!allow.conditions) checkMatchConditions(errors, `${field}.matchConditions`, webhook)
}

function checkSelector(
  errors: Errors,
  field: string,
  webhook: Readable,
  name: string,
  { labelValues }: Allowance,
): void {
  const found: Errors = []
  checkLabelSelector(found, field, objectAt(webhook, name))
  errors.push(...found.filter((it) => !labelValues || !/\.values\[\d+\]$/.test(it.field)))
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

function checkReviews(
  errors: Errors,
  field: string,
  versions: readonly string[],
  allow: Allowance,
): void {
  if (versions.length === 0) {
    errors.push(required(field, 'must specify one of v1, v1beta1'))
    return
  }
  versions.forEach((it, i) => {
    const at = `${field}[${i}]`
    if (versions.indexOf(it) < i) errors.push(invalidValue(at, it, 'duplicate version'))
    else for (const why of isDns1035Label(it)) errors.push(invalidValue(at, it, why))
  })
  if (!allow.reviews && !versions.some((it) => REVIEWS.includes(it))) {
    errors.push(invalidValue(field, versions, 'must include at least one of v1, v1beta1'))
  }
}

function checkClient(errors: Errors, field: string, client: Readable): void {
  const service = objectAt(client, 'service')
  if (has(client, 'url') === (service !== undefined)) {
    errors.push(required(field, 'exactly one of url or service is required'))
  } else if (service) checkService(errors, `${field}.service`, service)
  else checkUrl(errors, `${field}.url`, textAt(client, 'url'))
}

const FORM = '; desired format: https://host[/path]'

function checkUrl(errors: Errors, field: string, text: string): void {
  const url = parseAnyUrl(text)
  const bad = (value: string, why: string): void =>
    void errors.push(invalidValue(field, value, why))
  if ('error' in url) {
    errors.push(required(field, `url must be a valid URL: ${url.error}${FORM}`))
    return
  }
  if (url.scheme !== 'https') bad(url.scheme, `'https' is the only allowed URL scheme${FORM}`)
  if (url.host === '') bad(url.host, `host must be specified${FORM}`)
  if (url.user !== '') bad(url.user, 'user information is not permitted in the URL')
  if (url.fragment !== '') bad(url.fragment, 'fragments are not permitted in the URL')
  if (url.rawQuery !== '') bad(url.rawQuery, 'query parameters are not permitted in the URL')
}

/** Kubernetes passes name and namespace in each other's place here, so the wrong one is asked for. */
function checkService(errors: Errors, field: string, service: Readable): void {
  if (textAt(service, 'namespace') === '') errors.push(required(`${field}.name`))
  if (textAt(service, 'name') === '') errors.push(required(`${field}.namespace`))
  const port = numberAt(service, 'port') ?? 0
  const problems = isPortNumber(port)
  if (problems.length > 0) {
    const why = `port is not valid: ${problems.join(', ')}`
    errors.push(invalidValue(`${field}.port`, port, why))
  }
  if (has(service, 'path')) checkPath(errors, `${field}.path`, textAt(service, 'path'))
}

function checkPath(errors: Errors, field: string, path: string): void {
  if (path === '' || path === '/') return
  const bad = (why: string): void => void errors.push(invalidValue(field, path, why))
  if (path === '//') return bad('segment[0] may not be empty')
  if (!path.startsWith('/')) bad("must start with a '/'")
  const steps = path.slice(1).replace(/\/$/, '').split('/')
  steps.forEach((it, i) => {
    if (it === '') bad(`segment[${i}] may not be empty`)
    else for (const problem of isDns1123Subdomain(it)) bad(`segment[${i}]: ${problem}`)
  })
}
