import type { StatefulSet, StatefulSetStatus } from 'kubewright/kinds/apps/v1'
import type { Pod, PodTemplateSpec } from 'kubewright/kinds/core/v1'
import { nonZero } from '../workload/count.ts'
import { isPodAvailable, isPodReady, isPodTerminal } from '../workload/pod.ts'
import { ordinalOf, ordinalRange, POD_REVISION } from './pods.ts'

/** A template and the name of the revision that keeps it. */
export interface NamedTemplate {
  readonly name: string
  readonly template: PodTemplateSpec
}

/** What a stateful set is decided upon: its pods, the revision it comes from and the one it goes to. */
export interface StatefulObserved {
  readonly set: StatefulSet
  readonly pods: readonly Pod[]
  readonly current: NamedTemplate
  readonly update: NamedTemplate
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** One thing to do for a stateful set. */
export type StatefulStep =
  | { readonly type: 'create'; readonly ordinal: number; readonly revision: NamedTemplate }
  | { readonly type: 'delete'; readonly pod: Pod }

/** The pods of a set by their place: what is at each ordinal, and what is beyond, highest first. */
interface Places {
  readonly start: number
  readonly replicas: readonly (Pod | undefined)[]
  readonly condemned: readonly Pod[]
}

/**
 * The next steps of a stateful set (kubernetes/pkg/controller/statefulset updateStatefulSet). In order, one pod at a time and only
 * when all before it are available, unless the pods are managed in parallel. Replicas come first, then pods beyond them go, then
 * pods of another revision are replaced from the highest ordinal down to the partition.
 */
export function planStatefulSet(observed: StatefulObserved): readonly StatefulStep[] {
  const { set } = observed
  if (set.metadata.deletionTimestamp !== undefined) return []
  const places = placesOf(observed)
  const parallel = set.spec.podManagementPolicy === 'Parallel'
  const filling = fill(observed, places, parallel)
  if (filling.steps.length > 0 && !parallel) return filling.steps
  if (filling.blocked && !parallel) return filling.steps
  const shrinking = shrink(observed, places, parallel)
  if (shrinking.blocked && !parallel) return [...filling.steps, ...shrinking.steps]
  const steps = [...filling.steps, ...shrinking.steps]
  return steps.length > 0 ? steps : replaceOutdated(observed, places)
}

function placesOf({ set, pods }: StatefulObserved): Places {
  const { start, end } = ordinalRange(set)
  const byOrdinal = new Map(pods.map((pod): [number, Pod] => [ordinalOf(set, pod) ?? -1, pod]))
  const beyond = [...byOrdinal].filter(([it]) => it >= 0 && (it < start || it >= end))
  return {
    start,
    replicas: Array.from({ length: end - start }, (_, index) => byOrdinal.get(start + index)),
    condemned: beyond.sort(([a], [b]) => b - a).map(([, pod]) => pod),
  }
}

interface Progress {
  readonly steps: readonly StatefulStep[]
  /** A pod stands in the way of those after it. */
  readonly blocked: boolean
}

function fill(observed: StatefulObserved, places: Places, parallel: boolean): Progress {
  const steps: StatefulStep[] = []
  let blocked = false
  for (const [index, pod] of places.replicas.entries()) {
    const step = fillPlace(observed, places.start + index, pod)
    if (step) steps.push(step)
    blocked ||= step !== undefined || !pod || isPodTerminal(pod) || isUnavailable(observed, pod)
    if (blocked && !parallel) break
  }
  return { steps, blocked }
}

function fillPlace(
  observed: StatefulObserved,
  ordinal: number,
  pod: Pod | undefined,
): StatefulStep | undefined {
  if (!pod) return { type: 'create', ordinal, revision: revisionFor(observed, ordinal) }
  const ended = isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined
  return ended ? { type: 'delete', pod } : undefined
}

/** Below the partition, or below what is still of the old revision, a pod comes back as what it was. */
function revisionFor({ set, current, update }: StatefulObserved, ordinal: number): NamedTemplate {
  const { type = 'RollingUpdate', rollingUpdate } = set.spec.updateStrategy ?? {}
  if (type !== 'RollingUpdate') return update
  const old = rollingUpdate ? (rollingUpdate.partition ?? 0) : (set.status?.currentReplicas ?? 0)
  return ordinal < ordinalRange(set).start + old ? current : update
}

function isUnavailable({ set, now }: StatefulObserved, pod: Pod): boolean {
  return (
    pod.metadata.deletionTimestamp !== undefined ||
    !isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now)
  )
}

function shrink(observed: StatefulObserved, places: Places, parallel: boolean): Progress {
  const { condemned, replicas } = places
  const ill = [...replicas, ...condemned.toReversed()].find(
    (it) => it && isUnavailable(observed, it),
  )
  const steps: StatefulStep[] = []
  for (const pod of condemned) {
    const going = pod.metadata.deletionTimestamp !== undefined
    if (!parallel && (going || (isUnavailable(observed, pod) && pod !== ill))) break
    if (going) continue
    steps.push({ type: 'delete', pod })
    if (!parallel) break
  }
  return { steps, blocked: condemned.length > 0 }
}

function replaceOutdated(
  observed: StatefulObserved,
  { replicas }: Places,
): readonly StatefulStep[] {
  const { type = 'RollingUpdate', rollingUpdate } = observed.set.spec.updateStrategy ?? {}
  if (type === 'OnDelete') return []
  const partition = rollingUpdate?.partition ?? 0
  for (let index = replicas.length - 1; index >= partition; index--) {
    const pod = replicas[index]
    if (!pod) return []
    const going = pod.metadata.deletionTimestamp !== undefined
    if (revisionOf(pod) !== observed.update.name && !going) return [{ type: 'delete', pod }]
    if (isUnavailable(observed, pod)) return []
  }
  return []
}

const revisionOf = (pod: Pod): string | undefined => pod.metadata.labels?.[POD_REVISION]

/** The status of a stateful set from its pods. `created` and `deleted` count what this sync has done and no pod shows yet. */
export function statefulStatus(observed: StatefulObserved): StatefulSetStatus {
  const { set, pods, current, update, now } = observed
  const ready = pods.filter((it) => it.status?.phase === 'Running' && isPodReady(it))
  const available = ready.filter((it) => isPodAvailable(it, set.spec.minReadySeconds ?? 0, now))
  const staying = pods.filter((it) => it.metadata.deletionTimestamp === undefined)
  const counts = {
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: available.length,
    currentReplicas: staying.filter((it) => revisionOf(it) === current.name).length,
    updatedReplicas: staying.filter((it) => revisionOf(it) === update.name).length,
  }
  const complete = isComplete(set, counts)
  return {
    ...nonZero({ observedGeneration: set.metadata.generation ?? 0 }),
    ...nonZero({
      ...counts,
      currentReplicas: complete ? counts.updatedReplicas : counts.currentReplicas,
    }),
    replicas: counts.replicas,
    availableReplicas: counts.availableReplicas,
    currentRevision: complete ? update.name : current.name,
    updateRevision: update.name,
    collisionCount: set.status?.collisionCount ?? 0,
    ...(set.status?.conditions && { conditions: set.status.conditions }),
  }
}

function isComplete(
  set: StatefulSet,
  it: {
    readonly replicas: number
    readonly readyReplicas: number
    readonly updatedReplicas: number
  },
): boolean {
  const wanted = set.spec.replicas ?? 1
  const rolling = (set.spec.updateStrategy?.type ?? 'RollingUpdate') === 'RollingUpdate'
  return (
    rolling && [it.replicas, it.readyReplicas, it.updatedReplicas].every((one) => one === wanted)
  )
}
