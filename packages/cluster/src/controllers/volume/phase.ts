import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import {
  PersistentVolume,
  PersistentVolumeClaim,
  type PersistentVolumeStatus,
} from 'kubewright/kinds/core/v1'
import { AS_CONTROLLER, deleteThis, updateStatus } from '../workload/writes.ts'
import { BOUND_BY, PROVISIONED_BY, volumeFate } from './binding.ts'

/** Keeps the phases of volumes, and reclaims those that are nobody's any more (persistentvolume syncVolume). */
export function volumePhaseController(): ControllerDefinition {
  return controller(PersistentVolume, {
    name: 'persistentvolume-phase-controller',
    pace: false,
    resync: 0,
  })
    .index(PersistentVolume, BY_CLAIM, claimOf)
    .watches(PersistentVolumeClaim, (claim, { lister }) =>
      lister(PersistentVolume).byIndex(BY_CLAIM, keyText(claim)),
    )
    .reconcileKey(async (key, context) => {
      const volume = context.lister(PersistentVolume).get(key)
      if (volume) await sync(volume, context)
    })
}

const BY_CLAIM = 'claim'
const keyText = ({ metadata: { namespace, name } }: PersistentVolumeClaim): string =>
  `${namespace}/${name}`
const claimOf = ({ spec }: PersistentVolume): readonly string[] =>
  spec?.claimRef ? [`${spec.claimRef.namespace}/${spec.claimRef.name}`] : []

async function sync(volume: PersistentVolume, context: KeyContext): Promise<void> {
  const { namespace, name } = volume.spec?.claimRef ?? {}
  const claim = name
    ? context.lister(PersistentVolumeClaim).get({ namespace: namespace!, name })
    : undefined
  const fate = volumeFate(volume, claim)
  switch (fate.is) {
    case 'Available':
    case 'Bound':
      return void (await setPhase(volume, fate.is, context))
    case 'unbound':
      return unbind(volume, context)
    case 'expected':
      return fate.mismatched ? sayMismatch(volume, claim!, context) : undefined
    case 'Released':
      return release(volume, context)
  }
}

type Phase = NonNullable<PersistentVolumeStatus['phase']>

async function setPhase(
  volume: PersistentVolume,
  phase: Phase,
  context: KeyContext,
  message?: string,
): Promise<PersistentVolume> {
  if (volume.status?.phase === phase) return volume
  const { message: _, ...rest } = volume.status ?? {}
  const status = { ...rest, phase, ...(message === undefined ? {} : { message }) }
  return updateStatus(context, PersistentVolume, { ...volume, status })
}

/** What a controller bound it lets go of; what a person promised it keeps for the next claim of that name. */
async function unbind(volume: PersistentVolume, context: KeyContext): Promise<void> {
  const { claimRef, ...spec } = volume.spec ?? {}
  const { [BOUND_BY]: byController, ...annotations } = volume.metadata.annotations ?? {}
  const { uid: _, ...reference } = claimRef ?? {}
  const freed =
    byController === undefined
      ? { ...volume, spec: { ...spec, claimRef: reference } }
      : { ...volume, metadata: { ...volume.metadata, annotations }, spec }
  const now = await context.client.update(PersistentVolume, freed, AS_CONTROLLER)
  await setPhase(now, 'Available', context)
}

function sayMismatch(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  { events }: KeyContext,
): void {
  const [of, to] = [volume.metadata.name, claim.metadata.name]
  events.record(
    { kind: PersistentVolume, object: volume },
    'Warning',
    'VolumeMismatch',
    `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${to}" due to incompatible volumeMode.`,
  )
  events.record(
    { kind: PersistentVolumeClaim, object: claim },
    'Warning',
    'VolumeMismatch',
    `Cannot bind PersistentVolume "${of}" to requested PersistentVolumeClaim due to incompatible volumeMode.`,
  )
}

async function release(volume: PersistentVolume, context: KeyContext): Promise<void> {
  const ended = volume.status?.phase === 'Released' || volume.status?.phase === 'Failed'
  const released = ended ? volume : await setPhase(volume, 'Released', context)
  if (volume.spec?.persistentVolumeReclaimPolicy !== 'Delete') return
  const deletion = deletionOf(volume)
  switch (deletion.by) {
    case 'controller':
      return deleteThis(context, PersistentVolume, released)
    case 'provisioner':
      return
    case 'nobody':
      return fail(released, deletion.why, context)
  }
}

/** Who takes a released volume away. */
type Deletion =
  | { readonly by: 'controller' }
  | { readonly by: 'provisioner' }
  | { readonly by: 'nobody'; readonly why: string }

/** What was made by a provisioner is its to delete, what lies in a node's /tmp this controller's own (findDeletablePlugin). */
function deletionOf({ metadata, spec }: PersistentVolume): Deletion {
  if (metadata.annotations?.[PROVISIONED_BY] !== undefined || spec?.csi)
    return { by: 'provisioner' }
  if (!spec?.hostPath) {
    const why = `error getting deleter volume plugin for volume "${metadata.name}": no deletable volume plugin matched`
    return { by: 'nobody', why }
  }
  const { path } = spec.hostPath
  return /^\/tmp\/./.test(path)
    ? { by: 'controller' }
    : {
        by: 'nobody',
        why: `host_path deleter only supports /tmp/.+ but received provided ${path}`,
      }
}

async function fail(volume: PersistentVolume, why: string, context: KeyContext): Promise<void> {
  if (volume.status?.phase === 'Failed') return
  await setPhase(volume, 'Failed', context, why)
  context.events.record(
    { kind: PersistentVolume, object: volume },
    'Warning',
    'VolumeFailedDelete',
    why,
  )
}
