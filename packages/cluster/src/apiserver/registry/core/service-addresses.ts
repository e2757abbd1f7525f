import {
  internalError,
  invalid,
  invalidValue,
  isPortNumber,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  flagAt,
  itemsAt,
  numberAt,
  objectAt,
  textAt,
  textsAt,
  type Fields,
  type Readable,
} from '../fields.ts'
import type { StrategyContext } from '../strategy.ts'
import {
  addressAt,
  addressRange,
  type AddressRange,
  type IpFamily,
  offsetIn,
  usableOf,
} from './address-range.ts'
import { familyOf } from './ip.ts'

const KIND = { group: '', kind: 'Service' }
/** Which families of addresses services may have, the usual one first, and which ports of nodes. */
export interface ServiceNetworks {
  readonly families: readonly IpFamily[]
  readonly nodePorts: { readonly first: number; readonly last: number }
}

/** What a server has that is not told otherwise. */
export const DEFAULT_NETWORKS: ServiceNetworks = Object.freeze<ServiceNetworks>({
  families: ['IPv4'],
  nodePorts: { first: 30000, last: 32767 },
})

/** Where addresses come from until a ServiceCIDR says otherwise (kube-apiserver --service-cluster-ip-range). */
export const DEFAULT_RANGE = '10.0.0.0/16'

/** The label by which an IPAddress says who keeps it, and what stands there in those of services. */
export const MANAGED = 'ipaddress.kubernetes.io/managed-by'
export const ALLOCATOR = 'ipallocator.k8s.io'

/** What other services hold already. */
export interface Taken {
  readonly ips: ReadonlySet<string>
  readonly ports: Set<number>
  readonly ranges: readonly AddressRange[]
  readonly nodePorts: ServiceNetworks['nodePorts']
  /** The ports that a dry run has given away. */
  readonly pretended: number[]
}

/** Reads which addresses and ports every service but the one named holds, and which addresses somebody keeps for himself. */
export async function takenAddresses(context: StrategyContext, name: string): Promise<Taken> {
  const ips = new Set<string>()
  const ports = new Set<number>()
  for (const service of await context.all('/services', '')) {
    const { metadata } = service
    if (metadata.name === name && metadata.namespace === context.namespace) continue
    const spec = objectAt(service, 'spec')
    for (const ip of textsAt(spec, 'clusterIPs')) ips.add(ip)
    for (const port of nodePorts(spec)) ports.add(port)
  }
  for (const { metadata } of await context.all('networking.k8s.io/ipaddresses', '')) {
    // Those of services are as theirs; anybody else's holds its address too.
    if (metadata.labels?.[MANAGED] !== ALLOCATOR && metadata.name) ips.add(metadata.name)
  }
  const { nodePorts: range } = context.networks ?? DEFAULT_NETWORKS
  const ranges = await serviceRanges(context)
  return { ips, ports, pretended: [], nodePorts: range, ranges }
}

async function serviceRanges(context: StrategyContext): Promise<readonly AddressRange[]> {
  const found = (await context.all('networking.k8s.io/servicecidrs', ''))
    .filter((it) => it.metadata.deletionTimestamp === undefined)
    .flatMap((it) => textsAt(objectAt(it, 'spec'), 'cidrs'))
    .flatMap((it) => addressRange(it) ?? [])
  return found.length > 0 ? found : [addressRange(DEFAULT_RANGE)!]
}

/** The node ports that a spec holds. */
export function nodePorts(spec: Readable | undefined): readonly number[] {
  const ports = itemsAt(spec, 'ports').flatMap((it) => numberAt(it, 'nodePort') || [])
  const health = numberAt(spec, 'healthCheckNodePort')
  return health ? [...ports, health] : ports
}

const refuse = (name: string, field: string, value: unknown, why: string): Error =>
  invalid(KIND, name, [invalidValue(field, value, why)])

