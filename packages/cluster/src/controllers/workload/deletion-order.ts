import type { Pod } from 'kubewright/kinds/core/v1'
import { isPodActive, isPodReady, podReadySince } from './pod.ts'
import { parseTimestamp } from './time.ts'

const PHASE_ORDER: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

type Comparison = (a: Pod, b: Pod) => number

const number = (value: boolean): number => (value ? 1 : 0)

const unassignedFirst: Comparison = (a, b) =>
  number(Boolean(a.spec?.nodeName)) - number(Boolean(b.spec?.nodeName))

const phaseOrder = (pod: Pod): number => PHASE_ORDER[pod.status?.phase ?? ''] ?? 0
const leastStartedFirst: Comparison = (a, b) => phaseOrder(a) - phaseOrder(b)

const unreadyFirst: Comparison = (a, b) => number(isPodReady(a)) - number(isPodReady(b))

const deletionCost = (pod: Pod): number => {
  const text = pod.metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? ''
  return /^(0|-?[1-9][0-9]*)$/.test(text) ? Number(text) : 0
}
const cheapestFirst: Comparison = (a, b) => deletionCost(a) - deletionCost(b)

/** Ages compare by their power of two, so that the choice among pods of like age is not always the same one. */
const youngestFirst =
  (since: (pod: Pod) => number | undefined, now: number): Comparison =>
  (a, b) => {
    const [first, second] = [since(a), since(b)]
    if (first === second) return 0
    if (first === undefined || second === undefined) return first === undefined ? -1 : 1
    const difference = ageRank(now - first) - ageRank(now - second)
    return difference !== 0 ? difference : a.metadata.uid! < b.metadata.uid! ? -1 : 1
  }

const ageRank = (ms: number): number => (ms > 0 ? Math.floor(Math.log2(ms * 1e6)) : -1)

const restarts = (pod: Pod): number =>
  Math.max(0, ...(pod.status?.containerStatuses ?? []).map((it) => it.restartCount))
const sidecarRestarts = (pod: Pod): number => {
  const sidecars = new Set(
    pod.spec?.initContainers?.filter((it) => it.restartPolicy === 'Always').map((it) => it.name),
  )
  const counts = (pod.status?.initContainerStatuses ?? [])
    .filter((it) => sidecars.has(it.name))
    .map((it) => it.restartCount)
  return Math.max(0, ...counts)
}
const mostRestartsFirst: Comparison = (a, b) =>
  restarts(b) - restarts(a) || sidecarRestarts(b) - sidecarRestarts(a)

const createdAt = (pod: Pod): number | undefined => parseTimestamp(pod.metadata.creationTimestamp)

/** How many active pods of the related replica sets share each pod's node. */
function crowding(related: readonly Pod[]): Comparison {
  const onNode = new Map<string, number>()
  for (const pod of related.filter(isPodActive)) {
    const node = pod.spec?.nodeName ?? ''
    onNode.set(node, (onNode.get(node) ?? 0) + 1)
  }
  const rank = (pod: Pod): number => onNode.get(pod.spec?.nodeName ?? '') ?? 0
  return (a, b) => rank(b) - rank(a)
}

/**
 * The pods to delete first come first: unassigned, pending, not ready, cheap, crowded, lately ready, often restarted, young
 * (kubernetes/pkg/controller ActivePodsWithRanks). `related` are the pods of all replica sets of the same owner.
 */
export function deletionOrder(
  pods: readonly Pod[],
  related: readonly Pod[],
  now: number,
): readonly Pod[] {
  const order: readonly Comparison[] = [
    unassignedFirst,
    leastStartedFirst,
    unreadyFirst,
    cheapestFirst,
    crowding(related),
    youngestFirst(podReadySince, now),
    mostRestartsFirst,
    youngestFirst(createdAt, now),
  ]
  return [...pods].sort((a, b) => {
    for (const compare of order) {
      const difference = compare(a, b)
      if (difference !== 0) return difference
    }
    return 0
  })
}
