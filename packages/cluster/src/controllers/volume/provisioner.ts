import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { PersistentVolume, PersistentVolumeClaim } from 'kubewright/kinds/core/v1'
import { StorageClass } from 'kubewright/kinds/storage.k8s.io/v1'
import { type Draft, isAlreadyExists } from 'kubewright/machinery'
import type { Runnable } from 'kubewright/manager'
import { deleteThis } from '../workload/writes.ts'
import {
  claimReference,
  classOf,
  NO_PROVISIONER,
  PROVISIONED_BY,
  requestedStorage,
  SELECTED_NODE,
} from './binding.ts'
import { DEFAULT_CLASS } from './default-class.ts'

/** What lies behind the volumes that are made. */
export interface ProvisionerOptions {
  /**
   * The folder below which each volume is one of its own, for nodes whose containers are real processes: volumes are hostPaths there
   * (`<volumeRoot>/pvc-<uid>`), made when first mounted. Default: volumes name a CSI driver, and nothing lies behind them.
   */
  readonly volumeRoot?: string
  /** The name of a class to make at the start, for claims that name none. Default: there is no class, as in a new cluster. */
  readonly defaultStorageClass?: string
}

/** The provisioner of the class that `defaultStorageClass` makes. */
export const PROVISIONER = 'kubewright.dev/volumes'
const CLAIM_PROVISIONER = 'volume.kubernetes.io/storage-provisioner'
const AS_PROVISIONER = Object.freeze({ fieldOwner: 'csi-provisioner' })

/**
 * Makes a volume for each claim that waits for one, and deletes it when it is released: the part of every class's provisioner, as
 * external-provisioner plays it for CSI drivers.
 */
export function volumeProvisioner(
  options: ProvisionerOptions = {},
): readonly (ControllerDefinition | Runnable)[] {
  const makes = controller(PersistentVolumeClaim, {
    name: 'volume-provisioner',
    pace: false,
    resync: 0,
  })
    .reads(StorageClass, PersistentVolume)
    .reconcile((claim, context) => provision(claim, options, context))
  const deletes = controller(PersistentVolume, { name: 'volume-deleter', pace: false, resync: 0 })
    .where(({ type }) => type !== 'delete')
    .reconcile(async (volume, context) => {
      if (volume.status?.phase !== 'Released' || !volume.metadata.annotations?.[PROVISIONED_BY])
        return
      if (volume.spec?.persistentVolumeReclaimPolicy === 'Delete')
        await deleteThis(context, PersistentVolume, volume)
    })
  const { defaultStorageClass: name } = options
  return name === undefined ? [makes, deletes] : [makes, deletes, defaultClass(name)]
}

function defaultClass(name: string): Runnable {
  return {
    name: 'default storage class',
    async run({ client }) {
      const made: Draft<StorageClass> = {
        metadata: { name, annotations: { [DEFAULT_CLASS]: 'true' } },
        provisioner: PROVISIONER,
        volumeBindingMode: 'WaitForFirstConsumer',
        allowVolumeExpansion: true,
      }
      try {
        await client.create(StorageClass, made)
      } catch (error) {
        if (!isAlreadyExists(error)) throw error
      }
    },
  }
}

async function provision(
  claim: PersistentVolumeClaim,
  options: ProvisionerOptions,
  { lister, client, events }: KeyContext,
): Promise<void> {
  const { annotations = {}, namespace, name } = claim.metadata
  const storage = lister(StorageClass).get({ name: classOf(claim) })
  if (!storage || claim.spec?.volumeName || storage.provisioner === NO_PROVISIONER) return
  if (annotations[CLAIM_PROVISIONER] !== storage.provisioner) return
  const delayed = storage.volumeBindingMode === 'WaitForFirstConsumer'
  if (delayed && annotations[SELECTED_NODE] === undefined) return
  const made = provisionedVolume(claim, storage, options.volumeRoot)
  if (lister(PersistentVolume).get({ name: made.metadata!.name! })) return
  const regarding = { kind: PersistentVolumeClaim, object: claim }
  const about = `External provisioner is provisioning volume for claim "${namespace}/${name}"`
  events.record(regarding, 'Normal', 'Provisioning', about)
  try {
    await client.create(PersistentVolume, made, AS_PROVISIONER)
    const message = `Successfully provisioned volume ${made.metadata!.name}`
    events.record(regarding, 'Normal', 'ProvisioningSucceeded', message)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

/** A volume as a provisioner makes it for a claim. */
export function provisionedVolume(
  claim: PersistentVolumeClaim,
  storage: StorageClass,
  root?: string,
): Draft<PersistentVolume> {
  const name = `pvc-${claim.metadata.uid}`
  return {
    metadata: { name, annotations: { [PROVISIONED_BY]: storage.provisioner } },
    spec: {
      capacity: { storage: requestedStorage(claim) },
      accessModes: claim.spec?.accessModes ?? ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: storage.reclaimPolicy ?? 'Delete',
      storageClassName: storage.metadata.name!,
      ...(claim.spec?.volumeMode && { volumeMode: claim.spec.volumeMode }),
      ...(claim.spec?.volumeAttributesClassName && {
        volumeAttributesClassName: claim.spec.volumeAttributesClassName,
      }),
      ...(storage.mountOptions && { mountOptions: storage.mountOptions }),
      ...(root === undefined
        ? { csi: { driver: driverName(storage.provisioner), volumeHandle: name } }
        : { hostPath: { path: `${root.replace(/\/+$/, '')}/${name}`, type: 'DirectoryOrCreate' } }),
      claimRef: claimReference(claim),
    },
  }
}

/** A driver's name is one of DNS, the name of a provisioner may have a slash. */
const driverName = (provisioner: string): string =>
  provisioner.toLowerCase().replaceAll('/', '.').slice(0, 63)
