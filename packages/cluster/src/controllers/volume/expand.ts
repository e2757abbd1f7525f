import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { PersistentVolume, PersistentVolumeClaim } from 'kubewright/kinds/core/v1'
import { compareQuantities, keyOf, parseQuantity } from 'kubewright/machinery'
import { PROVISIONED_BY, requestedStorage } from './binding.ts'

/** Whether a bound claim asks for more than it has. */
function isShort({ spec, status }: PersistentVolumeClaim): boolean {
  const [wanted, had] = [spec?.resources?.requests?.['storage'], status?.capacity?.['storage']]
  if (status?.phase !== 'Bound' || !wanted || !had) return false
  return compareQuantities(parseQuantity(wanted), parseQuantity(had)) > 0
}

/** Says who is to make volumes larger whose claims ask for more (kubernetes/pkg/controller/volume/expand). */
export function volumeExpander(): ControllerDefinition {
  return controller(PersistentVolumeClaim, { name: 'volume_expand', pace: false, resync: 0 })
    .where(({ type, object }) => type === 'update' && isShort(object))
    .reads(PersistentVolume)
    .reconcile((claim, { lister, events }) => {
      const volume = lister(PersistentVolume).get({ name: claim.spec?.volumeName ?? '' })
      if (!volume || !isShort(claim) || volume.spec?.claimRef?.uid !== claim.metadata.uid) return
      events.record(
        { kind: PersistentVolumeClaim, object: claim },
        // Of volumes that are no driver's nobody may be able to make more.
        volume.spec.csi ? 'Normal' : 'Warning',
        'ExternalExpanding',
        'waiting for an external controller to expand this PVC',
      )
    })
}

const AS_RESIZER = Object.freeze({ fieldOwner: 'csi-resizer' })

/** Makes simulated volumes larger, and their claims with them, as external-resizer does for CSI drivers. */
export function volumeResizer(): ControllerDefinition {
  return controller(PersistentVolumeClaim, { name: 'volume-resizer', pace: false, resync: 0 })
    .where(({ type, object }) => type !== 'delete' && isShort(object))
    .reads(PersistentVolume)
    .reconcile(async (claim, context) => {
      const volume = context.lister(PersistentVolume).get({ name: claim.spec?.volumeName ?? '' })
      if (!isShort(claim) || !volume?.metadata.annotations?.[PROVISIONED_BY]) return
      if (volume.spec?.claimRef?.uid === claim.metadata.uid) await resize(claim, volume, context)
    })
}

async function resize(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  { client, events }: KeyContext,
): Promise<void> {
  const capacity = { storage: requestedStorage(claim) }
  const regarding = { kind: PersistentVolumeClaim, object: claim }
  const { name } = volume.metadata
  events.record(regarding, 'Normal', 'Resizing', `External resizer is resizing volume ${name}`)
  const larger = { type: 'merge', body: { spec: { capacity } } } as const
  await client.patch(PersistentVolume, keyOf(volume), larger, AS_RESIZER)
  const body = { metadata: { uid: claim.metadata.uid }, status: { capacity } }
  const options = { ...AS_RESIZER, subresource: 'status' }
  await client.patch(PersistentVolumeClaim, keyOf(claim), { type: 'merge', body }, options)
  events.record(regarding, 'Normal', 'VolumeResizeSuccessful', 'Resize volume succeeded')
}
