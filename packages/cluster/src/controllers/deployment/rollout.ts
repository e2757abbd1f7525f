import type { Deployment, ReplicaSet } from 'kubewright/kinds/apps/v1'
import type { Pod } from 'kubewright/kinds/core/v1'
import { isPodTerminal } from '../workload/pod.ts'
import { allOf, byCreation, type Revisions } from './revision.ts'
import {
  active,
  available,
  resize,
  type Scaling,
  size,
  andThen,
  totalAvailable,
  totalSize,
  unscaled,
} from './scale.ts'
import { isRollingUpdate, maxSurge, maxUnavailable, wanted } from './strategy.ts'

/**
 * How many pods the current replica set may have now: with a rolling update as many as the surge leaves room for, else all
 * (deployment/util NewRSNewReplicas). `others` are the sizes of the old ones together.
 */
export function currentSize(deployment: Deployment, own: number, others: number): number {
  if (!isRollingUpdate(deployment)) return wanted(deployment)
  const room = wanted(deployment) + maxSurge(deployment) - (own + others)
  if (room <= 0) return own
  return own + Math.min(room, wanted(deployment) - own)
}

/** One move of a rolling update: first the new replica set grows, and only when it cannot, the old ones shrink. */
export function rollForward(deployment: Deployment, revisions: Revisions): Scaling {
  const grown = growCurrent(deployment, revisions)
  return grown.scaled ? grown : andThen(grown, (now) => shrinkOld(deployment, now))
}

function growCurrent(deployment: Deployment, revisions: Revisions): Scaling {
  const { current } = revisions
  if (!current || size(current) === wanted(deployment)) return unscaled(revisions)
  const replicas =
    size(current) > wanted(deployment)
      ? wanted(deployment)
      : currentSize(deployment, size(current), totalSize(revisions.old))
  return resize(deployment, revisions, current, replicas)
}

function shrinkOld(deployment: Deployment, revisions: Revisions): Scaling {
  if (totalSize(revisions.old) === 0) return unscaled(revisions)
  const { current } = revisions
  const least = wanted(deployment) - maxUnavailable(deployment)
  const starting = size(current) - available(current)
  const spare = totalSize(allOf(revisions)) - least - starting
  if (spare <= 0) return unscaled(revisions)
  return andThen(takeUnhealthy(deployment, revisions, spare), (now) => takeSurplus(deployment, now))
}

/** Old pods that are not available go first: nobody misses them. */
function takeUnhealthy(deployment: Deployment, revisions: Revisions, spare: number): Scaling {
  return takeFromOldest(deployment, revisions, spare, (it) => size(it) - available(it))
}

/** Available old pods go as far as enough others are available. */
function takeSurplus(deployment: Deployment, revisions: Revisions): Scaling {
  const least = wanted(deployment) - maxUnavailable(deployment)
  const counted = allOf({ current: revisions.current, old: active(revisions.old) })
  const surplus = totalAvailable(counted) - least
  return surplus <= 0
    ? unscaled(revisions)
    : takeFromOldest(deployment, revisions, surplus, (it) => size(it))
}

function takeFromOldest(
  deployment: Deployment,
  revisions: Revisions,
  most: number,
  takeable: (it: ReplicaSet) => number,
): Scaling {
  let left = most
  let sum = unscaled(revisions)
  for (const it of active(revisions.old).toSorted(byCreation)) {
    const take = Math.min(left, takeable(it))
    if (take <= 0) continue
    sum = andThen(sum, (now) => resize(deployment, now, it, size(it) - take))
    left -= take
  }
  return sum
}

/** Takes all old replica sets to zero, as a Recreate does first. */
export function stopOld(deployment: Deployment, revisions: Revisions): Scaling {
  return active(revisions.old).reduce(
    (sum, it) => andThen(sum, (now) => resize(deployment, now, it, 0)),
    unscaled(revisions),
  )
}

/** Whether a pod of an old replica set may still be running: a Recreate waits for it. */
export function oldPodsRunning(
  revisions: Revisions,
  pods: ReadonlyMap<string, readonly Pod[]>,
): boolean {
  if (revisions.old.some((it) => (it.status?.replicas ?? 0) > 0)) return true
  return [...pods]
    .filter(([uid]) => uid !== revisions.current?.metadata.uid)
    .some(([, list]) => list.some((pod) => !isPodTerminal(pod)))
}
