import type { Client } from 'kubewright/client'
import { Pod, type PodStatus } from 'kubewright/kinds/core/v1'
import { isConflict, isNotFound, keyOf } from 'kubewright/machinery'
import { sameStatus } from '../pod/same-status.ts'

/** Writes a pod's status where it differs. A pod that is gone has none. */
export async function reportStatus(client: Client, pod: Pod, status: PodStatus): Promise<void> {
  if (sameStatus(pod.status, status)) return
  const body = { metadata: { uid: pod.metadata.uid }, status }
  const as = { fieldOwner: 'kubelet', subresource: 'status' }
  await client.patch(Pod, keyOf(pod), { type: 'merge', body }, as).catch(unlessGone)
}

/** Takes a pod off its node, at last. One that others hold back is told once. */
export async function removePod(client: Client, pod: Pod): Promise<void> {
  const { uid, deletionGracePeriodSeconds: grace, finalizers } = pod.metadata
  if (grace === 0 && finalizers?.length) return
  const options = { gracePeriodSeconds: 0, ...(uid ? { uid } : {}) }
  await client.delete(Pod, keyOf(pod), options).catch(unlessGone)
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error
}
