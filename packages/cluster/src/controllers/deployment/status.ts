import type { Deployment, DeploymentStatus, ReplicaSet } from 'kubewright/kinds/apps/v1'
import { findCondition, timeText } from 'kubewright/machinery'
import { nonZero } from '../workload/count.ts'
import { withCondition, withoutCondition } from '../workload/condition.ts'
import { parseTimestamp } from '../workload/time.ts'
import { allOf, type Revisions } from './revision.ts'
import { totalAvailable, totalSize } from './scale.ts'
import { maxUnavailable, progressDeadline, wanted } from './strategy.ts'

type Condition = NonNullable<DeploymentStatus['conditions']>[number]

const PROGRESSING = 'Progressing'
const REPLICA_FAILURE = 'ReplicaFailure'
const COMPLETE = 'NewReplicaSetAvailable'
const TIMED_OUT = 'ProgressDeadlineExceeded'

/** A condition that changes at `now` (milliseconds). */
export function condition(
  type: string,
  status: 'True' | 'False' | 'Unknown',
  reason: string,
  message: string,
  now: number,
): Condition {
  const time = timeText(now)
  return { type, status, reason, message, lastUpdateTime: time, lastTransitionTime: time }
}

/** A status with other conditions; none leaves the field out. */
export function withConditions(
  status: DeploymentStatus,
  conditions: readonly Condition[],
): DeploymentStatus {
  const { conditions: _, ...rest } = status
  return conditions.length > 0 ? { ...rest, conditions: [...conditions] } : rest
}

/** A status with one condition set; see {@link withCondition} for what is kept. */
export function setCondition(status: DeploymentStatus, next: Condition): DeploymentStatus {
  return withConditions(status, withCondition(status.conditions, next))
}

const sum = (
  replicaSets: readonly ReplicaSet[],
  count: (it: ReplicaSet) => number | undefined,
): number => replicaSets.reduce((total, it) => total + (count(it) ?? 0), 0)

/** The counts, and whether enough pods are available (kubernetes/pkg/controller/deployment calculateStatus). */
export function countedStatus(
  deployment: Deployment,
  status: DeploymentStatus,
  revisions: Revisions,
  now: number,
): DeploymentStatus {
  const all = allOf(revisions)
  const available = totalAvailable(all)
  const terminating = terminatingReplicas(all)
  const next: DeploymentStatus = {
    ...nonZero({
      observedGeneration: deployment.metadata.generation ?? 0,
      replicas: sum(all, (it) => it.status?.replicas),
      updatedReplicas: revisions.current?.status?.replicas ?? 0,
      readyReplicas: sum(all, (it) => it.status?.readyReplicas),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, totalSize(all) - available),
    }),
    ...(terminating !== undefined && { terminatingReplicas: terminating }),
    ...(status.collisionCount !== undefined && { collisionCount: status.collisionCount }),
    ...(status.conditions && { conditions: status.conditions }),
  }
  const enough = available >= wanted(deployment) - maxUnavailable(deployment)
  return setCondition(
    next,
    enough
      ? condition(
          'Available',
          'True',
          'MinimumReplicasAvailable',
          'Deployment has minimum availability.',
          now,
        )
      : condition(
          'Available',
          'False',
          'MinimumReplicasUnavailable',
          'Deployment does not have minimum availability.',
          now,
        ),
  )
}

/** Unknown (undefined) as soon as one replica set has not counted its own. */
function terminatingReplicas(replicaSets: readonly ReplicaSet[]): number | undefined {
  const counts = replicaSets
    .filter((it) => it.status?.observedGeneration || it.status?.terminatingReplicas !== undefined)
    .map((it) => it.status?.terminatingReplicas)
  return counts.includes(undefined)
    ? undefined
    : counts.reduce<number>((total, it) => total + (it ?? 0), 0)
}

/** Whether every pod wanted is of the current template and available, and no other is left. */
export function isComplete(deployment: Deployment, status: DeploymentStatus | undefined): boolean {
  const all = wanted(deployment)
  return (
    (status?.updatedReplicas ?? 0) === all &&
    (status?.replicas ?? 0) === all &&
    (status?.availableReplicas ?? 0) === all &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  )
}

/** Whether a status has come nearer to the goal than the one before. */
function hasProgressed(before: DeploymentStatus | undefined, next: DeploymentStatus): boolean {
  const old = (it: DeploymentStatus | undefined): number =>
    (it?.replicas ?? 0) - (it?.updatedReplicas ?? 0)
  return (
    (next.updatedReplicas ?? 0) > (before?.updatedReplicas ?? 0) ||
    old(next) < old(before) ||
    (next.readyReplicas ?? 0) > (before?.readyReplicas ?? 0) ||
    (next.availableReplicas ?? 0) > (before?.availableReplicas ?? 0)
  )
}

