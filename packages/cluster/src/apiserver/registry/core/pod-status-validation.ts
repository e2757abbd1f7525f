import { isIP, isIPv6 } from 'node:net'
import {
  duplicate,
  forbiddenField,
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  rangeProblem,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { has, itemsAt, numberAt, objectAt, textAt, type Readable } from '../fields.ts'
import { checkName, checkOneOf, requireName, type Errors } from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { checkIp } from './ip-validation.ts'
import { canRestartAll, restartsAfter } from './pod-restarts.ts'
import { resourcesAt } from './resource-list.ts'

const SYSTEM_CONDITIONS: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'Initialized'])
const STATUSES = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses']
const NO_NEGATIVE = 'must be a non-negative integer'

/** A write of a pod's status (ValidatePodStatusUpdate). */
export function validatePodStatus(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const status = objectAt(object, 'status') ?? {}
  const before = objectAt(old, 'status') ?? {}
  checkConditions(errors, status)
  checkNomination(errors, status, before, objectAt(old, 'spec'))
  const generation = numberAt(status, 'observedGeneration') ?? 0
  if (generation < 0) {
    errors.push(invalidValue('status.observedGeneration', generation, NO_NEGATIVE))
  }
  if (textAt(status, 'qosClass') !== textAt(before, 'qosClass')) {
    errors.push(invalidValue('status.qosClass', textAt(status, 'qosClass'), 'field is immutable'))
  }
  checkEnds(errors, status, before, objectAt(old, 'spec'))
  checkClaims(errors, status, spec)
  checkExtendedClaim(errors, status, spec)
  checkIps(errors, 'podIPs', status, before)
  checkIps(errors, 'hostIPs', status, before)
  for (const list of STATUSES) checkUsers(errors, list, status, spec)
  for (const list of STATUSES) checkAllocated(errors, list, status, spec)
  return errors
}

function checkConditions(errors: Errors, status: Readable): void {
  itemsAt(status, 'conditions').forEach((it, i) => {
    const at = `status.conditions[${i}]`
    const type = textAt(it, 'type')
    const generation = numberAt(it, 'observedGeneration') ?? 0
    if (generation < 0) {
      errors.push(invalidValue(`${at}.observedGeneration`, generation, NO_NEGATIVE))
    }
    if (!SYSTEM_CONDITIONS.has(type)) checkName(errors, `${at}.Type`, type, isQualifiedName)
  })
}

function checkNomination(
  errors: Errors,
  status: Readable,
  before: Readable,
  spec: Readable | undefined,
): void {
  const at = 'status.nominatedNodeName'
  const name = textAt(status, 'nominatedNodeName')
  if (name === '' || name === textAt(before, 'nominatedNodeName')) return
  checkName(errors, at, name, isDns1123Subdomain)
  if (textAt(spec, 'nodeName') === '') return
  errors.push(forbiddenField(at, 'may not be set on pods that are already bound to a node'))
}

/** A container that ended for good does not come back (ValidateContainerStateTransition and its siblings). */
function checkEnds(
  errors: Errors,
  status: Readable,
  before: Readable,
  spec: Readable | undefined,
): void {
  for (const list of STATUSES) {
    const containers = CONTAINERS[list]
    if (containers !== undefined && canRestartAll(spec)) continue
    itemsAt(before, list).forEach((was, i) => {
      const ended = objectAt(objectAt(was, 'state'), 'terminated')
      const next = itemsAt(status, list).find((it) => it['name'] === was['name'])
      if (!ended || !next || objectAt(objectAt(next, 'state'), 'terminated')) return
      const container =
        containers && itemsAt(spec, containers).find((it) => it['name'] === was['name'])
      if (container && restartsAfter(container, spec, numberAt(ended, 'exitCode') ?? 0)) return
      const why = 'may not be transitioned to non-terminated state'
      errors.push(forbiddenField(`status.${list}[${i}].state`, why))
    })
  }
}

/** Ephemeral containers are never started again. */
const CONTAINERS: Readonly<Record<string, string>> = {
  containerStatuses: 'containers',
  initContainerStatuses: 'initContainers',
}

