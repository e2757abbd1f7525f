import {
  compareQuantities,
  formatQuantity,
  invalidValue,
  isDns1123Label,
  isQualifiedName,
  notFoundField,
  quantitiesEqual,
  quantitySign,
  quantityValue,
  duplicate,
  forbiddenField,
  required,
  type FieldError,
  type Quantity,
} from 'kubewright/machinery'
import { has, itemsAt, objectAt, textAt, type Readable } from '../fields.ts'
import { checkName, type Errors } from '../generic/checks.ts'
import { containerResources } from './pod-resources.ts'
import { amountOf, resourcesAt } from './resource-list.ts'

const CONTAINER_RESOURCES = ['cpu', 'memory', 'ephemeral-storage']
const QUOTA_RESOURCES = [
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
]
const STANDARD: ReadonlySet<string> = new Set([
  ...QUOTA_RESOURCES.filter((it) => it !== 'requests.storage'),
  'requests.storage',
  'storage',
])
const COUNTED: ReadonlySet<string> = new Set([
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
])

/** Pages of memory of one size. */
export const isHugePages = (name: string): boolean => name.startsWith('hugepages-')
/** Whether a resource is Kubernetes' own. */
export const isNativeResource = (name: string): boolean =>
  !name.includes('/') || name.includes('kubernetes.io/')
/** A resource that somebody else than Kubernetes counts (core/v1/helper IsExtendedResourceName). */
export const isExtended = (name: string): boolean =>
  !isNativeResource(name) &&
  !name.startsWith('requests.') &&
  isQualifiedName(`requests.${name}`).length === 0
/** Whether a container may ask for less of it than it may have. */
export const overcommits = (name: string): boolean => isNativeResource(name) && !isHugePages(name)

/** The name of any resource (validateResourceName). */
export function checkResourceName(errors: Errors, field: string, name: string): boolean {
  const before = errors.length
  checkName(errors, field, name, isQualifiedName)
  if (errors.length > before) return false
  if (name.includes('/') || STANDARD.has(name) || isHugePages(name) || isQuotaHugePages(name))
    return true
  errors.push(invalidValue(field, name, 'must be a standard resource type or fully qualified'))
  return false
}

const isQuotaHugePages = (name: string): boolean => name.startsWith('requests.hugepages-')

/** The name of what a container may ask for (validateContainerResourceName). */
export function checkContainerResourceName(errors: Errors, field: string, name: string): void {
  checkResourceName(errors, field, name)
  if (!name.includes('/')) {
    if (CONTAINER_RESOURCES.includes(name) || isHugePages(name)) return
    errors.push(invalidValue(field, name, 'must be a standard resource for containers'))
  } else if (!isNativeResource(name) && !isExtended(name)) {
    errors.push(invalidValue(field, name, "doesn't follow extended resource name standard"))
  }
}

/** The name of what a quota may limit (ValidateResourceQuotaResourceName). */
export function checkQuotaResourceName(errors: Errors, field: string, name: string): void {
  checkResourceName(errors, field, name)
  if (name.includes('/') || QUOTA_RESOURCES.includes(name) || isHugePages(name)) return
  if (isQuotaHugePages(name)) return
  errors.push(invalidValue(field, name, 'must be a standard resource for quota'))
}

/** An amount is not negative, and whole where it counts things (ValidateResourceQuantityValue). */
export function checkAmount(errors: Errors, field: string, name: string, amount: Quantity): void {
  if (quantitySign(amount) < 0) {
    errors.push(invalidValue(field, formatQuantity(amount), 'must be greater than or equal to 0'))
  }
  const whole = COUNTED.has(name) || isExtended(name)
  if (
    whole &&
    !quantitiesEqual(amount, { unscaled: quantityValue(amount), exponent: 0, format: 'DecimalSI' })
  ) {
    errors.push(invalidValue(field, formatQuantity(amount), 'must be an integer'))
  }
}

/** What a container, or a pod, asks for and may have at most (validateResourceRequirements). */
export function checkRequirements(
  errors: Errors,
  field: string,
  requirements: Readable | undefined,
  checkResource: (errors: Errors, field: string, name: string) => void,
  claims: readonly string[],
): void {
  if (requirements === undefined) return
  const limits = resourcesAt(requirements, 'limits')
  const requests = resourcesAt(requirements, 'requests')
  for (const name in limits) {
    checkEntry(errors, `${field}.limits[${name}]`, name, amountOf(limits[name]), checkResource)
  }
  for (const name in requests) {
    const amount = amountOf(requests[name])
    checkEntry(errors, `${field}.requests[${name}]`, name, amount, checkResource)
    if (amount) errors.push(...requestErrors(field, name, amount, amountOf(limits[name])))
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)]
  if (names.some(isHugePages) && !names.some((it) => it === 'cpu' || it === 'memory')) {
    errors.push(forbiddenField(field, 'HugePages require cpu or memory'))
  }
  checkClaims(errors, `${field}.claims`, requirements, claims)
}

