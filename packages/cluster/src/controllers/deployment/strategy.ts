import type { Deployment } from 'kubewright/kinds/apps/v1'
import { scaledValue } from '../workload/int-or-percent.ts'

const FOREVER = 0x7fffffff

/** How many pods the deployment wants. */
export function wanted(deployment: Deployment): number {
  return deployment.spec?.replicas ?? 1
}

export function isRollingUpdate(deployment: Deployment): boolean {
  return (deployment.spec?.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate'
}

/** The two limits of a rolling update as counts; when both round to 0, one pod may be unavailable (ResolveFenceposts). */
function fenceposts(deployment: Deployment): { readonly surge: number; readonly down: number } {
  const { maxSurge, maxUnavailable } = deployment.spec?.strategy?.rollingUpdate ?? {}
  const surge = scaledValue(maxSurge, wanted(deployment), 'up')
  const down = scaledValue(maxUnavailable, wanted(deployment), 'down')
  return { surge, down: surge === 0 && down === 0 ? 1 : down }
}

/** How many pods a rolling update may run beyond those wanted; 0 with another strategy. */
export function maxSurge(deployment: Deployment): number {
  return isRollingUpdate(deployment) ? fenceposts(deployment).surge : 0
}

/** How many of the pods wanted may be missing during a rolling update; 0 with another strategy. */
export function maxUnavailable(deployment: Deployment): number {
  if (!isRollingUpdate(deployment) || wanted(deployment) === 0) return 0
  return Math.min(fenceposts(deployment).down, wanted(deployment))
}

/** Seconds within which a rollout has to make progress; undefined when it may take for ever. */
export function progressDeadline(deployment: Deployment): number | undefined {
  const seconds = deployment.spec?.progressDeadlineSeconds
  return seconds === FOREVER ? undefined : seconds
}

/** How many old replica sets are kept to go back to; undefined keeps all. */
export function historyLimit(deployment: Deployment): number | undefined {
  const limit = deployment.spec?.revisionHistoryLimit
  return limit === FOREVER ? undefined : limit
}
