import {
  forbiddenField,
  formatQuantity,
  invalidValue,
  isDns1123Label,
  isPathSegmentName,
  notSupported,
  quantitySign,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { has, itemsAt, numberAt, objectAt, textAt, type Readable } from '../fields.ts'
import {
  checkName,
  checkNonNegativeFields,
  checkOneOf,
  requireName,
  type Errors,
} from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { checkContainerResourceName } from '../core/resource-validation.ts'
import { amountOf } from '../core/resource-list.ts'

/** A new HorizontalPodAutoscaler of v2 (validateHorizontalPodAutoscalerSpec). */
export const validateAutoscaler = (object: Readable): readonly FieldError[] =>
  autoscalerErrors(object, true)

function autoscalerErrors(object: Readable, judgesVersion: boolean): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  checkBounds(errors, spec)
  const target = objectAt(spec, 'scaleTargetRef') ?? {}
  checkTarget(errors, 'spec.scaleTargetRef', target)
  if (judgesVersion) checkGroup(errors, target)
  itemsAt(spec, 'metrics').forEach((it, i) => checkMetric(errors, `spec.metrics[${i}]`, it))
  const behavior = objectAt(spec, 'behavior')
  for (const name of ['scaleUp', 'scaleDown']) {
    const rules = objectAt(behavior, name)
    if (rules) checkRules(errors, `spec.behavior.${name}`, rules)
  }
  return errors
}

function checkBounds(errors: Errors, spec: Readable): void {
  const least = numberAt(spec, 'minReplicas')
  const most = numberAt(spec, 'maxReplicas') ?? 0
  if (least !== undefined && least < 1) {
    errors.push(invalidValue('spec.minReplicas', least, 'must be greater than or equal to 1'))
  }
  if (most === 0) {
    errors.push(required('spec.maxReplicas', 'must be set and greater than 0'))
  } else if (most < 0) {
    errors.push(invalidValue('spec.maxReplicas', most, 'must be greater than or equal to 1'))
  }
  if (least !== undefined && most < least) {
    const why = 'must be greater than or equal to `minReplicas`'
    errors.push(invalidValue('spec.maxReplicas', most, why))
  }
  if (
    least === 0 &&
    !itemsAt(spec, 'metrics').some((it) => ['Object', 'External'].includes(textAt(it, 'type')))
  ) {
    const why =
      'must specify at least one Object or External metric to support scaling to zero replicas'
    errors.push(forbiddenField('spec.metrics', why))
  }
}

function checkTarget(errors: Errors, field: string, ref: Readable): void {
  requireName(errors, `${field}.kind`, textAt(ref, 'kind'), isPathSegmentName)
  requireName(errors, `${field}.name`, textAt(ref, 'name'), isPathSegmentName)
  const version = textAt(ref, 'apiVersion')
  if (version.split('/').length > 2) {
    const why = `unexpected GroupVersion string: ${version}`
    errors.push(invalidValue(`${field}.apiVersion`, version, why))
  }
}

/** What is scaled has a group; ReplicationController alone has none. */
function checkGroup(errors: Errors, ref: Readable): void {
  const version = textAt(ref, 'apiVersion')
  if (textAt(ref, 'kind') === 'ReplicationController' || version.includes('/')) return
  const why = 'apiVersion must specify API group'
  errors.push(invalidValue('spec.scaleTargetRef.apiVersion', version, why))
}

type Check = (errors: Errors, field: string, source: Readable) => void

/** Each source of a metric: its type, its field, its rules. In the order in which Kubernetes looks. */
const SOURCES: readonly (readonly [string, string, Check])[] = [
  ['Object', 'object', checkObject],
  ['External', 'external', checkExternal],
  ['Pods', 'pods', checkPods],
  ['Resource', 'resource', checkResource],
  ['ContainerResource', 'containerResource', checkContainerResource],
]
const TYPES = SOURCES.map(([type]) => type).toSorted()

function checkMetric(errors: Errors, field: string, metric: Readable): void {
  const type = textAt(metric, 'type')
  const known = SOURCES.find(([it]) => it === type)
  if (type === '') errors.push(required(`${field}.type`, 'must specify a metric source type'))
  if (!known) errors.push(notSupported(`${field}.type`, type, TYPES))
  const present = SOURCES.filter(([, name]) => has(metric, name))
  const [first] = present
  if (first) first[2](errors, `${field}.${first[1]}`, objectAt(metric, first[1]) ?? {})
  if (known && !present.includes(known)) {
    const why = 'must populate information for the given metric source'
    errors.push(required(`${field}.${known[1]}`, why))
  }
  if (!known) errors.push(notSupported(`${field}.type`, type, TYPES))
  if (present.length === 1) return
  for (const it of present) {
    if (it === known) continue
    const why = 'must populate the given metric source only'
    errors.push(forbiddenField(`${field}.${it[1]}`, why))
  }
}

function checkIdentifier(errors: Errors, field: string, source: Readable): void {
  const name = textAt(objectAt(source, 'metric'), 'name')
  if (name === '') errors.push(required(`${field}.metric.name`, 'must specify a metric name'))
  else checkName(errors, `${field}.metric.name`, name, isPathSegmentName)
}

