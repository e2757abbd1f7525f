import type { Pod, Service } from 'kubewright/kinds/core/v1'
import { findCondition, timeText } from 'kubewright/machinery'
import { parseTimestamp } from '../workload/time.ts'

/** On Endpoints and their slices: when what made them change happened, so that delays can be measured. */
export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time'

/** By the name of a pod, when it became ready, or ceased to be; milliseconds since the epoch. */
type PodTimes = ReadonlyMap<string, number>

/**
 * Remembers what a service's pods were like, and tells when the earliest of their changes since then happened
 * (endpointslice/util TriggerTimeTracker).
 */
export class TriggerTimes {
  readonly #known = new Map<string, PodTimes>()

  /** For the annotation: of a service that is seen for the first time, when it was made; undefined where nothing changed. */
  take(service: Service, pods: readonly Pod[]): string | undefined {
    const { namespace, name, creationTimestamp } = service.metadata
    const key = `${namespace}/${name}`
    const before = this.#known.get(key)
    const now = timesOf(pods)
    this.#known.set(key, now)
    if (!before) return creationTimestamp ?? undefined
    const changed = [...now].filter(([pod, at]) => at > (before.get(pod) ?? 0)).map(([, at]) => at)
    if (changed.length === 0) return undefined
    return timeText(Math.min(...changed))
  }

  forget(key: string): void {
    this.#known.delete(key)
  }
}

function timesOf(pods: readonly Pod[]): PodTimes {
  const times = pods.map(
    (it) =>
      [
        it.metadata.name!,
        parseTimestamp(findCondition(it.status?.conditions, 'Ready')?.lastTransitionTime),
      ] as const,
  )
  return new Map(times.filter((it): it is readonly [string, number] => it[1] !== undefined))
}

/** Annotations with a trigger time, or without one where there is none. */
export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): Readonly<Record<string, string>> {
  const { [TRIGGER_TIME]: _, ...rest } = annotations ?? {}
  return time === undefined ? rest : { ...rest, [TRIGGER_TIME]: time }
}
