import { isIPv4, isIPv6 } from 'node:net'
import {
  forbiddenField,
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  isPathSegmentName,
  isQualifiedName,
  isWildcardDns1123Subdomain,
  nameIsDnsLabel,
  required,
  tooLong,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  has,
  itemsAt,
  numberAt,
  objectAt,
  same,
  shownAt,
  textAt,
  textsAt,
  type Readable,
} from '../fields.ts'
import {
  checkLabelSelector,
  checkName,
  checkOneOf,
  checkPort,
  requireName,
  requireOneOf,
  requireText,
  type Errors,
} from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import {
  checkCanonicalCidr,
  checkCanonicalIp,
  checkCidr,
  checkEndpointIp,
  checkIp,
  isCidr,
} from '../core/ip-validation.ts'
import { checkIngressPoint } from '../core/service-validation.ts'
import { ipRange } from '../core/ip.ts'

const CLASS = 'kubernetes.io/ingress.class'

/** A new or changed Ingress (kubernetes/pkg/apis/networking/validation). */
export function validateIngress(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const rules = itemsAt(spec, 'rules')
  itemsAt(spec, 'tls').forEach((it, i) => checkTls(errors, `spec.tls[${i}]`, it))
  const backend = objectAt(spec, 'defaultBackend')
  if (rules.length === 0 && backend === undefined) {
    const why = 'either `defaultBackend` or `rules` must be specified'
    errors.push(invalidValue('spec', shownAt(spec, 'rules'), why))
  }
  rules.forEach((it, i) => checkRule(errors, `spec.rules[${i}]`, it))
  if (backend) checkBackend(errors, 'spec.defaultBackend', backend)
  if (has(spec, 'ingressClassName')) {
    const name = textAt(spec, 'ingressClassName')
    checkName(errors, 'spec.ingressClassName', name, isDns1123Subdomain)
  }
  return errors
}

/** The old annotation says the same as the field that replaced it. */
export function validateNewIngress(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const named = textAt(objectAt(object, 'spec'), 'ingressClassName')
  const annotated = object.metadata.annotations?.[CLASS]
  if (annotated !== undefined && named !== '' && annotated !== named) {
    const why = 'must match `ingressClassName` when both are specified'
    errors.push(invalidValue(`annotations.${CLASS}`, annotated, why))
  }
  return [...errors, ...validateIngress(object)]
}

function checkTls(errors: Errors, field: string, tls: Readable): void {
  textsAt(tls, 'hosts').forEach((it, i) => {
    const rule = it.includes('*') ? isWildcardDns1123Subdomain : isDns1123Subdomain
    checkName(errors, `${field}.hosts[${i}]`, it, rule)
  })
  const secret = textAt(tls, 'secretName')
  if (secret !== '') checkName(errors, `${field}.secretName`, secret, isDns1123Subdomain)
}

function checkRule(errors: Errors, field: string, rule: Readable): void {
  const host = textAt(rule, 'host')
  if (isIPv4(host) || isIPv6(host)) {
    errors.push(invalidValue(`${field}.host`, host, 'must be a DNS name, not an IP address'))
  } else if (host !== '') {
    const name = host.includes('*') ? isWildcardDns1123Subdomain : isDns1123Subdomain
    checkName(errors, `${field}.host`, host, name)
  }
  const http = objectAt(rule, 'http')
  if (http === undefined) return
  const paths = itemsAt(http, 'paths')
  if (paths.length === 0) errors.push(required(`${field}.http.paths`))
  paths.forEach((it, i) => checkPath(errors, `${field}.http.paths[${i}]`, it))
}

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix']
const NOT_IN_PATHS = ['//', '/./', '/../', '%2f', '%2F']
const NOT_AT_END = ['/..', '/.']

function checkPath(errors: Errors, field: string, path: Readable): void {
  const type = textAt(path, 'pathType')
  const text = textAt(path, 'path')
  const at = `${field}.path`
  if (!has(path, 'pathType')) {
    errors.push(required(`${field}.pathType`, 'pathType must be specified'))
    return
  }
  if (type === 'Exact' || type === 'Prefix') {
    if (!text.startsWith('/')) errors.push(invalidValue(at, text, 'must be an absolute path'))
    if (text !== '') {
      for (const it of NOT_IN_PATHS) {
        if (text.includes(it)) errors.push(invalidValue(at, text, `must not contain '${it}'`))
      }
      for (const it of NOT_AT_END) {
        if (text.endsWith(it)) errors.push(invalidValue(at, text, `cannot end with '${it}'`))
      }
    }
  } else if (type === 'ImplementationSpecific') {
    if (text !== '' && !text.startsWith('/')) {
      errors.push(invalidValue(at, text, 'must be an absolute path'))
    }
  } else checkOneOf(errors, `${field}.pathType`, type, PATH_TYPES)
  checkBackend(errors, `${field}.backend`, objectAt(path, 'backend') ?? {})
}

