import type { DaemonSet, DaemonSetStatus } from 'kubewright/kinds/apps/v1'
import type { Node, Pod } from 'kubewright/kinds/core/v1'
import { matchesNodeAffinity } from '../scheduler/node-affinity.ts'
import { untoleratedTaint } from '../scheduler/taints.ts'
import { nonZero } from '../workload/count.ts'
import { scaledValue } from '../workload/int-or-percent.ts'
import { isPodAvailable, isPodReady, isPodTerminal } from '../workload/pod.ts'
import { parseTimestamp } from '../workload/time.ts'
import { DAEMON_REVISION, daemonTolerations, nodeOf } from './pods.ts'

/** What a daemon set is decided upon: its pods, all nodes, and the hash of the revision that pods should be of. */
export interface DaemonObserved {
  readonly set: DaemonSet
  readonly pods: readonly Pod[]
  readonly nodes: readonly Node[]
  readonly hash: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** On which nodes to start a pod, and which pods to delete. */
export interface DaemonPlan {
  readonly create: readonly string[]
  readonly remove: readonly Pod[]
  /** Those of `remove` that have failed. */
  readonly failed: readonly Pod[]
}

/** Whether a daemon belongs on a node, and whether a pod that is there may stay (kubernetes/pkg/controller/daemon NodeShouldRunDaemonPod). */
export interface Belonging {
  readonly run: boolean
  readonly stay: boolean
}

/** Decides whether a daemon belongs on a node: by its name and labels, and by its taints. */
export function belongsOn(set: DaemonSet, node: Node): Belonging {
  const { spec } = set.spec.template
  if (spec.nodeName && spec.nodeName !== node.metadata.name) return { run: false, stay: false }
  if (!matchesNodeAffinity(node, spec)) return { run: false, stay: false }
  const tolerations = [...(spec.tolerations ?? []), ...daemonTolerations(spec.hostNetwork === true)]
  const refused = untoleratedTaint(node.spec?.taints, tolerations)
  const evicted = untoleratedTaint(node.spec?.taints, tolerations, ['NoExecute'])
  return { run: !refused, stay: !evicted }
}

/** What runs on one node. */
interface Place {
  readonly node: Node
  readonly pods: readonly Pod[]
  readonly belongs: Belonging
}

/** What a daemon set does next: a pod on each node where it belongs, none elsewhere, and then the update. */
export function planDaemonSet(observed: DaemonObserved): DaemonPlan {
  const places = placesOf(observed)
  const plans = places.map((it) => planPlace(observed, it))
  const stray = observed.pods.filter(
    (it) => !places.some(({ node }) => node.metadata.name === nodeOf(it)) && !isGoing(it),
  )
  const create = plans.flatMap((it) => it.create)
  const remove = [...stray, ...plans.flatMap((it) => it.remove)]
  const failed = plans.flatMap((it) => it.failed)
  const update =
    observed.set.spec.updateStrategy?.type === 'OnDelete'
      ? { create: [], remove: [] }
      : planUpdate(observed, places, new Set([...remove, ...failed]))
  return {
    create: [...new Set([...create, ...update.create])],
    remove: [...new Set([...remove, ...update.remove])],
    failed,
  }
}

function placesOf({ set, pods, nodes }: DaemonObserved): readonly Place[] {
  const byNode = Map.groupBy(pods, nodeOf)
  return nodes.map((node) => ({
    node,
    pods: byNode.get(node.metadata.name) ?? [],
    belongs: belongsOn(set, node),
  }))
}

const isGoing = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined
const isNew = (pod: Pod, hash: string): boolean => pod.metadata.labels?.[DAEMON_REVISION] === hash
const createdAt = (pod: Pod): number => parseTimestamp(pod.metadata.creationTimestamp) ?? 0

function planPlace({ hash }: DaemonObserved, { node, pods, belongs }: Place): DaemonPlan {
  const living = pods.filter((it) => !isGoing(it))
  const failed = living.filter((it) => it.status?.phase === 'Failed')
  if (!belongs.run && !belongs.stay) return { create: [], remove: living, failed: [] }
  if (belongs.run && pods.length === 0) {
    return { create: [node.metadata.name!], remove: [], failed: [] }
  }
  const sound = living
    .filter((it) => !isPodTerminal(it))
    .sort((a, b) => createdAt(a) - createdAt(b))
  const [kept] = sound
  const twins = sound.filter((it) => it !== kept && isNew(it, hash) === isNew(kept!, hash))
  const ended = living.filter((it) => it.status?.phase === 'Succeeded')
  return { create: [], remove: [...failed, ...ended, ...twins], failed }
}

interface Update {
  readonly create: readonly string[]
  readonly remove: readonly Pod[]
}

/** The rolling update: by default one node after another loses its old pod; with a surge the new one comes first. */
function planUpdate(
  observed: DaemonObserved,
  places: readonly Place[],
  removed: ReadonlySet<Pod>,
): Update {
  const { set } = observed
  const wanted = places.filter((it) => it.belongs.run)
  const { maxUnavailable = 1, maxSurge = 0 } = set.spec.updateStrategy?.rollingUpdate ?? {}
  const surge = scaledValue(maxSurge, wanted.length, 'up')
  const down = scaledValue(maxUnavailable, wanted.length, 'up')
  const states = wanted.map((place) => stateOf(observed, place, removed))
  return surge > 0 ? surgeUpdate(states, surge) : plainUpdate(states, Math.max(down, 1))
}

interface State {
  readonly name: string
  readonly old: Pod | undefined
  readonly oldAvailable: boolean
  readonly fresh: Pod | undefined
  readonly freshAvailable: boolean
}

function stateOf(
  { set, hash, now }: DaemonObserved,
  { node, pods }: Place,
  removed: ReadonlySet<Pod>,
): State {
  const living = pods.filter((it) => !isGoing(it) && !removed.has(it))
  const isUp = (pod: Pod | undefined): boolean =>
    pod !== undefined && isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now)
  const old = living.find((it) => !isNew(it, hash))
  const fresh = living.find((it) => isNew(it, hash))
  return {
    name: node.metadata.name!,
    old,
    oldAvailable: isUp(old),
    fresh,
    freshAvailable: isUp(fresh),
  }
}

