import type { UnknownObject } from 'kubewright/machinery'
import type { Storage } from '../storage/storage.ts'
import type { Condition, RemoteApi } from './api-service.ts'

interface Port {
  readonly name?: string
  readonly port?: number
}

interface Service extends UnknownObject {
  readonly spec?: { readonly type?: string; readonly ports?: readonly Port[] }
}

interface Slice extends UnknownObject {
  readonly endpoints?: readonly { readonly conditions?: { readonly ready?: boolean } }[] | null
  readonly ports?: readonly Port[] | null
}

/** An APIService that cannot be reached, and why. */
export const unavailable = (reason: string, message: string): Condition => ({
  type: 'Available',
  status: 'False',
  reason,
  message,
})

/** An APIService that its own server answers for (kube-aggregator NewLocalAvailableAPIServiceCondition). */
export const LOCAL: Condition = Object.freeze({
  type: 'Available',
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
})

/** An APIService that answers. */
export const PASSED: Condition = Object.freeze({
  type: 'Available',
  status: 'True',
  reason: 'Passed',
  message: 'all checks passed',
})

/**
 * What is wrong with the service behind an APIService, as far as objects tell (kube-aggregator remote_available_controller.go);
 * undefined where it is worth asking.
 */
export async function serviceProblem(
  storage: Storage,
  { service }: RemoteApi,
): Promise<Condition | undefined> {
  const { namespace, name, port } = service
  const where = `service/${name} in ${JSON.stringify(namespace)}`
  const found = (await storage.get(`/services/${namespace}/${name}`))?.object as Service | undefined
  if (!found) return unavailable('ServiceNotFound', `${where} is not present`)
  if ((found.spec?.type ?? 'ClusterIP') !== 'ClusterIP') return undefined
  const own = found.spec?.ports?.find((it) => it.port === port)
  if (!own) return unavailable('ServicePortError', `${where} is not listening on port ${port}`)
  const slices = await slicesOf(storage, namespace, name)
  if (slices.length === 0)
    return unavailable('EndpointsNotFound', `cannot find endpointslices for ${where}`)
  const portName = own.name ?? ''
  if (slices.some((it) => hasEndpoint(it, portName))) return undefined
  const why = `endpointslices for ${where} have no addresses with port name ${JSON.stringify(portName)}`
  return unavailable('MissingEndpoints', why)
}

async function slicesOf(
  storage: Storage,
  namespace: string,
  name: string,
): Promise<readonly Slice[]> {
  const { items } = await storage.list({ prefix: `discovery.k8s.io/endpointslices/${namespace}/` })
  return items
    .map((it) => it.object as Slice)
    .filter((it) => it.metadata.labels?.['kubernetes.io/service-name'] === name)
}

const hasEndpoint = ({ endpoints, ports }: Slice, portName: string): boolean =>
  (endpoints ?? []).some((it) => it.conditions?.ready ?? true) &&
  (ports ?? []).some((it) => it.name === portName && it.port !== undefined)
