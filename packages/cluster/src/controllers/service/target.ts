import type { Pod, Service, ServicePort } from 'kubewright/kinds/core/v1'
import { isPodTerminal } from '../workload/pod.ts'

/** Whether a controller looks for a service's pods: it selects some, and is not another name for something outside. */
export function hasEndpoints(service: Service): boolean {
  return service.spec?.selector !== undefined && service.spec.type !== 'ExternalName'
}

/** Whether the service has no address of its own. */
export function isHeadless(service: Service): boolean {
  const address = service.spec?.clusterIP
  return address === undefined || address === '' || address === 'None'
}

/** Whether a service selects a pod. */
export function selectsPod(service: Service, pod: Pod): boolean {
  return Object.entries(service.spec?.selector ?? {}).every(
    ([key, value]) => pod.metadata.labels?.[key] === value,
  )
}

/** Whether a pod can be reached at all: it has an address and has not ended (endpointslice/util ShouldPodBeInEndpoints). */
export function isReachable(pod: Pod, terminating: boolean): boolean {
  if (isPodTerminal(pod) || !pod.status?.podIP) return false
  return terminating || pod.metadata.deletionTimestamp === undefined
}

/** The hostname by which a pod is known under its headless service; undefined without one. */
export function hostnameOf(service: Service, pod: Pod): string | undefined {
  const { hostname, subdomain } = pod.spec ?? {}
  return hostname && subdomain === service.metadata.name ? hostname : undefined
}

/** The number of a service's port on a pod: as given, or that of the container port of that name; undefined without one. */
export function portOn(pod: Pod, port: ServicePort): number | undefined {
  const target = port.targetPort ?? port.port
  if (typeof target === 'number') return target
  const sidecars = (pod.spec?.initContainers ?? []).filter((it) => it.restartPolicy === 'Always')
  return [...(pod.spec?.containers ?? []), ...sidecars]
    .flatMap((it) => it.ports ?? [])
    .find((it) => it.name === target && (it.protocol ?? 'TCP') === (port.protocol ?? 'TCP'))
    ?.containerPort
}

/** A port of a service on one pod. */
export interface TargetPort {
  readonly name: string
  readonly port: number
  readonly protocol: string
  readonly appProtocol: string | undefined
}

/** The service's ports on a pod, those that the pod does not have left out. */
export function targetPorts(service: Service, pod: Pod): readonly TargetPort[] {
  return (service.spec?.ports ?? []).flatMap((it) => {
    const port = portOn(pod, it)
    if (port === undefined) return []
    const { name = '', protocol = 'TCP', appProtocol } = it
    return [{ name, port, protocol, appProtocol }]
  })
}
