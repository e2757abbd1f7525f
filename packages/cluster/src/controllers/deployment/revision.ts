import type { Deployment, ReplicaSet } from 'kubewright/kinds/apps/v1'
import type { KubeObject } from 'kubewright/machinery'
import { templatesEqual } from '../workload/pod-template.ts'
import { parseTimestamp } from '../workload/time.ts'
import { maxSurge, wanted } from './strategy.ts'

export const REVISION = 'deployment.kubernetes.io/revision'
export const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history'
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas'
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas'
/** Asks for a rollback to the revision in its value (0: the last one); written by very old clients. */
export const ROLLBACK_TO = 'deprecated.deployment.rollback.to'

const NOT_COPIED: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  ROLLBACK_TO,
])

const HISTORY_CHARACTERS = 2000

type Annotations = Readonly<Record<string, string>>

/** The replica sets of a deployment: that of its template, and the others, oldest first. */
export interface Revisions {
  readonly current: ReplicaSet | undefined
  readonly old: readonly ReplicaSet[]
}

/** All of them, the current one last. */
export function allOf(revisions: Revisions): readonly ReplicaSet[] {
  return revisions.current ? [...revisions.old, revisions.current] : revisions.old
}

/** Oldest first; those of one second by name (controller.ReplicaSetsByCreationTimestamp). */
export function byCreation(a: ReplicaSet, b: ReplicaSet): number {
  const difference =
    (parseTimestamp(a.metadata.creationTimestamp) ?? 0) -
    (parseTimestamp(b.metadata.creationTimestamp) ?? 0)
  return difference !== 0 ? difference : a.metadata.name! < b.metadata.name! ? -1 : 1
}

/** Tells the replica set whose template the deployment has from the rest; of several such, the oldest is it. */
export function sortRevisions(
  deployment: Deployment,
  replicaSets: readonly ReplicaSet[],
): Revisions {
  const ordered = [...replicaSets].sort(byCreation)
  const current = ordered.find((it) =>
    templatesEqual(it.spec!.template!, deployment.spec!.template),
  )
  return { current, old: ordered.filter((it) => it !== current) }
}

/** The revision number in an object's annotations (64 bits); 0 without one, undefined when it is no number. */
export function revisionOf(object: KubeObject): bigint | undefined {
  const text = object.metadata.annotations?.[REVISION]
  if (text === undefined) return 0n
  return /^-?[0-9]+$/.test(text) ? BigInt(text) : undefined
}

/** For sorting: lower revisions first, those that are no number as 0. */
export function compareRevisions(a: KubeObject, b: KubeObject): number {
  const difference = (revisionOf(a) ?? 0n) - (revisionOf(b) ?? 0n)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** The highest revision among replica sets. */
export function maxRevision(replicaSets: readonly ReplicaSet[]): bigint {
  const highest = replicaSets.toSorted(compareRevisions).at(-1)
  const revision = (highest && revisionOf(highest)) ?? 0n
  return revision > 0n ? revision : 0n
}

/** The second highest revision among replica sets, 0 when there is none: where a rollback without a number goes. */
export function lastRevision(replicaSets: readonly ReplicaSet[]): bigint {
  const second = replicaSets.toSorted(compareRevisions).at(-2)
  return (second && revisionOf(second)) ?? 0n
}

/** The two annotations by which a later sync knows that the deployment has been scaled. */
export function replicasAnnotations(deployment: Deployment): Annotations {
  return {
    [DESIRED_REPLICAS]: String(wanted(deployment)),
    [MAX_REPLICAS]: String(wanted(deployment) + maxSurge(deployment)),
  }
}

/** The deployment's annotations as its replica sets carry them. */
function copied(annotations: Annotations | undefined): Annotations {
  return Object.fromEntries(
    Object.entries(annotations ?? {}).filter(([key]) => !NOT_COPIED.has(key)),
  )
}

/**
 * The annotations of the current replica set: the deployment's own, and the revision, which only rises; the number it leaves
 * behind goes to the history (deployment/util SetNewReplicaSetAnnotations).
 */
export function currentAnnotations(
  deployment: Deployment,
  existing: Annotations | undefined,
  revision: bigint,
): Annotations {
  const annotations: Record<string, string> = {
    ...existing,
    ...copied(deployment.metadata.annotations),
  }
  const before = existing?.[REVISION]
  if (before !== undefined && !/^[0-9]+$/.test(before)) return annotations
  if (BigInt(before ?? 0) >= revision) return annotations
  annotations[REVISION] = String(revision)
  if (before !== undefined) {
    const history = withRevision(existing?.[REVISION_HISTORY], before)
    if (history !== undefined) annotations[REVISION_HISTORY] = history
  }
  return annotations
}

/** The history with one more revision, its oldest ones dropped when it grows too long. */
function withRevision(history: string | undefined, revision: string): string | undefined {
  if (!history) return revision
  const revisions = [...history.split(','), revision]
  while (revisions.join(',').length > HISTORY_CHARACTERS && revisions.length > 1) revisions.shift()
  const text = revisions.join(',')
  return text.length <= HISTORY_CHARACTERS ? text : history
}

/** The deployment with the template and annotations of an older replica set (SetFromReplicaSetTemplate). */
export function annotationsOfRollback(
  deployment: Deployment,
  target: ReplicaSet,
): Readonly<Record<string, string>> {
  const kept = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([key]) => NOT_COPIED.has(key) && key !== ROLLBACK_TO,
  )
  return { ...Object.fromEntries(kept), ...copied(target.metadata.annotations) }
}