/**
 * Gives a cluster IP of each family that a service has: the one asked for when it is free, else one by chance. `kept` are those that
 * it has already. Throws an Invalid ApiError.
 */
export function allocateClusterIps(
  spec: Fields,
  kept: readonly string[],
  name: string,
  taken: Taken,
  context: StrategyContext,
): void {
  const asked = textsAt(spec, 'clusterIPs')
  const given = textsAt(spec, 'ipFamilies').map((family, i) => {
    const ip = asked[i] ?? ''
    if (ip === '') return freshIp(family as IpFamily, name, taken, context)
    if (!kept.includes(ip)) claimIp(ip, asked, name, taken, context)
    return ip
  })
  spec['clusterIPs'] = given
  spec['clusterIP'] = given[0]
}

function freshIp(family: IpFamily, name: string, taken: Taken, context: StrategyContext): string {
  const ranges = taken.ranges.filter((it) => it.family === family)
  const [range] = ranges
  // A dry run does not look for one that is free.
  const ip = context.dryRun && range ? addressAt(range, 0n) : freeIp(ranges, taken, context)
  if (ip !== undefined) return ip
  throw internalError(`failed to allocate a serviceIP for Service "${name}": range is full`)
}

function claimIp(
  ip: string,
  asked: readonly string[],
  name: string,
  taken: Taken,
  context: StrategyContext,
): void {
  const problem = context.dryRun ? dryProblem(ip, taken) : ipProblem(ip, taken)
  if (problem === undefined) return
  throw refuse(name, 'spec.clusterIPs', asked, `failed to allocate IP ${ip}: ${problem}`)
}

/** A dry run looks at the range alone, and takes nothing. */
function dryProblem(ip: string, { ranges }: Taken): string | undefined {
  if (ranges.some((it) => offsetIn(it, ip) !== undefined)) return undefined
  const own = ranges.find((it) => it.family === familyOf(ip)) ?? ranges[0]!
  return `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${own.cidr}`
}

function ipProblem(ip: string, taken: Taken): string | undefined {
  if (taken.ips.has(ip)) return 'provided IP is already allocated'
  const isUsable = taken.ranges.some((it) => {
    const offset = offsetIn(it, ip)
    const { from, to } = usableOf(it)
    return offset !== undefined && offset >= from && offset < to
  })
  return isUsable ? undefined : 'the provided network does not match the current range'
}

/**
 * A free address by chance. Kubernetes keeps the low part of a range for those who ask for an address (KEP-3070): a sixteenth of
 * it, between 16 and 256 addresses.
 */
function freeIp(
  ranges: readonly AddressRange[],
  taken: Taken,
  context: StrategyContext,
): string | undefined {
  for (const range of ranges) {
    const { from, to } = usableOf(range)
    const low = BigInt(lowPart(Number(range.size), Number(to - from)))
    const found =
      pickFree(range, from + low, to, taken, context) ??
      pickFree(range, from, from + low, taken, context)
    if (found !== undefined) return found
  }
  return undefined
}

const lowPart = (size: number, usable: number): number =>
  Math.min(Math.max(16, Math.floor(size / 16)), 256, usable)

/** Looks at every offset from one by chance on, and round to it. */
function pickFree(
  range: AddressRange,
  from: bigint,
  to: bigint,
  taken: Taken,
  { random }: StrategyContext,
): string | undefined {
  const count = to - from
  if (count <= 0n) return undefined
  const start = BigInt(Math.floor(random.next() * Math.min(Number(count), 2 ** 52)))
  for (let i = 0n; i < count; i++) {
    const ip = addressAt(range, from + ((start + i) % count))
    if (!taken.ips.has(ip)) return ip
  }
  return undefined
}

