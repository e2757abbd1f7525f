import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { PersistentVolume, PersistentVolumeClaim, Pod } from 'kubewright/kinds/core/v1'
import { StorageClass } from 'kubewright/kinds/storage.k8s.io/v1'
import { keyOf } from 'kubewright/machinery'
import { isPodTerminal } from '../workload/pod.ts'
import { AS_CONTROLLER, sameMeaning, updateStatus } from '../workload/writes.ts'
import {
  BIND_COMPLETED,
  BOUND_BY,
  claimReference,
  classOf,
  findVolume,
  isBoundTo,
  mismatch,
  namesClass,
  NO_PROVISIONER,
  SELECTED_NODE,
} from './binding.ts'
import { isDefaultClass, newestClass } from './default-class.ts'
import { BY_CLAIM, claimKeys } from './protection.ts'

/** By whom a claim's volume is to be made; the first is what it was called before. */
const PROVISIONER = [
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-provisioner',
] as const

/** Binds claims to volumes (kubernetes/pkg/controller/volume/persistentvolume). New volumes are a provisioner's business. */
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
        .filter((claim) => it.metadata.name === classOf(claim) || !namesClass(claim))
        .filter((claim) => claim.status?.phase !== 'Bound'),
    )
    .index(Pod, BY_CLAIM, claimKeys)
    .watches(Pod, claimKeys, { where: ({ type }) => type === 'create' })
    .reconcileKey(async (key, context) => {
      const claim = context.lister(PersistentVolumeClaim).get(key)
      if (!claim) return
      const isKnown = claim.metadata.annotations?.[BIND_COMPLETED] !== undefined
      await (isKnown ? syncBound(claim, context) : syncUnbound(claim, context))
    })
}

type Say = (type: 'Normal' | 'Warning', reason: string, message: string) => void

const speaker =
  (claim: PersistentVolumeClaim, { events }: KeyContext): Say =>
  (type, reason, message) =>
    events.record({ kind: PersistentVolumeClaim, object: claim }, type, reason, message)

