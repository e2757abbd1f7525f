/** A number of replicas that metrics asked for, and when (milliseconds since the epoch). */
export interface Recommendation {
  readonly replicas: number
  readonly at: number
}

/** By how many replicas a target was scaled, and when. */
export interface ScaleEvent {
  readonly change: number
  readonly at: number
}

/** What the autoscaler remembers of one HorizontalPodAutoscaler; nothing of it outlives the process. */
export interface History {
  readonly recommendations: readonly Recommendation[]
  readonly ups: readonly ScaleEvent[]
  readonly downs: readonly ScaleEvent[]
}

/** Before anything happened. */
export const NO_HISTORY: History = Object.freeze({ recommendations: [], ups: [], downs: [] })

/** Adds an entry, in the place of the last one that nobody will ask for again: so the list stays as short as its times allow. */
export function remember<T>(
  all: readonly T[],
  next: T,
  isOutdated: (it: T) => boolean,
): readonly T[] {
  const at = all.findLastIndex(isOutdated)
  return at < 0 ? [...all, next] : all.with(at, next)
}

/** How many replicas came or went within some seconds. */
export function changeWithin(events: readonly ScaleEvent[], seconds: number, now: number): number {
  const cutoff = now - seconds * 1000
  return events.filter((it) => it.at > cutoff).reduce((sum, it) => sum + it.change, 0)
}
