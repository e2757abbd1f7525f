import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { PersistentVolume, PersistentVolumeClaim, Pod } from 'kubewright/kinds/core/v1'
import { StorageClass } from 'kubewright/kinds/storage.k8s.io/v1'
import { isAlreadyExists, keyOf } from 'kubewright/machinery'
import { AS_CONTROLLER, deleteThis, sameMeaning, updateStatus } from '../workload/writes.ts'
import {
  claimReference,
  classOf,
  findVolume,
  isBoundTo,
  NO_PROVISIONER,
  provisionedVolume,
  volumePhase,
} from './binding.ts'
import { BY_CLAIM, claimKeys } from './protection.ts'

const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed'
const BOUND_BY = 'pv.kubernetes.io/bound-by-controller'

/**
 * Binds claims to volumes, and makes volumes for claims whose class has a provisioner (kubernetes/pkg/controller/volume/persistentvolume).
 * What it makes is simulated: nothing lies behind it.
 */
export function volumeBinder(): ControllerDefinition {
  return controller(PersistentVolumeClaim, {
    name: 'persistentvolume-controller',
    pace: false,
    resync: 0,
  })
    .watches(PersistentVolume, (volume, { lister }) => {
      const { namespace, name } = volume.spec?.claimRef ?? {}
      if (namespace && name) return [`${namespace}/${name}`]
      return lister(PersistentVolumeClaim)
        .list()
        .filter((it) => it.status?.phase !== 'Bound')
    })
    .watches(StorageClass, (it, { lister }) =>
      lister(PersistentVolumeClaim)
        .list()
        .filter((claim) => classOf(claim) === it.metadata.name && claim.status?.phase !== 'Bound'),
    )
    .index(Pod, BY_CLAIM, claimKeys)
    .watches(Pod, claimKeys, { where: ({ type }) => type === 'create' })
    .reconcile(async (claim, context) => {
      const volumes = context.lister(PersistentVolume).list()
      const open = waitsForPod(claim, context)
        ? volumes.filter((it) => isBoundTo(it, claim))
        : volumes
      const volume = findVolume(claim, open)
      if (volume) return bind(claim, volume, context)
      if (claim.spec?.volumeName) return lose(claim, volumes, context)
      await provision(claim, context)
    })
}

/** Keeps the phases of volumes, and deletes those that are released and not to be kept. */
export function volumePhaseController(): ControllerDefinition {
  return controller(PersistentVolume, {
    name: 'persistentvolume-phase-controller',
    pace: false,
    resync: 0,
  })
    .watches(PersistentVolumeClaim, (claim, { lister }) =>
      lister(PersistentVolume)
        .list()
        .filter((it) => it.spec?.claimRef?.name === claim.metadata.name),
    )
    .reconcile(async (volume, context) => {
      const { namespace, name } = volume.spec?.claimRef ?? {}
      const claim =
        name && context.lister(PersistentVolumeClaim).get({ namespace: namespace!, name })
      const phase = volumePhase(volume, claim || undefined)
      if (volume.status?.phase !== phase) {
        await updateStatus(context, PersistentVolume, {
          ...volume,
          status: { ...volume.status, phase },
        })
      }
      const policy = volume.spec?.persistentVolumeReclaimPolicy
      if (phase === 'Released' && policy === 'Delete')
        await deleteThis(context, PersistentVolume, volume)
    })
}

async function bind(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  context: KeyContext,
): Promise<void> {
  const { client } = context
  if (!isBoundTo(volume, claim) || volume.spec?.claimRef?.uid === undefined) {
    const body = {
      metadata: {
        resourceVersion: volume.metadata.resourceVersion,
        annotations: { [BOUND_BY]: 'yes' },
      },
      spec: { claimRef: claimReference(claim) },
    }
    await client.patch(PersistentVolume, keyOf(volume), { type: 'merge', body }, AS_CONTROLLER)
  }
  const named = await nameVolume(claim, volume, context)
  const status = {
    ...named.status,
    phase: 'Bound' as const,
    accessModes: volume.spec?.accessModes ?? [],
    capacity: volume.spec?.capacity ?? {},
  }
  if (sameMeaning(named.status, status)) return
  await updateStatus(context, PersistentVolumeClaim, { ...named, status })
}

async function nameVolume(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  { client }: KeyContext,
): Promise<PersistentVolumeClaim> {
  if (claim.spec?.volumeName && claim.metadata.annotations?.[BIND_COMPLETED]) return claim
  const chosen = claim.spec?.volumeName ? {} : { [BOUND_BY]: 'yes' }
  const annotations = { [BIND_COMPLETED]: 'yes', ...chosen }
  const body = {
    metadata: { uid: claim.metadata.uid, annotations },
    spec: { volumeName: volume.metadata.name },
  }
  return client.patch(PersistentVolumeClaim, keyOf(claim), { type: 'merge', body }, AS_CONTROLLER)
}

/** The volume that a claim was bound to is gone, or another's. */
async function lose(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  context: KeyContext,
): Promise<void> {
  const wasBound = claim.metadata.annotations?.[BIND_COMPLETED] !== undefined
  const there = volumes.some((it) => it.metadata.name === claim.spec?.volumeName)
  if (!wasBound || claim.status?.phase === 'Lost') return
  const [reason, message] = there
    ? ['ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly']
    : ['ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!']
  context.events.record(
    { kind: PersistentVolumeClaim, object: claim },
    'Warning',
    reason!,
    message!,
  )
  const status = { ...claim.status, phase: 'Lost' as const }
  await updateStatus(context, PersistentVolumeClaim, { ...claim, status })
}

/** Whether a claim, which names no volume itself, is of a class that waits for the first pod to want it, and none does. */
function waitsForPod(claim: PersistentVolumeClaim, { lister }: KeyContext): boolean {
  const name = classOf(claim)
  const storage = name === '' ? undefined : lister(StorageClass).get(name)
  if (storage?.volumeBindingMode !== 'WaitForFirstConsumer' || claim.spec?.volumeName) return false
  return (
    lister(Pod).byIndex(BY_CLAIM, `${claim.metadata.namespace}/${claim.metadata.name}`).length === 0
  )
}

async function provision(claim: PersistentVolumeClaim, context: KeyContext): Promise<void> {
  const { lister, client, events } = context
  const say = (type: 'Normal' | 'Warning', reason: string, message: string): void =>
    events.record({ kind: PersistentVolumeClaim, object: claim }, type, reason, message)
  const name = classOf(claim)
  const storage = name === '' ? undefined : lister(StorageClass).get(name)
  if (name === '') {
    return say(
      'Normal',
      'FailedBinding',
      'no persistent volumes available for this claim and no storage class is set',
    )
  }
  if (!storage) {
    return say('Warning', 'ProvisioningFailed', `storageclass.storage.k8s.io "${name}" not found`)
  }
  if (waitsForPod(claim, context)) {
    return say(
      'Normal',
      'WaitForFirstConsumer',
      'waiting for first consumer to be created before binding',
    )
  }
  if (storage.provisioner === NO_PROVISIONER) return
  try {
    const made = await client.create(
      PersistentVolume,
      provisionedVolume(claim, storage),
      AS_CONTROLLER,
    )
    say('Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${made.metadata.name}`)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
