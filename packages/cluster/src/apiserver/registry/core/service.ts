import type { UnknownObject } from 'kubewright/machinery'
import { nameIsDnsLabel } from 'kubewright/machinery'
import {
  ensureObject,
  itemsAt,
  keep,
  numberAt,
  objectAt,
  same,
  textAt,
  textsAt,
  type Fields,
  type Readable,
} from '../fields.ts'
import { statusOnly } from '../generic/whole-and-status.ts'
import type { Draft, Strategy, StrategyContext } from '../strategy.ts'
import {
  allocateClusterIps,
  allocateHealthPort,
  allocateNodePorts,
  DEFAULT_NETWORKS,
  needsHealthPort,
  nodePorts,
  takenAddresses,
} from './service-addresses.ts'
import type { IpFamily } from './address-range.ts'
import { defaultService, externallyAccessible } from './service-defaults.ts'
import { fillFamilies, needsClusterIp } from './service-families.ts'
import {
  validateService,
  validateServiceStatus,
  validateServiceUpdate,
} from './service-validation.ts'
import { serviceWarnings } from './service-warnings.ts'

const needsNodePorts = (spec: Readable | undefined): boolean =>
  textAt(spec, 'type') === 'NodePort' || textAt(spec, 'type') === 'LoadBalancer'

const isHeadless = (spec: Readable): boolean => textsAt(spec, 'clusterIPs')[0] === 'None'

async function prepareForCreate(object: Draft, context: StrategyContext): Promise<void> {
  const spec = ensureObject(object, 'spec')
  const name = object.metadata.name ?? ''
  if (textAt(spec, 'clusterIP') !== '' && textsAt(spec, 'clusterIPs').length === 0) {
    spec['clusterIPs'] = [spec['clusterIP']]
  }
  fillFamilies(spec, undefined, name, familiesOf(context))
  await allocate(spec, undefined, name, context)
  object['status'] = { loadBalancer: {} }
}

const familiesOf = ({ networks = DEFAULT_NETWORKS }: StrategyContext): readonly IpFamily[] =>
  networks.families

/** One that prefers both families keeps what it has, whatever the cluster has now (isMatchingPreferDualStackClusterIPFields). */
const isSettledDual = (spec: Readable, before: Readable): boolean =>
  needsClusterIp(spec) &&
  needsClusterIp(before) &&
  textAt(spec, 'ipFamilyPolicy') === 'PreferDualStack' &&
  ['ipFamilyPolicy', 'clusterIPs', 'ipFamilies'].every((it) => same(spec[it], before[it]))

/** Looks at the other services only when something has to be given. */
async function allocate(
  spec: Fields,
  old: UnknownObject | undefined,
  name: string,
  context: StrategyContext,
): Promise<void> {
  const before = objectAt(old, 'spec')
  const kept = needsClusterIp(before) ? textsAt(before, 'clusterIPs') : []
  const wantsIp =
    needsClusterIp(spec) &&
    !isHeadless(spec) &&
    (old === undefined ||
      !needsClusterIp(before) ||
      // A second family comes with an address; a service that was made without any stays without (updateClusterIPs).
      (textsAt(before, 'ipFamilies').length === 1 && textsAt(spec, 'ipFamilies').length === 2))
  const wantsPorts = needsNodePorts(spec) && !portsSettled(spec, before)
  if (!wantsIp && !wantsPorts && !needsHealthPort(spec)) return
  const taken = await takenAddresses(context, name)
  if (wantsIp) allocateClusterIps(spec, old ? kept : [], name, taken, context)
  if (wantsPorts) allocateNodePorts(spec, old, name, taken, context)
  allocateHealthPort(spec, old, taken, context)
}

function portsSettled(spec: Readable, before: Readable | undefined): boolean {
  if (before === undefined) return false
  const held = new Set(nodePorts(before))
  return itemsAt(spec, 'ports').every((it) => held.has(numberAt(it, 'nodePort') ?? 0))
}

async function prepareForUpdate(
  object: Draft,
  old: UnknownObject,
  context: StrategyContext,
): Promise<void> {
  const spec = ensureObject(object, 'spec')
  const before = objectAt(old, 'spec') ?? {}
  keepAllocated(spec, before)
  followClusterIp(spec, before)
  if (!isSettledDual(spec, before))
    fillFamilies(spec, old, object.metadata.name ?? '', familiesOf(context))
  await allocate(spec, old, object.metadata.name ?? '', context)
  keep(object, old, 'status')
  dropOtherTypes(object, spec, before)
}

