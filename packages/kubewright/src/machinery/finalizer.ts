import type { KubeObject } from './object.ts'

/** Whether the object waits for `finalizer` before it may go. */
export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false
}

/** The object's finalizers with `finalizer` among them, or undefined when nothing changes. */
export function withFinalizer(
  object: KubeObject,
  finalizer: string,
): readonly string[] | undefined {
  return hasFinalizer(object, finalizer)
    ? undefined
    : [...(object.metadata.finalizers ?? []), finalizer]
}

/** The object's finalizers without `finalizer`, or undefined when nothing changes. */
export function withoutFinalizer(
  object: KubeObject,
  finalizer: string,
): readonly string[] | undefined {
  return hasFinalizer(object, finalizer)
    ? (object.metadata.finalizers ?? []).filter((it) => it !== finalizer)
    : undefined
}

/** Whether deletion of the object has begun. */
export function isDeleting(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined
}