function hasTimedOut(deployment: Deployment, status: DeploymentStatus, now: number): boolean {
  const seconds = progressDeadline(deployment)
  const progressing = findCondition(status.conditions, PROGRESSING)
  if (seconds === undefined || !progressing || progressing.reason === COMPLETE) return false
  if (progressing.reason === TIMED_OUT) return true
  const since = parseTimestamp(progressing.lastUpdateTime)
  return since !== undefined && since + seconds * 1000 < now
}

/**
 * The status during a rollout: counts, Progressing by the deadline, and ReplicaFailure taken over from the replica sets
 * (kubernetes/pkg/controller/deployment progress.go syncRolloutStatus). `status` is the one so far, perhaps already changed in
 * this sync; progress is measured against what the deployment itself carries.
 */
export function rolloutStatus(
  deployment: Deployment,
  status: DeploymentStatus,
  revisions: Revisions,
  now: number,
): DeploymentStatus {
  const counts = countedStatus(deployment, status, revisions, now)
  return withReplicaFailure(withProgress(deployment, status, counts, revisions, now), revisions)
}

function withProgress(
  deployment: Deployment,
  status: DeploymentStatus,
  counts: DeploymentStatus,
  revisions: Revisions,
  now: number,
): DeploymentStatus {
  if (progressDeadline(deployment) === undefined) {
    return withConditions(counts, withoutCondition(counts.conditions, PROGRESSING))
  }
  const current = findCondition(status.conditions, PROGRESSING)
  const settled =
    (counts.replicas ?? 0) === (counts.updatedReplicas ?? 0) && current?.reason === COMPLETE
  if (settled) return counts
  const subject = revisions.current
    ? `ReplicaSet "${revisions.current.metadata.name}"`
    : `Deployment "${deployment.metadata.name}"`
  if (isComplete(deployment, counts)) {
    return setCondition(
      counts,
      condition(PROGRESSING, 'True', COMPLETE, `${subject} has successfully progressed.`, now),
    )
  }
  if (hasProgressed(deployment.status, counts)) {
    return progressed(counts, current, `${subject} is progressing.`, now)
  }
  if (hasTimedOut(deployment, counts, now)) {
    return setCondition(
      counts,
      condition(PROGRESSING, 'False', TIMED_OUT, `${subject} has timed out progressing.`, now),
    )
  }
  return counts
}

/** Progress renews lastUpdateTime, from which the deadline runs, even when status and reason stay. */
function progressed(
  counts: DeploymentStatus,
  current: Condition | undefined,
  message: string,
  now: number,
): DeploymentStatus {
  const next = condition(PROGRESSING, 'True', 'ReplicaSetUpdated', message, now)
  const since = current?.status === 'True' ? current.lastTransitionTime : undefined
  return withConditions(counts, [
    ...withoutCondition(counts.conditions, PROGRESSING),
    since === undefined ? next : { ...next, lastTransitionTime: since },
  ])
}

function withReplicaFailure(status: DeploymentStatus, revisions: Revisions): DeploymentStatus {
  const failure = [revisions.current, ...allOf(revisions)]
    .flatMap((it) => it?.status?.conditions ?? [])
    .find((it) => it.type === REPLICA_FAILURE)
  if (!failure) {
    return withConditions(status, withoutCondition(status.conditions, REPLICA_FAILURE))
  }
  const since = failure.lastTransitionTime
  return setCondition(status, {
    type: REPLICA_FAILURE,
    status: failure.status,
    ...(failure.reason !== undefined && { reason: failure.reason }),
    ...(failure.message !== undefined && { message: failure.message }),
    ...(since !== undefined && { lastTransitionTime: since, lastUpdateTime: since }),
  })
}

/** The status with Progressing unknown while the deployment is paused, and again when it is resumed, so that no deadline runs. */
export function pausedStatus(deployment: Deployment, now: number): DeploymentStatus {
  const status = deployment.status ?? {}
  const progressing = findCondition(status.conditions, PROGRESSING)
  if (progressDeadline(deployment) === undefined || progressing?.reason === TIMED_OUT) return status
  const paused = deployment.spec?.paused === true
  const said = progressing?.reason === 'DeploymentPaused'
  if (paused === said) return status
  return setCondition(
    status,
    paused
      ? condition(PROGRESSING, 'Unknown', 'DeploymentPaused', 'Deployment is paused', now)
      : condition(PROGRESSING, 'Unknown', 'DeploymentResumed', 'Deployment is resumed', now),
  )
}

/** Milliseconds until the deadline has to be looked at again; undefined when none runs (requeueStuckDeployment). */
export function untilDeadline(
  deployment: Deployment,
  status: DeploymentStatus,
  now: number,
): number | undefined {
  const seconds = progressDeadline(deployment)
  const progressing = findCondition(status.conditions, PROGRESSING)
  if (seconds === undefined || !progressing) return undefined
  if (isComplete(deployment, status) || progressing.reason === TIMED_OUT) return undefined
  const since = parseTimestamp(progressing.lastUpdateTime) ?? now
  return Math.max(0, since + seconds * 1000 - now) + 1000
}
