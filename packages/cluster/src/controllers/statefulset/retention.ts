import { StatefulSet } from 'kubewright/kinds/apps/v1'
import { type PersistentVolumeClaim, Pod } from 'kubewright/kinds/core/v1'
import { controllerReference, type KubeObject, type OwnerReference } from 'kubewright/machinery'
import { ordinalOf, ordinalRange } from './pods.ts'

const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.split('/')[0]! : ''

/** Whether a reference means an object by its kind and name, be it this very one or not. */
const names =
  (group: string, kind: string, { metadata }: KubeObject) =>
  (it: OwnerReference) =>
    groupOf(it.apiVersion) === group && it.kind === kind && it.name === metadata.name

/**
 * Who is to own a claim of a set's pod, by the set's retention policy; undefined where that is so already, or where it is not the set's
 * to say (kubernetes/pkg/controller/statefulset isClaimOwnerUpToDate). A claim that another controller owns is let go.
 */
export function retainedOwners(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: Pod,
): readonly OwnerReference[] | undefined {
  const owners = claim.metadata.ownerReferences ?? []
  const isSet = names('apps', 'StatefulSet', set)
  const isPod = names('', 'Pod', pod)
  const isOurs = (it: OwnerReference): boolean =>
    it.uid === set.metadata.uid || it.uid === pod.metadata.uid
  // One of that name that is gone owns it still: it will go with that.
  if (owners.some((it) => (isSet(it) || isPod(it)) && !isOurs(it))) return undefined
  const others = owners.filter((it) => !isSet(it) && !isPod(it))
  const wanted = wantedOwner(set, pod)
  const policy = set.spec.persistentVolumeClaimRetentionPolicy
  const decides = policy?.whenScaled === 'Delete' || policy?.whenDeleted === 'Delete'
  const isForeign = decides && others.some((it) => it.controller === true)
  const next = isForeign || !wanted ? others : [...others, wanted]
  return sameOwners(owners, next) ? undefined : next
}

/** The set, or the pod that goes because there are to be fewer; undefined for a claim that is to stay. */
function wantedOwner(set: StatefulSet, pod: Pod): OwnerReference | undefined {
  const { whenScaled, whenDeleted } = set.spec.persistentVolumeClaimRetentionPolicy ?? {}
  const { start, end } = ordinalRange(set)
  const ordinal = ordinalOf(set, pod) ?? start
  const isSurplus = ordinal < start || ordinal >= end
  if (whenScaled === 'Delete' && isSurplus) return controllerReference(Pod, pod)
  return whenDeleted === 'Delete' ? controllerReference(StatefulSet, set) : undefined
}

const sameOwners = (a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean =>
  a.length === b.length &&
  b.every((it) =>
    a.some((one) => one.uid === it.uid && Boolean(one.controller) === Boolean(it.controller)),
  )
