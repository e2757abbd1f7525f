// The kinds of networking.k8s.io/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { TypedLocalObjectReference } from '../core/v1.ts'
import type { Condition, LabelSelector } from '../meta/v1.ts'

/** networking.k8s.io/v1 IngressClass. */
export interface IngressClass extends KubeObject {
  readonly spec: IngressClassSpec
}

/** The kind of ingressclasses. */
export const IngressClass: Kind<IngressClass> = kindOf(
  'networking.k8s.io/v1',
  'IngressClass',
  'ingressclasses',
  'Cluster',
)

/** networking.k8s.io/v1 Ingress. */
export interface Ingress extends KubeObject {
  readonly spec: IngressSpec
  readonly status?: IngressStatus
}

/** The kind of ingresses. */
export const Ingress: Kind<Ingress> = kindOf(
  'networking.k8s.io/v1',
  'Ingress',
  'ingresses',
  'Namespaced',
)

/** networking.k8s.io/v1 IPAddress. */
export interface IPAddress extends KubeObject {
  readonly spec: IPAddressSpec
}

/** The kind of ipaddresses. */
export const IPAddress: Kind<IPAddress> = kindOf(
  'networking.k8s.io/v1',
  'IPAddress',
  'ipaddresses',
  'Cluster',
)

/** networking.k8s.io/v1 NetworkPolicy. */
export interface NetworkPolicy extends KubeObject {
  readonly spec: NetworkPolicySpec
}

/** The kind of networkpolicies. */
export const NetworkPolicy: Kind<NetworkPolicy> = kindOf(
  'networking.k8s.io/v1',
  'NetworkPolicy',
  'networkpolicies',
  'Namespaced',
)

/** networking.k8s.io/v1 ServiceCIDR. */
export interface ServiceCIDR extends KubeObject {
  readonly spec: ServiceCIDRSpec
  readonly status?: ServiceCIDRStatus
}

/** The kind of servicecidrs. */
export const ServiceCIDR: Kind<ServiceCIDR> = kindOf(
  'networking.k8s.io/v1',
  'ServiceCIDR',
  'servicecidrs',
  'Cluster',
)

/** networking.k8s.io/v1 HTTPIngressPath. */
export interface HTTPIngressPath {
  readonly path?: string
  readonly pathType: 'Exact' | 'ImplementationSpecific' | 'Prefix'
  readonly backend: IngressBackend
}

/** networking.k8s.io/v1 HTTPIngressRuleValue. */
export interface HTTPIngressRuleValue {
  readonly paths: readonly HTTPIngressPath[]
}

/** networking.k8s.io/v1 IPAddressSpec. */
export interface IPAddressSpec {
  readonly parentRef: ParentReference
}

/** networking.k8s.io/v1 IPBlock. */
export interface IPBlock {
  readonly cidr: string
  readonly except?: readonly string[]
}

/** networking.k8s.io/v1 IngressBackend. */
export interface IngressBackend {
  readonly service?: IngressServiceBackend
  readonly resource?: TypedLocalObjectReference
}

/** networking.k8s.io/v1 IngressClassParametersReference. */
export interface IngressClassParametersReference {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
  readonly scope?: string | null
  readonly namespace?: string
}

/** networking.k8s.io/v1 IngressClassSpec. */
export interface IngressClassSpec {
  readonly controller?: string
  readonly parameters?: IngressClassParametersReference
}

/** networking.k8s.io/v1 IngressLoadBalancerIngress. */
export interface IngressLoadBalancerIngress {
  readonly ip?: string
  readonly hostname?: string
  readonly ports?: readonly IngressPortStatus[]
}

/** networking.k8s.io/v1 IngressLoadBalancerStatus. */
export interface IngressLoadBalancerStatus {
  readonly ingress?: readonly IngressLoadBalancerIngress[]
}

/** networking.k8s.io/v1 IngressPortStatus. */
export interface IngressPortStatus {
  readonly port: number
  readonly protocol: 'SCTP' | 'TCP' | 'UDP'
  readonly error?: string
}

/** networking.k8s.io/v1 IngressRule. */
export interface IngressRule {
  readonly host?: string
  readonly http?: HTTPIngressRuleValue
}

/** networking.k8s.io/v1 IngressServiceBackend. */
export interface IngressServiceBackend {
  readonly name: string
  readonly port?: ServiceBackendPort
}

/** networking.k8s.io/v1 IngressSpec. */
export interface IngressSpec {
  readonly ingressClassName?: string
  readonly defaultBackend?: IngressBackend
  readonly tls?: readonly IngressTLS[]
  readonly rules?: readonly IngressRule[]
}

/** networking.k8s.io/v1 IngressStatus. */
export interface IngressStatus {
  readonly loadBalancer?: IngressLoadBalancerStatus
}

/** networking.k8s.io/v1 IngressTLS. */
export interface IngressTLS {
  readonly hosts?: readonly string[]
  readonly secretName?: string
}

/** networking.k8s.io/v1 NetworkPolicyEgressRule. */
export interface NetworkPolicyEgressRule {
  readonly ports?: readonly NetworkPolicyPort[]
  readonly to?: readonly NetworkPolicyPeer[]
}

/** networking.k8s.io/v1 NetworkPolicyIngressRule. */
export interface NetworkPolicyIngressRule {
  readonly ports?: readonly NetworkPolicyPort[]
  readonly from?: readonly NetworkPolicyPeer[]
}

/** networking.k8s.io/v1 NetworkPolicyPeer. */
export interface NetworkPolicyPeer {
  readonly podSelector?: LabelSelector
  readonly namespaceSelector?: LabelSelector
  readonly ipBlock?: IPBlock
}

/** networking.k8s.io/v1 NetworkPolicyPort. */
export interface NetworkPolicyPort {
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly port?: number | string
  readonly endPort?: number
}

/** networking.k8s.io/v1 NetworkPolicySpec. */
export interface NetworkPolicySpec {
  readonly podSelector?: LabelSelector
  readonly ingress?: readonly NetworkPolicyIngressRule[]
  readonly egress?: readonly NetworkPolicyEgressRule[]
  readonly policyTypes?: readonly string[]
}

/** networking.k8s.io/v1 ParentReference. */
export interface ParentReference {
  readonly group?: string
  readonly resource: string
  readonly namespace?: string
  readonly name: string
}

/** networking.k8s.io/v1 ServiceBackendPort. */
export interface ServiceBackendPort {
  readonly name?: string
  readonly number?: number
}

/** networking.k8s.io/v1 ServiceCIDRSpec. */
export interface ServiceCIDRSpec {
  readonly cidrs?: readonly string[]
}

/** networking.k8s.io/v1 ServiceCIDRStatus. */
export interface ServiceCIDRStatus {
  readonly conditions?: readonly Condition[]
}
