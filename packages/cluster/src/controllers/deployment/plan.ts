import type { Deployment, DeploymentStatus, ReplicaSet } from 'kubewright/kinds/apps/v1'
import type { Pod } from 'kubewright/kinds/core/v1'
import type { Draft } from 'kubewright/machinery'

/** What a deployment is decided upon. `pods` are those of its replica sets, by the replica set's uid. */
export interface DeploymentObserved {
  readonly deployment: Deployment
  readonly replicaSets: readonly ReplicaSet[]
  readonly pods: ReadonlyMap<string, readonly Pod[]>
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** One thing to do for a deployment, in order; an event is about the deployment. */
export type DeploymentStep =
  | { readonly type: 'create'; readonly name: string; readonly replicaSet: Draft<ReplicaSet> }
  | { readonly type: 'update'; readonly replicaSet: ReplicaSet }
  | { readonly type: 'delete'; readonly replicaSet: ReplicaSet }
  | { readonly type: 'replace'; readonly deployment: Deployment }
  | {
      readonly type: 'event'
      readonly level: 'Normal' | 'Warning'
      readonly reason: string
      readonly message: string
    }

/**
 * What to do for a deployment now: the steps, then its status and revision annotation, which are written together and only when
 * they differ; `after` is when to look again (milliseconds), undefined when only a change matters.
 */
export interface DeploymentPlan {
  readonly steps: readonly DeploymentStep[]
  readonly status: DeploymentStatus
  readonly revision: string | undefined
  readonly after: number | undefined
}

/** A Normal event of a deployment. */
export function normal(reason: string, message: string): DeploymentStep {
  return { type: 'event', level: 'Normal', reason, message }
}

/** A Warning event of a deployment. */
export function warning(reason: string, message: string): DeploymentStep {
  return { type: 'event', level: 'Warning', reason, message }
}
