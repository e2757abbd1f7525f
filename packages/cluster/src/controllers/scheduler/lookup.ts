import type {
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  Service,
} from 'kubewright/kinds/core/v1'
import type { ReplicaSet, StatefulSet } from 'kubewright/kinds/apps/v1'
import type { PodDisruptionBudget } from 'kubewright/kinds/policy/v1'
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from 'kubewright/kinds/storage.k8s.io/v1'

/** What else of the cluster the scheduler's plugins look up, as it is now. */
export interface Lookup {
  namespace(name: string): Namespace | undefined
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined
  volume(name: string): PersistentVolume | undefined
  /** The volumes of a storage class; of none for the empty name. */
  volumesOf(storageClass: string): readonly PersistentVolume[]
  storageClass(name: string): StorageClass | undefined
  driver(name: string): CSIDriver | undefined
  driversOf(node: string): CSINode | undefined
  capacities(): readonly CSIStorageCapacity[]
  attachmentsTo(node: string): readonly VolumeAttachment[]
  services(namespace: string): readonly Service[]
  /** The controller that a pod's owner reference names, if it is one that spreads pods. */
  controllerOf(pod: Pod): ReplicaSet | StatefulSet | ReplicationController | undefined
  budgets(): readonly PodDisruptionBudget[]
}

/** A {@link Lookup} that finds nothing but what is given. */
export const emptyLookup = (given: Partial<Lookup> = {}): Lookup => ({
  namespace: () => undefined,
  claim: () => undefined,
  volume: () => undefined,
  volumesOf: () => [],
  storageClass: () => undefined,
  driver: () => undefined,
  driversOf: () => undefined,
  capacities: () => [],
  attachmentsTo: () => [],
  services: () => [],
  controllerOf: () => undefined,
  budgets: () => [],
  ...given,
})
