import type { ObjectMeta, OwnerReference } from 'kubewright/machinery'
import { FOREGROUND, type GraphNode, ORPHAN } from './owner-graph.ts'

/** How the owners of an object stand: there, gone, or being deleted and waiting for what they own. */
export interface Owners {
  readonly solid: readonly OwnerReference[]
  readonly dangling: readonly OwnerReference[]
  readonly waiting: readonly OwnerReference[]
}

/** What to do about an object that has owners. */
export type Sweep =
  | { readonly type: 'keep' }
  /** Some owners are left: the references to the others go. */
  | { readonly type: 'unlink'; readonly uids: readonly string[] }
  /** `unblock`: the object must not block its owner, since they own one another. */
  | {
      readonly type: 'delete'
      readonly propagation: 'Foreground' | 'Background' | 'Orphan'
      readonly unblock: boolean
    }

/** Whether an object goes (kubernetes/pkg/controller/garbagecollector attemptToDeleteItem). */
export function decideSweep(
  metadata: ObjectMeta,
  owners: Owners,
  dependents: readonly GraphNode[],
): Sweep {
  const { solid, dangling, waiting } = owners
  if (solid.length + dangling.length + waiting.length === 0) return { type: 'keep' }
  if (solid.length > 0) {
    const uids = [...dangling, ...waiting].map((it) => it.uid)
    return uids.length === 0 ? { type: 'keep' } : { type: 'unlink', uids }
  }
  if (waiting.length > 0 && dependents.length > 0) {
    const circle = dependents.some((it) => it.deletingDependents)
    return { type: 'delete', propagation: 'Foreground', unblock: circle }
  }
  return { type: 'delete', propagation: propagationOf(metadata), unblock: false }
}

/** A wish that is already on the object stays. */
function propagationOf({ finalizers }: ObjectMeta): 'Foreground' | 'Background' | 'Orphan' {
  if (finalizers?.includes(ORPHAN)) return 'Orphan'
  return finalizers?.includes(FOREGROUND) ? 'Foreground' : 'Background'
}

/** The dependents for which an owner that is deleted in the foreground has to wait. */
export function blockingDependents(
  owner: GraphNode,
  dependents: readonly GraphNode[],
): readonly GraphNode[] {
  return dependents.filter((it) =>
    it.owners.some((ref) => ref.uid === owner.uid && ref.blockOwnerDeletion === true),
  )
}