function plainUpdate(states: readonly State[], most: number): Update {
  const outdated = states.filter((it) => it.old && !it.fresh)
  const useless = outdated.filter((it) => !it.oldAvailable)
  const unavailable = states.filter((it) => !it.oldAvailable && !it.freshAvailable).length
  const room = Math.max(0, most - unavailable)
  const replaced = outdated.filter((it) => it.oldAvailable).slice(0, room)
  return { create: [], remove: [...useless, ...replaced].map((it) => it.old!) }
}

function surgeUpdate(states: readonly State[], most: number): Update {
  const done = states.filter((it) => it.old && it.freshAvailable)
  const outdated = states.filter((it) => it.old && !it.fresh)
  const surging = states.filter((it) => it.old && it.fresh && !it.freshAvailable).length
  const useless = outdated.filter((it) => !it.oldAvailable)
  const next = outdated.filter((it) => it.oldAvailable).slice(0, Math.max(0, most - surging))
  return {
    create: [...useless, ...next].map((it) => it.name),
    remove: done.map((it) => it.old!),
  }
}

/** The status of a daemon set, counted by node. */
export function daemonStatus(observed: DaemonObserved): DaemonSetStatus {
  const { set, hash, now } = observed
  const places = placesOf(observed)
  const wanted = places.filter((it) => it.belongs.run)
  const first = ({ pods }: Place): Pod | undefined =>
    pods
      .filter((it) => !isGoing(it))
      .sort((a, b) => Number(isPodReady(b)) - Number(isPodReady(a)))[0]
  const scheduled = wanted.filter((it) => it.pods.length > 0)
  const ready = wanted.filter((it) => it.pods.some(isPodReady))
  const available = wanted.filter((it) =>
    it.pods.some((pod) => isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now)),
  )
  const updated = wanted.filter((it) => {
    const pod = first(it)
    return pod !== undefined && isNew(pod, hash)
  })
  return {
    currentNumberScheduled: scheduled.length,
    numberMisscheduled: places.filter((it) => !it.belongs.run && it.pods.length > 0).length,
    desiredNumberScheduled: wanted.length,
    numberReady: ready.length,
    ...nonZero({
      observedGeneration: set.metadata.generation ?? 0,
      updatedNumberScheduled: updated.length,
      numberAvailable: available.length,
      numberUnavailable: wanted.length - available.length,
    }),
    ...(set.status?.collisionCount !== undefined && { collisionCount: set.status.collisionCount }),
    ...(set.status?.conditions && { conditions: set.status.conditions }),
  }
}
