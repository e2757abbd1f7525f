import type {
  ComponentStatus,
  ConfigMap,
  Endpoints,
  Namespace,
  Node,
  ReplicationController,
  ResourceQuota,
  Secret,
  ServiceAccount,
} from 'kubewright/kinds/core/v1'
import { age } from './age.ts'
import { containerCells, labelsText, orNone, SHOWN } from './format.ts'
import { printer, type Printer } from './printer.ts'

const ROLE_PREFIX = 'node-role.kubernetes.io/'

function nodeCells(node: Node, now: number): readonly unknown[] {
  const info = node.status?.nodeInfo
  const kernel = info?.kernelVersion || '<unknown>'
  return [
    node.metadata.name,
    nodeStatus(node),
    orNone(nodeRoles(node.metadata.labels ?? {}).join(',')),
    age(node.metadata.creationTimestamp, now),
    info?.kubeletVersion ?? '',
    addressOf(node, 'InternalIP'),
    addressOf(node, 'ExternalIP'),
    info?.osImage || '<unknown>',
    info?.architecture ? `${kernel} (${info.architecture})` : kernel,
    info?.containerRuntimeVersion || '<unknown>',
  ]
}

function nodeStatus(node: Node): string {
  const ready = node.status?.conditions?.findLast((it) => it.type === 'Ready')
  const status = ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown'
  return node.spec.unschedulable ? `${status},SchedulingDisabled` : status
}

function nodeRoles(labels: Readonly<Record<string, string>>): readonly string[] {
  const roles = Object.entries(labels).map(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return key.slice(ROLE_PREFIX.length)
    return key === 'kubernetes.io/role' ? value : ''
  })
  return [...new Set(roles)].filter((it) => it !== '').toSorted()
}

const addressOf = (node: Node, type: string): string =>
  node.status?.addresses?.find((it) => it.type === type)?.address ?? '<none>'

function endpointsText({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return '<none>'
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map((it) => it.ip)
      : ports.flatMap(({ port }) => addresses.map((it) => hostPort(it.ip, port))),
  )
  const text = all.slice(0, SHOWN).join(',')
  return all.length > SHOWN ? `${text} + ${all.length - SHOWN} more...` : text
}

const hostPort = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

function quotaCells(quota: ResourceQuota, now: number): readonly unknown[] {
  const { hard = {}, used = {} } = quota.status ?? {}
  const text = (names: readonly string[]): string =>
    names.map((it) => `${it}: ${used[it] ?? '0'}/${hard[it]}`).join(', ')
  const names = Object.keys(hard).toSorted()
  const isLimit = (name: string): boolean => name.startsWith('limits.')
  return [
    quota.metadata.name,
    text(names.filter((it) => !isLimit(it))),
    text(names.filter(isLimit)),
    age(quota.metadata.creationTimestamp, now),
  ]
}

function componentCells(component: ComponentStatus): readonly unknown[] {
  const healthy = component.conditions?.find((it) => it.type === 'Healthy')
  const status = healthy ? (healthy.status === 'True' ? 'Healthy' : 'Unhealthy') : 'Unknown'
  return [component.metadata.name, status, healthy?.message ?? '', healthy?.error ?? '']
}

const count = (record: object | undefined): number => Object.keys(record ?? {}).length

/** Printers of the core group's own kinds; pods, services, volumes and events have files of their own. */
export const CORE: Readonly<Record<string, Printer>> = {
  '/componentstatuses': printer<ComponentStatus>(componentCells),
  '/configmaps': printer<ConfigMap>((it, now) => [
    it.metadata.name,
    count(it.data) + count(it.binaryData),
    age(it.metadata.creationTimestamp, now),
  ]),
  '/endpoints': printer<Endpoints>((it, now) => [
    it.metadata.name,
    endpointsText(it),
    age(it.metadata.creationTimestamp, now),
  ]),
  '/namespaces': printer<Namespace>((it, now) => [
    it.metadata.name,
    it.status?.phase ?? '',
    age(it.metadata.creationTimestamp, now),
  ]),
  '/nodes': printer<Node>(nodeCells),
  '/replicationcontrollers': printer<ReplicationController>((it, now) => [
    it.metadata.name,
    it.spec.replicas ?? 0,
    it.status?.replicas ?? 0,
    it.status?.readyReplicas ?? 0,
    age(it.metadata.creationTimestamp, now),
    ...containerCells(it.spec.template?.spec.containers),
    labelsText(it.spec.selector),
  ]),
  '/resourcequotas': printer<ResourceQuota>(quotaCells),
  '/secrets': printer<Secret>((it, now) => [
    it.metadata.name,
    it.type ?? '',
    count(it.data),
    age(it.metadata.creationTimestamp, now),
  ]),
  '/serviceaccounts': printer<ServiceAccount>((it, now) => [
    it.metadata.name,
    age(it.metadata.creationTimestamp, now),
  ]),
}