function checkBackend(errors: Errors, field: string, backend: Readable): void {
  const service = objectAt(backend, 'service')
  const resource = objectAt(backend, 'resource')
  if (resource && service) {
    errors.push(invalidValue(field, '', 'cannot set both resource and service backends'))
  } else if (resource) checkResource(errors, `${field}.resource`, resource)
  else if (service) checkService(errors, field, service)
  else errors.push(invalidValue(field, '', 'resource or service backend is required'))
}

function checkResource(errors: Errors, field: string, ref: Readable): void {
  if (has(ref, 'apiGroup')) {
    checkName(errors, `${field}.apiGroup`, textAt(ref, 'apiGroup'), isDns1123Subdomain)
  }
  requireName(errors, `${field}.kind`, textAt(ref, 'kind'), isPathSegmentName)
  requireName(errors, `${field}.name`, textAt(ref, 'name'), isPathSegmentName)
}

function checkService(errors: Errors, field: string, service: Readable): void {
  requireName(errors, `${field}.service.name`, textAt(service, 'name'), isDns1123Label)
  const port = objectAt(service, 'port')
  const name = textAt(port, 'name')
  const number = numberAt(port, 'number') ?? 0
  if (name !== '' && number !== 0) {
    errors.push(invalidValue(field, '', 'cannot set both port name & port number'))
  } else if (name !== '') checkPort(errors, `${field}.service.port.name`, name)
  else if (number !== 0) checkPort(errors, `${field}.service.port.number`, number)
  else errors.push(required(field, 'port name or number is required'))
}

/** Who serves ingresses of a class: a name with a domain in front, which stays. */
export function validateIngressClass(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  checkController(errors, textAt(spec, 'controller'))
  const parameters = objectAt(spec, 'parameters')
  if (parameters) checkParameters(errors, 'spec.parameters', parameters)
  return errors
}

const LONGEST_CONTROLLER = 250

function checkController(errors: Errors, controller: string): void {
  const at = 'spec.controller'
  const slash = controller.indexOf('/')
  if (Buffer.byteLength(controller) > LONGEST_CONTROLLER) {
    errors.push(tooLong(at, LONGEST_CONTROLLER))
  }
  if (controller === '') errors.push(required(at))
  else if (slash <= 0 || slash === controller.length - 1) {
    const why = 'must be a domain-prefixed path (such as "acme.io/foo")'
    errors.push(invalidValue(at, controller, why))
  } else checkName(errors, at, controller.slice(0, slash), isDns1123Subdomain)
}

function checkParameters(errors: Errors, field: string, parameters: Readable): void {
  checkResource(errors, field, parameters)
  const scope = textAt(parameters, 'scope')
  const inside = has(parameters, 'namespace')
  if (!has(parameters, 'scope')) errors.push(required(`${field}.scope`))
  else checkOneOf(errors, `${field}.scope`, scope, ['Cluster', 'Namespace'])
  const at = `${field}.namespace`
  if (scope === 'Namespace' && inside) {
    const namespace = textAt(parameters, 'namespace')
    for (const it of nameIsDnsLabel(namespace, false)) errors.push(invalidValue(at, namespace, it))
  }
  if (scope === 'Namespace' && !inside) {
    errors.push(required(at, "`parameters.scope` is set to 'Namespace'"))
  }
  if (scope === 'Cluster' && inside) {
    errors.push(forbiddenField(at, "`parameters.scope` is set to 'Cluster'"))
  }
}

export function validateIngressClassUpdate(
  object: Draft,
  old: UnknownObject,
): readonly FieldError[] {
  const now = textAt(objectAt(object, 'spec'), 'controller')
  const moved = now !== textAt(objectAt(old, 'spec'), 'controller')
  return [
    ...validateIngressClass(object),
    ...(moved ? [invalidValue('spec.controller', now, 'field is immutable')] : []),
  ]
}