function checkEntry(
  errors: Errors,
  field: string,
  name: string,
  amount: Quantity | undefined,
  checkResource: (errors: Errors, field: string, name: string) => void,
): void {
  checkResource(errors, field, name)
  if (amount === undefined) return
  checkAmount(errors, field, name, amount)
  if (isHugePages(name) && !isWholePages(name, amount)) {
    const text = formatQuantity(amount)
    errors.push(invalidValue(field, text, `${text} is not positive integer multiple of ${name}`))
  }
}

function isWholePages(name: string, amount: Quantity): boolean {
  const size = amountOf(name.slice('hugepages-'.length))
  if (size === undefined || quantityValue(size) <= 0n) return false
  return quantityValue(amount) % quantityValue(size) === 0n
}

function requestErrors(
  field: string,
  name: string,
  amount: Quantity,
  limit: Quantity | undefined,
): readonly FieldError[] {
  if (limit === undefined) {
    return overcommits(name)
      ? []
      : [required(`${field}.limits`, 'Limit must be set for non overcommitable resources')]
  }
  const difference = compareQuantities(amount, limit)
  const relation =
    difference !== 0 && !overcommits(name)
      ? 'must be equal to'
      : difference > 0
        ? 'must be less than or equal to'
        : undefined
  if (relation === undefined) return []
  const why = `${relation} ${name} limit of ${formatQuantity(limit)}`
  return [invalidValue(`${field}.requests`, formatQuantity(amount), why)]
}

function checkClaims(
  errors: Errors,
  field: string,
  requirements: Readable,
  known: readonly string[],
): void {
  const seen = new Set<string>()
  itemsAt(requirements, 'claims').forEach((claim, i) => {
    const at = `${field}[${i}]`
    const name = textAt(claim, 'name')
    const request = textAt(claim, 'request')
    if (name === '') return void errors.push(required(at))
    if (request !== '') checkName(errors, `${at}.request`, request, isDns1123Label)
    const key = request === '' ? name : `${name}/${request}`
    const clash =
      seen.has(name) ||
      seen.has(key) ||
      (request === '' && [...seen].some((it) => it.startsWith(`${name}/`)))
    if (clash) errors.push(duplicate(at, seen.has(name) || request === '' ? name : key))
    seen.add(key)
    if (known.includes(name)) return
    const which = known.length === 0 ? ' which is empty' : `: ${known.toSorted().join(', ')}`
    errors.push({
      ...notFoundField(at, name),
      detail: `must be one of the names in pod.spec.resourceClaims${which}`,
    })
  })
}

/** What a pod asks for beside its containers (validatePodResources, KEP-2837). */
export function checkPodResources(
  errors: Errors,
  field: string,
  spec: Readable,
  claims: readonly string[],
): void {
  const own = objectAt(spec, 'resources')
  if (own === undefined) return
  if (textAt(objectAt(spec, 'os'), 'name') === 'windows') {
    return void errors.push(forbiddenField(field, 'may not be set for a windows pod'))
  }
  if (has(own, 'claims')) {
    errors.push(
      forbiddenField(`${field}.claims`, 'claims may not be set for Resources at pod-level'),
    )
  }
  checkRequirements(errors, field, own, checkPodResourceName, claims)
  checkConsistency(errors, field, spec, own)
}

/** A pod asks for no less than its containers, and none of them may have more than it (validatePodResourceConsistency). */
function checkConsistency(errors: Errors, field: string, spec: Readable, own: Readable): void {
  checkAggregate(errors, field, spec, own, 'requests', () => true)
  checkAggregate(errors, field, spec, own, 'limits', isHugePages)
  const most = resourcesAt(own, 'limits')
  itemsAt(spec, 'containers').forEach((container, i) => {
    const limits = resourcesAt(objectAt(container, 'resources'), 'limits')
    for (const name in limits) {
      const limit = amountOf(limits[name])
      const bound = amountOf(most[name])
      if (!limit || !bound || compareQuantities(limit, bound) <= 0) continue
      const why = `must be less than or equal to pod limits of ${formatQuantity(bound)}`
      const at = `${field}.containers[${i}][${name}].limits`
      errors.push(invalidValue(at, formatQuantity(limit), why))
    }
  })
}

function checkAggregate(
  errors: Errors,
  field: string,
  spec: Readable,
  own: Readable,
  which: 'requests' | 'limits',
  counts: (name: string) => boolean,
): void {
  const total = containerResources(spec, which)
  const stated = resourcesAt(own, which)
  for (const name in total) {
    const least = amountOf(total[name])
    const amount = amountOf(stated[name])
    if (!counts(name) || !least || !amount || compareQuantities(least, amount) <= 0) continue
    const why = `must be greater than or equal to aggregate container ${which} of ${formatQuantity(least)}`
    errors.push(invalidValue(`${field}.${which}[${name}]`, formatQuantity(amount), why))
  }
}

function checkPodResourceName(errors: Errors, field: string, name: string): void {
  if (!checkResourceName(errors, field, name)) return
  if (name === 'cpu' || name === 'memory' || isHugePages(name)) return
  errors.push({
    type: 'FieldValueNotSupported',
    field,
    value: name,
    detail: 'supported values: "cpu", "hugepages-", "memory"',
  })
}
