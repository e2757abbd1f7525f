import type { Endpoint, EndpointSlice } from 'kubewright/kinds/discovery.k8s.io/v1'
import { type Node, type Pod, Service } from 'kubewright/kinds/core/v1'
import { controllerReference, type Draft } from 'kubewright/machinery'
import { isPodReady } from '../workload/pod.ts'
import { canonicalJson } from '../workload/template-hash.ts'
import { hintsFor } from './hints.ts'
import { hostnameOf, isHeadless, isReachable, targetPorts } from './target.ts'

/** How many endpoints a slice holds at most (kube-controller-manager --max-endpoints-per-slice). */
export const MAX_PER_SLICE = 100
export const SERVICE_NAME = 'kubernetes.io/service-name'
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
export const MANAGER = 'endpointslice-controller.k8s.io'
export const HEADLESS = 'service.kubernetes.io/headless'

type Family = 'IPv4' | 'IPv6'

/** What a service's slices are made of: its pods, those that are ending too, and the nodes by name. */
export interface SlicesObserved {
  readonly service: Service
  readonly pods: readonly Pod[]
  readonly slices: readonly EndpointSlice[]
  readonly node: (name: string) => Node | undefined
}

/** What to write so that a service's slices tell of its pods. */
export interface SlicePlan {
  readonly create: readonly Draft<EndpointSlice>[]
  readonly update: readonly EndpointSlice[]
  readonly remove: readonly EndpointSlice[]
}

/** The endpoints that share one set of ports. */
interface Group {
  readonly ports: EndpointSlice['ports']
  readonly endpoints: readonly Endpoint[]
}

/**
 * Compares a service's slices with its pods (k8s.io/endpointslice reconciler). Endpoints stay in the slice where they are, so that a
 * change of one pod writes one slice.
 */
export function planSlices(observed: SlicesObserved): SlicePlan {
  const { service, slices } = observed
  const families = familiesOf(service)
  const known = slices.filter(
    (it) => families.includes(it.addressType as Family) && isOwned(it, service),
  )
  const plans = families.map((family) =>
    planFamily(
      observed,
      family,
      known.filter((it) => it.addressType === family),
    ),
  )
  return {
    create: plans.flatMap((it) => it.create),
    update: plans.flatMap((it) => it.update),
    remove: [...slices.filter((it) => !known.includes(it)), ...plans.flatMap((it) => it.remove)],
  }
}

function familiesOf(service: Service): readonly Family[] {
  const { ipFamilies = [], clusterIP } = service.spec ?? {}
  if (ipFamilies.length > 0) return ipFamilies as readonly Family[]
  if (clusterIP && clusterIP !== 'None') return [clusterIP.includes(':') ? 'IPv6' : 'IPv4']
  return ['IPv4', 'IPv6']
}

function isOwned(slice: EndpointSlice, service: Service): boolean {
  return (slice.metadata.ownerReferences ?? []).some((it) => it.uid === service.metadata.uid)
}

const portsKey = (ports: EndpointSlice['ports']): string =>
  canonicalJson(
    (ports ?? []).map((it) => [it.name ?? '', it.port, it.protocol ?? 'TCP', it.appProtocol ?? '']),
  )

function planFamily(
  observed: SlicesObserved,
  family: Family,
  slices: readonly EndpointSlice[],
): SlicePlan {
  const groups = groupByPorts(observed, family)
  const existing = Map.groupBy(slices, (it) => portsKey(it.ports))
  const plans = [...groups].map(([key, group]) =>
    planGroup(observed.service, family, group, existing.get(key) ?? []),
  )
  const orphaned = [...existing].filter(([key]) => !groups.has(key)).flatMap(([, list]) => list)
  return {
    create: plans.flatMap((it) => it.create),
    update: plans.flatMap((it) => it.update),
    remove: [...orphaned, ...plans.flatMap((it) => it.remove)],
  }
}

/** A service without any pod has one group without ports: an empty slice stands for it. */
function groupByPorts(observed: SlicesObserved, family: Family): ReadonlyMap<string, Group> {
  const { service, pods } = observed
  const reachable = pods.filter((it) => isReachable(it, true))
  const groups = Map.groupBy(
    reachable.map((pod) => ({
      ports: slicePorts(service, pod),
      endpoint: endpointOf(pod, family, observed),
    })),
    (it) => portsKey(it.ports),
  )
  const filled = [...groups].map(([key, list]): [string, Group] => [
    key,
    {
      ports: list[0]!.ports,
      endpoints: list.map((it) => it.endpoint).filter((it) => it.addresses.length > 0),
    },
  ])
  const some = filled.filter(([, group]) => group.endpoints.length > 0)
  return new Map(some.length > 0 ? some : [[portsKey([]), { ports: [], endpoints: [] }]])
}

