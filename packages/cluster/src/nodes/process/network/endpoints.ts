import type { Service } from 'kubewright/kinds/core/v1'
import type { EndpointSlice } from 'kubewright/kinds/discovery.k8s.io/v1'

type Endpoint = NonNullable<EndpointSlice['endpoints']>[number]
type ServicePort = NonNullable<NonNullable<Service['spec']>['ports']>[number]

/** Somewhere behind a service. */
export interface Backend {
  readonly host: string
  readonly port: number
}

/** The label by which slices say which service they are of. */
export const SERVICE_NAME = 'kubernetes.io/service-name'

/** Where connections to a port of a service may go: what is ready, or where nothing is, what still serves while it ends (KEP-1669). */
export function backendsOf(
  slices: readonly EndpointSlice[],
  { name = '', protocol = 'TCP' }: ServicePort,
): readonly Backend[] {
  const found = slices.flatMap(({ endpoints, ports, addressType }) => {
    const own = ports?.find((it) => (it.name ?? '') === name && (it.protocol ?? 'TCP') === protocol)
    if (own?.port === undefined || addressType !== 'IPv4') return []
    return (endpoints ?? []).map((it) => ({ endpoint: it, port: own.port! }))
  })
  const ready = found.filter(({ endpoint }) => isReady(endpoint))
  const chosen = ready.length > 0 ? ready : found.filter(({ endpoint }) => isLeaving(endpoint))
  return chosen.flatMap(({ endpoint, port }) =>
    endpoint.addresses.slice(0, 1).map((host) => ({ host, port })),
  )
}

/** Whether an endpoint takes connections. */
export const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready !== false

const isLeaving = ({ conditions }: Endpoint): boolean =>
  conditions?.serving === true && conditions.terminating === true
