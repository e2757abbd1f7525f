import type { Deployment, ReplicaSet } from 'kubewright/kinds/apps/v1'
import { type DeploymentStep, normal } from './plan.ts'
import {
  allOf,
  byCreation,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  replicasAnnotations,
  type Revisions,
} from './revision.ts'
import { isRollingUpdate, maxSurge, wanted } from './strategy.ts'

/** Replica sets after some steps, and the steps. `scaled`: whether a number of pods has changed. */
export interface Scaling {
  readonly revisions: Revisions
  readonly steps: readonly DeploymentStep[]
  readonly scaled: boolean
}

/** How many pods a replica set wants. */
export function size(replicaSet: ReplicaSet | undefined): number {
  return replicaSet ? (replicaSet.spec?.replicas ?? 1) : 0
}

/** How many pods replica sets want together. */
export function totalSize(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((sum, it) => sum + size(it), 0)
}

export function available(replicaSet: ReplicaSet | undefined): number {
  return replicaSet?.status?.availableReplicas ?? 0
}

export function totalAvailable(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((sum, it) => sum + available(it), 0)
}

/** Those that want pods. */
export function active(replicaSets: readonly ReplicaSet[]): readonly ReplicaSet[] {
  return replicaSets.filter((it) => size(it) > 0)
}

export function unscaled(revisions: Revisions): Scaling {
  return { revisions, steps: [], scaled: false }
}

/** One scaling after another. */
export function andThen(first: Scaling, next: (revisions: Revisions) => Scaling): Scaling {
  const second = next(first.revisions)
  return {
    revisions: second.revisions,
    steps: [...first.steps, ...second.steps],
    scaled: first.scaled || second.scaled,
  }
}

/**
 * Gives one replica set a new size and the annotations that go with it. A size that it has already changes nothing, unless the
 * annotations are to be `refresh`ed.
 */
export function resize(
  deployment: Deployment,
  revisions: Revisions,
  target: ReplicaSet,
  replicas: number,
  refresh: boolean = false,
): Scaling {
  const from = size(target)
  if (from === replicas && !refresh) return unscaled(revisions)
  const annotations = replicasAnnotations(deployment)
  const stale = [DESIRED_REPLICAS, MAX_REPLICAS].some(
    (key) => target.metadata.annotations?.[key] !== annotations[key],
  )
  if (from === replicas && !stale) return unscaled(revisions)
  const resized: ReplicaSet = {
    ...target,
    metadata: {
      ...target.metadata,
      annotations: { ...target.metadata.annotations, ...annotations },
    },
    spec: { ...target.spec!, replicas },
  }
  const event = normal(
    'ScalingReplicaSet',
    `Scaled ${from < replicas ? 'up' : 'down'} replica set ${target.metadata.name} from ${from} to ${replicas}`,
  )
  return {
    revisions: replace(revisions, target, resized),
    steps: [{ type: 'update', replicaSet: resized }, ...(from === replicas ? [] : [event])],
    scaled: from !== replicas,
  }
}

function replace(revisions: Revisions, before: ReplicaSet, after: ReplicaSet): Revisions {
  const swap = (it: ReplicaSet): ReplicaSet =>
    it.metadata.name === before.metadata.name ? after : it
  return { current: revisions.current && swap(revisions.current), old: revisions.old.map(swap) }
}

/** Resizes several replica sets one after another. */
function resizeAll(
  deployment: Deployment,
  revisions: Revisions,
  sizes: readonly (readonly [ReplicaSet, number])[],
  refresh: boolean,
): Scaling {
  return sizes.reduce(
    (sum, [target, replicas]) =>
      andThen(sum, (now) => resize(deployment, now, target, replicas, refresh)),
    unscaled(revisions),
  )
}

/** Whether the deployment was scaled since its replica sets were last sized. */
export function isScalingEvent(deployment: Deployment, revisions: Revisions): boolean {
  return active(allOf(revisions)).some((it) => {
    const desired = it.metadata.annotations?.[DESIRED_REPLICAS]
    return (
      desired !== undefined && /^[0-9]+$/.test(desired) && Number(desired) !== wanted(deployment)
    )
  })
}

/**
 * Brings the replica sets to a new total, in proportion to what they have, so that scaling in the middle of a rollout, or of a
 * paused one, puts not all pods on one card (kubernetes/pkg/controller/deployment sync.go scale).
 */
export function scaleDeployment(deployment: Deployment, revisions: Revisions): Scaling {
  const only = activeOrLatest(revisions)
  if (only) return resize(deployment, revisions, only, wanted(deployment))
  if (isSaturated(deployment, revisions.current)) {
    return resizeAll(
      deployment,
      revisions,
      active(revisions.old).map((it) => [it, 0] as const),
      false,
    )
  }
  if (!isRollingUpdate(deployment)) return unscaled(revisions)
  return resizeAll(deployment, revisions, proportions(deployment, active(allOf(revisions))), true)
}

/** The replica set to scale when there is no choice: the only active one, or the latest when none is. */
function activeOrLatest(revisions: Revisions): ReplicaSet | undefined {
  const candidates = active(allOf(revisions))
  if (candidates.length > 1) return undefined
  return candidates[0] ?? revisions.current ?? [...revisions.old].sort(byCreation).at(-1)
}

/** Whether the current replica set has all the pods that the deployment wants, available. */
function isSaturated(deployment: Deployment, current: ReplicaSet | undefined): boolean {
  return (
    current !== undefined &&
    size(current) === wanted(deployment) &&
    current.metadata.annotations?.[DESIRED_REPLICAS] === String(wanted(deployment)) &&
    available(current) === wanted(deployment)
  )
}

/** The new size of each replica set; what rounding leaves over goes to the largest. */
function proportions(
  deployment: Deployment,
  replicaSets: readonly ReplicaSet[],
): readonly (readonly [ReplicaSet, number])[] {
  const allowed = wanted(deployment) > 0 ? wanted(deployment) + maxSurge(deployment) : 0
  const toAdd = allowed - totalSize(replicaSets)
  const ordered = [...replicaSets].sort((a, b) => {
    const bySize = size(b) - size(a)
    if (bySize !== 0) return bySize
    return toAdd > 0 ? byCreation(b, a) : byCreation(a, b)
  })
  let added = 0
  const sizes = ordered.map((it): [ReplicaSet, number] => {
    const share = proportion(deployment, it, toAdd, added)
    added += share
    return [it, size(it) + share]
  })
  const first = sizes[0]
  if (first && toAdd !== 0) first[1] = Math.max(0, first[1] + toAdd - added)
  return sizes
}

function proportion(deployment: Deployment, it: ReplicaSet, toAdd: number, added: number): number {
  if (size(it) === 0 || toAdd === 0 || toAdd === added) return 0
  const share = fraction(deployment, it)
  return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added)
}

function fraction(deployment: Deployment, it: ReplicaSet): number {
  if (wanted(deployment) === 0) return -size(it)
  const text = it.metadata.annotations?.[MAX_REPLICAS] ?? ''
  const annotated = /^[0-9]+$/.test(text) ? Number(text) : 0
  const before = annotated || (deployment.status?.replicas ?? 0)
  if (before === 0) return 0
  const exact = (size(it) * (wanted(deployment) + maxSurge(deployment))) / before
  return Math.round(exact) - size(it)
}
