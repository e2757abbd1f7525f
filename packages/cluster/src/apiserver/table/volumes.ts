import type { PersistentVolume, PersistentVolumeClaim } from 'kubewright/kinds/core/v1'
import type {
  CSIDriver,
  CSINode,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from 'kubewright/kinds/storage.k8s.io/v1'
import { age } from './age.ts'
import { orNone, orUnset } from './format.ts'
import { printer, type Printer } from './printer.ts'

const MODES: readonly (readonly [mode: string, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]

const modesText = (modes: readonly string[] | undefined): string =>
  MODES.filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(',')

/** The class of a volume or claim: an old annotation comes first. */
function classOf({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string {
  return (
    metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec.storageClassName ?? ''
  )
}

const phaseOf = ({ metadata, status }: PersistentVolume | PersistentVolumeClaim): string =>
  metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? '')

function volumeCells(volume: PersistentVolume, now: number): readonly unknown[] {
  const { metadata, spec, status } = volume
  const claim = spec.claimRef
  return [
    metadata.name,
    spec.capacity?.storage ?? '0',
    modesText(spec.accessModes),
    spec.persistentVolumeReclaimPolicy ?? '',
    phaseOf(volume),
    claim ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : '',
    classOf(volume),
    orUnset(spec.volumeAttributesClassName),
    status?.reason ?? '',
    age(metadata.creationTimestamp, now),
    orUnset(spec.volumeMode),
  ]
}

function claimCells(claim: PersistentVolumeClaim, now: number): readonly unknown[] {
  const { metadata, spec, status } = claim
  const bound = Boolean(spec.volumeName)
  return [
    metadata.name,
    phaseOf(claim),
    spec.volumeName ?? '',
    bound ? (status?.capacity?.storage ?? '0') : '',
    bound ? modesText(status?.accessModes) : '',
    classOf(claim),
    orUnset(spec.volumeAttributesClassName),
    age(metadata.creationTimestamp, now),
    orUnset(spec.volumeMode),
  ]
}

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
]

function storageClassCells(it: StorageClass, now: number): readonly unknown[] {
  const { metadata } = it
  const isDefault = DEFAULT_CLASS.some((each) => metadata.annotations?.[each] === 'true')
  return [
    isDefault ? `${metadata.name} (default)` : metadata.name,
    it.provisioner,
    it.reclaimPolicy ?? 'Delete',
    it.volumeBindingMode ?? 'Immediate',
    it.allowVolumeExpansion ?? false,
    age(metadata.creationTimestamp, now),
  ]
}

function driverCells({ metadata, spec }: CSIDriver, now: number): readonly unknown[] {
  return [
    metadata.name,
    spec.attachRequired ?? true,
    spec.podInfoOnMount ?? false,
    spec.storageCapacity ?? false,
    orUnset(spec.tokenRequests?.map((it) => it.audience).join(',')),
    spec.requiresRepublish ?? false,
    orNone(spec.volumeLifecycleModes?.join(',')),
    age(metadata.creationTimestamp, now),
  ]
}

/** Printers of volumes and storage.k8s.io. */
export const VOLUMES: Readonly<Record<string, Printer>> = {
  '/persistentvolumes': printer<PersistentVolume>(volumeCells),
  '/persistentvolumeclaims': printer<PersistentVolumeClaim>(claimCells),
  'storage.k8s.io/csidrivers': printer<CSIDriver>(driverCells),
  'storage.k8s.io/csinodes': printer<CSINode>((it, now) => [
    it.metadata.name,
    (it.spec.drivers ?? []).length,
    age(it.metadata.creationTimestamp, now),
  ]),
  'storage.k8s.io/storageclasses': printer<StorageClass>(storageClassCells),
  'storage.k8s.io/volumeattachments': printer<VolumeAttachment>((it, now) => [
    it.metadata.name,
    it.spec.attacher,
    it.spec.source.persistentVolumeName ?? '',
    it.spec.nodeName,
    it.status?.attached ?? false,
    age(it.metadata.creationTimestamp, now),
  ]),
  'storage.k8s.io/volumeattributesclasses': printer<VolumeAttributesClass>((it, now) => [
    it.metadata.name,
    it.driverName,
    age(it.metadata.creationTimestamp, now),
  ]),
}
