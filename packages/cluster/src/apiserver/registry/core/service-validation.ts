import {
  duplicate,
  forbiddenField,
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  isPortNumber,
  isQualifiedName,
  notSupported,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  has,
  itemsAt,
  mapAt,
  numberAt,
  objectAt,
  same,
  shownAt,
  textAt,
  textsAt,
  type Readable,
} from '../fields.ts'
import { checkName, checkOneOf, checkPort, requireOneOf, type Errors } from '../generic/checks.ts'
import { labelErrors } from '../generic/object-meta.ts'
import type { Draft } from '../strategy.ts'
import { checkCidr, checkEndpointIp, checkIp } from './ip-validation.ts'
import { familyOf } from './ip.ts'
import { needsHealthPort } from './service-addresses.ts'
import { externallyAccessible } from './service-defaults.ts'

const PROTOCOLS = ['SCTP', 'TCP', 'UDP']
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const DAY = 86400

const isHeadless = (spec: Readable): boolean => same(textsAt(spec, 'clusterIPs'), ['None'])
const specOf = (object: Readable): Readable => objectAt(object, 'spec') ?? {}

/** A new service (validateService). */
export function validateService(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = specOf(object)
  checkType(errors, spec)
  const names = new Set<string>()
  const ports = itemsAt(spec, 'ports')
  ports.forEach((it, i) =>
    checkServicePort(errors, `spec.ports[${i}]`, it, ports.length > 1, names),
  )
  labelErrors(mapAt(spec, 'selector'), 'spec.selector', errors)
  checkAffinity(errors, spec)
  errors.push(...clusterIpErrors(spec))
  textsAt(spec, 'externalIPs').forEach((ip, i) => {
    const before = errors.length
    checkIp(errors, `spec.externalIPs[${i}]`, ip)
    if (errors.length === before) checkEndpointIp(errors, `spec.externalIPs[${i}]`, ip)
  })
  requireOneOf(errors, 'spec.type', textAt(spec, 'type'), TYPES)
  checkPortConflicts(errors, spec)
  checkBalancer(errors, object, spec)
  checkTraffic(errors, spec)
  return errors
}

function checkType(errors: Errors, spec: Readable): void {
  const type = textAt(spec, 'type')
  if (itemsAt(spec, 'ports').length === 0 && !isHeadless(spec) && type !== 'ExternalName') {
    errors.push(required('spec.ports'))
  }
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    const why = `may not be set to 'None' for ${type} services`
    errors.push(invalidValue('spec.clusterIPs[0]', 'None', why))
  }
  if (type === 'ExternalName') checkExternalName(errors, spec)
}

function checkExternalName(errors: Errors, spec: Readable): void {
  for (const name of ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
    const isPointer = name === 'ipFamilyPolicy'
    if (!has(spec, name) || (!isPointer && textsAt(spec, name).length === 0)) continue
    errors.push(forbiddenField(`spec.${name}`, 'may not be set for ExternalName services'))
  }
  const name = textAt(spec, 'externalName').replace(/\.$/, '')
  if (name === '') errors.push(required('spec.externalName'))
  else checkName(errors, 'spec.externalName', name, isDns1123Subdomain)
}

function checkServicePort(
  errors: Errors,
  field: string,
  port: Readable,
  named: boolean,
  names: Set<string>,
): void {
  const name = textAt(port, 'name')
  if (named && name === '') errors.push(required(`${field}.name`))
  else if (name !== '') {
    checkName(errors, `${field}.name`, name, isDns1123Label)
    if (names.has(name)) errors.push(duplicate(`${field}.name`, name))
    names.add(name)
  }
  const number = numberAt(port, 'port') ?? 0
  for (const it of isPortNumber(number)) errors.push(invalidValue(`${field}.port`, number, it))
  requireOneOf(errors, `${field}.protocol`, textAt(port, 'protocol'), PROTOCOLS)
  checkPort(errors, `${field}.targetPort`, port['targetPort'])
  if (has(port, 'appProtocol')) {
    checkName(errors, `${field}.appProtocol`, textAt(port, 'appProtocol'), isQualifiedName)
  }
}

