import {
  duplicate,
  invalidValue,
  isCIdentifier,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  notSupported,
  required,
  tooLong,
  tooMany,
} from 'kubewright/machinery'
import { has, objectAt, shownAt, textAt, type Readable } from '../fields.ts'
import { checkName, requireOneOf, type Errors } from '../generic/checks.ts'
import { checkDriverName } from '../generic/driver-name.ts'

/** Checks one item of a list, or one value of a map. */
export type CheckItem<T> = (errors: Errors, field: string, item: T) => void

/** A list of at most so many, each fine (resource/validation validateSlice); one that is too long is not looked into. */
export function checkList<T>(
  errors: Errors,
  field: string,
  items: readonly T[],
  most: number,
  check: CheckItem<T>,
): boolean {
  if (items.length > most) {
    errors.push(tooMany(field, items.length, most))
    return false
  }
  items.forEach((it, i) => check(errors, `${field}[${i}]`, it))
  return true
}

/** As {@link checkList}, and no two items have the same key, which the error shows (validateSet). */
export function checkSet<T>(
  errors: Errors,
  field: string,
  items: readonly T[],
  most: number,
  check: CheckItem<T>,
  keyOf: (item: T) => unknown,
): void {
  if (!checkList(errors, field, items, most, check)) return
  const seen = new Set<string>()
  items.forEach((it, i) => {
    const key = keyOf(it)
    const text = JSON.stringify(key)
    if (seen.has(text)) errors.push(duplicate(`${field}[${i}]`, key))
    seen.add(text)
  })
}

const LONGEST_POOL = 253
const LONGEST_ID = 32

/** The name of a pool of devices: subdomains with slashes between them. */
export function checkPoolName(errors: Errors, field: string, name: string): void {
  if (name === '') return void errors.push(required(field))
  if (name.length > LONGEST_POOL) errors.push(tooLong(field, LONGEST_POOL))
  for (const part of name.split('/')) checkName(errors, field, part, isDns1123Subdomain)
}

function checkIdentifier(errors: Errors, field: string, id: string): void {
  if (id.length > LONGEST_ID) errors.push(tooLong(field, LONGEST_ID))
  checkName(errors, field, id, isCIdentifier)
}

/** The name of an attribute or a capacity, with or without a domain; more than one slash goes unnoticed, as in Kubernetes. */
export function checkDeviceProperty(errors: Errors, field: string, name: string): void {
  const [domain = '', id, ...rest] = name.split('/')
  if (id === undefined) return checkIdentifier(errors, field, domain)
  if (rest.length > 0) return
  if (domain === '') errors.push(invalidValue(field, '', 'the domain must not be empty'))
  else checkDriverName(errors, field, domain)
  if (id === '') errors.push(invalidValue(field, '', 'the name must not be empty'))
  else checkIdentifier(errors, field, id)
}

/** As {@link checkDeviceProperty}, with a domain. */
export function checkFullProperty(errors: Errors, field: string, name: string): void {
  checkDeviceProperty(errors, field, name)
  if (name.includes('/')) return
  const why = 'a fully qualified name must be a domain and a name separated by a slash'
  errors.push(invalidValue(field, name, why))
}

const LARGEST_RAW = 10 * 1024

/** Data of somebody else's making: a JSON object, not too large. */
export function checkRaw(errors: Errors, field: string, holder: Readable, name: string): void {
  const at = `${field}.${name}`
  const value = holder[name]
  if (value === undefined || value === null) errors.push(required(at))
  else if (JSON.stringify(value).length > LARGEST_RAW) errors.push(tooLong(at, LARGEST_RAW))
  else if (typeof value !== 'object' || Array.isArray(value)) {
    errors.push(invalidValue(at, '<value omitted>', 'must be a valid JSON object'))
  }
}

/** Configuration that only a driver understands. */
export function checkConfiguration(errors: Errors, field: string, config: Readable): void {
  const opaque = objectAt(config, 'opaque')
  if (!opaque) return void errors.push(required(`${field}.opaque`))
  checkDriverName(errors, `${field}.opaque.driver`, textAt(opaque, 'driver'))
  checkRaw(errors, `${field}.opaque`, opaque, 'parameters')
}

const TAINT_EFFECTS = ['NoExecute', 'NoSchedule', 'None']

