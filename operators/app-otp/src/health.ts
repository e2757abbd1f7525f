import { condition, type ConditionDraft } from 'kubewright'
import type { Deployment } from 'kubewright/kinds/apps/v1'
import type { Pod } from 'kubewright/kinds/core/v1'

/** How an AppOTP is doing. */
export interface Health {
  readonly deploymentStatus: 'progressing' | 'normal' | 'degraded'
  readonly readyReplicas: number
  readonly conditions: readonly ConditionDraft[]
}

/** Reasons for which a container waits and will go on waiting until somebody acts. */
const STUCK = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'CrashLoopBackOff',
  'CreateContainerConfigError',
])

/** Judges an AppOTP by its Deployment and its pods. */
export function healthOf(size: number, deployment: Deployment, pods: readonly Pod[]): Health {
  const { status } = deployment
  const ready = status?.readyReplicas ?? 0
  const seen = (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  const current = seen && (status?.updatedReplicas ?? 0) >= size && (status?.replicas ?? 0) === size
  const available = current && ready >= size
  const stuck = available ? undefined : stuckIn(pods)
  const count = `${ready} of ${size} pods are ready`
  return {
    deploymentStatus: stuck ? 'degraded' : available ? 'normal' : 'progressing',
    readyReplicas: ready,
    conditions: [
      condition('Available', available, available ? 'AllPodsReady' : 'PodsNotReady', count),
      condition(
        'Degraded',
        stuck !== undefined,
        stuck ? stuck.reason : 'AsExpected',
        stuck?.message ?? '',
      ),
    ],
  }
}

function stuckIn(
  pods: readonly Pod[],
): { readonly reason: string; readonly message: string } | undefined {
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
