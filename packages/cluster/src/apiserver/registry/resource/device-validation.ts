import {
  compareQuantities,
  addQuantities,
  forbiddenField,
  formatQuantity,
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  quantityValue,
  required,
  tooLong,
  tooMany,
  type Quantity,
} from 'kubewright/machinery'
import { amountOf } from '../core/resource-list.ts'
import { checkNodeSelector } from '../core/scheduling-validation.ts'
import { flagAt, has, itemsAt, objectAt, same, textAt, type Readable } from '../fields.ts'
import { checkName, requireName, type Errors } from '../generic/checks.ts'
import {
  checkBinding,
  checkDeviceProperty,
  checkList,
  checkSet,
  checkTaint,
  type CheckItem,
} from './shared-rules.ts'

const MOST_PROPERTIES = 32
const MOST_VALUES = 48
const MOST_TAINTS = 16
const MOST_CONSUMPTIONS = 2
const MOST_COUNTERS = 32
const LONGEST_PROPERTY = 63 + 1 + 32
const LONGEST_COUNTER = 63

/** A device that a slice offers (kubernetes/pkg/apis/resource/validation validateDevice). */
export function checkDevice(
  errors: Errors,
  field: string,
  device: Readable,
  { old, perDevice }: { readonly old: Readable | undefined; readonly perDevice: boolean },
): void {
  checkName(errors, `${field}.name`, textAt(device, 'name'), isDns1123Label)
  const attributes = objectAt(device, 'attributes') ?? {}
  const capacity = objectAt(device, 'capacity') ?? {}
  checkCounts(errors, field, Object.keys(attributes).length, Object.keys(capacity).length)
  checkEntries(errors, `${field}.attributes`, attributes, PROPERTY, checkAttribute)
  const check = flagAt(device, 'allowMultipleAllocations') ? checkShared : checkWhole
  checkEntries(errors, `${field}.capacity`, capacity, PROPERTY, check)
  if (!old || !same(old['taints'], device['taints'])) {
    checkList(errors, `${field}.taints`, itemsAt(device, 'taints'), MOST_TAINTS, checkTaint)
  }
  const consumed = itemsAt(device, 'consumesCounters')
  const at = `${field}.consumesCounters`
  checkSet(errors, at, consumed, MOST_CONSUMPTIONS, checkConsumption, (it) =>
    textAt(it, 'counterSet'),
  )
  checkNodes(errors, field, device, perDevice)
  checkBinding(errors, field, device)
}

function checkCounts(errors: Errors, field: string, attributes: number, capacity: number): void {
  const all = attributes + capacity
  if (all > MOST_PROPERTIES) {
    const why = `the total number of attributes and capacities must not exceed ${MOST_PROPERTIES}`
    errors.push(invalidValue(field, all, why))
  }
  if (attributes > MOST_VALUES) {
    const why = `the total number of attribute values must not exceed ${MOST_VALUES}`
    errors.push(invalidValue(field, attributes, why))
  }
}

interface Keys {
  readonly check: (errors: Errors, field: string, key: string) => void
  readonly longest: number
  readonly most?: number
}

const PROPERTY: Keys = { check: checkDeviceProperty, longest: LONGEST_PROPERTY }
const COUNTER: Keys = {
  check: (errors, field, key) => checkName(errors, field, key, isDns1123Label),
  longest: LONGEST_COUNTER,
  most: MOST_COUNTERS,
}

/** Keys and values of a map; a long key is shown without its middle (validateMap). */
function checkEntries(
  errors: Errors,
  field: string,
  map: Readable,
  keys: Keys,
  check: CheckItem<Readable>,
): void {
  const names = Object.keys(map)
  if (keys.most !== undefined && names.length > keys.most) {
    errors.push(tooMany(field, names.length, keys.most))
    return
  }
  for (const name of names) {
    keys.check(errors, field, name)
    check(errors, `${field}[${shortened(name, keys.longest)}]`, objectAt(map, name) ?? {})
  }
}

function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text
  const rest = longest - 3
  return `${text.slice(0, Math.ceil(rest / 2))}...${text.slice(text.length - Math.floor(rest / 2))}`
}

