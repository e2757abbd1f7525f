// The kinds of discovery.k8s.io/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ObjectReference } from '../core/v1.ts'

/** discovery.k8s.io/v1 EndpointSlice. */
export interface EndpointSlice extends KubeObject {
  readonly addressType: 'FQDN' | 'IPv4' | 'IPv6'
  readonly endpoints?: readonly Endpoint[] | null
  readonly ports?: readonly EndpointPort[] | null
}

/** The kind of endpointslices. */
export const EndpointSlice: Kind<EndpointSlice> = kindOf(
  'discovery.k8s.io/v1',
  'EndpointSlice',
  'endpointslices',
  'Namespaced',
)

/** discovery.k8s.io/v1 Endpoint. */
export interface Endpoint {
  readonly addresses: readonly string[]
  readonly conditions?: EndpointConditions
  readonly hostname?: string
  readonly targetRef?: ObjectReference
  readonly deprecatedTopology?: Readonly<Record<string, string>>
  readonly nodeName?: string
  readonly zone?: string
  readonly hints?: EndpointHints
}

/** discovery.k8s.io/v1 EndpointConditions. */
export interface EndpointConditions {
  readonly ready?: boolean
  readonly serving?: boolean
  readonly terminating?: boolean
}

/** discovery.k8s.io/v1 EndpointHints. */
export interface EndpointHints {
  readonly forZones?: readonly ForZone[]
  readonly forNodes?: readonly ForNode[]
}

/** discovery.k8s.io/v1 EndpointPort. */
export interface EndpointPort {
  readonly name?: string
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly port?: number
  readonly appProtocol?: string
}

/** discovery.k8s.io/v1 ForNode. */
export interface ForNode {
  readonly name: string
}

/** discovery.k8s.io/v1 ForZone. */
export interface ForZone {
  readonly name: string
}
