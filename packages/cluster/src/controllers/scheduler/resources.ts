import type { Container, Node, Pod } from 'kubewright/kinds/core/v1'
import { parseQuantity, quantityMilliValue } from 'kubewright/machinery'

/** Amounts by resource name, in thousandths of its unit. */
export type Amounts = ReadonlyMap<string, bigint>

/** Reads a resource list of the API. */
export function amountsOf(list: Readonly<Record<string, string>> | undefined): Amounts {
  return new Map(
    Object.entries(list ?? {}).map(([name, text]) => [
      name,
      quantityMilliValue(parseQuantity(text)),
    ]),
  )
}

function merged(a: Amounts, b: Amounts, merge: (x: bigint, y: bigint) => bigint): Amounts {
  const result = new Map(a)
  for (const [name, amount] of b) result.set(name, merge(result.get(name) ?? 0n, amount))
  return result
}

/** The sum of two resource lists. */
export function added(a: Amounts, b: Amounts): Amounts {
  return merged(a, b, (x, y) => x + y)
}

const highest = (a: Amounts, b: Amounts): Amounts => merged(a, b, (x, y) => (x > y ? x : y))

const requests = (container: Container): Amounts => amountsOf(container.resources?.requests)
const NONE: Amounts = new Map()

/**
 * What a pod asks of its node: its containers and sidecars together, or its greediest init container with the sidecars before it, and
 * the overhead on top (component-helpers/resource PodRequests).
 */
export function podRequests(pod: Pod): Amounts {
  let sidecars = NONE
  let initial = NONE
  for (const container of pod.spec?.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      sidecars = added(sidecars, requests(container))
      initial = highest(initial, sidecars)
    } else {
      initial = highest(initial, added(sidecars, requests(container)))
    }
  }
  const mains = (pod.spec?.containers ?? []).map(requests).reduce(added, sidecars)
  return added(highest(mains, initial), amountsOf(pod.spec?.overhead))
}

/** What of a node can be given to pods. */
export function allocatable(node: Node): Amounts {
  return amountsOf(node.status?.allocatable ?? node.status?.capacity)
}