function checkAffinity(errors: Errors, spec: Readable): void {
  const affinity = textAt(spec, 'sessionAffinity')
  requireOneOf(errors, 'spec.sessionAffinity', affinity, ['ClientIP', 'None'])
  const at = 'spec.sessionAffinityConfig'
  if (affinity === 'None' && has(spec, 'sessionAffinityConfig')) {
    errors.push(forbiddenField(at, 'must not be set when session affinity is None'))
  }
  if (affinity !== 'ClientIP') return
  const client = objectAt(objectAt(spec, 'sessionAffinityConfig'), 'clientIP')
  const seconds = numberAt(client, 'timeoutSeconds') ?? 0
  if (seconds > 0 && seconds <= DAY) return
  const why = `must be greater than 0 and less than ${DAY}`
  errors.push(invalidValue(`${at}.clientIP.timeoutSeconds`, seconds, why))
}

function checkPortConflicts(errors: Errors, spec: Readable): void {
  const held = { node: new Set<string>(), port: new Set<string>() }
  const cluster = textAt(spec, 'type') === 'ClusterIP'
  itemsAt(spec, 'ports').forEach((port, i) => {
    const at = `spec.ports[${i}]`
    const protocol = textAt(port, 'protocol')
    const node = numberAt(port, 'nodePort') ?? 0
    if (node !== 0 && cluster) {
      errors.push(forbiddenField(`${at}.nodePort`, "may not be used when `type` is 'ClusterIP'"))
    }
    const nodeKey = `${protocol}/${node}`
    if (node !== 0 && held.node.has(nodeKey)) errors.push(duplicate(`${at}.nodePort`, node))
    held.node.add(nodeKey)
    const number = numberAt(port, 'port') ?? 0
    const key = `${protocol}/${number}`
    if (held.port.has(key)) errors.push(duplicate(at, goPort(protocol, number)))
    held.port.add(key)
  })
}

/** A port as Go prints it. */
const goPort = (protocol: string, port: number): unknown => ({
  Name: '',
  Protocol: protocol,
  AppProtocol: null,
  Port: port,
  TargetPort: 0,
  NodePort: 0,
})

const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges'
const ONLY_BALANCER = "may only be used when `type` is 'LoadBalancer'"

function checkBalancer(errors: Errors, object: Draft, spec: Readable): void {
  const balances = textAt(spec, 'type') === 'LoadBalancer'
  const ranges = textsAt(spec, 'loadBalancerSourceRanges')
  const annotated = object.metadata.annotations?.[RANGES]
  if (ranges.length > 0) {
    // Kubernetes writes the field's name like this.
    const at = 'spec.LoadBalancerSourceRanges'
    if (!balances) errors.push(forbiddenField(at, ONLY_BALANCER))
    ranges.forEach((it, i) => checkCidr(errors, `${at}[${i}]`, it.trim()))
  } else if (annotated !== undefined) {
    const at = `metadata.annotations[${RANGES}]`
    if (!balances) errors.push(forbiddenField(at, ONLY_BALANCER))
    if (annotated.trim() !== '') {
      for (const it of annotated.split(',')) checkCidr(errors, at, it.trim())
    }
  }
  if (!balances && has(spec, 'allocateLoadBalancerNodePorts')) {
    errors.push(forbiddenField('spec.allocateLoadBalancerNodePorts', ONLY_BALANCER))
  }
  checkBalancerClass(errors, spec)
}

function checkBalancerClass(errors: Errors, spec: Readable): void {
  if (!has(spec, 'loadBalancerClass')) return
  const at = 'spec.loadBalancerClass'
  if (textAt(spec, 'type') === 'LoadBalancer')
    checkName(errors, at, textAt(spec, 'loadBalancerClass'), isQualifiedName)
  else errors.push(forbiddenField(at, ONLY_BALANCER))
}

