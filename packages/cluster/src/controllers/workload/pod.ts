import type { Pod } from 'kubewright/kinds/core/v1'
import { findCondition, isConditionTrue } from 'kubewright/machinery'
import { parseTimestamp } from './time.ts'

/** Whether the pod's Ready condition is true (kubernetes/pkg/api/v1/pod IsPodReady). */
export function isPodReady(pod: Pod): boolean {
  return isConditionTrue(pod.status?.conditions, 'Ready')
}

/** Since when the pod is ready, in milliseconds since the epoch; undefined while it is not. */
export function podReadySince(pod: Pod): number | undefined {
  if (!isPodReady(pod)) return undefined
  return parseTimestamp(findCondition(pod.status?.conditions, 'Ready')?.lastTransitionTime)
}

/** Whether the pod has been ready for `minReadySeconds` at `now` (milliseconds). */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isPodReady(pod)) return false
  if (minReadySeconds === 0) return true
  const since = podReadySince(pod)
  return since !== undefined && since + minReadySeconds * 1000 <= now
}

/** Milliseconds until the next of the ready pods becomes available; undefined when none is on the way. */
export function untilNextAvailable(
  pods: readonly Pod[],
  minReadySeconds: number,
  now: number,
): number | undefined {
  if (minReadySeconds <= 0) return undefined
  const waits = pods
    .map((pod) => podReadySince(pod))
    .filter((since) => since !== undefined)
    .map((since) => since + minReadySeconds * 1000 - now)
    .filter((wait) => wait > 0)
  return waits.length > 0 ? Math.min(...waits) : undefined
}

/** Whether the pod has ended: no container will run again. */
export function isPodTerminal(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
}

/** Whether the pod counts as a replica: neither ended nor being deleted. */
export function isPodActive(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined
}

/** Whether the pod is being deleted and has not ended yet. */
export function isPodTerminating(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp !== undefined
}
