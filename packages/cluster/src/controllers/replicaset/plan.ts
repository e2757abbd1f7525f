import type { Pod } from 'kubewright/kinds/core/v1'
import { deletionOrder } from '../workload/deletion-order.ts'

/** How many pods one sync creates or deletes at most (kubernetes/pkg/controller/replicaset BurstReplicas). */
export const BURST_REPLICAS = 500

/** What a replica set does next: create so many pods, or delete these. */
export type ReplicaPlan =
  | { readonly type: 'create'; readonly count: number }
  | { readonly type: 'delete'; readonly pods: readonly Pod[] }
  | { readonly type: 'keep' }

/**
 * Compares the active pods of a replica set with the number wanted. `related` are the pods of all replica sets of the same owner:
 * among equal pods those on crowded nodes go first.
 */
export function planReplicas(
  replicas: number,
  active: readonly Pod[],
  related: readonly Pod[],
  now: number,
): ReplicaPlan {
  const difference = active.length - replicas
  if (difference === 0) return { type: 'keep' }
  const count = Math.min(Math.abs(difference), BURST_REPLICAS)
  if (difference < 0) return { type: 'create', count }
  const ordered = count < active.length ? deletionOrder(active, related, now) : active
  return { type: 'delete', pods: ordered.slice(0, count) }
}
