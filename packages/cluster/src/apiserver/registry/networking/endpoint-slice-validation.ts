import { isIPv6 } from 'node:net'
import {
  duplicate,
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  required,
  tooMany,
  type FieldError,
  type NameRule,
  type UnknownObject,
} from 'kubewright/machinery'
import { checkCanonicalIp, checkEndpointIp, checkIp } from '../core/ip-validation.ts'
import { has, itemsAt, objectAt, same, textAt, textsAt, type Readable } from '../fields.ts'
import { checkName, checkOneOf, type Errors } from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'

const MOST_ENDPOINTS = 1000
const MOST_ADDRESSES = 100
const MOST_PORTS = 20_000
const MOST_HINTS = 8

/** Endpoints of one family (kubernetes/pkg/apis/discovery/validation). Endpoints that an update leaves alone are not judged again. */
export function validateSlice(object: Draft, old?: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  const type = textAt(object, 'addressType')
  if (type === '') errors.push(required('addressType'))
  else checkOneOf(errors, 'addressType', type, ['FQDN', 'IPv4', 'IPv6'])
  checkPorts(errors, itemsAt(object, 'ports'))
  const found: Errors = []
  checkEndpoints(found, itemsAt(object, 'endpoints'), type)
  const unchanged = found.length > 0 && same(object['endpoints'], old?.['endpoints'])
  return unchanged ? errors : [...errors, ...found]
}

export function validateSliceUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const type = object['addressType']
  const errors = validateSlice(object, old)
  if (same(type, old['addressType'])) return errors
  return [...errors, invalidValue('addressType', type, 'field is immutable')]
}

function checkEndpoints(errors: Errors, endpoints: readonly Readable[], type: string): void {
  if (endpoints.length > MOST_ENDPOINTS) {
    errors.push(tooMany('endpoints', endpoints.length, MOST_ENDPOINTS))
    return
  }
  endpoints.forEach((it, i) => checkEndpoint(errors, `endpoints[${i}]`, it, type))
}

function checkEndpoint(errors: Errors, field: string, endpoint: Readable, type: string): void {
  const addresses = textsAt(endpoint, 'addresses')
  const at = `${field}.addresses`
  if (addresses.length === 0) errors.push(required(at, 'must contain at least 1 address'))
  if (addresses.length > MOST_ADDRESSES) {
    errors.push(tooMany(at, addresses.length, MOST_ADDRESSES))
  }
  addresses.forEach((it, i) => checkAddress(errors, at, i, it, type))
  if (has(endpoint, 'nodeName')) {
    checkName(errors, `${field}.nodeName`, textAt(endpoint, 'nodeName'), isDns1123Subdomain)
  }
  if (has(endpoint, 'hostname')) {
    checkName(errors, `${field}.hostname`, textAt(endpoint, 'hostname'), isDns1123Label)
  }
  const hints = objectAt(endpoint, 'hints')
  const zones = itemsAt(hints, 'forZones')
  const fine = checkHints(errors, `${field}.hints.forZones`, zones, isLabelValue)
  if (fine) {
    checkHints(errors, `${field}.hints.forNodes`, itemsAt(hints, 'forNodes'), isDns1123Subdomain)
  }
}

/** Answers false where there are too many to look at. */
function checkHints(
  errors: Errors,
  field: string,
  hints: readonly Readable[],
  rule: NameRule,
): boolean {
  if (hints.length > MOST_HINTS) {
    errors.push(tooMany(field, hints.length, MOST_HINTS))
    return false
  }
  const names = hints.map((it) => textAt(it, 'name'))
  names.forEach((name, i) => {
    const at = `${field}[${i}].name`
    if (names.indexOf(name) < i) errors.push(duplicate(at, name))
    checkName(errors, at, name, rule)
  })
  return true
}

function checkAddress(
  errors: Errors,
  field: string,
  index: number,
  address: string,
  type: string,
): void {
  const at = `${field}[${index}]`
  if (type === 'FQDN') return checkDomain(errors, at, address)
  if (type !== 'IPv4' && type !== 'IPv6') return
  const before = errors.length
  if (type === 'IPv4') checkIp(errors, at, address)
  else checkCanonicalIp(errors, at, address)
  if (errors.length > before) return
  if (type === 'IPv4' ? isIPv6(address) : !isIPv6(address)) {
    errors.push(invalidValue(field, address, `must be an ${type} address`))
  }
  checkEndpointIp(errors, at, address)
}

/** A whole domain name, which may end in a dot (IsFullyQualifiedDomainName). */
function checkDomain(errors: Errors, field: string, given: string): void {
  if (given === '') return void errors.push(required(field))
  const name = given.replace(/\.$/, '')
  const [problem] = isDns1123Subdomain(name)
  const labels = name.split('.')
  if (problem !== undefined) {
    errors.push(invalidValue(field, name, isDns1123Subdomain(name).join(',')))
  } else if (labels.length < 2) {
    const why = 'should be a domain with at least two segments separated by dots'
    errors.push(invalidValue(field, name, why))
  } else {
    const wrong = labels.find((it) => isDns1123Label(it).length > 0)
    if (wrong !== undefined) {
      errors.push(invalidValue(field, wrong, isDns1123Label(wrong).join(',')))
    }
  }
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP']

function checkPorts(errors: Errors, ports: readonly Readable[]): void {
  if (ports.length > MOST_PORTS) {
    errors.push(tooMany('ports', ports.length, MOST_PORTS))
    return
  }
  const names = new Set<string>()
  ports.forEach((port, i) => {
    const at = `ports[${i}]`
    const name = textAt(port, 'name')
    if (name !== '') checkName(errors, `${at}.name`, name, isDns1123Label)
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
    checkOneOf(errors, `${at}.protocol`, textAt(port, 'protocol'), PROTOCOLS)
    if (has(port, 'appProtocol')) {
      checkName(errors, `${at}.appProtocol`, textAt(port, 'appProtocol'), isQualifiedName)
    }
  })
}
