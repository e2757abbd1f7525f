import type { Pod } from 'kubewright/kinds/core/v1'
import type { KeyContext } from 'kubewright/controller'
import {
  ApiError,
  isConflict,
  isInvalid,
  isNotFound,
  type Kind,
  keyOf,
  type KubeObject,
  type WriteOptions,
} from 'kubewright/machinery'
import { canonicalJson } from './template-hash.ts'

/** As whom the stock controllers write: the field manager that a real control plane shows. */
export const AS_CONTROLLER: WriteOptions = Object.freeze({ fieldOwner: 'kube-controller-manager' })
const STATUS: WriteOptions = Object.freeze({ ...AS_CONTROLLER, subresource: 'status' })

/** Whether two values mean the same: the order of keys, null, absence and empty lists aside. */
export function sameMeaning(a: unknown, b: unknown): boolean {
  return canonicalJson(a ?? {}) === canonicalJson(b ?? {})
}

/** Whether a creation was refused because its namespace is being deleted: nothing to report, nothing to try again. */
export function isNamespaceEnding(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.status.details?.causes ?? []).some((it) => it.reason === 'NamespaceTerminating')
  )
}

/** What an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Deletes an object that is this very one; one that is gone, or made anew meanwhile, is left alone. */
export async function deleteThis<T extends KubeObject>(
  { client }: KeyContext,
  kind: Kind<T>,
  object: T,
): Promise<void> {
  const { uid } = object.metadata
  try {
    await client.delete(kind, keyOf(object), uid ? { uid } : {})
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}

/** Writes an object's status; one that is gone has none. Answers with the object as it is then, or as it was. */
export async function updateStatus<T extends KubeObject>(
  { client }: KeyContext,
  kind: Kind<T>,
  object: NoInfer<T>,
): Promise<T> {
  try {
    return await client.update(kind, object, STATUS)
  } catch (error) {
    if (isNotFound(error)) return object
    throw error
  }
}

/** Changes parts of an object's metadata, if it is still the one that was seen; answers undefined when it is gone. */
export async function patchMetadata<T extends KubeObject>(
  { client }: KeyContext,
  kind: Kind<T>,
  object: T,
  metadata: object,
): Promise<T | undefined> {
  const { uid, resourceVersion } = object.metadata
  const body = { metadata: { uid, resourceVersion, ...metadata } }
  try {
    return await client.patch(kind, keyOf(object), { type: 'merge', body }, AS_CONTROLLER)
  } catch (error) {
    if (isNotFound(error) || isInvalid(error)) return undefined
    throw error
  }
}

/** The key of the object that a pod belongs to, as its controller reference names it. */
export function ownerKey(pod: Pod | KubeObject, kind: string): readonly string[] {
  const owner = pod.metadata.ownerReferences?.find((it) => it.controller === true)
  return owner?.kind === kind ? [`${pod.metadata.namespace}/${owner.name}`] : []
}
