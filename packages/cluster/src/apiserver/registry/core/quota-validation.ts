import {
  compareQuantities,
  duplicate,
  forbiddenField,
  formatQuantity,
  invalidValue,
  isQualifiedName,
  quantityMilliValue,
  quantityOf,
  quantityValue,
  required,
  type FieldError,
  type Quantity,
  type UnknownObject,
} from 'kubewright/machinery'
import { itemsAt, objectAt, shownAt, textAt, textsAt, type Readable } from '../fields.ts'
import { checkName, type Errors } from '../generic/checks.ts'
import { internalForm } from '../generic/internal-form.ts'
import type { Draft } from '../strategy.ts'
import { amountOf, resourcesAt } from './resource-list.ts'
import {
  checkAmount,
  checkContainerResourceName,
  checkQuotaResourceName,
  checkResourceName,
  overcommits,
} from './resource-validation.ts'

const SCOPES = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
]
const BY_PRESENCE = SCOPES.filter((it) => it !== 'PriorityClass' && it !== 'VolumeAttributesClass')
const POD_COMPUTE = /^(pods|cpu|memory|(requests|limits)\.(cpu|memory))$/
const STORAGE = /^(persistentvolumeclaims|requests\.storage)$/
const OTHERS =
  /^(resourcequotas|services|replicationcontrollers|secrets|configmaps|services\.nodeports|services\.loadbalancers|(requests\.)?hugepages-.*|((requests|limits)\.)?ephemeral-storage)$/

/** What a quota limits, and of what (ValidateResourceQuotaSpec). */
export function validateQuota(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const hard = resourcesAt(spec, 'hard')
  for (const name in hard) {
    const at = `spec.hard[${name}]`
    checkQuotaResourceName(errors, at, name)
    const amount = amountOf(hard[name])
    if (amount) checkAmount(errors, at, name, amount)
  }
  checkScopes(errors, textsAt(spec, 'scopes'), Object.keys(hard))
  checkSelector(errors, spec, Object.keys(hard))
  return errors
}

/** Whether a quota on this resource can be narrowed by this scope. */
function suits(scope: string, name: string): boolean {
  if (!POD_COMPUTE.test(name) && !STORAGE.test(name) && !OTHERS.test(name)) return true
  if (scope === 'BestEffort') return name === 'pods'
  if (scope === 'VolumeAttributesClass') return STORAGE.test(name)
  return !SCOPES.includes(scope) || POD_COMPUTE.test(name)
}

const PAIRS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
]

function checkScopes(errors: Errors, scopes: readonly string[], names: readonly string[]): void {
  const at = 'spec.scopes'
  for (const scope of scopes) {
    if (!SCOPES.includes(scope)) errors.push(invalidValue(at, scopes, 'unsupported scope'))
    for (const name of names) {
      if (suits(scope, name)) continue
      errors.push(invalidValue(at, scopes, 'unsupported scope applied to resource'))
    }
  }
  if (PAIRS.some((pair) => pair.every((it) => scopes.includes(it)))) {
    errors.push(invalidValue(at, scopes, 'conflicting scopes'))
  }
}

function checkSelector(errors: Errors, spec: Readable, names: readonly string[]): void {
  const selector = objectAt(spec, 'scopeSelector')
  const at = 'spec.scopeSelector.matchExpressions'
  const scopes = itemsAt(selector, 'matchExpressions').map((it) => textAt(it, 'scopeName'))
  for (const it of itemsAt(selector, 'matchExpressions')) {
    const scope = textAt(it, 'scopeName')
    if (!SCOPES.includes(scope)) {
      errors.push(invalidValue(`${at}.scopeName`, scope, 'unsupported scope'))
    }
    for (const name of names) {
      if (suits(scope, name)) continue
      const why = 'unsupported scope applied to resource'
      errors.push(invalidValue(at, internalForm('ScopeSelector', selector), why))
    }
    checkOperator(errors, at, scope, textAt(it, 'operator'), textsAt(it, 'values'))
  }
  if (PAIRS.some((pair) => pair.every((it) => scopes.includes(it)))) {
    errors.push(invalidValue('spec.scopes', shownAt(spec, 'scopes'), 'conflicting scopes'))
  }
}