function checkClaims(errors: Errors, status: Readable, spec: Readable): void {
  const known = itemsAt(spec, 'resourceClaims').map((it) => textAt(it, 'name'))
  const seen = new Set<string>()
  itemsAt(status, 'resourceClaimStatuses').forEach((it, i) => {
    const at = `status.resourceClaimStatuses[${i}]`
    const name = textAt(it, 'name')
    if (!known.includes(name)) {
      const why = 'must match the name of an entry in `spec.resourceClaims`'
      errors.push(invalidValue(`${at}.name`, name, why))
    }
    if (seen.has(name)) errors.push(duplicate(`${at}.name`, name))
    seen.add(name)
    if (!has(it, 'resourceClaimName')) return
    const claim = textAt(it, 'resourceClaimName')
    checkName(errors, `${at}.resourceClaimName`, claim, isDns1123Subdomain)
  })
}

/** The claim that was made for extended resources (KEP-5004). */
function checkExtendedClaim(errors: Errors, status: Readable, spec: Readable): void {
  const claim = objectAt(status, 'extendedResourceClaimStatus')
  if (!claim) return
  const at = 'status.extendedResourceClaimStatus'
  const mappings = itemsAt(claim, 'requestMappings')
  if (mappings.length === 0) {
    errors.push(required(`${at}.requestMappings`, 'at least one request mapping is required'))
  }
  const seen = new Set<string>()
  mappings.forEach((it, i) => {
    const field = `${at}.requestMappings[${i}]`
    checkMapping(errors, field, it, spec)
    checkName(errors, `${at}.requestName`, textAt(it, 'requestName'), isDns1123Label)
    const key = MAPPED.map((name) => textAt(it, name)).join('\u0000')
    if (seen.has(key)) {
      for (const name of MAPPED) errors.push(duplicate(`${field}.${name}`, textAt(it, name)))
    }
    seen.add(key)
  })
  const name = textAt(claim, 'resourceClaimName')
  requireName(errors, `${at}.resourceClaimName`, name, isDns1123Subdomain)
}

const MAPPED = ['containerName', 'resourceName', 'requestName']

function checkMapping(errors: Errors, field: string, mapping: Readable, spec: Readable): void {
  const name = textAt(mapping, 'containerName')
  const resource = textAt(mapping, 'resourceName')
  const container = [...itemsAt(spec, 'containers'), ...itemsAt(spec, 'initContainers')].find(
    (it) => it['name'] === name,
  )
  if (!container) {
    const why =
      'must match the name of an entry in spec.initContainers.name or spec.containers.name'
    errors.push(invalidValue(`${field}.containerName`, name, why))
  } else if (resourcesAt(objectAt(container, 'resources'), 'requests')[resource] === undefined) {
    const why =
      'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests'
    errors.push(invalidValue(`${field}.resourceName`, resource, why))
  }
}

/** Addresses that were there may stay as they are; new ones are well written, one of each family. */
function checkIps(
  errors: Errors,
  list: 'podIPs' | 'hostIPs',
  status: Readable,
  before: Readable,
): void {
  const at = `status.${list}`
  const ips = itemsAt(status, list).map((it) => textAt(it, 'ip'))
  const held = new Set(itemsAt(before, list).map((it) => textAt(it, 'ip')))
  if (list === 'hostIPs' && ips.length > 0 && ips[0] !== textAt(status, 'hostIP')) {
    errors.push(invalidValue(`${at}[0].ip`, ips[0], 'must be equal to `hostIP`'))
  }
  ips.forEach((ip, i) => {
    if (!held.has(ip)) checkIp(errors, `${at}[${i}]`, ip)
  })
  if (ips.length < 2) return
  const wrong = ips.findIndex((it) => isIP(withoutZeros(it)) === 0)
  if (wrong >= 0) {
    const detail = `failed to check for dual stack with error:invalid IP[${wrong}]: ${ips[wrong]}`
    errors.push({ type: 'InternalError', field: at, detail })
  }
  const isPair = wrong < 0 && ips.length === 2 && isIPv6(ips[0]!) !== isIPv6(ips[1]!)
  if (isPair) return
  const shown = itemsAt(status, list).map((it) => ({ IP: textAt(it, 'ip') }))
  errors.push(invalidValue(at, shown, 'may specify no more than one IP for each IP family'))
}