function checkGoal(errors: Errors, field: string, source: Readable): Readable {
  const at = `${field}.target`
  const target = objectAt(source, 'target') ?? {}
  const type = textAt(target, 'type')
  if (type === '') errors.push(required(`${at}.type`, 'must specify a metric target type'))
  if (!['Utilization', 'Value', 'AverageValue'].includes(type)) {
    const why = 'must be either Utilization, Value, or AverageValue'
    errors.push(invalidValue(`${at}.type`, type, why))
  }
  for (const name of ['value', 'averageValue']) {
    const amount = amountOf(target[name] as string | undefined)
    if (amount && quantitySign(amount) !== 1) {
      errors.push(invalidValue(`${at}.${name}`, formatQuantity(amount), 'must be positive'))
    }
  }
  const percent = numberAt(target, 'averageUtilization')
  if (percent !== undefined && percent < 1) {
    errors.push(invalidValue(`${at}.averageUtilization`, percent, 'must be greater than 0'))
  }
  return target
}

function checkObject(errors: Errors, field: string, source: Readable): void {
  checkTarget(errors, `${field}.describedObject`, objectAt(source, 'describedObject') ?? {})
  checkIdentifier(errors, field, source)
  const target = checkGoal(errors, field, source)
  if (!has(target, 'value') && !has(target, 'averageValue')) {
    const why = 'must set either a target value or averageValue'
    errors.push(required(`${field}.target.averageValue`, why))
  }
}

function checkExternal(errors: Errors, field: string, source: Readable): void {
  checkIdentifier(errors, field, source)
  const target = checkGoal(errors, field, source)
  const both = [has(target, 'value'), has(target, 'averageValue')]
  if (!both.includes(true)) {
    const why = 'must set either a target value for metric or a per-pod target'
    errors.push(required(`${field}.target.averageValue`, why))
  }
  if (!both.includes(false)) {
    const why = 'may not set both a target value for metric and a per-pod target'
    errors.push(forbiddenField(`${field}.target.value`, why))
  }
}

function checkPods(errors: Errors, field: string, source: Readable): void {
  checkIdentifier(errors, field, source)
  const target = checkGoal(errors, field, source)
  if (has(target, 'averageValue')) return
  const why = 'must specify a positive target averageValue'
  errors.push(required(`${field}.target.averageValue`, why))
}

function checkResource(errors: Errors, field: string, source: Readable): void {
  if (textAt(source, 'name') === '') {
    errors.push(required(`${field}.name`, 'must specify a resource name'))
  }
  checkUse(errors, field, checkGoal(errors, field, source))
}

function checkContainerResource(errors: Errors, field: string, source: Readable): void {
  const name = textAt(source, 'name')
  const container = textAt(source, 'container')
  if (name === '') errors.push(required(`${field}.name`, 'must specify a resource name'))
  else checkContainerResourceName(errors, `${field}.name`, name)
  if (container === '') errors.push(required(`${field}.container`, 'must specify a container'))
  else checkName(errors, `${field}.container`, container, isDns1123Label)
  checkUse(errors, field, checkGoal(errors, field, source))
}

function checkUse(errors: Errors, field: string, target: Readable): void {
  const both = [has(target, 'averageUtilization'), has(target, 'averageValue')]
  if (!both.includes(true)) {
    const why = 'must set either a target raw value or a target utilization'
    errors.push(required(`${field}.target.averageUtilization`, why))
  }
  if (!both.includes(false)) {
    const why = 'may not set both a target raw value and a target utilization'
    errors.push(forbiddenField(`${field}.target.averageValue`, why))
  }
}

function checkRules(errors: Errors, field: string, rules: Readable): void {
  const window = numberAt(rules, 'stabilizationWindowSeconds')
  const at = `${field}.stabilizationWindowSeconds`
  if (window !== undefined && window < 0) {
    errors.push(invalidValue(at, window, 'must be greater than or equal to zero'))
  }
  if (window !== undefined && window > 3600) {
    errors.push(invalidValue(at, window, 'must be less than or equal to 3600'))
  }
  if (has(rules, 'selectPolicy')) {
    const policy = textAt(rules, 'selectPolicy')
    checkOneOf(errors, `${field}.selectPolicy`, policy, ['Disabled', 'Max', 'Min'])
  }
  const policies = itemsAt(rules, 'policies')
  if (policies.length === 0) {
    errors.push(required(`${field}.policies`, 'must specify at least one Policy'))
  }
  policies.forEach((it, i) => checkPolicy(errors, `${field}.policies[${i}]`, it))
  const tolerance = amountOf(rules['tolerance'] as string | undefined)
  if (tolerance && quantitySign(tolerance) < 0) {
    const why = 'must be greater than or equal to 0'
    errors.push(invalidValue(`${field}.tolerance`, formatQuantity(tolerance), why))
  }
}

function checkPolicy(errors: Errors, field: string, policy: Readable): void {
  checkOneOf(errors, `${field}.type`, textAt(policy, 'type'), ['Percent', 'Pods'])
  for (const name of ['value', 'periodSeconds']) {
    const value = numberAt(policy, name) ?? 0
    if (value <= 0)
      errors.push(invalidValue(`${field}.${name}`, value, 'must be greater than zero'))
  }
  const period = numberAt(policy, 'periodSeconds') ?? 0
  if (period > 1800) {
    const why = 'must be less than or equal to 1800'
    errors.push(invalidValue(`${field}.periodSeconds`, period, why))
  }
}

/** An update is judged like a new one, but for the version of a target that stays. */
export function validateAutoscalerUpdate(
  object: Readable,
  old: UnknownObject,
): readonly FieldError[] {
  if (object['spec'] === old['spec']) return []
  const [now, was] = [object, old].map((it) => objectAt(objectAt(it, 'spec'), 'scaleTargetRef'))
  const moved = ['apiVersion', 'kind'].some((it) => textAt(now, it) !== textAt(was, it))
  return autoscalerErrors(object, moved)
}

export function validateAutoscalerStatus(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  checkNonNegativeFields(errors, 'status', objectAt(object, 'status'), [
    'currentReplicas',
    'desiredReplicas',
  ])
  return errors
}