const PROTOCOLS = ['TCP', 'UDP', 'SCTP']

/** A new or changed NetworkPolicy. */
export function validateNetworkPolicy(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  checkLabelSelector(errors, 'spec.podSelector', objectAt(spec, 'podSelector'))
  for (const [list, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    itemsAt(spec, list).forEach((rule, i) => {
      const at = `spec.${list}[${i}]`
      itemsAt(rule, 'ports').forEach((it, j) => checkPolicyPort(errors, `${at}.ports[${j}]`, it))
      itemsAt(rule, peers).forEach((it, j) => checkPeer(errors, `${at}.${peers}[${j}]`, it))
    })
  }
  checkPolicyTypes(errors, textsAt(spec, 'policyTypes'))
  return errors
}

function checkPolicyTypes(errors: Errors, types: readonly string[]): void {
  if (types.length > 2) {
    const why = 'may not specify more than two policyTypes'
    errors.push(invalidValue('spec.policyTypes', types, why))
    return
  }
  types.forEach((it, i) => checkOneOf(errors, `spec.policyTypes[${i}]`, it, ['Ingress', 'Egress']))
}

function checkPolicyPort(errors: Errors, field: string, port: Readable): void {
  const number = port['port']
  const end = numberAt(port, 'endPort')
  if (has(port, 'protocol')) {
    checkOneOf(errors, `${field}.protocol`, textAt(port, 'protocol'), PROTOCOLS)
  }
  if (has(port, 'port')) checkPort(errors, `${field}.port`, number)
  if (end === undefined) return
  const at = `${field}.endPort`
  if (!has(port, 'port')) {
    errors.push(invalidValue(at, end, 'may not be specified when `port` is not specified'))
  } else if (typeof number === 'string') {
    errors.push(invalidValue(at, end, 'may not be specified when `port` is non-numeric'))
  } else {
    if (end < Number(number)) {
      errors.push(invalidValue(at, number, 'must be greater than or equal to `port`'))
    }
    checkPort(errors, at, end)
  }
}

function checkPeer(errors: Errors, field: string, peer: Readable): void {
  const block = objectAt(peer, 'ipBlock')
  const others = ['podSelector', 'namespaceSelector'].filter((it) => has(peer, it))
  for (const name of others) checkLabelSelector(errors, `${field}.${name}`, objectAt(peer, name))
  if (block) checkBlock(errors, `${field}.ipBlock`, block)
  if (!block && others.length === 0) errors.push(required(field, 'must specify a peer'))
  if (block && others.length > 0) {
    errors.push(forbiddenField(field, 'may not specify both ipBlock and another peer'))
  }
}

function checkBlock(errors: Errors, field: string, block: Readable): void {
  const cidr = textAt(block, 'cidr')
  if (cidr === '') return void errors.push(required(`${field}.cidr`))
  checkCidr(errors, `${field}.cidr`, cidr)
  if (!isCidr(cidr)) return
  textsAt(block, 'except').forEach((it, i) => {
    checkCidr(errors, `${field}.except[${i}]`, it)
    if (!isCidr(it) || isWithin(it, cidr)) return
    const shown = ipRange(it)?.text ?? it
    errors.push(invalidValue(`${field}.except[${i}]`, shown, 'must be a strict subset of `cidr`'))
  })
}

/** Whether one range lies in another and is smaller; ranges of IPv6 are taken at their word. */
function isWithin(inner: string, outer: string): boolean {
  const a = ipRange(inner)
  const b = ipRange(outer)
  if (a === undefined || b === undefined) return true
  return a.size < b.size && a.first >= b.first && a.first + a.size <= b.first + b.size
}

/** A range of service addresses; it stays (ValidateServiceCIDR). */
export function validateServiceCidr(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const cidrs = textsAt(objectAt(object, 'spec'), 'cidrs')
  if (cidrs.length === 0) errors.push(required('spec.cidrs', 'at least one CIDR required'))
  if (cidrs.length > 2) {
    // The value is shown as Go's internal struct has it.
    return [invalidValue('spec.cidrs', { CIDRs: cidrs }, 'may only hold up to 2 values')]
  }
  cidrs.forEach((it, i) => checkCanonicalCidr(errors, `spec.cidrs[${i}]`, it))
  return errors
}

/** A range stays; a second one may join it, so that a cluster has both families. */
export function validateServiceCidrUpdate(
  object: Draft,
  old: UnknownObject,
): readonly FieldError[] {
  const at = 'spec.cidrs'
  const now = textsAt(objectAt(object, 'spec'), 'cidrs')
  const was = textsAt(objectAt(old, 'spec'), 'cidrs')
  const joins = was.length === 1 && now.length === 2
  if (!joins && now.length !== was.length)
    return [invalidValue(at, shownAt(objectAt(object, 'spec'), 'cidrs'), IMMUTABLE)]
  const moved = was.flatMap((it, i) =>
    it === now[i] ? [] : [invalidValue(`${at}[${i}]`, now[i], IMMUTABLE)],
  )
  return joins ? [...moved, ...validateServiceCidr(object)] : moved
}

const IMMUTABLE = 'field is immutable'

/** An address is its service's for as long as it is. */
export function validateIpAddressUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const now = objectAt(objectAt(object, 'spec'), 'parentRef')
  const was = objectAt(objectAt(old, 'spec'), 'parentRef')
  const errors = validateIpAddress(object)
  if (same(now, was)) return errors
  // The value is shown as Go's internal struct has it.
  const shown = now && {
    Group: textAt(now, 'group'),
    Resource: textAt(now, 'resource'),
    Namespace: textAt(now, 'namespace'),
    Name: textAt(now, 'name'),
  }
  return [...errors, invalidValue('spec.parentRef', shown ?? null, IMMUTABLE)]
}