/** The counters of a set, or what a device takes of them. */
export function checkCounters(errors: Errors, field: string, holder: Readable): void {
  const counters = objectAt(holder, 'counters') ?? {}
  const at = `${field}.counters`
  if (Object.keys(counters).length === 0) errors.push(required(at))
  else checkEntries(errors, at, counters, COUNTER, () => {})
}

function checkConsumption(errors: Errors, field: string, consumption: Readable): void {
  requireName(errors, `${field}.counterSet`, textAt(consumption, 'counterSet'), isDns1123Label)
  checkCounters(errors, field, consumption)
}

const LONGEST_VALUE = 64
const NUMBER = '(0|[1-9]\\d*)'
const PRERELEASE = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)'
const BUILD = '[0-9a-zA-Z-]+'
const SEMVER = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(-${PRERELEASE}(\\.${PRERELEASE})*)?(\\+${BUILD}(\\.${BUILD})*)?$`,
)

function checkAttribute(errors: Errors, field: string, attribute: Readable): void {
  const given = ['bool', 'int', 'string', 'version'].filter((it) => has(attribute, it))
  for (const name of ['string', 'version'].filter((it) => given.includes(it))) {
    const text = textAt(attribute, name)
    if (name === 'version' && !SEMVER.test(text)) {
      const why = 'must be a string compatible with semver.org spec 2.0.0'
      errors.push(invalidValue(`${field}.version`, text, why))
    }
    if (text.length > LONGEST_VALUE) errors.push(tooLong(`${field}.${name}`, LONGEST_VALUE))
  }
  if (given.length === 1) return
  const shown = given.length === 0 ? '' : shownAttribute(attribute)
  errors.push(invalidValue(field, shown, 'exactly one value must be specified'))
}

/** An attribute as Go shows its internal struct. */
const shownAttribute = (it: Readable): object => ({
  IntValue: it['int'] ?? null,
  BoolValue: it['bool'] ?? null,
  StringValue: it['string'] ?? null,
  VersionValue: it['version'] ?? null,
  IntValues: null,
  BoolValues: null,
  StringValues: null,
  VersionValues: null,
})

/** A device for one has nothing to share out. */
function checkWhole(errors: Errors, field: string, capacity: Readable): void {
  if (!has(capacity, 'requestPolicy')) return
  errors.push(forbiddenField(`${field}.requestPolicy`, 'allowMultipleAllocations must be true'))
}

function checkShared(errors: Errors, field: string, capacity: Readable): void {
  const policy = objectAt(capacity, 'requestPolicy')
  if (!policy) return
  const at = `${field}.requestPolicy`
  const most = amount(capacity, 'value')
  const values = (policy['validValues'] as readonly (string | number)[] | undefined) ?? []
  const range = objectAt(policy, 'validRange')
  const wanted = amount(policy, 'default')
  if (values.length > 0 && range) {
    const why =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time'
    errors.push(forbiddenField(at, why))
  } else if (values.length > 0) {
    if (!wanted) errors.push(required(`${at}.default`, 'required when validValues is defined'))
    else checkValues(errors, `${at}.validValues`, values, { wanted, most: most! })
  } else if (range) {
    if (!wanted) errors.push(required(`${at}.default`, 'required when validRange is defined'))
    else checkRange(errors, `${at}.validRange`, range, { wanted, most: most! })
  }
}

const amount = (at: Readable, name: string): Quantity | undefined =>
  amountOf(at[name] as string | number | undefined)

interface Limits {
  /** What a request that says nothing is given. */
  readonly wanted: Quantity
  readonly most: Quantity
}

const MOST_OPTIONS = 10

function checkValues(
  errors: Errors,
  field: string,
  values: readonly (string | number)[],
  { wanted, most }: Limits,
): void {
  const amounts = values.flatMap((it) => amountOf(it) ?? [])
  amounts.slice(1).forEach((it, i) => {
    if (compareQuantities(amounts[i]!, it) <= 0) return
    const why = 'values must be sorted in ascending order'
    errors.push(invalidValue(`${field}[${i + 1}]`, formatQuantity(it), why))
  })
  const check: CheckItem<Quantity> = (found, where, it) => {
    if (compareQuantities(it, most) <= 0) return
    const why = `option is larger than capacity value: ${formatQuantity(most)}`
    found.push(invalidValue(where, formatQuantity(it), why))
  }
  checkSet(errors, field, amounts, MOST_OPTIONS, check, (it) => String(quantityValue(it)))
  const isListed =
    amounts.length <= MOST_OPTIONS && amounts.some((it) => compareQuantities(it, wanted) === 0)
  if (isListed) return
  const why = 'default value is not valid according to the requestPolicy'
  errors.push(invalidValue(field, formatQuantity(wanted), why))
}

function checkRange(errors: Errors, field: string, range: Readable, limits: Limits): void {
  const { wanted, most } = limits
  const [least, greatest, step] = ['min', 'max', 'step'].map((it) => amount(range, it))
  if (!least) {
    errors.push(required(`${field}.min`, 'required when validRange is defined'))
    return
  }
  const larger = (at: string, a: Quantity, b: Quantity, what: string): void => {
    if (compareQuantities(a, b) <= 0) return
    errors.push(invalidValue(`${field}.${at}`, formatQuantity(a), `${what}: ${formatQuantity(b)}`))
  }
  larger('min', least, most, 'min is larger than capacity value')
  if (compareQuantities(wanted, least) < 0) {
    const why = `default is less than min: ${formatQuantity(least)}`
    errors.push(invalidValue(`${field}.min`, formatQuantity(wanted), why))
  }
  if (greatest) {
    larger('max', least, greatest, 'min is larger than max')
    larger('max', greatest, most, 'max is larger than capacity value')
    larger('max', wanted, greatest, 'default is more than max')
  }
  if (!step) return
  const first = addQuantities(least, step)
  if (compareQuantities(first, most) > 0) {
    const [one, all] = [formatQuantity(first), formatQuantity(most)]
    const why = `one step ${one} is larger than capacity value: ${all}`
    errors.push(invalidValue(`${field}.step`, formatQuantity(step), why))
  }
  for (const value of [wanted, greatest]) {
    if (value) checkStep(errors, `${field}.step`, value, least, step)
  }
}

function checkStep(
  errors: Errors,
  field: string,
  value: Quantity,
  least: Quantity,
  step: Quantity,
): void {
  const by = quantityValue(step)
  if (by !== 0n && (quantityValue(value) - quantityValue(least)) % by === 0n) return
  const why = `value is not a multiple of a given step (${formatQuantity(step)}) from (${formatQuantity(least)})`
  errors.push(invalidValue(field, formatQuantity(value), why))
}

const PER_DEVICE =
  'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec'

/** Where a device can be used, if each device of the slice says so itself. */
function checkNodes(errors: Errors, field: string, device: Readable, perDevice: boolean): void {
  const given = ['nodeName', 'nodeSelector', 'allNodes'].filter((it) => has(device, it))
  if (!perDevice) {
    const why =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
    if (given.length > 0) errors.push(invalidValue(field, null, why))
    return
  }
  const set: string[] = []
  if (has(device, 'nodeName')) {
    const name = textAt(device, 'nodeName')
    const at = `${field}.nodeName`
    if (name === '') errors.push(invalidValue(at, name, 'must not be empty'))
    else {
      set.push('`nodeName`')
      checkName(errors, at, name, isDns1123Subdomain)
    }
  }
  const selector = objectAt(device, 'nodeSelector')
  if (selector) {
    set.push('`nodeSelector`')
    checkNodeSelector(errors, `${field}.nodeSelector`, selector)
  }
  if (flagAt(device, 'allNodes')) set.push('`allNodes`')
  else if (has(device, 'allNodes')) {
    errors.push(invalidValue(`${field}.allNodes`, false, 'must be either unset or set to true'))
  }
  if (set.length === 0) errors.push(required(field, PER_DEVICE))
  if (set.length > 1) errors.push(invalidValue(field, `{${set.join(', ')}}`, PER_DEVICE))
}