/** A taint of a device. */
export function checkTaint(errors: Errors, field: string, taint: Readable): void {
  checkName(errors, `${field}.key`, textAt(taint, 'key'), isQualifiedName)
  const value = textAt(taint, 'value')
  if (value !== '') checkName(errors, `${field}.value`, value, isLabelValue)
  requireOneOf(errors, `${field}.effect`, textAt(taint, 'effect'), TAINT_EFFECTS)
}

/** What a request tolerates of a device. */
export function checkToleration(errors: Errors, field: string, toleration: Readable): void {
  const key = textAt(toleration, 'key')
  if (key !== '') checkName(errors, `${field}.key`, key, isQualifiedName)
  const value = textAt(toleration, 'value')
  const operator = textAt(toleration, 'operator')
  if (operator === 'Exists') {
    const why = 'must be empty for operator `Exists`'
    if (value !== '') errors.push(invalidValue(`${field}.value`, value, why))
  } else if (operator === 'Equal') checkName(errors, `${field}.value`, value, isLabelValue)
  else requireOneOf(errors, `${field}.operator`, operator, ['Equal', 'Exists'])
  const effect = textAt(toleration, 'effect')
  if (effect === '' || TAINT_EFFECTS.includes(effect)) return
  errors.push(notSupported(`${field}.effect`, effect, TAINT_EFFECTS))
}

const MOST_BINDING = 4

/** Conditions that a device waits for before a pod is bound, and those that say it waits in vain. */
export function checkBinding(errors: Errors, field: string, holder: Readable): void {
  const wanted = listOf(holder, 'bindingConditions')
  const failing = listOf(holder, 'bindingFailureConditions')
  const [at, failingAt] = [`${field}.bindingConditions`, `${field}.bindingFailureConditions`]
  const check: CheckItem<string> = (found, where, it) =>
    checkName(found, where, it, isQualifiedName)
  checkList(errors, at, wanted, MOST_BINDING, check)
  checkList(errors, failingAt, failing, MOST_BINDING, check)
  wanted.forEach((it, i) => {
    if (wanted.indexOf(it) < i) errors.push(duplicate(`${at}[${i}]`, it))
  })
  failing.forEach((it, i) => {
    if (failing.indexOf(it) < i) errors.push(duplicate(`${failingAt}[${i}]`, it))
    if (!wanted.includes(it)) return
    const why = 'bindingFailureConditions must not overlap with bindingConditions'
    errors.push(invalidValue(`${failingAt}[${i}]`, it, why))
  })
  if (wanted.length === 0 && failing.length > 0) {
    const why = 'bindingConditions are required to use bindingFailureConditions'
    errors.push(invalidValue(at, shownAt(holder, 'bindingConditions'), why))
  }
  if (failing.length === 0 && wanted.length > 0) {
    const why = 'bindingFailureConditions are required to use bindingConditions'
    errors.push(invalidValue(failingAt, shownAt(holder, 'bindingFailureConditions'), why))
  }
}

const listOf = (holder: Readable, name: string): readonly string[] =>
  has(holder, name) ? (holder[name] as readonly string[]) : []

/** The identifier of one share of a device. */
export function checkShareId(errors: Errors, field: string, id: string): void {
  const why = uuidProblem(id)
  if (why !== undefined) {
    errors.push(invalidValue(field, id, `error validating uid: ${why}`))
  } else if (id.length !== 36 || id !== id.toLowerCase()) {
    const form =
      'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters'
    errors.push(invalidValue(field, id, form))
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const INVALID_UUID = 'invalid UUID format'

/** What google/uuid's Validate finds. */
function uuidProblem(text: string): string | undefined {
  switch (text.length) {
    case 36:
      return UUID.test(text) ? undefined : INVALID_UUID
    case 45:
      if (text.slice(0, 9).toLowerCase() !== 'urn:uuid:') {
        return `invalid urn prefix: ${JSON.stringify(text.slice(0, 9))}`
      }
      return UUID.test(text.slice(9)) ? undefined : INVALID_UUID
    case 38:
      if (!/^\{.*\}$/.test(text)) return 'invalid bracketed UUID format'
      return UUID.test(text.slice(1, -1)) ? undefined : INVALID_UUID
    case 32:
      return /^[0-9a-f]{32}$/i.test(text) ? undefined : INVALID_UUID
    default:
      return `invalid UUID length: ${text.length}`
  }
}