const MUST_EXIST =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"

function checkOperator(
  errors: Errors,
  at: string,
  scope: string,
  operator: string,
  values: readonly string[],
): void {
  if (BY_PRESENCE.includes(scope) && operator !== 'Exists') {
    errors.push(invalidValue(`${at}.operator`, operator, MUST_EXIST))
  }
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length > 0) return
    const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
    errors.push(required(`${at}.values`, why))
  } else if (operator !== 'Exists' && operator !== 'DoesNotExist') {
    errors.push(invalidValue(`${at}.operator`, operator, 'not a valid selector operator'))
  } else if (values.length > 0) {
    const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
    errors.push(invalidValue(`${at}.values`, values, why))
  }
}

/** The scopes of a quota stay (ValidateResourceQuotaUpdate). */
export function validateQuotaUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const scopes = textsAt(objectAt(object, 'spec'), 'scopes')
  const before = textsAt(objectAt(old, 'spec'), 'scopes')
  const shown = shownAt(objectAt(object, 'spec'), 'scopes')
  const moved = new Set(scopes).symmetricDifference(new Set(before)).size > 0
  return moved
    ? [...validateQuota(object), invalidValue('spec.scopes', shown, 'field is immutable')]
    : validateQuota(object)
}

/** What the controller writes of a quota. */
export function validateQuotaStatus(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  for (const list of ['hard', 'used']) {
    const amounts = resourcesAt(objectAt(object, 'status'), list)
    for (const name in amounts) {
      const at = `status.${list}[${name}]`
      checkQuotaResourceName(errors, at, name)
      const amount = amountOf(amounts[name])
      if (amount) checkAmount(errors, at, name, amount)
    }
  }
  return errors
}

const LIMIT_TYPES = ['Pod', 'Container', 'PersistentVolumeClaim']
const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const
type Amounts = Readonly<Record<(typeof LISTS)[number], Quantity | undefined>>

/** The bounds that a namespace sets to each thing in it (ValidateLimitRange). */
export function validateLimitRange(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const seen = new Set<string>()
  itemsAt(objectAt(object, 'spec'), 'limits').forEach((limit, i) => {
    const at = `spec.limits[${i}]`
    const type = textAt(limit, 'type')
    checkType(errors, `${at}.type`, type)
    if (seen.has(type)) errors.push(duplicate(`${at}.type`, type))
    seen.add(type)
    for (const name of checkNames(errors, at, limit, type)) {
      checkBounds(errors, at, name, amountsOf(limit, name))
    }
  })
  return errors
}

function checkType(errors: Errors, field: string, type: string): void {
  const before = errors.length
  checkName(errors, field, type, isQualifiedName)
  if (errors.length > before || type.includes('/') || LIMIT_TYPES.includes(type)) return
  errors.push(invalidValue(field, type, 'must be a standard limit type or fully qualified'))
}

function checkNames(
  errors: Errors,
  field: string,
  limit: Readable,
  type: string,
): ReadonlySet<string> {
  const all = new Set<string>()
  for (const list of LISTS) {
    const names = Object.keys(resourcesAt(limit, list))
    if (type === 'Pod' && list.startsWith('default')) {
      const why = "may not be specified when `type` is 'Pod'"
      if (names.length > 0) errors.push(forbiddenField(`${field}.${list}`, why))
      continue
    }
    for (const name of names) {
      all.add(name)
      const at = `${field}.${list}[${name}]`
      if (type === 'Pod' || type === 'Container') checkContainerResourceName(errors, at, name)
      else checkResourceName(errors, at, name)
    }
  }
  const bounded = ['min', 'max'].some((it) => resourcesAt(limit, it)['storage'] !== undefined)
  if (type === 'PersistentVolumeClaim' && !bounded) {
    const why = 'either minimum or maximum storage value is required, but neither was provided'
    errors.push(required(`${field}.limits`, why))
  }
  return all
}