/** Go once read numbers with zeros in front, and still does here. */
const withoutZeros = (ip: string): string => ip.replaceAll(/\b0+(?=\d)/g, '')

const MAX_ID = 2 ** 31 - 1

/** Who a container runs as (KEP-3619). */
function checkUsers(errors: Errors, list: string, status: Readable, spec: Readable): void {
  const isWindows = textAt(objectAt(spec, 'os'), 'name') === 'windows'
  itemsAt(status, list).forEach((it, i) => {
    const at = `status.${list}[${i}].user.linux`
    const user = objectAt(objectAt(it, 'user'), 'linux')
    if (!user) return
    if (isWindows) {
      return void errors.push(forbiddenField(at, 'cannot be set for a windows pod'))
    }
    const groups = (user['supplementalGroups'] as readonly number[] | null | undefined) ?? []
    checkId(errors, `${at}.uid`, numberAt(user, 'uid') ?? 0)
    checkId(errors, `${at}.gid`, numberAt(user, 'gid') ?? 0)
    groups.forEach((group, j) => checkId(errors, `${at}.supplementalGroups[${j}]`, group))
  })
}

function checkId(errors: Errors, field: string, id: number): void {
  if (id < 0 || id > MAX_ID) errors.push(invalidValue(field, id, rangeProblem(0, MAX_ID)))
}

const HEALTHS = ['Healthy', 'Unhealthy', 'Unknown']
const CLAIM = 'claim:'

/** How the devices of a container are (KEP-4680). */
function checkAllocated(errors: Errors, list: string, status: Readable, spec: Readable): void {
  itemsAt(status, list).forEach((it, i) => {
    const at = `status.${list}[${i}].allocatedResourcesStatus`
    const resources = itemsAt(it, 'allocatedResourcesStatus')
    const containers = CONTAINERS[list]
    if (containers === undefined) {
      if (has(it, 'allocatedResourcesStatus')) {
        errors.push(forbiddenField(at, 'must not be specified in container status'))
      }
      return
    }
    const container = itemsAt(spec, containers).find((each) => each['name'] === it['name'])
    resources.forEach((resource, j) => {
      if (container) checkAllocatedName(errors, `${at}[${j}].name`, resource, container)
      checkHealth(errors, `${at}[${j}].resources`, resource)
    })
  })
}

function checkAllocatedName(
  errors: Errors,
  field: string,
  resource: Readable,
  container: Readable,
): void {
  const name = textAt(resource, 'name')
  const resources = objectAt(container, 'resources')
  if (!name.startsWith(CLAIM)) {
    if (resourcesAt(resources, 'requests')[name] !== undefined) return
    const why = "must match one of the container's resource requests"
    return void errors.push(invalidValue(field, name, why))
  }
  const claims = itemsAt(resources, 'claims').map((it) =>
    [CLAIM + textAt(it, 'name'), textAt(it, 'request')].filter((part) => part !== '').join('/'),
  )
  if (claims.includes(name)) return
  const why =
    "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
  errors.push(invalidValue(field, name, why))
}

function checkHealth(errors: Errors, field: string, resource: Readable): void {
  const seen = new Set<string>()
  itemsAt(resource, 'resources').forEach((it, i) => {
    const id = textAt(it, 'resourceID')
    checkOneOf(errors, `${field}[${i}].health`, textAt(it, 'health'), HEALTHS)
    if (it['message'] === '') {
      errors.push(required(`${field}[${i}].message`, 'must be non-empty if specified'))
    }
    if (seen.has(id)) errors.push(duplicate(`${field}[${i}].resourceID`, id))
    seen.add(id)
  })
}
