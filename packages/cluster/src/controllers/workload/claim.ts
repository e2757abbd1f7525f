import { controllerOf, type KubeObject } from 'kubewright/machinery'

/** Whether `owner` manages the object: compared by uid, the only name that is never used twice. */
export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid
}

/** What a controller's claim on objects comes to: those it has, those it should take, those it should let go. */
export interface Claim<T> {
  readonly owned: readonly T[]
  readonly adopt: readonly T[]
  readonly release: readonly T[]
}

type Standing = keyof Claim<never> | 'foreign'

/**
 * Sorts objects by what `owner` has to do with them (kubernetes/pkg/controller BaseControllerRefManager.ClaimObject). It owns what
 * it controls and selects; adopts orphans that it selects; releases what it controls and no longer selects. An owner that is
 * being deleted neither adopts nor releases, and an object that is being deleted is never adopted.
 */
export function claim<T extends KubeObject>(
  owner: KubeObject,
  objects: readonly T[],
  selects: (object: T) => boolean,
): Claim<T> {
  const sorted: Record<Standing, T[]> = { owned: [], adopt: [], release: [], foreign: [] }
  for (const object of objects) sorted[standing(owner, object, selects(object))].push(object)
  return { owned: sorted.owned, adopt: sorted.adopt, release: sorted.release }
}

function standing(owner: KubeObject, object: KubeObject, selected: boolean): Standing {
  const ending = owner.metadata.deletionTimestamp !== undefined
  const controller = controllerOf(object)
  if (controller) {
    if (controller.uid !== owner.metadata.uid) return 'foreign'
    if (selected) return 'owned'
    return ending ? 'foreign' : 'release'
  }
  const adoptable =
    selected &&
    !ending &&
    object.metadata.deletionTimestamp === undefined &&
    (object.metadata.namespace ?? '') === (owner.metadata.namespace ?? '')
  return adoptable ? 'adopt' : 'foreign'
}
