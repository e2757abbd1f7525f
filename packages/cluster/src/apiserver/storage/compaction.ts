import type { Clock } from 'kubewright/base'
import type { Storage } from './storage.ts'

/** How long the past is kept at least, in milliseconds (kube-apiserver --etcd-compaction-interval). */
export const COMPACTION_INTERVAL: number = 5 * 60_000

/**
 * Forgets what is older than the interval, until the signal aborts: at every turn, what had happened by the turn before
 * (apiserver/pkg/storage/etcd3/compact.go). So pages of a list and watches can be continued for one interval, and for no more than
 * two. Never rejects: what a store cannot forget now, it forgets at the next turn.
 */
export async function keepCompacting(
  storage: Storage,
  clock: Clock,
  signal: AbortSignal,
  interval: number = COMPACTION_INTERVAL,
): Promise<void> {
  let before = 0
  for (;;) {
    try {
      await clock.sleep(interval, signal)
    } catch {
      return
    }
    const now = storage.revision
    if (before > 0) await storage.compact(before).catch(() => {})
    before = now
  }
}
