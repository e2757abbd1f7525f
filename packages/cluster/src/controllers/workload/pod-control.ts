import type { KeyContext } from 'kubewright/controller'
import { Pod } from 'kubewright/kinds/core/v1'
import {
  type Draft,
  isConflict,
  isNotFound,
  type Kind,
  keyOf,
  type KubeObject,
} from 'kubewright/machinery'
import { AS_CONTROLLER, isNamespaceEnding, messageOf } from './writes.ts'

/** Whose pods are made and deleted: the events are about it. */
export interface PodOwner {
  readonly kind: Kind
  readonly object: KubeObject
}

/** Creates a pod and says so, or says why not and throws. In a namespace that is ending, nothing is made, said or thrown. */
export async function createPod(
  { client, events }: KeyContext,
  owner: PodOwner,
  draft: Draft<Pod>,
): Promise<Pod | undefined> {
  try {
    const pod = await client.create(Pod, draft, AS_CONTROLLER)
    events.record(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`)
    return pod
  } catch (error) {
    if (isNamespaceEnding(error)) return undefined
    events.record(owner, 'Warning', 'FailedCreate', `Error creating: ${messageOf(error)}`)
    throw error
  }
}

/** Deletes a pod and says so, or says why not and throws. A pod that is gone already is nothing to talk about. */
export async function deletePod(
  { client, events }: KeyContext,
  owner: PodOwner,
  pod: Pod,
): Promise<void> {
  const { uid, name } = pod.metadata
  try {
    await client.delete(Pod, keyOf(pod), uid ? { uid } : {})
    events.record(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`)
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return
    events.record(owner, 'Warning', 'FailedDelete', `Error deleting: ${messageOf(error)}`)
    throw new Error(`unable to delete pods: ${messageOf(error)}`, { cause: error })
  }
}