/** A client need not repeat what it was given (patchAllocatedValues). */
function keepAllocated(spec: Fields, before: Readable): void {
  if (needsClusterIp(before) && needsClusterIp(spec)) {
    if (textAt(spec, 'clusterIP') === '') keep(spec, before, 'clusterIP')
    if (textsAt(spec, 'clusterIPs').length === 0) keep(spec, before, 'clusterIPs')
  }
  if (needsNodePorts(before) && needsNodePorts(spec)) keepNodePorts(spec, before)
  if (needsHealthPort(before) && needsHealthPort(spec) && !numberAt(spec, 'healthCheckNodePort')) {
    keep(spec, before, 'healthCheckNodePort')
  }
}

function keepNodePorts(spec: Fields, before: Readable): void {
  const now = new Set(nodePortNumbers(spec))
  const used = new Set(nodePortNumbers(before).filter((it) => now.has(it)))
  const byName = new Map(
    itemsAt(before, 'ports').map((it) => [textAt(it, 'name'), numberAt(it, 'nodePort') ?? 0]),
  )
  for (const port of itemsAt(spec, 'ports')) {
    if (numberAt(port, 'nodePort')) continue
    const held = byName.get(textAt(port, 'name')) ?? 0
    if (held && !used.has(held)) port['nodePort'] = held
  }
}

const nodePortNumbers = (spec: Readable): readonly number[] =>
  itemsAt(spec, 'ports').flatMap((it) => numberAt(it, 'nodePort') || [])

/** `clusterIP` is the first of `clusterIPs`; a client that knows only the first changes both (normalizeClusterIPs). */
function followClusterIp(spec: Fields, before: Readable): void {
  const ip = textAt(spec, 'clusterIP')
  const was = textAt(before, 'clusterIP')
  if (ip === was || !same(textsAt(spec, 'clusterIPs'), textsAt(before, 'clusterIPs'))) return
  if (was !== '' && ip === '') delete spec['clusterIPs']
  else spec['clusterIPs'] = [ip]
}

/** What a new type has no use for goes, unless the client changed it (dropTypeDependentFields). */
function dropOtherTypes(object: Draft, spec: Fields, before: Readable): void {
  const unchanged = (field: string): boolean => same(spec[field], before[field])
  if (needsClusterIp(before) && !needsClusterIp(spec)) {
    if (unchanged('clusterIP') && unchanged('clusterIPs')) {
      delete spec['clusterIP']
      delete spec['clusterIPs']
    }
    for (const field of ['ipFamilies', 'ipFamilyPolicy']) if (unchanged(field)) delete spec[field]
  }
  if (needsNodePorts(before) && !needsNodePorts(spec)) dropNodePorts(spec, before)
  if (needsHealthPort(before) && !needsHealthPort(spec) && unchanged('healthCheckNodePort')) {
    delete spec['healthCheckNodePort']
  }
  if (textAt(spec, 'type') !== 'LoadBalancer') {
    if (textAt(before, 'type') === 'LoadBalancer') {
      for (const field of ['allocateLoadBalancerNodePorts', 'loadBalancerClass']) {
        if (unchanged(field)) delete spec[field]
      }
    }
    object['status'] = { ...objectAt(object, 'status'), loadBalancer: {} }
  }
  const outside = externallyAccessible(before) && !externallyAccessible(spec)
  if (outside && unchanged('externalTrafficPolicy')) delete spec['externalTrafficPolicy']
}

function dropNodePorts(spec: Fields, before: Readable): void {
  const held = new Set(nodePortNumbers(before))
  if (!nodePortNumbers(spec).every((it) => held.has(it))) return
  for (const port of itemsAt(spec, 'ports')) delete port['nodePort']
}

/** Service (kubernetes/pkg/registry/core/service: strategy.go, storage/storage.go, storage/alloc.go). */
export const SERVICE: Strategy = Object.freeze({
  applyDefaults: defaultService,
  prepareForCreate,
  validate: validateService,
  prepareForUpdate,
  validateUpdate: validateServiceUpdate,
  // Only services with an address of the cluster have use for it.
  canonicalize: (object: Draft) => {
    const spec = objectAt(object, 'spec')
    if (textAt(spec, 'type') === 'ExternalName') delete spec?.['internalTrafficPolicy']
  },
  warningsOnCreate: serviceWarnings,
  warningsOnUpdate: serviceWarnings,
  allowCreateOnUpdate: true,
  // Names may begin with a digit since v1.34 (RelaxedServiceNameValidation).
  validateName: nameIsDnsLabel,
  resetFields: [['f:status']],
  selectableFields: {
    'spec.clusterIP': (it: UnknownObject) => textAt(objectAt(it, 'spec'), 'clusterIP'),
    'spec.type': (it: UnknownObject) => textAt(objectAt(it, 'spec'), 'type'),
  },
  subresources: { status: { ...statusOnly(), validateUpdate: validateServiceStatus } },
})