function checkTraffic(errors: Errors, spec: Readable): void {
  const outside = textAt(spec, 'externalTrafficPolicy')
  const at = 'spec.externalTrafficPolicy'
  if (externallyAccessible(spec)) {
    requireOneOf(errors, at, outside, ['Cluster', 'Local'])
  } else if (outside !== '') {
    errors.push(invalidValue(at, outside, 'may only be set for externally-accessible services'))
  }
  const health = numberAt(spec, 'healthCheckNodePort') ?? 0
  if (!needsHealthPort(spec) && health !== 0) {
    const why =
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    errors.push(invalidValue('spec.healthCheckNodePort', health, why))
  } else if (health !== 0) {
    for (const it of isPortNumber(health)) {
      errors.push(invalidValue('spec.healthCheckNodePort', health, it))
    }
  }
  if (has(spec, 'internalTrafficPolicy')) {
    const inside = textAt(spec, 'internalTrafficPolicy')
    checkOneOf(errors, 'spec.internalTrafficPolicy', inside, ['Cluster', 'Local'])
  }
  if (has(spec, 'trafficDistribution')) {
    checkOneOf(errors, 'spec.trafficDistribution', textAt(spec, 'trafficDistribution'), [
      'PreferClose',
      'PreferSameZone',
      'PreferSameNode',
    ])
  }
}

/** Addresses and families of a service (ValidateServiceClusterIPsRelatedFields). */
export function clusterIpErrors(spec: Readable): readonly FieldError[] {
  if (textAt(spec, 'type') === 'ExternalName') return []
  const errors: Errors = []
  const at = 'spec.clusterIPs'
  const ips = textsAt(spec, 'clusterIPs')
  const first = textAt(spec, 'clusterIP')
  if (first === '' && ips.length > 0) {
    errors.push(invalidValue(at, ips, 'must be empty when `clusterIP` is not specified'))
  } else if (first !== '' && ips.length === 0) errors.push(required(at))
  else if (first !== '' && ips[0] !== first) {
    errors.push(invalidValue(at, ips, 'first value must match `clusterIP`'))
  }
  checkFamilies(errors, spec)
  const before = errors.length
  checkIps(errors, at, ips)
  const bad = errors.length > before
  if (ips.length > 2) errors.push(invalidValue(at, ips, 'may only hold up to 2 values'))
  if (bad) return errors
  if (ips.length > 1 && new Set(ips.map(familyOf)).size < ips.length) {
    errors.push(invalidValue(at, ips, 'may specify no more than one IP for each IP family'))
  }
  if (!isHeadless(spec)) checkMatching(errors, ips, textsAt(spec, 'ipFamilies'))
  return errors
}

function checkFamilies(errors: Errors, spec: Readable): void {
  const families = textsAt(spec, 'ipFamilies')
  families.forEach((family, i) => {
    const at = `spec.ipFamilies[${i}]`
    checkOneOf(errors, at, family, ['IPv4', 'IPv6'])
    if (families.indexOf(family) < i) errors.push(duplicate(at, family))
  })
  if (!has(spec, 'ipFamilyPolicy')) return
  const policy = textAt(spec, 'ipFamilyPolicy')
  const known = ['PreferDualStack', 'RequireDualStack', 'SingleStack']
  if (!known.includes(policy)) errors.push(notSupported('spec.ipFamilyPolicy', policy, known))
}

function checkIps(errors: Errors, field: string, ips: readonly string[]): void {
  ips.forEach((ip, i) => {
    if (i > 0 || ip !== 'None') checkIp(errors, `${field}[${i}]`, ip)
    else if (ips.length > 1) {
      errors.push(invalidValue(field, ips, "'None' must be the first and only value"))
    }
  })
}

function checkMatching(errors: Errors, ips: readonly string[], families: readonly string[]): void {
  ips.forEach((ip, i) => {
    const family = families[i]
    if ((family !== 'IPv4' && family !== 'IPv6') || family === familyOf(ip)) return
    const article = family === 'IPv4' ? 'an IPv4' : 'an IPv6'
    const why = `expected ${article} value as indicated by \`ipFamilies[${i}]\``
    errors.push(invalidValue(`spec.clusterIPs[${i}]`, ip, why))
  })
}

const ONCE = 'may not change once set'

