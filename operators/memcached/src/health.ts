import { condition, type ConditionDraft } from 'kubewright'
import type { Deployment } from 'kubewright/kinds/apps/v1'
import type { Pod } from 'kubewright/kinds/core/v1'

/** Reasons for which a container waits and will go on waiting until somebody acts. */
const STUCK = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'CrashLoopBackOff'])

/** Judges a Memcached of `size` servers by its Deployment and its pods. */
export function conditionsOf(
  size: number,
  { status }: Deployment,
  pods: readonly Pod[],
): readonly ConditionDraft[] {
  const ready = status?.readyReplicas ?? 0
  const available = ready >= size
  const fault = failureOf(status) ?? (available ? undefined : stuckIn(pods))
  return [
    condition(
      'Available',
      available,
      available ? 'Reconciled' : 'Reconciling',
      `${ready} of ${size} servers are ready`,
    ),
    condition('Degraded', fault !== undefined, fault?.reason ?? 'AsExpected', fault?.message ?? ''),
  ]
}

interface Fault {
  readonly reason: string
  readonly message: string
}

/** Pods that cannot even be made: over quota, or refused by a policy. */
function failureOf(status: Deployment['status']): Fault | undefined {
  const found = status?.conditions?.find(
    (it) => it.type === 'ReplicaFailure' && it.status === 'True',
  )
  return found && { reason: found.reason ?? 'ReplicaFailure', message: found.message ?? '' }
}

function stuckIn(pods: readonly Pod[]): Fault | undefined {
  for (const { metadata, status } of pods)
    for (const { name, state } of status?.containerStatuses ?? []) {
      const reason = state?.waiting?.reason
      if (reason && STUCK.has(reason))
        return {
          reason,
          message: `container ${name} of pod ${metadata.name}: ${state.waiting?.message ?? reason}`,
        }
    }
  return undefined
}
