import type {
  EndpointAddress,
  EndpointPort,
  Endpoints,
  EndpointSubset,
} from 'kubewright/kinds/core/v1'
import type { Pod, Service } from 'kubewright/kinds/core/v1'
import { isPodReady } from '../workload/pod.ts'
import { goPrint } from '../workload/go-print.ts'
import { canonicalJson, fnv128a } from '../workload/template-hash.ts'
import { hostnameOf, isHeadless, isReachable, type TargetPort, targetPorts } from './target.ts'

export const ENDPOINTS_MANAGED_BY = 'endpoints.kubernetes.io/managed-by'
export const ENDPOINTS_MANAGER = 'endpoint-controller'
const HEADLESS = 'service.kubernetes.io/headless'

/** The labels of a service's Endpoints. */
export function endpointsLabels(service: Service): Readonly<Record<string, string>> {
  const { [HEADLESS]: _, ...own } = service.metadata.labels ?? {}
  return {
    ...own,
    ...(isHeadless(service) && { [HEADLESS]: '' }),
    [ENDPOINTS_MANAGED_BY]: ENDPOINTS_MANAGER,
  }
}

/** One pod behind one port. */
interface Pairing {
  readonly pod: Pod
  readonly port: TargetPort | undefined
}

/**
 * The subsets of a service's Endpoints: for every set of addresses that share ports one, in the canonical order
 * (kubernetes/pkg/api/v1/endpoints RepackSubsets). Pods that are ending are left out.
 */
export function endpointSubsets(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
  const always = service.spec?.publishNotReadyAddresses === true
  const pairings = pods.filter((it) => isReachable(it, always)).flatMap((pod) => pair(service, pod))
  const byAddress = Map.groupBy(pairings, ({ pod }) => pod.metadata.uid!)
  const byPorts = Map.groupBy(byAddress.values(), (list) =>
    canonicalJson(list.map(({ port }) => port).sort(comparePorts)),
  )
  const subsets = [...byPorts.values()].map((lists) => subset(service, lists, always))
  return byHash('v1.EndpointSubset', subsets)
}

/** In the order of the hashes of Go's prints: what comes out is the same however it came in. */
function byHash<T>(type: string, values: readonly T[]): readonly T[] {
  if (values.length < 2) return values
  const hashed = values.map((it) => [fnv128a(goPrint(type, it)), it] as const)
  return hashed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, it]) => it)
}

function pair(service: Service, pod: Pod): readonly Pairing[] {
  if ((service.spec?.ports ?? []).length > 0) {
    return targetPorts(service, pod).map((port) => ({ pod, port }))
  }
  return isHeadless(service) ? [{ pod, port: undefined }] : []
}

const comparePorts = (a: TargetPort | undefined, b: TargetPort | undefined): number =>
  canonicalJson(a) < canonicalJson(b) ? -1 : 1

function subset(
  service: Service,
  lists: readonly (readonly Pairing[])[],
  always: boolean,
): EndpointSubset {
  const pods = lists.map((list) => list[0]!.pod).sort(byAddress)
  const address = (pod: Pod): EndpointAddress => addressOf(service, pod)
  const ready = pods.filter((pod) => always || isPodReady(pod)).map(address)
  const notReady = pods.filter((pod) => !always && !isPodReady(pod)).map(address)
  const ports = lists[0]!.flatMap(({ port }) => (port ? [portOf(port)] : []))
  return {
    ...(ready.length > 0 && { addresses: ready }),
    ...(notReady.length > 0 && { notReadyAddresses: notReady }),
    ...(ports.length > 0 && { ports: byHash('v1.EndpointPort', ports) }),
  }
}

const byAddress = (a: Pod, b: Pod): number => {
  const [left, right] = [a, b].map((it) => `${it.status?.podIP}/${it.metadata.uid}`)
  return left! < right! ? -1 : 1
}

function addressOf(service: Service, pod: Pod): EndpointAddress {
  const hostname = hostnameOf(service, pod)
  const { namespace, name, uid } = pod.metadata
  return {
    ip: pod.status!.podIP!,
    ...(hostname && { hostname }),
    ...(pod.spec?.nodeName && { nodeName: pod.spec.nodeName }),
    targetRef: { kind: 'Pod', namespace: namespace!, name: name!, uid: uid! },
  }
}

function portOf({ name, port, protocol, appProtocol }: TargetPort): EndpointPort {
  return {
    ...(name && { name }),
    port,
    protocol: protocol as 'TCP',
    ...(appProtocol && { appProtocol }),
  }
}

/** Whether the Endpoints of a service have to be written. */
export function endpointsDiffer(
  current: Endpoints,
  subsets: readonly EndpointSubset[],
  labels: Readonly<Record<string, string>>,
): boolean {
  return (
    canonicalJson(current.subsets ?? []) !== canonicalJson(subsets) ||
    canonicalJson(current.metadata.labels ?? {}) !== canonicalJson(labels)
  )
}
