import type { DeleteOptions, ListOptions, Patch } from '../machinery/contracts.ts'
import { apiVersionOf, type Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { ObjectKey } from '../machinery/object-key.ts'
import { ApiError, type Status } from '../machinery/status.ts'
import type { WriteVerb } from './write.ts'

/** A draft as far as a client must understand it. */
export interface NamedDraft {
  readonly metadata?: {
    readonly name?: string | undefined
    readonly namespace?: string | undefined
  }
}

/** How a write goes over the wire. */
export interface Method {
  readonly verb: Exclude<WriteVerb, 'delete' | 'deleteCollection'>
  readonly method: 'POST' | 'PUT' | 'PATCH'
  readonly contentType: string
}

const JSON_TYPE = 'application/json'
const patchOf = (contentType: string): Method => ({ verb: 'patch', method: 'PATCH', contentType })

export const CREATE: Method = { verb: 'create', method: 'POST', contentType: JSON_TYPE }
export const UPDATE: Method = { verb: 'update', method: 'PUT', contentType: JSON_TYPE }
/** The three dialects of a patch beside apply (apimachinery types.PatchType). */
export const PATCHES: Readonly<Record<Patch['type'], Method>> = {
  json: patchOf('application/json-patch+json'),
  merge: patchOf('application/merge-patch+json'),
  strategic: patchOf('application/strategic-merge-patch+json'),
}
export const APPLY: Method = {
  verb: 'apply',
  method: 'PATCH',
  contentType: 'application/apply-patch+yaml',
}

/** The object with the apiVersion and kind of its token; those of the object win, since a subresource may be of another kind. */
export function typed(kind: Kind, object: object): object {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, ...object }
}

/**
 * The object without its managed fields, for an update: the server then keeps what it knows of them, where a part of them (a cache keeps
 * only those of its own managers) would be taken for the whole. Entries without a manager pass: they ask it to forget them all.
 */
export function withoutOwners(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata
  return managedFields?.some((it) => it.manager) ? { ...object, metadata } : object
}

/** Whether a deletion was answered by a Status and not by the object. */
export const isStatus = (answer: KubeObject | Status): answer is Status => answer.kind === 'Status'

/** The key in an object's or a draft's metadata. */
export function keyIn(object: NamedDraft): ObjectKey {
  const { name = '', namespace } = object.metadata ?? {}
  return namespace ? { namespace, name } : { name }
}

/** The DeleteOptions (meta/v1) of a deletion. */
export function deleteBody(options: DeleteOptions, dryRun: boolean | undefined): object {
  const { propagation, gracePeriodSeconds, uid, resourceVersion } = options
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(propagation ? { propagationPolicy: propagation } : {}),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(uid || resourceVersion
      ? {
          preconditions: {
            ...(uid ? { uid } : {}),
            ...(resourceVersion ? { resourceVersion } : {}),
          },
        }
      : {}),
    ...((options.dryRun ?? dryRun) ? { dryRun: ['All'] } : {}),
  }
}

/** An expired page carries a token for the rest of the list as it is now (inconsistent, but complete enough to go on). */
export function continueAfter(error: unknown, page: ListOptions): string | undefined {
  return page.continue && error instanceof ApiError && error.code === 410
    ? error.status.metadata.continue
    : undefined
}
