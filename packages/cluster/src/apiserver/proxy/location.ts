import {
  ApiError,
  badRequest,
  failure,
  internalError,
  notFound,
  type UnknownObject,
} from 'kubewright/machinery'
import type { Storage } from '../storage/storage.ts'

/** What the name of a proxied object says: `https:web:443`, `web:http`, `web` (apimachinery/pkg/util/net/port_split.go). */
export interface ProxyId {
  readonly scheme: '' | 'http' | 'https'
  readonly name: string
  readonly port: string
}

/** Reads the name of a proxied object; undefined where it is none. */
export function proxyId(id: string): ProxyId | undefined {
  const parts = id.split(':')
  if (parts.length > 3) return undefined
  const [scheme, name, port] = parts.length === 3 ? parts : ['', parts[0]!, parts[1] ?? '']
  if (!name || (scheme !== '' && scheme !== 'http' && scheme !== 'https')) return undefined
  return { scheme, name, port: port ?? '' }
}

/** Host and port behind a proxied object, and how it is spoken to. */
export interface Place {
  readonly scheme: string
  readonly host: string
  readonly port: string
}

/** A place as a URL without a path. */
export function placeUrl({ scheme, host, port }: Place): URL {
  const shown = host.includes(':') ? `[${host}]` : host
  return new URL(`${scheme === '' ? 'http' : scheme}://${shown}${port === '' ? '' : `:${port}`}`)
}

interface Pod extends UnknownObject {
  readonly spec?: {
    readonly containers?: readonly {
      readonly ports?: readonly { readonly containerPort?: number }[]
    }[]
  }
  readonly status?: {
    readonly podIP?: string
    readonly podIPs?: readonly { readonly ip?: string }[]
  }
}

/** Where a pod is reached: at the port that was asked for, or the first that it declares (registry/core/pod/strategy.go ResourceLocation). */
export function podPlace(
  object: UnknownObject,
  { scheme, port }: ProxyId,
  allowLoopback = false,
): Place {
  const { spec, status } = object as Pod
  const declared = spec?.containers?.flatMap((it) => it.ports ?? [])[0]?.containerPort
  const host = status?.podIPs?.[0]?.ip ?? status?.podIP ?? ''
  const isAllowed = isGlobalUnicast(host) || (allowLoopback && host.startsWith('127.'))
  if (!isAllowed) throw badRequest('address not allowed')
  return { scheme, host, port: port === '' && declared ? String(declared) : port }
}

/** Whether an address may be dialled for somebody else: no loopback, link-local, multicast or unspecified one (Go's net.IP.IsGlobalUnicast). */
export function isGlobalUnicast(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=[\d.]+$)/i, '')
  const v4 = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(plain)
  if (v4) {
    const [first, second] = [Number(v4[1]), Number(v4[2])]
    if (plain === '0.0.0.0' || plain === '255.255.255.255') return false
    return first !== 127 && first < 224 && !(first === 169 && second === 254)
  }
  const v6 = address.toLowerCase()
  if (!v6.includes(':')) return false
  return v6 !== '::' && v6 !== '::1' && !/^(?:fe[89ab]|ff|::ffff:)/.test(v6)
}

interface ServicePorts extends UnknownObject {
  readonly spec?: { readonly ports?: readonly { readonly name?: string; readonly port?: number }[] }
}

interface Endpoints extends UnknownObject {
  readonly subsets?: readonly {
    readonly addresses?: readonly EndpointAddress[]
    readonly ports?: readonly { readonly name?: string; readonly port: number }[]
  }[]
}

interface EndpointAddress {
  readonly ip: string
  readonly targetRef?: { readonly name?: string; readonly namespace?: string }
}

const unavailable = (message: string): ApiError =>
  new ApiError(failure(503, 'ServiceUnavailable', message))

/**
 * Where a service is reached: at an address of its Endpoints that is a pod's, chosen by `pick` (registry/core/service/storage
 * ResourceLocation). Throws the 404 of a service without Endpoints, the 503 where nothing is behind it.
 */
export async function servicePlace(
  storage: Storage,
  namespace: string,
  id: string,
  { scheme, name, port }: ProxyId,
  pick: (count: number) => number,
): Promise<Place> {
  const wanted = /^[+-]?\d+$/.test(port)
    ? await portName(storage, namespace, name, Number(port))
    : port
  const endpoints = (await storage.get(`/endpoints/${namespace}/${name}`))?.object as
    Endpoints | undefined
  // Whatever is missing behind a service, it is the service that the client asked for.
  if (!endpoints) throw notFound({ group: '', plural: 'services' }, name)
  const subsets = endpoints.subsets ?? []
  if (subsets.length === 0)
    throw unavailable(`no endpoints available for service ${JSON.stringify(name)}`)
  for (const { addresses = [], ports = [] } of rotated(subsets, pick)) {
    const found = ports.find((it) => (it.name ?? '') === wanted)
    if (!found) continue
    for (const address of rotated(addresses, pick)) {
      if (await isPodAddress(storage, namespace, address))
        return { scheme, host: address.ip, port: String(found.port) }
    }
  }
  throw unavailable(`no endpoints available for service ${JSON.stringify(id)}`)
}

async function portName(
  storage: Storage,
  namespace: string,
  name: string,
  port: number,
): Promise<string> {
  const service = (await storage.get(`/services/${namespace}/${name}`))?.object as
    ServicePorts | undefined
  if (!service) throw notFound({ group: '', plural: 'services' }, name)
  const found = service.spec?.ports?.find((it) => it.port === port)
  if (!found) throw unavailable(`no service port ${port} found for service ${JSON.stringify(name)}`)
  return found.name ?? ''
}

function rotated<T>(items: readonly T[], pick: (count: number) => number): readonly T[] {
  const start = items.length === 0 ? 0 : pick(items.length)
  return [...items.slice(start), ...items.slice(0, start)]
}

/** Nobody may make the server dial what is no pod. */
async function isPodAddress(
  storage: Storage,
  namespace: string,
  { ip, targetRef }: EndpointAddress,
): Promise<boolean> {
  if (!targetRef || targetRef.namespace !== namespace) return false
  const pod = (await storage.get(`/pods/${namespace}/${targetRef.name}`))?.object as Pod | undefined
  return pod?.status?.podIPs?.some((it) => it.ip === ip) ?? false
}

interface Node extends UnknownObject {
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[]
    readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port?: number } }
    readonly declaredFeatures?: readonly string[]
  }
}

/** The order in which a node's addresses are tried (kube-apiserver's default of --kubelet-preferred-address-types). */
const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP']

const KUBELET_PORT = 10_250

/** Where the kubelet of a node listens (pkg/kubelet/client GetConnectionInfo). Throws the 500 of a node without an address. */
export function kubeletPlace(object: UnknownObject): Place {
  const { addresses = [], daemonEndpoints } = (object as Node).status ?? {}
  const found = ADDRESS_TYPES.map((type) => addresses.find((it) => it.type === type)).find(Boolean)
  if (!found) {
    const shown = addresses.map((it) => `{${it.type} ${it.address}}`).join(' ')
    throw internalError(`no preferred addresses found; known addresses: [${shown}]`)
  }
  const port = daemonEndpoints?.kubeletEndpoint?.Port ?? 0
  return { scheme: 'https', host: found.address, port: String(port > 0 ? port : KUBELET_PORT) }
}
