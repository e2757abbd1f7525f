import type {
  Container,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  Service,
} from 'kubewright/kinds/core/v1'
import {
  addQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityOf,
} from 'kubewright/machinery'
import { isPodTerminal } from '../workload/pod.ts'

/** Amounts by the name that a quota knows them under: `pods`, `requests.cpu`, `count/deployments.apps`. */
export type Usage = ReadonlyMap<string, Quantity>

const ONE = quantityOf(1)
const ZERO = quantityOf(0)

/** The sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum = new Map(a)
  for (const [name, amount] of b) {
    const before = sum.get(name)
    sum.set(name, before ? addQuantities(before, amount) : amount)
  }
  return sum
}

type Kind = 'requests' | 'limits'

const amounts = (container: Container, kind: Kind): Usage =>
  new Map(
    Object.entries(container.resources?.[kind] ?? {}).map(([name, text]) => [
      name,
      parseQuantity(text),
    ]),
  )

/** What a pod asks for, or may use, of each resource. */
function podAmounts(pod: Pod, kind: Kind): Usage {
  const overhead = new Map(
    Object.entries(pod.spec?.overhead ?? {}).map(
      ([name, text]) => [name, parseQuantity(text)] as const,
    ),
  )
  return (pod.spec?.containers ?? []).map((it) => amounts(it, kind)).reduce(addUsage, overhead)
}

/** What a pod takes up. One that has ended takes up its own place in the store only. */
export function podUsage(pod: Pod): Usage {
  const usage = new Map<string, Quantity>([['count/pods', ONE]])
  if (isPodTerminal(pod)) return usage
  usage.set('pods', ONE)
  for (const [name, amount] of podAmounts(pod, 'requests')) {
    if (PLAIN.has(name)) usage.set(name, amount)
    usage.set(`requests.${name}`, amount)
  }
  for (const [name, amount] of podAmounts(pod, 'limits')) usage.set(`limits.${name}`, amount)
  return usage
}

const PLAIN: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage'])

/** What a service takes up: node ports and load balancers by its type. */
export function serviceUsage(service: Service): Usage {
  const { type, ports = [], allocateLoadBalancerNodePorts } = service.spec ?? {}
  const numbered =
    allocateLoadBalancerNodePorts === false ? ports.filter((it) => it.nodePort) : ports
  const nodePorts =
    type === 'NodePort' ? ports.length : type === 'LoadBalancer' ? numbered.length : 0
  return new Map([
    ['count/services', ONE],
    ['services', ONE],
    ['services.nodeports', quantityOf(nodePorts)],
    ['services.loadbalancers', type === 'LoadBalancer' ? ONE : ZERO],
  ])
}

/** What a claim takes up, in all and of its storage class. */
export function claimUsage(claim: PersistentVolumeClaim): Usage {
  const storage = claim.spec?.resources?.requests?.['storage']
  const of = claim.spec?.storageClassName
  const usage = new Map<string, Quantity>([
    ['count/persistentvolumeclaims', ONE],
    ['persistentvolumeclaims', ONE],
  ])
  if (of) usage.set(`${of}.storageclass.storage.k8s.io/persistentvolumeclaims`, ONE)
  if (storage === undefined) return usage
  usage.set('requests.storage', parseQuantity(storage))
  if (of) usage.set(`${of}.storageclass.storage.k8s.io/requests.storage`, parseQuantity(storage))
  return usage
}

/** Whether a quota counts a pod, by its scopes (kubernetes/pkg/quota/v1/evaluator/core podMatchesScopeFunc). */
export function matchesScopes(quota: ResourceQuota, pod: Pod): boolean {
  const scopes = (quota.spec?.scopes ?? []).every((it) => matchesScope(it, pod))
  return (
    scopes &&
    (quota.spec?.scopeSelector?.matchExpressions ?? []).every((it) => {
      if (it.scopeName !== 'PriorityClass') return matchesScope(it.scopeName, pod)
      const { priorityClassName } = pod.spec ?? {}
      const listed = it.values?.includes(priorityClassName ?? '') ?? false
      switch (it.operator) {
        case 'Exists':
          return Boolean(priorityClassName)
        case 'DoesNotExist':
          return !priorityClassName
        case 'In':
          return listed
        case 'NotIn':
          return !listed
        default:
          return false
      }
    })
  )
}

function matchesScope(scope: string, pod: Pod): boolean {
  const ending = pod.spec?.activeDeadlineSeconds !== undefined
  const bestEffort = pod.status?.qosClass === 'BestEffort'
  switch (scope) {
    case 'Terminating':
      return ending
    case 'NotTerminating':
      return !ending
    case 'BestEffort':
      return bestEffort
    case 'NotBestEffort':
      return !bestEffort
    case 'PriorityClass':
      return Boolean(pod.spec?.priorityClassName)
    default:
      return false
  }
}

/** The part of a usage that a quota limits, as its status shows it: what is limited and not used is 0. */
export function usedOf(
  hard: Readonly<Record<string, string>>,
  usage: Usage,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.keys(hard).map((name) => [name, formatQuantity(usage.get(name) ?? ZERO)]),
  )
}
