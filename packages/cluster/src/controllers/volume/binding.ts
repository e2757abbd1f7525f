import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeSpec,
} from 'kubewright/kinds/core/v1'
import { compareQuantities, parseQuantity, selectorOf } from 'kubewright/machinery'

/** On a claim and its volume: they were brought together by a controller, not by a person. */
export const BOUND_BY = 'pv.kubernetes.io/bound-by-controller'
/** On a claim that has had its volume. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed'
/** On a volume: who made it, and takes it away. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by'
/** On a claim: for which node its volume is to be made. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node'
/** The provisioner of classes whose volumes are made by hand. */
export const NO_PROVISIONER = 'kubernetes.io/no-provisioner'

const OLD_CLASS = 'volume.beta.kubernetes.io/storage-class'

/** The class that a claim asks for; empty for volumes without one. */
export const classOf = ({ spec, metadata }: PersistentVolumeClaim): string =>
  metadata.annotations?.[OLD_CLASS] ?? spec?.storageClassName ?? ''

/** Whether a claim says anything of its class, be it that it wants none. */
export const namesClass = ({ spec, metadata }: PersistentVolumeClaim): boolean =>
  metadata.annotations?.[OLD_CLASS] !== undefined || spec?.storageClassName !== undefined

const classOfVolume = ({ spec, metadata }: PersistentVolume): string =>
  metadata.annotations?.[OLD_CLASS] ?? spec?.storageClassName ?? ''

/** How much a claim asks for. */
export const requestedStorage = (claim: PersistentVolumeClaim): string =>
  claim.spec?.resources?.requests?.['storage'] ?? '0'
const capacity = (volume: PersistentVolume): string => volume.spec?.capacity?.['storage'] ?? '0'
const compare = (a: string, b: string): number =>
  compareQuantities(parseQuantity(a), parseQuantity(b))

/** Whether a volume is kept for a claim: its reference names it, by uid when there is one. */
export function isBoundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const reference = volume.spec?.claimRef
  const { namespace, name, uid } = claim.metadata
  if (reference?.namespace !== namespace || reference?.name !== name) return false
  return !reference?.uid || reference.uid === uid
}

const sameMode = ({ spec: volume }: PersistentVolume, { spec: claim }: PersistentVolumeClaim) =>
  (volume?.volumeMode ?? 'Filesystem') === (claim?.volumeMode ?? 'Filesystem')
const sameAttributes = ({ spec: a }: PersistentVolume, { spec: b }: PersistentVolumeClaim) =>
  (a?.volumeAttributesClassName ?? '') === (b?.volumeAttributesClassName ?? '')
const hasModes = ({ spec: volume }: PersistentVolume, { spec: claim }: PersistentVolumeClaim) =>
  (claim?.accessModes ?? []).every((it) => volume?.accessModes?.includes(it))

/** Whether a volume may become a claim's, be it kept for it or free. */
const isFit = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  compare(capacity(volume), requestedStorage(claim)) >= 0 &&
  sameMode(volume, claim) &&
  sameAttributes(volume, claim) &&
  volume.metadata.deletionTimestamp === undefined

function isFree(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { selector } = claim.spec ?? {}
  return (
    !volume.spec?.claimRef &&
    volume.status?.phase === 'Available' &&
    (!selector || selectorOf(selector).matches(volume.metadata.labels)) &&
    classOfVolume(volume) === classOf(claim) &&
    hasModes(volume, claim)
  )
}

/**
 * The volume for a claim: the one that is kept for it, or the smallest free one that is large enough, among those with the fewest
 * access modes (component-helpers/storage/volume FindMatchingVolume). With `reaches`, only volumes for which it holds; one that is
 * kept and cannot be reached leaves none. `onlyKept` is for claims that wait for a pod.
 */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  reaches?: (volume: PersistentVolume) => boolean,
  onlyKept: boolean = false,
): PersistentVolume | undefined {
  const fit = volumes.filter((it) => isFit(it, claim))
  const kept = fit.find((it) => isBoundTo(it, claim))
  if (kept) return !reaches || reaches(kept) ? kept : undefined
  if (onlyKept) return undefined
  const free = fit.filter((it) => isFree(it, claim) && (!reaches || reaches(it)))
  // A scheduler knows no order of access modes.
  const modes = (it: PersistentVolume): number =>
    reaches ? 0 : (it.spec?.accessModes?.length ?? 0)
  return free.toSorted((a, b) => modes(a) - modes(b) || compare(capacity(a), capacity(b)))[0]
}

/** Why a volume that a claim names cannot be its own; undefined when it can. */
export function mismatch(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined)
    return `the volume is marked for deletion "${volume.metadata.name}"`
  if (compare(capacity(volume), requestedStorage(claim)) < 0) return 'requested PV is too small'
  if (classOfVolume(volume) !== classOf(claim)) return 'storageClassName does not match'
  if (!sameAttributes(volume, claim)) return 'volumeAttributesClassName does not match'
  if (!sameMode(volume, claim)) return 'incompatible volumeMode'
  return hasModes(volume, claim) ? undefined : 'incompatible accessMode'
}

/** How a volume names the claim that it is bound to. */
export function claimReference(
  claim: PersistentVolumeClaim,
): NonNullable<PersistentVolumeSpec['claimRef']> {
  const { namespace, name, uid, resourceVersion } = claim.metadata
  return {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    namespace: namespace!,
    name: name!,
    uid: uid!,
    ...(resourceVersion && { resourceVersion }),
  }
}

/** What is to become of a volume, by the claim that its reference names (syncVolume). */
export type VolumeFate =
  | { readonly is: 'Available' | 'Bound' }
  /** Nobody's any more: to be reclaimed by its policy. */
  | { readonly is: 'Released' }
  /** Kept for a claim that has another volume: free again. */
  | { readonly is: 'unbound' }
  /** Its claim is still to take it, or cannot because it is of another mode. */
  | { readonly is: 'expected'; readonly mismatched: boolean }

/** What is to become of a volume; `claim` is the one of the name that its reference gives. */
export function volumeFate(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim | undefined,
): VolumeFate {
  const reference = volume.spec?.claimRef
  if (!reference?.uid) return { is: 'Available' }
  if (claim?.metadata.uid !== reference.uid) return { is: 'Released' }
  const name = claim?.spec?.volumeName
  if (!name) return { is: 'expected', mismatched: !sameMode(volume, claim!) }
  if (name === volume.metadata.name) return { is: 'Bound' }
  const isMade = volume.metadata.annotations?.[PROVISIONED_BY] !== undefined
  const policy = volume.spec?.persistentVolumeReclaimPolicy
  return { is: isMade && policy === 'Delete' ? 'Released' : 'unbound' }
}
