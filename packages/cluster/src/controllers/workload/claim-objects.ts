import type { KeyContext } from 'kubewright/controller'
import { controllerReference, type Kind, type KubeObject } from 'kubewright/machinery'
import { claim } from './claim.ts'
import { patchMetadata } from './writes.ts'

/** The index that the runtime keeps on owned kinds: objects by the uid of their controller. */
export const BY_OWNER = 'controller-uid'
/** An index of the objects without a controller, by their namespace. */
export const ORPHANS = 'orphans'

/** The values of {@link ORPHANS}. */
export function orphanValues(object: KubeObject): readonly string[] {
  const controlled = object.metadata.ownerReferences?.some((it) => it.controller === true)
  return controlled ? [] : [object.metadata.namespace ?? '']
}

/** What claims: an object of a kind, by a selector. */
export interface Claimant {
  readonly kind: Kind
  readonly object: KubeObject
  readonly selects: (object: KubeObject) => boolean
  /** What holds the objects that it owns; comes and goes with the owner reference. */
  readonly finalizer?: string
}

/** Finds the objects that a controller owns, adopts orphans that it selects, and lets go of what it no longer selects. */
export async function claimObjects<T extends KubeObject>(
  context: KeyContext,
  kind: Kind<T>,
  claimant: Claimant,
): Promise<readonly T[]> {
  const lister = context.lister(kind)
  const { uid = '', namespace = '' } = claimant.object.metadata
  const candidates = [...lister.byIndex(BY_OWNER, uid), ...lister.byIndex(ORPHANS, namespace)]
  const { owned, adopt, release } = claim(claimant.object, candidates, claimant.selects)
  if (adopt.length + release.length === 0) return owned
  const fresh = await context.client.find(claimant.kind, {
    namespace,
    name: claimant.object.metadata.name!,
  })
  // Who is gone, or going, must not take anything with it.
  if (fresh?.metadata.uid !== uid || fresh.metadata.deletionTimestamp !== undefined) return owned
  const taken = await Promise.all(adopt.map((it) => adoptOne(context, kind, claimant, it)))
  await Promise.all(release.map((it) => releaseOne(context, kind, claimant, it)))
  return [...owned, ...taken.filter((it) => it !== undefined)]
}

function adoptOne<T extends KubeObject>(
  context: KeyContext,
  kind: Kind<T>,
  { kind: ownerKind, object: owner, finalizer }: Claimant,
  object: T,
): Promise<T | undefined> {
  const reference = controllerReference(ownerKind, owner)
  const { ownerReferences = [], finalizers = [] } = object.metadata
  return patchMetadata(context, kind, object, {
    ownerReferences: [...ownerReferences, reference],
    ...(finalizer !== undefined && { finalizers: [...new Set([...finalizers, finalizer])] }),
  })
}

function releaseOne<T extends KubeObject>(
  context: KeyContext,
  kind: Kind<T>,
  { object: owner, finalizer }: Claimant,
  object: T,
): Promise<T | undefined> {
  const { ownerReferences, finalizers = [] } = object.metadata
  return patchMetadata(context, kind, object, {
    ownerReferences: ownerReferences?.filter((it) => it.uid !== owner.metadata.uid),
    ...(finalizer !== undefined && { finalizers: finalizers.filter((it) => it !== finalizer) }),
  })
}
