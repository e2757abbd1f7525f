import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { PersistentVolume, PersistentVolumeClaim, Pod } from 'kubewright/kinds/core/v1'
import { VolumeAttributesClass } from 'kubewright/kinds/storage.k8s.io/v1'
import { type Kind, type KubeObject, withoutFinalizer } from 'kubewright/machinery'
import { isPodTerminal } from '../workload/pod.ts'
import { patchMetadata } from '../workload/writes.ts'

const CLAIM = 'kubernetes.io/pvc-protection'
const VOLUME = 'kubernetes.io/pv-protection'
const CLASS = 'kubernetes.io/vac-protection'
/** An index of the pods that use a claim, by its key. */
export const BY_CLAIM = 'claims'

/** The claims that a pod mounts, those made for it by ephemeral volumes too. */
function claimsOf(pod: Pod): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap((it) => {
    if (it.persistentVolumeClaim) return [it.persistentVolumeClaim.claimName]
    return it.ephemeral ? [`${pod.metadata.name}-${it.name}`] : []
  })
}

/** The keys of the claims that a pod mounts. */
export const claimKeys = (pod: Pod): readonly string[] =>
  claimsOf(pod).map((name) => `${pod.metadata.namespace}/${name}`)

/** Keeps a claim that is being deleted until no pod uses it (kubernetes/pkg/controller/volume/pvcprotection). */
export function claimProtectionController(): ControllerDefinition {
  return controller(PersistentVolumeClaim, {
    name: 'pvc-protection-controller',
    pace: false,
    resync: 0,
  })
    .index(Pod, BY_CLAIM, claimKeys)
    .watches(Pod, claimKeys)
    .reconcileKey(async (key, context) => {
      const claim = context.lister(PersistentVolumeClaim).get(key)
      const users = context.lister(Pod).byIndex(BY_CLAIM, `${key.namespace}/${key.name}`)
      const inUse = users.some((it) => !isPodTerminal(it) && Boolean(it.spec.nodeName))
      if (claim) await release(PersistentVolumeClaim, claim, CLAIM, inUse, context)
    })
}

/** Keeps a volume that is being deleted until no claim is bound to it (kubernetes/pkg/controller/volume/pvprotection). */
export function volumeProtectionController(): ControllerDefinition {
  return controller(PersistentVolume, {
    name: 'pv-protection-controller',
    pace: false,
    resync: 0,
  }).reconcileKey(async (key, context) => {
    const volume = context.lister(PersistentVolume).get(key)
    const bound = volume?.status?.phase === 'Bound'
    if (volume) await release(PersistentVolume, volume, VOLUME, bound, context)
  })
}

/** Keeps a class that is being deleted until no claim and no volume names it (kubernetes/pkg/controller/volume/vacprotection). */
export function volumeClassProtectionController(): ControllerDefinition {
  const named = (it: PersistentVolumeClaim | PersistentVolume): readonly string[] =>
    it.spec?.volumeAttributesClassName ? [it.spec.volumeAttributesClassName] : []
  return controller(VolumeAttributesClass, {
    name: 'vac-protection-controller',
    pace: false,
    resync: 0,
  })
    .watches(PersistentVolumeClaim, named)
    .watches(PersistentVolume, named)
    .reconcileKey(async ({ name }, context) => {
      const { lister } = context
      const found = lister(VolumeAttributesClass).get(name)
      const users = [...lister(PersistentVolumeClaim).list(), ...lister(PersistentVolume).list()]
      const inUse = users.some((it) => named(it).includes(name))
      if (found) await release(VolumeAttributesClass, found, CLASS, inUse, context)
    })
}

async function release<T extends KubeObject>(
  kind: Kind<T>,
  object: T,
  finalizer: string,
  inUse: boolean,
  context: KeyContext,
): Promise<void> {
  if (object.metadata.deletionTimestamp === undefined || inUse) return
  const finalizers = withoutFinalizer(object, finalizer)
  if (finalizers) await patchMetadata(context, kind, object, { finalizers })
}
