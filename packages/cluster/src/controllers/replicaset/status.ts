import type { ReplicaSetStatus } from 'kubewright/kinds/apps/v1'
import type { Pod } from 'kubewright/kinds/core/v1'
import { findCondition, timeText } from 'kubewright/machinery'
import { withCondition, withoutCondition } from '../workload/condition.ts'
import { nonZero } from '../workload/count.ts'
import { isPodAvailable, isPodReady } from '../workload/pod.ts'

/** What a replica set's status is made of. */
export interface ReplicaSetObserved {
  readonly replicas: number
  readonly minReadySeconds: number
  readonly templateLabels: Readonly<Record<string, string>>
  readonly generation: number
  readonly status: ReplicaSetStatus | undefined
  readonly active: readonly Pod[]
  readonly terminating: readonly Pod[]
  /** What went wrong while pods were created or deleted in this sync; undefined when nothing did. */
  readonly failure: string | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

const REPLICA_FAILURE = 'ReplicaFailure'

/** The status of a replica set, from its pods (kubernetes/pkg/controller/replicaset calculateStatus). */
export function replicaSetStatus(it: ReplicaSetObserved): ReplicaSetStatus {
  const ready = it.active.filter(isPodReady)
  const available = ready.filter((pod) => isPodAvailable(pod, it.minReadySeconds, it.now))
  const conditions = replicaFailure(it)
  return {
    replicas: it.active.length,
    ...nonZero({
      fullyLabeledReplicas: it.active.filter((pod) => carries(pod, it.templateLabels)).length,
      readyReplicas: ready.length,
      availableReplicas: available.length,
      observedGeneration: it.generation,
    }),
    terminatingReplicas: it.terminating.length,
    ...(conditions.length > 0 && { conditions: [...conditions] }),
  }
}

function carries(pod: Pod, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([key, value]) => pod.metadata.labels?.[key] === value)
}

type Conditions = NonNullable<ReplicaSetStatus['conditions']>

function replicaFailure(it: ReplicaSetObserved): readonly Conditions[number][] {
  const conditions = it.status?.conditions
  if (it.failure === undefined) return withoutCondition(conditions, REPLICA_FAILURE)
  if (findCondition(conditions, REPLICA_FAILURE)) return conditions ?? []
  return withCondition(conditions, {
    type: REPLICA_FAILURE,
    status: 'True',
    lastTransitionTime: timeText(it.now),
    reason: it.active.length < it.replicas ? 'FailedCreate' : 'FailedDelete',
    message: it.failure,
  })
}
