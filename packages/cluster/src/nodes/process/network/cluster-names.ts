import type { Service } from 'kubewright/kinds/core/v1'
import type { EndpointSlice } from 'kubewright/kinds/discovery.k8s.io/v1'
import { CLUSTER_DOMAIN } from '../pod-files.ts'
import { type DnsAnswer, type DnsQuestion, type DnsRecord, TYPE } from './dns-message.ts'
import { isReady } from './endpoints.ts'

/** What names are found in. */
export interface NamedThings {
  readonly service: (namespace: string, name: string) => Service | undefined
  readonly slices: (namespace: string, service: string) => readonly EndpointSlice[]
  readonly hasNamespace: (name: string) => boolean
  /** The service at an address. */
  readonly serviceAt: (address: string) => Service | undefined
  /** The slices that name an address. */
  readonly slicesAt: (address: string) => readonly EndpointSlice[]
}

/** How long an answer is good, in seconds (CoreDNS' default for Kubernetes). */
const TTL = 5
/** The version of Kubernetes' DNS specification that this follows. */
const VERSION = '1.1.0'

const NONE: DnsAnswer = { code: 'NXDOMAIN', answers: [], zone: CLUSTER_DOMAIN }
const EMPTY: DnsAnswer = { code: 'NOERROR', answers: [], zone: CLUSTER_DOMAIN }

/** Answers by Kubernetes' DNS specification (kubernetes/dns docs/specification.md): services, what is behind them, and pods. Other names are nobody's: no other server is asked. */
export function answerName(question: DnsQuestion, things: NamedThings): DnsAnswer {
  const { name, type } = question
  if (name.endsWith('.in-addr.arpa')) return pointer(name, type, things)
  if (name !== CLUSTER_DOMAIN && !name.endsWith(`.${CLUSTER_DOMAIN}`))
    return { code: 'NXDOMAIN', answers: [] }
  const labels = name
    .slice(0, -CLUSTER_DOMAIN.length - 1)
    .split('.')
    .filter(Boolean)
  const kind = labels.at(-1)
  if (labels.length === 0) return EMPTY
  if (labels.length === 1 && kind === 'dns-version')
    return matching(type, [{ type: 'TXT', name, ttl: TTL, text: VERSION }])
  if (kind === 'svc') return serviceName(name, type, labels.slice(0, -1), things)
  if (kind === 'pod') return podName(name, type, labels.slice(0, -1), things)
  return NONE
}

/** Of the records of a name those of the type that was asked for. */
function matching(type: number, records: readonly DnsRecord[]): DnsAnswer {
  const wanted = records.filter(
    (it) => it.type === 'CNAME' || TYPE[it.type] === type || type === TYPE.ANY,
  )
  return wanted.length > 0 ? { code: 'NOERROR', answers: wanted } : EMPTY
}

const addresses = (name: string, all: readonly string[]): readonly DnsRecord[] =>
  all.map((address) => ({ type: 'A', name, ttl: TTL, address }))

/** `10-244-0-5.ns`: any pod may have that address. */
function podName(
  name: string,
  type: number,
  [dashed = '', namespace = '', more]: readonly string[],
  { hasNamespace }: NamedThings,
): DnsAnswer {
  if (namespace === '' && hasNamespace(dashed)) return EMPTY
  if (more !== undefined || !hasNamespace(namespace) || !/^\d+-\d+-\d+-\d+$/.test(dashed))
    return NONE
  return matching(type, addresses(name, [dashed.replaceAll('-', '.')]))
}

/** `svc.ns`, `host.svc.ns` and `_port._tcp.svc.ns`. */
function serviceName(
  name: string,
  type: number,
  labels: readonly string[],
  things: NamedThings,
): DnsAnswer {
  const namespace = labels.at(-1)
  if (namespace === undefined) return EMPTY
  const own = labels.at(-2)
  if (own === undefined) return things.hasNamespace(namespace) ? EMPTY : NONE
  const service = things.service(namespace, own)
  if (!service) return NONE
  const rest = labels.slice(0, -2)
  if (service.spec?.type === 'ExternalName') {
    if (rest.length > 0) return NONE
    return matching(type, [
      { type: 'CNAME', name, ttl: TTL, target: service.spec.externalName ?? '' },
    ])
  }
  const hosts = hostsOf(service, things)
  if (rest.length === 0) {
    if (hosts.length === 0) return isHeadless(service) ? NONE : EMPTY
    return type === TYPE.SRV
      ? ports(name, service, hosts, things)
      : matching(
          type,
          addresses(
            name,
            hosts.map((it) => it.address),
          ),
        )
  }
  const [first = '', second] = rest
  if (first.startsWith('_')) return namedPort(name, type, first, second, service, hosts, things)
  const found = hosts.filter((it) => it.host === first)
  if (rest.length > 1 || found.length === 0) return NONE
  return matching(
    type,
    addresses(
      name,
      found.map((it) => it.address),
    ),
  )
}