async function syncBound(claim: PersistentVolumeClaim, context: KeyContext): Promise<void> {
  const name = claim.spec?.volumeName
  const lost = (reason: string, message: string): Promise<void> =>
    lose(claim, reason, message, context)
  if (!name)
    return lost(
      'ClaimLost',
      'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
    )
  const volume = context.lister(PersistentVolume).get({ name })
  if (!volume)
    return lost(
      'ClaimLost',
      'Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    )
  const owner = volume.spec?.claimRef
  if (!owner || owner.uid === claim.metadata.uid) return bind(claim, volume, context)
  return lost(
    'ClaimMisbound',
    'Two claims are bound to the same volume, this one is bound incorrectly',
  )
}

async function lose(
  claim: PersistentVolumeClaim,
  reason: string,
  message: string,
  context: KeyContext,
): Promise<void> {
  if (claim.status?.phase === 'Lost') return
  await setPhase(claim, 'Lost', context)
  speaker(claim, context)('Warning', reason, message)
}

async function syncUnbound(claim: PersistentVolumeClaim, context: KeyContext): Promise<void> {
  if (claim.spec?.volumeName) return takeNamed(claim, claim.spec.volumeName, context)
  const { lister } = context
  const storage = lister(StorageClass).get({ name: classOf(claim) })
  const delayed = storage?.volumeBindingMode === 'WaitForFirstConsumer'
  const volume = findVolume(claim, lister(PersistentVolume).list(), undefined, delayed)
  if (volume) return bind(claim, volume, context)
  if (await assignClass(claim, context)) return
  if (delayed && claim.metadata.annotations?.[SELECTED_NODE] === undefined)
    sayItWaits(claim, context)
  else if (classOf(claim) !== '') return provision(claim, storage, context)
  else
    speaker(claim, context)(
      'Normal',
      'FailedBinding',
      'no persistent volumes available for this claim and no storage class is set',
    )
  await setPhase(claim, 'Pending', context)
}

/** The claim names its volume itself. */
async function takeNamed(
  claim: PersistentVolumeClaim,
  name: string,
  context: KeyContext,
): Promise<void> {
  const volume = context.lister(PersistentVolume).get({ name })
  if (!volume) return setPhase(claim, 'Pending', context)
  const say = speaker(claim, context)
  if (!volume.spec?.claimRef) {
    const problem = mismatch(volume, claim)
    if (problem === undefined) return bind(claim, volume, context)
    say('Warning', 'VolumeMismatch', `Cannot bind to requested volume "${name}": ${problem}`)
  } else if (isBoundTo(volume, claim)) {
    return bind(claim, volume, context)
  } else {
    say('Warning', 'FailedBinding', `volume "${name}" already bound to a different claim.`)
  }
  await setPhase(claim, 'Pending', context)
}

/** Both get to know each other, the volume first: who crashes in between goes on from there. */
async function bind(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  context: KeyContext,
): Promise<void> {
  const kept = await keepVolume(claim, volume, context)
  if (kept.status?.phase !== 'Bound')
    await updateStatus(context, PersistentVolume, {
      ...kept,
      status: { ...kept.status, phase: 'Bound' },
    })
  const named = await nameVolume(claim, volume, context)
  await tellBound(named, volume, context)
}

async function keepVolume(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  { client }: KeyContext,
): Promise<PersistentVolume> {
  const { claimRef } = volume.spec ?? {}
  if (claimRef?.uid === claim.metadata.uid) return volume
  const body = {
    metadata: {
      resourceVersion: volume.metadata.resourceVersion,
      ...(claimRef ? {} : { annotations: { [BOUND_BY]: 'yes' } }),
    },
    spec: { claimRef: claimReference(claim) },
  }
  return client.patch(PersistentVolume, keyOf(volume), { type: 'merge', body }, AS_CONTROLLER)
}

async function nameVolume(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  { client }: KeyContext,
): Promise<PersistentVolumeClaim> {
  const { annotations = {}, uid } = claim.metadata
  const isNamed = claim.spec?.volumeName === volume.metadata.name
  if (isNamed && annotations[BIND_COMPLETED] !== undefined) return claim
  const chosen = isNamed ? {} : { [BOUND_BY]: 'yes' }
  const body = {
    metadata: { uid, annotations: { [BIND_COMPLETED]: 'yes', ...chosen } },
    spec: { volumeName: volume.metadata.name },
  }
  return client.patch(PersistentVolumeClaim, keyOf(claim), { type: 'merge', body }, AS_CONTROLLER)
}

/** Capacity and class of attributes are shown as they were when the claim got its volume: changes of them are told by who makes them. */
async function tellBound(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  context: KeyContext,
): Promise<void> {
  const isNew = claim.status?.phase !== 'Bound'
  const attributes = volume.spec?.volumeAttributesClassName
  const status = {
    ...claim.status,
    phase: 'Bound' as const,
    accessModes: volume.spec?.accessModes ?? [],
    ...(isNew ? { capacity: volume.spec?.capacity ?? {} } : {}),
    ...(isNew && attributes ? { currentVolumeAttributesClassName: attributes } : {}),
  }
  if (sameMeaning(claim.status, status)) return
  await updateStatus(context, PersistentVolumeClaim, { ...claim, status })
}

/** A claim without a volume shows none. */
async function setPhase(
  claim: PersistentVolumeClaim,
  phase: 'Pending' | 'Lost',
  context: KeyContext,
): Promise<void> {
  const {
    accessModes: _,
    capacity: __,
    currentVolumeAttributesClassName: ___,
    ...rest
  } = claim.status ?? {}
  const status = { ...rest, phase }
  if (sameMeaning(claim.status, status)) return
  await updateStatus(context, PersistentVolumeClaim, { ...claim, status })
}

/** A claim that was made when there was no default class gets it now (KEP-3333). */
async function assignClass(claim: PersistentVolumeClaim, context: KeyContext): Promise<boolean> {
  if (namesClass(claim)) return false
  const storage = newestClass(context.lister(StorageClass).list().filter(isDefaultClass))
  if (!storage) return false
  const spec = { ...claim.spec, storageClassName: storage.metadata.name! }
  await context.client.update(PersistentVolumeClaim, { ...claim, spec }, AS_CONTROLLER)
  return true
}

function sayItWaits(claim: PersistentVolumeClaim, context: KeyContext): void {
  const { namespace, name } = claim.metadata
  const waiting = context
    .lister(Pod)
    .byIndex(BY_CLAIM, `${namespace}/${name}`)
    .filter((it) => !it.spec.nodeName && !isPodTerminal(it))
    .map((it) => it.metadata.name!)
    .sort()
  const say = speaker(claim, context)
  if (waiting.length === 0)
    return say(
      'Normal',
      'WaitForFirstConsumer',
      'waiting for first consumer to be created before binding',
    )
  const pods = waiting.length === 1 ? `pod ${waiting[0]}` : `pods ${waiting.join(',')}`
  say('Normal', 'WaitForPodScheduled', `waiting for ${pods} to be scheduled`)
}

/** Names the provisioner who is to make a volume. */
async function provision(
  claim: PersistentVolumeClaim,
  storage: StorageClass | undefined,
  context: KeyContext,
): Promise<void> {
  const say = speaker(claim, context)
  if (!storage)
    return say(
      'Warning',
      'ProvisioningFailed',
      `storageclass.storage.k8s.io "${classOf(claim)}" not found`,
    )
  const { provisioner } = storage
  if (provisioner === NO_PROVISIONER)
    return say('Warning', 'ProvisioningFailed', `no volume plugin matched name: ${provisioner}`)
  const { annotations = {} } = claim.metadata
  if (PROVISIONER.some((it) => annotations[it] !== provisioner)) {
    const named = Object.fromEntries(PROVISIONER.map((it) => [it, provisioner]))
    const metadata = { ...claim.metadata, annotations: { ...annotations, ...named } }
    await context.client.update(PersistentVolumeClaim, { ...claim, metadata }, AS_CONTROLLER)
  }
  say(
    'Normal',
    'ExternalProvisioning',
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
  )
}
