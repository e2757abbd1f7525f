import type { Container, Pod } from 'kubewright/kinds/core/v1'
import {
  parseQuantity,
  type Quantity,
  quantityMilliValue,
  quantityValue,
} from 'kubewright/machinery'

/** What a container may be told of its pod and node beside what the pod's object says. */
export interface PodPlace {
  readonly podIP: string
  readonly hostIP: string
  /** What the node offers, for containers without limits: `{ cpu: '4', memory: '16Gi' }`. */
  readonly allocatable: Readonly<Record<string, string>>
}

/** A field of a pod as text (pkg/fieldpath, kubelet_pods.go). Throws a sentence for one that no pod has. */
export function podField(pod: Pod, path: string, place: PodPlace): string {
  const [, map = '', key = ''] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path) ?? []
  if (map) return (map === 'labels' ? pod.metadata.labels : pod.metadata.annotations)?.[key] ?? ''
  const read = FIELDS[path]
  if (!read) throw new Error(`unsupported fieldPath: ${path}`)
  return read(pod, place)
}

const FIELDS: Readonly<Record<string, (pod: Pod, place: PodPlace) => string>> = {
  'metadata.name': ({ metadata }) => metadata.name ?? '',
  'metadata.namespace': ({ metadata }) => metadata.namespace ?? '',
  'metadata.uid': ({ metadata }) => metadata.uid ?? '',
  'metadata.labels': ({ metadata }) => mapText(metadata.labels),
  'metadata.annotations': ({ metadata }) => mapText(metadata.annotations),
  'spec.nodeName': ({ spec }) => spec?.nodeName ?? '',
  'spec.serviceAccountName': ({ spec }) => spec?.serviceAccountName ?? '',
  'status.hostIP': (_, { hostIP }) => hostIP,
  'status.hostIPs': (_, { hostIP }) => hostIP,
  'status.podIP': (_, { podIP }) => podIP,
  'status.podIPs': (_, { podIP }) => podIP,
}

/** `key="value"` a line, in the order of keys. */
function mapText(map: Readonly<Record<string, string>> = {}): string {
  const keys = Object.keys(map).sort((a, b) => (a < b ? -1 : 1))
  return keys.map((key) => `${key}=${JSON.stringify(map[key])}`).join('\n')
}

/** Which resource of which container, in units of what. */
export interface ResourceField {
  readonly resource: string
  readonly containerName?: string
  readonly divisor?: string
}

/** A limit or request of a container, rounded up, in units of the divisor (pkg/api/v1/resource). A missing limit is the node's. */
export function resourceField(
  pod: Pod,
  field: ResourceField,
  own: Container | undefined,
  { allocatable }: PodPlace,
): string {
  const container =
    field.containerName === undefined ? own : containerNamed(pod, field.containerName)
  const [, list = '', name = ''] = /^(limits|requests)\.(.+)$/.exec(field.resource) ?? []
  if (!container || !list) throw new Error(`unsupported container resource : ${field.resource}`)
  const { limits = {}, requests = {} } = container.resources ?? {}
  const limit = limits[name] ?? allocatable[name] ?? '0'
  const amount = list === 'limits' ? limit : (requests[name] ?? limits[name] ?? '0')
  return ratio(parseQuantity(amount), parseQuantity(usable(field.divisor)), name)
}

const usable = (divisor: string | undefined): string =>
  divisor === undefined || divisor === '0' ? '1' : divisor

function ratio(amount: Quantity, divisor: Quantity, resource: string): string {
  const valueOf = resource === 'cpu' ? quantityMilliValue : quantityValue
  const [above, below] = [valueOf(amount), valueOf(divisor)]
  return String((above + below - 1n) / below)
}

function containerNamed(pod: Pod, name: string): Container {
  const all = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]
  const found = all.find((it) => it.name === name)
  if (!found) throw new Error(`container ${name} not found`)
  return found
}