/** The address of a service, named for itself. */
export function validateIpAddress(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  checkCanonicalIp(errors, 'metadata.name', object.metadata.name ?? '')
  const parent = objectAt(objectAt(object, 'spec'), 'parentRef')
  if (parent === undefined) return [...errors, required('spec.parentRef')]
  const group = textAt(parent, 'group')
  if (group !== '') checkName(errors, 'spec.parentRef.group', group, isDns1123Subdomain)
  for (const name of ['resource', 'name']) {
    requireText(errors, `spec.parentRef.${name}`, textAt(parent, name))
  }
  for (const name of ['resource', 'name', 'namespace']) {
    checkName(errors, `spec.parentRef.${name}`, textAt(parent, name), isPathSegmentName)
  }
  return errors
}

/** Old-style endpoints (ValidateEndpointsCreate). */
export function validateEndpoints(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  itemsAt(object, 'subsets').forEach((subset, i) => {
    const at = `subsets[${i}]`
    const lists = ['addresses', 'notReadyAddresses']
    if (lists.every((it) => itemsAt(subset, it).length === 0)) {
      errors.push(required(at, 'must specify `addresses` or `notReadyAddresses`'))
    }
    for (const list of lists) {
      itemsAt(subset, list).forEach((it, j) => checkAddress(errors, `${at}.${list}[${j}]`, it))
    }
    const ports = itemsAt(subset, 'ports')
    ports.forEach((it, j) => checkEndpointPort(errors, `${at}.ports[${j}]`, it, ports.length > 1))
  })
  return errors
}

function checkAddress(errors: Errors, field: string, address: Readable): void {
  const ip = textAt(address, 'ip')
  checkIp(errors, `${field}.ip`, ip)
  const host = textAt(address, 'hostname')
  if (host !== '') checkName(errors, `${field}.hostname`, host, isDns1123Label)
  if (has(address, 'nodeName')) {
    checkName(errors, `${field}.nodeName`, textAt(address, 'nodeName'), isDns1123Subdomain)
  }
  checkEndpointIp(errors, `${field}.ip`, ip)
}

function checkEndpointPort(errors: Errors, field: string, port: Readable, named: boolean): void {
  const name = textAt(port, 'name')
  if (named && name === '') errors.push(required(`${field}.name`))
  else if (name !== '') checkName(errors, `${field}.name`, name, isDns1123Label)
  checkPort(errors, `${field}.port`, numberAt(port, 'port') ?? 0)
  requireOneOf(errors, `${field}.protocol`, textAt(port, 'protocol'), ['SCTP', 'TCP', 'UDP'])
  if (has(port, 'appProtocol')) {
    checkName(errors, `${field}.appProtocol`, textAt(port, 'appProtocol'), isQualifiedName)
  }
}

/** Where an ingress listens. */
export function validateIngressStatus(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const points = itemsAt(objectAt(objectAt(object, 'status'), 'loadBalancer'), 'ingress')
  points.forEach((it, i) => checkIngressPoint(errors, `status.loadBalancer.ingress[${i}]`, it))
  return errors
}