/** What an update may not change of a service (ValidateServiceUpdate). */
export function validateServiceUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  const spec = specOf(object)
  const before = specOf(old)
  const external = [spec, before].some((it) => textAt(it, 'type') === 'ExternalName')
  if (!external && !(isHeadless(spec) && isHeadless(before))) checkIpsStay(errors, spec, before)
  if (!external && !isHeadless(spec) && !isHeadless(before)) checkFamiliesStay(errors, spec, before)
  const balance = [spec, before].every((it) => textAt(it, 'type') === 'LoadBalancer')
  if (balance && !same(spec['loadBalancerClass'], before['loadBalancerClass'])) {
    errors.push(invalidValue('spec.loadBalancerClass', spec['loadBalancerClass'] ?? null, ONCE))
  }
  // Once here, and once more among the rules of every service.
  checkBalancerClass(errors, spec)
  const health = needsHealthPort(spec) && needsHealthPort(before)
  if (health && !same(spec['healthCheckNodePort'], before['healthCheckNodePort'])) {
    errors.push(forbiddenField('spec.healthCheckNodePort', 'field is immutable'))
  }
  return [...errors, ...validateService(object)]
}

function checkIpsStay(errors: Errors, spec: Readable, before: Readable): void {
  const now = textsAt(spec, 'clusterIPs')
  const was = textsAt(before, 'clusterIPs')
  if (was.length > now.length && now.length === 0) {
    errors.push(invalidValue('spec.clusterIPs[0]', now, 'primary clusterIP can not be unset'))
    return
  }
  was.slice(0, was.length === now.length ? was.length : 1).forEach((ip, i) => {
    if (ip !== now[i]) errors.push(invalidValue(`spec.clusterIPs[${i}]`, now, ONCE))
  })
}

/** Families may come and go, but the first stays (validateUpgradeDowngradeIPFamilies). */
function checkFamiliesStay(errors: Errors, spec: Readable, before: Readable): void {
  const at = 'spec.ipFamilies[0]'
  const now = textsAt(spec, 'ipFamilies')
  const was = textsAt(before, 'ipFamilies')
  const ips = textsAt(spec, 'clusterIPs')
  if (now.length === was.length) {
    for (const [i, it] of was.entries()) if (it !== now[i]) errors.push(invalidValue(at, now, ONCE))
    return
  }
  const released = was.length > now.length
  if (released && ips.length === 0)
    errors.push(invalidValue(at, shownAt(spec, 'ipFamilies'), 'primary ipFamily can not be unset'))
  if (was.length > 0 && now.length > 0 && now[0] !== was[0])
    errors.push(invalidValue(at, shownAt(spec, 'clusterIPs'), ONCE))
  if (!released || now.length !== 1 || textAt(spec, 'ipFamilyPolicy') === 'SingleStack') return
  const why = "must be set to 'SingleStack' when releasing the secondary ipFamily"
  errors.push(invalidValue('spec.ipFamilyPolicy', spec['ipFamilyPolicy'] ?? null, why))
}

/** Where a balancer listens (ValidateLoadBalancerStatus). */
export function validateServiceStatus(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const field = 'status.loadBalancer.ingress'
  const ingress = itemsAt(objectAt(objectAt(object, 'status'), 'loadBalancer'), 'ingress')
  if (textAt(objectAt(object, 'spec'), 'type') !== 'LoadBalancer' && ingress.length > 0) {
    return [forbiddenField(field, "may only be used when `spec.type` is 'LoadBalancer'")]
  }
  ingress.forEach((it, i) => {
    checkIngressPoint(errors, `${field}[${i}]`, it)
    if (textAt(it, 'ip') !== '' && !has(it, 'ipMode'))
      errors.push(required(`${field}[${i}].ipMode`, 'must be specified when `ip` is set'))
  })
  return errors
}

/** One address or name that leads in; ingresses have them too. */
export function checkIngressPoint(errors: Errors, at: string, point: Readable): void {
  const ip = textAt(point, 'ip')
  const hostname = textAt(point, 'hostname')
  if (ip !== '') checkIp(errors, `${at}.ip`, ip)
  if (has(point, 'ipMode')) {
    if (ip === '') {
      errors.push(forbiddenField(`${at}.ipMode`, 'may not be specified when `ip` is not set'))
    } else checkOneOf(errors, `${at}.ipMode`, textAt(point, 'ipMode'), ['Proxy', 'VIP'])
  }
  if (hostname === '') return
  checkName(errors, `${at}.hostname`, hostname, isDns1123Subdomain)
  if (familyOf(hostname) !== undefined) {
    const why = 'must be a DNS name, not an IP address'
    errors.push(invalidValue(`${at}.hostname`, hostname, why))
  }
}
