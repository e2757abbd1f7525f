import type { Service, ServicePort } from 'kubewright/kinds/core/v1'
import type { EndpointPort, EndpointSlice } from 'kubewright/kinds/discovery.k8s.io/v1'
import type {
  Ingress,
  IngressClass,
  IngressRule,
  IPAddress,
  NetworkPolicy,
  ServiceCIDR,
} from 'kubewright/kinds/networking.k8s.io/v1'
import { age } from './age.ts'
import { labelsText, orNone, selectorText, SHOWN, someOf } from './format.ts'
import { printer, type Printer } from './printer.ts'

function serviceCells(service: Service, now: number): readonly unknown[] {
  return [
    service.metadata.name,
    service.spec.type ?? '',
    service.spec.clusterIPs?.[0] ?? '<none>',
    externalIp(service),
    orNone((service.spec.ports ?? []).map(portText).join(',')),
    age(service.metadata.creationTimestamp, now),
    labelsText(service.spec.selector),
  ]
}

function externalIp({ spec, status }: Service): string {
  const own = spec.externalIPs ?? []
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return orNone(own.join(','))
    case 'LoadBalancer': {
      const all = [...ingressPoints(status?.loadBalancer?.ingress), ...own]
      return all.length ? all.join(',') : '<pending>'
    }
    case 'ExternalName':
      return spec.externalName ?? ''
    default:
      return '<unknown>'
  }
}

/** Addresses of a load balancer, each once, by the alphabet. */
function ingressPoints(
  ingress: readonly { readonly ip?: string; readonly hostname?: string }[] | undefined,
): readonly string[] {
  const all = (ingress ?? []).map((it) => it.ip || it.hostname || '')
  return [...new Set(all)].filter((it) => it !== '').toSorted()
}

const portText = ({ port, nodePort = 0, protocol }: ServicePort): string =>
  nodePort > 0 ? `${port}:${nodePort}/${protocol ?? ''}` : `${port}/${protocol ?? ''}`

/** The hosts of the first rules that have one; rules beyond the third host are counted, whether or not they have one. */
function hostsText(rules: readonly IngressRule[]): string {
  const hosts: string[] = []
  let more = false
  for (const { host } of rules) {
    if (hosts.length === SHOWN) more = true
    if (!more && host) hosts.push(host)
  }
  if (hosts.length === 0) return '*'
  return more ? `${hosts.join(',')} + ${rules.length - SHOWN} more...` : hosts.join(',')
}

function ingressCells({ metadata, spec, status }: Ingress, now: number): readonly unknown[] {
  return [
    metadata.name,
    spec.ingressClassName ?? '<none>',
    hostsText(spec.rules ?? []),
    ingressPoints(status?.loadBalancer?.ingress).join(','),
    spec.tls?.length ? '80, 443' : '80',
    age(metadata.creationTimestamp, now),
  ]
}

function ingressClassCells({ metadata, spec }: IngressClass, now: number): readonly unknown[] {
  const isDefault = metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true'
  const { parameters } = spec
  const group = parameters?.apiGroup ? `.${parameters.apiGroup}` : ''
  return [
    isDefault ? `${metadata.name} (default)` : metadata.name,
    spec.controller ?? '',
    parameters ? `${parameters.kind}${group}/${parameters.name}` : '<none>',
    age(metadata.creationTimestamp, now),
  ]
}

function parentText({ spec }: IPAddress): string {
  const { group, resource, namespace, name } = spec.parentRef
  const kind = group ? `${resource}.${group}` : resource
  return [kind.toLowerCase(), ...(namespace ? [namespace] : []), name].join('/')
}

const discoveryPort = ({ port, name }: EndpointPort): string =>
  port === undefined ? (name ?? '*') : String(port)

/** Printers of services and networking.k8s.io. */
export const SERVICES: Readonly<Record<string, Printer>> = {
  '/services': printer<Service>(serviceCells),
  'discovery.k8s.io/endpointslices': printer<EndpointSlice>((it, now) => [
    it.metadata.name,
    it.addressType,
    someOf((it.ports ?? []).map(discoveryPort)),
    someOf((it.endpoints ?? []).flatMap((each) => each.addresses)),
    age(it.metadata.creationTimestamp, now),
  ]),
  'networking.k8s.io/ingresses': printer<Ingress>(ingressCells),
  'networking.k8s.io/ingressclasses': printer<IngressClass>(ingressClassCells),
  // A real server gives an address three cells and names two columns.
  'networking.k8s.io/ipaddresses': printer<IPAddress>((it, now) => [
    it.metadata.name,
    parentText(it),
    age(it.metadata.creationTimestamp, now),
  ]),
  'networking.k8s.io/networkpolicies': printer<NetworkPolicy>((it, now) => [
    it.metadata.name,
    selectorText(it.spec.podSelector ?? {}),
    age(it.metadata.creationTimestamp, now),
  ]),
  'networking.k8s.io/servicecidrs': printer<ServiceCIDR>((it, now) => [
    it.metadata.name,
    (it.spec.cidrs ?? []).join(','),
    age(it.metadata.creationTimestamp, now),
  ]),
}
