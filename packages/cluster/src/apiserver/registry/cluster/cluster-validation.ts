import {
  duplicate,
  forbiddenField,
  invalidValue,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isPortNumber,
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
  type Readable,
} from '../fields.ts'
import {
  checkName,
  checkOneOf,
  requireName,
  requireOneOf,
  requireText,
  type Errors,
} from '../generic/checks.ts'
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
  requireOneOf(errors, 'preemptionPolicy', policy, ['PreemptLowerPriority', 'Never'])
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
  const tolerations = itemsAt(scheduling, 'tolerations')
  checkTolerations(errors, 'scheduling.tolerations', tolerations)
  checkDistinct(errors, 'scheduling.tolerations', tolerations)
  return errors
}

const TOLERATION_KEYS = ['key', 'operator', 'value', 'effect'] as const

function checkDistinct(errors: Errors, field: string, tolerations: readonly Readable[]): void {
  const keys = tolerations.map((it) => TOLERATION_KEYS.map((key) => textAt(it, key)).join('\n'))
  keys.forEach((key, i) => {
    if (keys.indexOf(key) < i) errors.push(duplicate(`${field}[${i}]`, shown(tolerations[i]!)))
  })
}

/** A toleration as Go shows its internal struct. */
const shown = (it: Readable): object => ({
  Key: textAt(it, 'key'),
  Operator: textAt(it, 'operator'),
  Value: textAt(it, 'value'),
  Effect: textAt(it, 'effect'),
  TolerationSeconds: numberAt(it, 'tolerationSeconds') ?? null,
})

export function validateRuntimeClassUpdate(
  object: Draft,
  old: UnknownObject,
): readonly FieldError[] {
  const handler = textAt(object, 'handler')
  const stays = handler === textAt(old, 'handler')
  const errors = validateRuntimeClass(object)
  return stays ? errors : [...errors, invalidValue('handler', handler, IMMUTABLE)]
}

/** What the status of an APIService may say. */
export function validateApiServiceStatus(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  itemsAt(objectAt(object, 'status'), 'conditions').forEach((it, i) => {
    const known = ['True', 'False', 'Unknown']
    checkOneOf(errors, `status.conditions[${i}].status`, textAt(it, 'status'), known)
  })
  return errors
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
  if (group !== '') checkName(errors, 'spec.group', group, isDns1123Subdomain)
  else if (version !== 'v1') {
    const why = 'only v1 may have an empty group and it better be legacy kube'
    errors.push(required('spec.group', why))
  }
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
