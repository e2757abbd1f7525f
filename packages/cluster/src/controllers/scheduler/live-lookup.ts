import { ReplicaSet, StatefulSet } from 'kubewright/kinds/apps/v1'
import {
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  type Pod,
  ReplicationController,
  Service,
} from 'kubewright/kinds/core/v1'
import { PodDisruptionBudget } from 'kubewright/kinds/policy/v1'
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from 'kubewright/kinds/storage.k8s.io/v1'
import { controllerOf, type Kind } from 'kubewright/machinery'
import type { RunnableContext } from 'kubewright/manager'
import type { Lookup } from './lookup.ts'

type Cache = RunnableContext['cache']

const BY_CLASS = 'scheduler-class'
const BY_NODE = 'scheduler-node'

/** The kinds that the scheduler looks up, beside nodes and pods. */
export const LOOKED_UP: readonly Kind[] = Object.freeze([
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  VolumeAttachment,
  Service,
  ReplicationController,
  ReplicaSet,
  StatefulSet,
  PodDisruptionBudget,
])

/** What the scheduler has decided about storage and not written yet, by name and by `namespace/name`. */
export interface AssumedStorage {
  readonly volumes: Map<string, PersistentVolume>
  readonly claims: Map<string, PersistentVolumeClaim>
}

/** Asks a cache for the kinds of {@link LOOKED_UP}, with the indexes that {@link liveLookup} needs. */
export function prepareLookup(cache: Cache): void {
  for (const kind of LOOKED_UP) cache.informer(kind)
  cache.index(PersistentVolume, BY_CLASS, (it) => [it.spec?.storageClassName ?? ''])
  cache.index(VolumeAttachment, BY_NODE, (it) => [it.spec.nodeName])
}

/** A {@link Lookup} over a cache that holds {@link LOOKED_UP}, and over what is assumed. */
export function liveLookup(cache: Cache, assumed: AssumedStorage): Lookup {
  const volume = (it: PersistentVolume): PersistentVolume =>
    assumed.volumes.get(it.metadata.name!) ?? it
  const found = <T>(it: T | undefined, map: (it: T) => T): T | undefined =>
    it === undefined ? undefined : map(it)
  return {
    namespace: (name) => cache.lister(Namespace).get({ name }),
    claim: (namespace, name) =>
      assumed.claims.get(`${namespace}/${name}`) ??
      cache.lister(PersistentVolumeClaim).get({ namespace, name }),
    volume: (name) => found(cache.lister(PersistentVolume).get({ name }), volume),
    volumesOf: (name) => cache.lister(PersistentVolume).byIndex(BY_CLASS, name).map(volume),
    storageClass: (name) => cache.lister(StorageClass).get({ name }),
    driver: (name) => cache.lister(CSIDriver).get({ name }),
    driversOf: (name) => cache.lister(CSINode).get({ name }),
    capacities: () => cache.lister(CSIStorageCapacity).list(),
    attachmentsTo: (name) => cache.lister(VolumeAttachment).byIndex(BY_NODE, name),
    services: (namespace) => cache.lister(Service).list({ namespace }),
    controllerOf: (pod) => ownerOf(pod, cache),
    budgets: () => cache.lister(PodDisruptionBudget).list(),
  }
}

function ownerOf(pod: Pod, cache: Cache): ReturnType<Lookup['controllerOf']> {
  const owner = controllerOf(pod)
  if (!owner) return undefined
  const key = { namespace: pod.metadata.namespace!, name: owner.name }
  switch (`${owner.apiVersion} ${owner.kind}`) {
    case 'apps/v1 ReplicaSet':
      return cache.lister(ReplicaSet).get(key)
    case 'apps/v1 StatefulSet':
      return cache.lister(StatefulSet).get(key)
    case 'v1 ReplicationController':
      return cache.lister(ReplicationController).get(key)
    default:
      return undefined
  }
}