function slicePorts(service: Service, pod: Pod): NonNullable<EndpointSlice['ports']> {
  return targetPorts(service, pod).map(({ appProtocol, ...port }) => ({
    ...port,
    protocol: port.protocol as 'TCP',
    ...(appProtocol && { appProtocol }),
  }))
}

function endpointOf(pod: Pod, family: Family, { service, node }: SlicesObserved): Endpoint {
  const serving = isPodReady(pod)
  const terminating = pod.metadata.deletionTimestamp !== undefined
  const hostname = hostnameOf(service, pod)
  const nodeName = pod.spec?.nodeName
  const zone = nodeName && node(nodeName)?.metadata.labels?.['topology.kubernetes.io/zone']
  const { namespace, name, uid } = pod.metadata
  const endpoint: Endpoint = {
    addresses: (pod.status?.podIPs ?? [])
      .map((it) => it.ip)
      .filter((ip) => ip.includes(':') === (family === 'IPv6')),
    conditions: {
      ready: service.spec?.publishNotReadyAddresses === true || (serving && !terminating),
      serving,
      terminating,
    },
    ...(hostname && { hostname }),
    targetRef: { kind: 'Pod', namespace: namespace!, name: name!, uid: uid! },
    ...(nodeName && { nodeName }),
    ...(zone && { zone }),
  }
  const hints = hintsFor(service, endpoint)
  return hints ? { ...endpoint, hints } : endpoint
}

const endpointKey = (it: Endpoint): string => `${it.targetRef?.uid}/${it.addresses.join(',')}`

function planGroup(
  service: Service,
  family: Family,
  group: Group,
  slices: readonly EndpointSlice[],
): SlicePlan {
  const wanted = new Map(group.endpoints.map((it) => [endpointKey(it), it]))
  const kept = slices.map((slice) => {
    const endpoints = (slice.endpoints ?? []).flatMap((it) => {
      const key = endpointKey(it)
      const now = wanted.get(key)
      wanted.delete(key)
      return now ? [now] : []
    })
    return { slice, endpoints }
  })
  const waiting = [...wanted.values()]
  for (const it of kept)
    it.endpoints.push(...waiting.splice(0, MAX_PER_SLICE - it.endpoints.length))
  const created: (readonly Endpoint[])[] = []
  while (waiting.length > 0) created.push(waiting.splice(0, MAX_PER_SLICE))
  const empty = kept.filter((it) => it.endpoints.length === 0)
  const needed = kept.length + created.length - empty.length
  const spared = needed > 0 ? empty : empty.slice(1)
  if (needed === 0 && empty.length === 0) created.push([])
  return {
    create: created.map((endpoints) => newSlice(service, family, group.ports, endpoints)),
    update: kept
      .filter((it) => !spared.includes(it))
      .map(({ slice, endpoints }) => ({ before: slice, after: renewed(service, slice, endpoints) }))
      .filter(({ before, after }) => canonicalJson(before) !== canonicalJson(after))
      .map(({ after }) => after),
    remove: spared.map((it) => it.slice),
  }
}

/** The labels of a service's slices: its own, and whose they are. */
function labelsOf(service: Service): Readonly<Record<string, string>> {
  const { [HEADLESS]: _, ...own } = service.metadata.labels ?? {}
  return {
    ...own,
    ...(isHeadless(service) && { [HEADLESS]: '' }),
    [SERVICE_NAME]: service.metadata.name!,
    [MANAGED_BY]: MANAGER,
  }
}

function newSlice(
  service: Service,
  family: Family,
  ports: EndpointSlice['ports'],
  endpoints: readonly Endpoint[],
): Draft<EndpointSlice> {
  return {
    metadata: {
      namespace: service.metadata.namespace!,
      generateName: `${service.metadata.name}-`,
      labels: labelsOf(service),
      ownerReferences: [controllerReference(Service, service)],
    },
    addressType: family,
    endpoints,
    ports: ports ?? [],
  }
}

function renewed(
  service: Service,
  slice: EndpointSlice,
  endpoints: readonly Endpoint[],
): EndpointSlice {
  return { ...slice, metadata: { ...slice.metadata, labels: labelsOf(service) }, endpoints }
}
