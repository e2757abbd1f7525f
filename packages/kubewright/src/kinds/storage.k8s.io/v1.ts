// The kinds of storage.k8s.io/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { PersistentVolumeSpec, TopologySelectorTerm } from '../core/v1.ts'
import type { LabelSelector } from '../meta/v1.ts'

/** storage.k8s.io/v1 CSIDriver. */
export interface CSIDriver extends KubeObject {
  readonly spec: CSIDriverSpec
}

/** The kind of csidrivers. */
export const CSIDriver: Kind<CSIDriver> = kindOf(
  'storage.k8s.io/v1',
  'CSIDriver',
  'csidrivers',
  'Cluster',
)

/** storage.k8s.io/v1 CSINode. */
export interface CSINode extends KubeObject {
  readonly spec: CSINodeSpec
}

/** The kind of csinodes. */
export const CSINode: Kind<CSINode> = kindOf('storage.k8s.io/v1', 'CSINode', 'csinodes', 'Cluster')

/** storage.k8s.io/v1 CSIStorageCapacity. */
export interface CSIStorageCapacity extends KubeObject {
  readonly nodeTopology?: LabelSelector
  readonly storageClassName: string
  readonly capacity?: string
  readonly maximumVolumeSize?: string
}

/** The kind of csistoragecapacities. */
export const CSIStorageCapacity: Kind<CSIStorageCapacity> = kindOf(
  'storage.k8s.io/v1',
  'CSIStorageCapacity',
  'csistoragecapacities',
  'Namespaced',
)

/** storage.k8s.io/v1 StorageClass. */
export interface StorageClass extends KubeObject {
  readonly provisioner: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly reclaimPolicy?: 'Delete' | 'Recycle' | 'Retain'
  readonly mountOptions?: readonly string[]
  readonly allowVolumeExpansion?: boolean
  readonly volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer'
  readonly allowedTopologies?: readonly TopologySelectorTerm[]
}

/** The kind of storageclasses. */
export const StorageClass: Kind<StorageClass> = kindOf(
  'storage.k8s.io/v1',
  'StorageClass',
  'storageclasses',
  'Cluster',
)

/** storage.k8s.io/v1 VolumeAttachment. */
export interface VolumeAttachment extends KubeObject {
  readonly spec: VolumeAttachmentSpec
  readonly status?: VolumeAttachmentStatus
}

/** The kind of volumeattachments. */
export const VolumeAttachment: Kind<VolumeAttachment> = kindOf(
  'storage.k8s.io/v1',
  'VolumeAttachment',
  'volumeattachments',
  'Cluster',
)

/** storage.k8s.io/v1 VolumeAttributesClass. */
export interface VolumeAttributesClass extends KubeObject {
  readonly driverName: string
  readonly parameters?: Readonly<Record<string, string>>
}

/** The kind of volumeattributesclasses. */
export const VolumeAttributesClass: Kind<VolumeAttributesClass> = kindOf(
  'storage.k8s.io/v1',
  'VolumeAttributesClass',
  'volumeattributesclasses',
  'Cluster',
)

/** storage.k8s.io/v1 CSIDriverSpec. */
export interface CSIDriverSpec {
  readonly attachRequired?: boolean
  readonly podInfoOnMount?: boolean
  readonly volumeLifecycleModes?: readonly string[]
  readonly storageCapacity?: boolean
  readonly fsGroupPolicy?: string
  readonly tokenRequests?: readonly TokenRequest[]
  readonly requiresRepublish?: boolean
  readonly seLinuxMount?: boolean
  readonly nodeAllocatableUpdatePeriodSeconds?: number
  readonly serviceAccountTokenInSecrets?: boolean
  readonly preventPodSchedulingIfMissing?: boolean
}

/** storage.k8s.io/v1 CSINodeDriver. */
export interface CSINodeDriver {
  readonly name: string
  readonly nodeID: string
  readonly topologyKeys?: readonly string[] | null
  readonly allocatable?: VolumeNodeResources
}

/** storage.k8s.io/v1 CSINodeSpec. */
export interface CSINodeSpec {
  readonly drivers: readonly CSINodeDriver[]
}

/** storage.k8s.io/v1 TokenRequest. */
export interface TokenRequest {
  readonly audience: string
  readonly expirationSeconds?: number
}

/** storage.k8s.io/v1 VolumeAttachmentSource. */
export interface VolumeAttachmentSource {
  readonly persistentVolumeName?: string
  readonly inlineVolumeSpec?: PersistentVolumeSpec
}

/** storage.k8s.io/v1 VolumeAttachmentSpec. */
export interface VolumeAttachmentSpec {
  readonly attacher: string
  readonly source: VolumeAttachmentSource
  readonly nodeName: string
}

/** storage.k8s.io/v1 VolumeAttachmentStatus. */
export interface VolumeAttachmentStatus {
  readonly attached: boolean
  readonly attachmentMetadata?: Readonly<Record<string, string>>
  readonly attachError?: VolumeError
  readonly detachError?: VolumeError
}

/** storage.k8s.io/v1 VolumeError. */
export interface VolumeError {
  readonly time?: string
  readonly message?: string
  readonly errorCode?: number
}

/** storage.k8s.io/v1 VolumeNodeResources. */
export interface VolumeNodeResources {
  readonly count?: number
}
