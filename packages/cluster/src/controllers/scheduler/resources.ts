import type { Container, Node, Pod } from 'kubewright/kinds/core/v1'
import {
  findCondition,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
} from 'kubewright/machinery'

/** Amounts by resource name: cpu in thousandths, all else in whole units. */
export type Amounts = Readonly<Record<string, number>>

type ResourceList = Readonly<Record<string, string>>

/** What the scheduler takes a container to use where it says nothing (kubernetes/pkg/scheduler/util/pod_resources.go). */
export const DEFAULT_REQUEST: Amounts = Object.freeze({ cpu: 100, memory: 200 * 1024 * 1024 })
const NONE: Amounts = Object.freeze({})

/** Reads a resource list of the API. */
export function amountsOf(list: ResourceList | undefined): Amounts {
  if (!list) return NONE
  const amounts: Record<string, number> = {}
  for (const name of Object.keys(list)) {
    const quantity = parseQuantity(list[name]!)
    amounts[name] = Number(name === 'cpu' ? quantityMilliValue(quantity) : quantityValue(quantity))
  }
  return amounts
}

function merged(a: Amounts, b: Amounts, merge: (x: number, y: number) => number): Amounts {
  const result: Record<string, number> = { ...a }
  for (const name of Object.keys(b)) result[name] = merge(result[name] ?? 0, b[name]!)
  return result
}

/** The sum of two resource lists. */
export const added = (a: Amounts, b: Amounts): Amounts => merged(a, b, (x, y) => x + y)
/** What remains of one resource list without another. */
export const without = (a: Amounts, b: Amounts): Amounts => merged(a, b, (x, y) => x - y)
const highest = (a: Amounts, b: Amounts): Amounts => merged(a, b, Math.max)

/** Resources that a pod may name as a whole, beside its containers (component-helpers/resource SupportedPodLevelResources). */
const isPodLevel = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')

/**
 * What a pod asks of its node: its containers and sidecars together, or its greediest init container with the sidecars before it;
 * what it names as a whole instead of that, and the overhead on top (component-helpers/resource PodRequests). `missing` is what a
 * container is taken to ask for where it says nothing.
 */
export function podRequests(pod: Pod, missing: Amounts = NONE): Amounts {
  const asked = (it: Container): Amounts => ({ ...missing, ...containerRequests(pod, it) })
  let sidecars = NONE
  let initial = NONE
  for (const container of pod.spec.initContainers ?? []) {
    const own = asked(container)
    if (container.restartPolicy === 'Always') {
      sidecars = added(sidecars, own)
      initial = highest(initial, sidecars)
    } else {
      initial = highest(initial, added(sidecars, own))
    }
  }
  const mains = pod.spec.containers.map(asked).reduce(added, sidecars)
  const whole = Object.entries(amountsOf(pod.spec.resources?.requests)).filter(([name]) =>
    isPodLevel(name),
  )
  const total = { ...highest(mains, initial), ...Object.fromEntries(whole) }
  return pod.spec.overhead ? added(total, amountsOf(pod.spec.overhead)) : total
}

/** What a container asks for: while it is resized, the most of what is wanted, given and granted (KEP-1287). */
function containerRequests(pod: Pod, container: Container): Amounts {
  const wanted = amountsOf(container.resources?.requests)
  const status = pod.status?.containerStatuses?.find((it) => it.name === container.name)
  if (!status?.resources && !status?.allocatedResources) return wanted
  const given = highest(
    amountsOf(status.resources?.requests),
    amountsOf(status.allocatedResources as ResourceList | undefined),
  )
  const pending = findCondition(pod.status?.conditions, 'PodResizePending')
  return pending?.reason === 'Infeasible' ? given : highest(wanted, given)
}

/** What of a node can be given to pods. */
export const allocatable = (node: Node): Amounts => amountsOf(node.status?.allocatable)