/** Gives each port that needs one a node port (initNodePorts, updateNodePorts). Throws an Invalid ApiError. */
export function allocateNodePorts(
  spec: Fields,
  old: UnknownObject | undefined,
  name: string,
  taken: Taken,
  context: StrategyContext,
): void {
  const own = new Set(nodePorts(objectAt(old, 'spec')))
  const byPort = new Map<number, number>()
  const given = new Set<number>()
  itemsAt(spec, 'ports').forEach((port, i) => {
    const asked = numberAt(port, 'nodePort') ?? 0
    if (asked === 0 && !allocates(spec)) return
    const number = numberAt(port, 'port') ?? 0
    const shared = old === undefined ? (byPort.get(number) ?? requested(spec, number)) : 0
    const wanted = asked || shared
    const held = old === undefined ? byPort.get(number) === wanted : given.has(wanted)
    // A dry run takes no port, so that it does not find one taken.
    if (wanted && !own.has(wanted) && !held && !context.dryRun) {
      claimPort(wanted, taken, (why) => refuse(name, `spec.ports[${i}].nodePort`, wanted, why))
    }
    const nodePort = wanted || freePort(taken, context)
    if (wanted && context.dryRun && !own.has(wanted)) taken.pretended.push(wanted)
    port['nodePort'] = nodePort
    byPort.set(number, nodePort)
    given.add(nodePort)
  })
}

const requested = (spec: Readable, port: number): number =>
  numberAt(
    itemsAt(spec, 'ports').find((it) => it['port'] === port && it['nodePort']),
    'nodePort',
  ) ?? 0

const allocates = (spec: Readable): boolean =>
  textAt(spec, 'type') === 'NodePort' || flagAt(spec, 'allocateLoadBalancerNodePorts')

/** Gives a load balancer that keeps to its nodes a port to ask them for their health on. */
export function allocateHealthPort(
  spec: Fields,
  old: Readable | undefined,
  taken: Taken,
  context: StrategyContext,
): void {
  if (!needsHealthPort(spec)) return
  const asked = numberAt(spec, 'healthCheckNodePort') ?? 0
  if (asked === 0) spec['healthCheckNodePort'] = freePort(taken, context)
  else if (
    !context.dryRun &&
    isPortNumber(asked).length === 0 &&
    numberAt(objectAt(old, 'spec'), 'healthCheckNodePort') !== asked
  ) {
    claimPort(asked, taken, (why) =>
      internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${why}`),
    )
  }
}

/** Whether a service is a load balancer that sends traffic only to nodes with endpoints. */
export const needsHealthPort = (spec: Readable | undefined): boolean =>
  textAt(spec, 'type') === 'LoadBalancer' && textAt(spec, 'externalTrafficPolicy') === 'Local'

function claimPort(port: number, taken: Taken, refusal: (why: string) => Error): void {
  const { first, last } = taken.nodePorts
  if (port < first || port > last) {
    throw refusal(
      `provided port is not in the valid range. The range of valid ports is ${first}-${last}`,
    )
  }
  if (taken.ports.has(port)) throw refusal('provided port is already allocated')
  taken.ports.add(port)
}

/** A port that a dry run shows: beyond the range, and none twice (portallocator/operation.go). */
function pretendedPort({ pretended, nodePorts: { last } }: Taken): number {
  const port = Math.max(...(pretended.length > 0 ? pretended : [last + 1])) + 1
  pretended.push(port)
  return port
}

/** A free port by chance; a low part of the range is kept for those who ask (KEP-3668): 86 of the usual one. */
function freePort(taken: Taken, context: StrategyContext): number {
  if (context.dryRun) return pretendedPort(taken)
  const { first, last } = taken.nodePorts
  const count = last - first + 1
  const low = count <= 16 ? 0 : Math.min(Math.max(16, Math.floor(count / 32)), 128)
  const start = Math.floor(context.random.next() * (count - low))
  for (let i = 0; i < count; i++) {
    const offset = i < count - low ? low + ((start + i) % (count - low)) : i - (count - low)
    const port = first + offset
    if (taken.ports.has(port)) continue
    taken.ports.add(port)
    return port
  }
  throw internalError('failed to allocate a nodePort: range is full')
}
