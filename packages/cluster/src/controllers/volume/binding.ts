import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeSpec,
} from 'kubewright/kinds/core/v1'
import type { StorageClass } from 'kubewright/kinds/storage.k8s.io/v1'
import { compareQuantities, type Draft, parseQuantity, selectorOf } from 'kubewright/machinery'

const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by'
/** The provisioner of classes whose volumes are made by hand. */
export const NO_PROVISIONER = 'kubernetes.io/no-provisioner'

/** The class that a claim asks for; empty for volumes without one. */
export function classOf(claim: PersistentVolumeClaim): string {
  return claim.spec?.storageClassName ?? ''
}

const requested = (claim: PersistentVolumeClaim): string =>
  claim.spec?.resources?.requests?.['storage'] ?? '0'
const capacity = (volume: PersistentVolume): string => volume.spec?.capacity?.['storage'] ?? '0'
const compare = (a: string, b: string): number =>
  compareQuantities(parseQuantity(a), parseQuantity(b))

/** Whether a volume belongs to a claim: its reference names it, by uid when there is one. */
export function isBoundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const reference = volume.spec?.claimRef
  const { namespace, name, uid } = claim.metadata
  if (reference?.namespace !== namespace || reference?.name !== name) return false
  return reference?.uid === undefined || reference.uid === uid
}

function fits(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const modes = volume.spec?.accessModes ?? []
  return (
    (volume.spec?.storageClassName ?? '') === classOf(claim) &&
    (volume.spec?.volumeMode ?? 'Filesystem') === (claim.spec?.volumeMode ?? 'Filesystem') &&
    (claim.spec?.accessModes ?? []).every((it) => modes.includes(it)) &&
    (!claim.spec?.selector || selectorOf(claim.spec.selector).matches(volume.metadata.labels)) &&
    compare(capacity(volume), requested(claim)) >= 0
  )
}

/** The volume for a claim: the one that is kept for it, or the smallest free one that is large enough. */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): PersistentVolume | undefined {
  const usable = volumes.filter((it) => it.metadata.deletionTimestamp === undefined)
  const wanted = claim.spec?.volumeName
  if (wanted)
    return usable.find(
      (it) => it.metadata.name === wanted && (!it.spec?.claimRef || isBoundTo(it, claim)),
    )
  const kept = usable.find((it) => isBoundTo(it, claim))
  const free = usable.filter((it) => !it.spec?.claimRef && fits(it, claim))
  return kept ?? free.toSorted((a, b) => compare(capacity(a), capacity(b)))[0]
}

/** A volume as a provisioner makes it for a claim; nothing lies behind it. */
export function provisionedVolume(
  claim: PersistentVolumeClaim,
  storage: StorageClass,
): Draft<PersistentVolume> {
  const name = `pvc-${claim.metadata.uid}`
  return {
    metadata: { name, annotations: { [PROVISIONED_BY]: storage.provisioner } },
    spec: {
      capacity: { storage: requested(claim) },
      accessModes: claim.spec?.accessModes ?? ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: storage.reclaimPolicy ?? 'Delete',
      storageClassName: storage.metadata.name!,
      ...(claim.spec?.volumeMode && { volumeMode: claim.spec.volumeMode }),
      ...(storage.mountOptions && { mountOptions: storage.mountOptions }),
      csi: { driver: driverName(storage.provisioner), volumeHandle: name },
      claimRef: claimReference(claim),
    },
  }
}

/** A driver's name is one of DNS, the name of a provisioner may have a slash. */
const driverName = (provisioner: string): string =>
  provisioner.toLowerCase().replaceAll('/', '.').slice(0, 63)

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

/** The phase of a volume, by the claim that its reference names. */
export function volumePhase(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim | undefined,
): 'Available' | 'Bound' | 'Released' {
  const reference = volume.spec?.claimRef
  if (!reference) return 'Available'
  if (!claim) return reference.uid === undefined ? 'Available' : 'Released'
  if (!isBoundTo(volume, claim)) return 'Released'
  return claim.spec?.volumeName === volume.metadata.name ? 'Bound' : 'Available'
}
