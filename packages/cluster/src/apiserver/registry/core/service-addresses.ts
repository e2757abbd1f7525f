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
import { inRange, ipOfNumber, ipRange, numberOfIp, type IpRange } from './ip.ts'

const KIND = { group: '', kind: 'Service' }
const NODE_PORTS = { first: 30000, last: 32767 }
/** Where addresses come from until a ServiceCIDR says otherwise (kube-apiserver --service-cluster-ip-range). */
export const DEFAULT_RANGE = '10.0.0.0/16'

/** The label by which an IPAddress says who keeps it, and what stands there in those of services. */
export const MANAGED = 'ipaddress.kubernetes.io/managed-by'
export const ALLOCATOR = 'ipallocator.k8s.io'

/** What other services hold already. */
export interface Taken {
  readonly ips: ReadonlySet<string>
  readonly ports: Set<number>
  readonly ranges: readonly IpRange[]
  /** The ranges as they are written. */
  readonly cidrs: readonly string[]
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
  return { ips, ports, ...(await serviceRanges(context)) }
}

async function serviceRanges(context: StrategyContext): Promise<Pick<Taken, 'ranges' | 'cidrs'>> {
  const found = (await context.all('networking.k8s.io/servicecidrs', ''))
    .filter((it) => it.metadata.deletionTimestamp === undefined)
    .flatMap((it) => textsAt(objectAt(it, 'spec'), 'cidrs'))
    .filter((it) => ipRange(it) !== undefined)
  const cidrs = found.length > 0 ? found : [DEFAULT_RANGE]
  return { cidrs, ranges: cidrs.map((it) => ipRange(it)!) }
}

/** The node ports that a spec holds. */
export function nodePorts(spec: Readable | undefined): readonly number[] {
  const ports = itemsAt(spec, 'ports').flatMap((it) => numberAt(it, 'nodePort') || [])
  const health = numberAt(spec, 'healthCheckNodePort')
  return health ? [...ports, health] : ports
}

const refuse = (name: string, field: string, value: unknown, why: string): Error =>
  invalid(KIND, name, [invalidValue(field, value, why)])

/** Gives the first cluster IP: the one asked for when it is free, else one by chance. Throws an Invalid ApiError. */
export function allocateClusterIp(
  spec: Fields,
  name: string,
  taken: Taken,
  context: StrategyContext,
): void {
  const asked = textsAt(spec, 'clusterIPs')[0] ?? ''
  if (asked === '') {
    const ip = freeIp(taken, context)
    if (ip === undefined) {
      throw internalError(`failed to allocate a serviceIP for Service "${name}": range is full`)
    }
    spec['clusterIPs'] = [ip]
    spec['clusterIP'] = ip
    return
  }
  const problem = context.dryRun ? dryProblem(asked, taken) : ipProblem(asked, taken)
  if (problem !== undefined) {
    throw refuse(
      name,
      'spec.clusterIPs',
      textsAt(spec, 'clusterIPs'),
      `failed to allocate IP ${asked}: ${problem}`,
    )
  }
}

/** A dry run looks at the range alone, and takes nothing. */
function dryProblem(ip: string, taken: Taken): string | undefined {
  if (taken.ranges.some((it) => inRange(it, ip))) return undefined
  return `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${taken.cidrs[0]}`
}

function ipProblem(ip: string, taken: Taken): string | undefined {
  if (taken.ips.has(ip)) return 'provided IP is already allocated'
  const range = taken.ranges.find((it) => inRange(it, ip))
  const offset = range ? numberOfIp(ip) - range.first : 0
  // The first address of a range is its own, and the last one everybody's.
  return range === undefined || offset === 0 || offset === range.size - 1
    ? 'the provided network does not match the current range'
    : undefined
}

/**
 * A free address by chance. Kubernetes keeps the low part of a range for those who ask for an address (KEP-3070): a sixteenth of
 * it, between 16 and 256 addresses.
 */
function freeIp(taken: Taken, context: StrategyContext): string | undefined {
  for (const range of taken.ranges) {
    const usable = range.size - 2
    const low = Math.min(Math.max(16, Math.floor(range.size / 16)), 256, usable)
    const found =
      pickFree(range.first + 1 + low, usable - low, taken, context) ??
      pickFree(range.first + 1, low, taken, context)
    if (found !== undefined) return found
  }
  return undefined
}

function pickFree(
  first: number,
  count: number,
  taken: Taken,
  context: StrategyContext,
): string | undefined {
  if (count <= 0) return undefined
  const start = Math.floor(context.random.next() * count)
  for (let i = 0; i < count; i++) {
    const ip = ipOfNumber(first + ((start + i) % count))
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
  if (port < NODE_PORTS.first || port > NODE_PORTS.last) {
    throw refusal(
      `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.first}-${NODE_PORTS.last}`,
    )
  }
  if (taken.ports.has(port)) throw refusal('provided port is already allocated')
  taken.ports.add(port)
}

/** A free port by chance; the low 86 are kept for those who ask (KEP-3668). */
function freePort(taken: Taken, context: StrategyContext): number {
  const count = NODE_PORTS.last - NODE_PORTS.first + 1
  const low = 86
  const start = Math.floor(context.random.next() * (count - low))
  for (let i = 0; i < count; i++) {
    const offset = i < count - low ? low + ((start + i) % (count - low)) : i - (count - low)
    const port = NODE_PORTS.first + offset
    if (taken.ports.has(port)) continue
    taken.ports.add(port)
    return port
  }
  throw internalError('failed to allocate a nodePort: range is full')
}
