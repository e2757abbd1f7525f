import {
  badRequest,
  conflict,
  type FieldError,
  type ObjectMeta,
  type UnknownObject,
  timeText,
} from 'kubewright/machinery'
import { invalidValue, notSupported } from 'kubewright/machinery'
import type { Draft, Mutable } from '../strategy.ts'

type Meta = Mutable<ObjectMeta>

/** Drops what a client may not give a new object (apiserver/pkg/registry/rest/meta.go WipeObjectMetaSystemFields). */
export function wipeSystemFields(meta: Meta): void {
  delete meta.creationTimestamp
  delete meta.uid
  delete meta.deletionTimestamp
  delete meta.deletionGracePeriodSeconds
  delete meta.selfLink
}

/**
 * Puts the namespace of the request into the object, or refuses another one (EnsureObjectNamespaceMatchesRequestNamespace).
 * `namespace` is empty for cluster-scoped kinds. Throws a BadRequest ApiError.
 */
export function matchNamespace(meta: Meta, namespace: string): void {
  const own = meta.namespace ?? ''
  if (own === namespace) return
  if (own === '') {
    meta.namespace = namespace
    return
  }
  if (namespace === '') {
    delete meta.namespace
    return
  }
  throw badRequest(
    'the namespace of the provided object does not match the namespace sent on the request',
  )
}

/**
 * What rest.BeforeUpdate keeps of the old metadata before (`generation`) and after the strategy prepared the object: what the
 * client left out, and what it cannot change.
 */
export function keepGeneration(meta: Meta, old: ObjectMeta): void {
  if (old.generation === undefined) delete meta.generation
  else meta.generation = old.generation
}

export function keepSystemFields(meta: Meta, old: ObjectMeta): void {
  if (!meta.uid && old.uid) meta.uid = old.uid
  if (old.creationTimestamp) meta.creationTimestamp = old.creationTimestamp
  if (old.deletionTimestamp) meta.deletionTimestamp = old.deletionTimestamp
  if (old.deletionGracePeriodSeconds !== undefined) {
    meta.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds
  }
}

/** The body of a delete (meta/v1 DeleteOptions), as far as these rules look at it. */
export interface DeletionRequest {
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: string
  readonly orphanDependents?: boolean
  readonly dryRun?: readonly string[]
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
}

/** What is wrong with the options of a delete (meta/v1/validation ValidateDeleteOptions). */
export function validateDeletion(options: DeletionRequest): readonly FieldError[] {
  const errors: FieldError[] = []
  const policy = options.propagationPolicy
  if (options.orphanDependents !== undefined && policy !== undefined) {
    errors.push(
      invalidValue(
        'propagationPolicy',
        policy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    )
  }
  if (policy !== undefined && !PROPAGATION.includes(policy)) {
    errors.push(notSupported('propagationPolicy', policy, [...PROPAGATION, 'nil']))
  }
  if (options.dryRun?.some((it) => it !== 'All')) {
    errors.push(notSupported('dryRun', options.dryRun, ['All']))
  }
  return errors
}

const PROPAGATION: readonly string[] = ['Foreground', 'Background', 'Orphan']

/** Refuses a delete of another object than the one meant. Throws a Conflict ApiError. */
export function checkDeletionPreconditions(
  options: DeletionRequest,
  object: UnknownObject,
  resource: { readonly group: string; readonly kind: string },
): void {
  const { uid, resourceVersion } = options.preconditions ?? {}
  const about = { group: resource.group, plural: resource.kind }
  const name = object.metadata.name ?? ''
  if (uid !== undefined && uid !== object.metadata.uid) {
    throw conflict(
      about,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${object.metadata.uid}). The object might have been deleted and then recreated`,
    )
  }
  if (resourceVersion !== undefined && resourceVersion !== object.metadata.resourceVersion) {
    throw conflict(
      about,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${object.metadata.resourceVersion}). The object might have been modified`,
    )
  }
}

/** What a graceful delete does next: remove the object now, mark it (the draft's metadata is changed), or leave it as marked. */
export type Grace = 'remove' | 'marked' | 'pending'

/**
 * The rule of rest.BeforeDelete for kinds that are deleted gracefully: `grace` is what the strategy's `gracePeriod` answered, in
 * seconds, or undefined for a kind that goes at once. `now` is in milliseconds.
 */
export function markForDeletion(
  draft: Draft,
  grace: number | undefined,
  options: DeletionRequest,
  now: number,
): Grace {
  if (grace === undefined) return 'remove'
  const asked =
    options.gracePeriodSeconds === undefined ? undefined : Math.max(options.gracePeriodSeconds, -1)
  const period = asked === -1 ? 1 : asked
  const meta = draft.metadata
  if (meta.deletionTimestamp) return shortenDeletion(meta, period, now)
  meta.deletionTimestamp = timeText(now + grace * 1000)
  meta.deletionGracePeriodSeconds = grace
  if ((meta.generation ?? 0) > 0) meta.generation = (meta.generation ?? 0) + 1
  return 'marked'
}

function shortenDeletion(meta: Meta, period: number | undefined, now: number): Grace {
  const before = Math.max(meta.deletionGracePeriodSeconds ?? 0, 0)
  if (before === 0) return 'remove'
  if (period === undefined || period >= before) return 'pending'
  const end = Date.parse(meta.deletionTimestamp ?? '') - before * 1000 + period * 1000
  const late = end < now
  meta.deletionTimestamp = timeText(late ? now : end)
  meta.deletionGracePeriodSeconds = late && period !== 0 ? 1 : period
  return 'marked'
}