/** An address behind a service, and its name there. */
interface Host {
  readonly host: string
  readonly address: string
}

const isHeadless = ({ spec }: Service): boolean => spec?.clusterIP === 'None'

/** A service's own address, or where it has none those of its endpoints. */
function hostsOf(service: Service, { slices }: NamedThings): readonly Host[] {
  const { namespace = '', name = '' } = service.metadata
  if (!isHeadless(service)) {
    const address = service.spec?.clusterIP
    return address ? [{ host: '', address }] : []
  }
  const all = slices(namespace, name).flatMap((it) =>
    it.addressType === 'IPv4' ? (it.endpoints ?? []) : [],
  )
  const seen = all.filter((it) => isReady(it) || service.spec?.publishNotReadyAddresses)
  return seen.flatMap(({ addresses: own, hostname }) =>
    own.map((address) => ({ host: hostname ?? address.replaceAll('.', '-'), address })),
  )
}

type ServicePort = NonNullable<NonNullable<Service['spec']>['ports']>[number]

function ports(
  name: string,
  service: Service,
  hosts: readonly Host[],
  things: NamedThings,
): DnsAnswer {
  return portRecords(name, service, service.spec?.ports ?? [], hosts, things)
}

function namedPort(
  name: string,
  type: number,
  port: string,
  protocol: string | undefined,
  service: Service,
  hosts: readonly Host[],
  things: NamedThings,
): DnsAnswer {
  const found = (service.spec?.ports ?? []).filter(
    (it) => `_${it.name}` === port && `_${(it.protocol ?? 'TCP').toLowerCase()}` === protocol,
  )
  if (found.length === 0) return NONE
  return type === TYPE.SRV || type === TYPE.ANY
    ? portRecords(name, service, found, hosts, things)
    : EMPTY
}

/** A record for every port of every host, with the hosts' addresses beside them. */
function portRecords(
  name: string,
  service: Service,
  found: readonly ServicePort[],
  hosts: readonly Host[],
  { slices }: NamedThings,
): DnsAnswer {
  const base = `${service.metadata.name}.${service.metadata.namespace}.svc.${CLUSTER_DOMAIN}`
  const targets = hosts.map((it) => (it.host === '' ? base : `${it.host}.${base}`))
  const weight = Math.max(1, Math.floor(100 / Math.max(1, hosts.length)))
  const own = slices(service.metadata.namespace ?? '', service.metadata.name ?? '')
  const answers = found.flatMap((port) =>
    targets.map((target): DnsRecord => {
      return { type: 'SRV', name, ttl: TTL, weight, port: portNumber(port, service, own), target }
    }),
  )
  const additional = hosts.flatMap((it, index) => addresses(targets[index]!, [it.address]))
  return answers.length > 0 ? { code: 'NOERROR', answers, additional } : EMPTY
}

/** A headless service's ports are those of its endpoints. */
function portNumber(port: ServicePort, service: Service, slices: readonly EndpointSlice[]): number {
  if (!isHeadless(service)) return port.port
  const found = slices
    .flatMap((it) => it.ports ?? [])
    .find((it) => (it.name ?? '') === (port.name ?? ''))
  return found?.port ?? port.port
}

/** `5.0.244.10.in-addr.arpa`. */
function pointer(name: string, type: number, { serviceAt, slicesAt }: NamedThings): DnsAnswer {
  const address = name.replace('.in-addr.arpa', '').split('.').toReversed().join('.')
  const zone = name
  const of = (host: string, { metadata }: Service | EndpointSlice, service: string): DnsRecord => ({
    type: 'PTR',
    name,
    ttl: TTL,
    target: `${host}${service}.${metadata.namespace}.svc.${CLUSTER_DOMAIN}`,
  })
  const service = serviceAt(address)
  const records = service
    ? [of('', service, service.metadata.name ?? '')]
    : slicesAt(address).flatMap((slice) =>
        (slice.endpoints ?? [])
          .filter((it) => it.addresses.includes(address) && it.hostname)
          .map((it) =>
            of(
              `${it.hostname}.`,
              slice,
              slice.metadata.labels?.['kubernetes.io/service-name'] ?? '',
            ),
          ),
      )
  if (records.length === 0) return { code: 'NXDOMAIN', answers: [], zone }
  return type === TYPE.PTR
    ? { code: 'NOERROR', answers: records }
    : { code: 'NOERROR', answers: [], zone }
}