/** A pod's limit has no defaults: Kubernetes has said so, and looks at them no more. */
const amountsOf = (limit: Readable, name: string): Amounts => {
  const isPod = textAt(limit, 'type') === 'Pod'
  return Object.fromEntries(
    LISTS.map((it) => [
      it,
      isPod && it.startsWith('default') ? undefined : amountOf(resourcesAt(limit, it)[name]),
    ]),
  ) as unknown as Amounts
}

/** Each bound: which amount must not be above which, where that is said, of what value, in what words. */
const BOUNDS: readonly (readonly [
  low: keyof Amounts,
  high: keyof Amounts,
  at: keyof Amounts,
  shown: keyof Amounts,
  lowName: string,
  highName: string,
])[] = [
  ['min', 'max', 'min', 'min', 'min value', 'max value'],
  [
    'min',
    'defaultRequest',
    'defaultRequest',
    'defaultRequest',
    'min value',
    'default request value',
  ],
  [
    'defaultRequest',
    'max',
    'defaultRequest',
    'defaultRequest',
    'default request value',
    'max value',
  ],
  [
    'defaultRequest',
    'default',
    'defaultRequest',
    'defaultRequest',
    'default request value',
    'default limit value',
  ],
  ['min', 'default', 'default', 'min', 'min value', 'default value'],
  ['default', 'max', 'default', 'max', 'default value', 'max value'],
]

function checkBounds(errors: Errors, field: string, name: string, amounts: Amounts): void {
  for (const [low, high, at, shown, lowName, highName] of BOUNDS) {
    const [a, b] = [amounts[low], amounts[high]]
    if (!a || !b || compareQuantities(a, b) <= 0) continue
    const why = `${lowName} ${formatQuantity(a)} is greater than ${highName} ${formatQuantity(b)}`
    const value = formatQuantity(amounts[shown] ?? a)
    errors.push(invalidValue(`${field}.${at}[${name}]`, value, why))
  }
  checkRatio(errors, `${field}.maxLimitRequestRatio[${name}]`, amounts)
  const { default: limit, defaultRequest: request } = amounts
  if (overcommits(name) || !limit || !request || compareQuantities(limit, request) === 0) return
  const [a, b] = [formatQuantity(limit), formatQuantity(request)]
  const why = `default value ${a} must equal to defaultRequest value ${b} in ${name}`
  errors.push(invalidValue(`${field}.defaultRequest[${name}]`, b, why))
}

function checkRatio(errors: Errors, field: string, amounts: Amounts): void {
  const { maxLimitRequestRatio: ratio, min, max } = amounts
  if (!ratio) return
  const text = formatQuantity(ratio)
  if (compareQuantities(ratio, quantityOf(1)) < 0) {
    errors.push(invalidValue(field, text, `ratio ${text} is less than 1`))
  }
  if (!min || !max) return
  const [asked, low, high] = ratioTerms(ratio, min, max)
  const most = high / low
  if (!(asked > most)) return
  const why = `ratio ${text} is greater than max/min = ${goFloat(most)}`
  errors.push(invalidValue(field, text, why))
}

/** What Go counts in thousandths has to fit into 64 bits with them. */
const MOST_MILLI = 9223372036854775n
const INT64 = 9223372036854775807n

/** The terms of the ratio: in thousandths where all are small enough, as Go compares them. */
function ratioTerms(
  ratio: Quantity,
  min: Quantity,
  max: Quantity,
): readonly [number, number, number] {
  const whole = [ratio, min, max].map((it) => capped(quantityValue(it)))
  if (whole.some((it) => it >= MOST_MILLI)) return whole.map(Number) as [number, number, number]
  const [asked, low, high] = [ratio, min, max].map((it) => Number(quantityMilliValue(it)))
  return [asked! / 1000, low!, high!]
}

const capped = (value: bigint): bigint => (value > INT64 ? INT64 : value)

/** Go's `%f`. */
const goFloat = (value: number): string =>
  Number.isFinite(value) ? value.toFixed(6) : value > 0 ? '+Inf' : value < 0 ? '-Inf' : 'NaN'
