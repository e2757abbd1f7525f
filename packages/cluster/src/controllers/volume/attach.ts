import { createHash } from 'node:crypto'
import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { Node, PersistentVolume, PersistentVolumeClaim, Pod } from 'kubewright/kinds/core/v1'
import { CSIDriver, VolumeAttachment } from 'kubewright/kinds/storage.k8s.io/v1'
import { isAlreadyExists, keyOf } from 'kubewright/machinery'
import { isPodTerminal } from '../workload/pod.ts'
import { AS_CONTROLLER, deleteThis, sameMeaning } from '../workload/writes.ts'
import { PROVISIONED_BY } from './binding.ts'
import { BY_CLAIM, claimKeys } from './protection.ts'

const BY_NODE = 'node-name'
const NODE_ATTACHMENTS = 'attached-to'

/**
 * Attaches the CSI volumes of a node's pods to it, and lets go of those that none of them uses (kubernetes/pkg/controller/volume/attachdetach).
 * What `volumesAttached` of the node's status says follows what the drivers answer.
 */
export function attachDetachController(): ControllerDefinition {
  const nodeOf = (it: Pod): readonly string[] => (it.spec.nodeName ? [it.spec.nodeName] : [])
  return controller(Node, { name: 'attachdetach-controller', pace: false, resync: 0 })
    .where(({ type }) => type === 'create')
    .index(Pod, BY_NODE, nodeOf)
    .index(Pod, BY_CLAIM, claimKeys)
    .index(VolumeAttachment, NODE_ATTACHMENTS, (it) => [it.spec.nodeName])
    .watches(Pod, nodeOf, {
      where: ({ type, object }) =>
        claimKeys(object).length > 0 && (type !== 'update' || Boolean(object.spec.nodeName)),
    })
    .watches(
      PersistentVolumeClaim,
      (it, { lister }) =>
        lister(Pod)
          .byIndex(BY_CLAIM, `${it.metadata.namespace}/${it.metadata.name}`)
          .flatMap(nodeOf),
      { where: ({ type }) => type === 'update' },
    )
    .watches(VolumeAttachment, (it) => [it.spec.nodeName])
    .reads(PersistentVolume, CSIDriver)
    .reconcileKey(async ({ name }, context) => {
      const node = context.lister(Node).get({ name })
      await attach(name, node, context)
    })
}

/** The CSI volumes that a node's pods use and that a driver wants attached, by the name of their attachment. */
function wantedOn(name: string, { lister }: KeyContext): ReadonlyMap<string, PersistentVolume> {
  const pods = lister(Pod)
    .byIndex(BY_NODE, name)
    .filter((it) => !isPodTerminal(it))
  const keys = new Set(pods.flatMap(claimKeys))
  const volumes = [...keys]
    .map((key) => lister(PersistentVolumeClaim).get(key)?.spec?.volumeName)
    .map((it) => lister(PersistentVolume).get({ name: it ?? '' }))
    .filter((it) => it?.spec?.csi !== undefined && isAttached(it, lister))
  return new Map(volumes.map((it) => [attachmentName(it!, name), it!]))
}

const isAttached = ({ spec }: PersistentVolume, lister: KeyContext['lister']): boolean =>
  lister(CSIDriver).get({ name: spec!.csi!.driver })?.spec.attachRequired !== false

function attachmentName({ spec }: PersistentVolume, node: string): string {
  const { driver, volumeHandle } = spec!.csi!
  return `csi-${createHash('sha256').update(`${volumeHandle}${driver}${node}`).digest('hex')}`
}

/** Attachments of other names are others' (csi_attacher.go getAttachmentName). */
const isMadeHere = ({ metadata }: VolumeAttachment): boolean =>
  /^csi-[0-9a-f]{64}$/.test(metadata.name!)

async function attach(name: string, node: Node | undefined, context: KeyContext): Promise<void> {
  const { lister, client } = context
  const wanted = node ? wantedOn(name, context) : new Map<string, PersistentVolume>()
  const there = lister(VolumeAttachment).byIndex(NODE_ATTACHMENTS, name)
  for (const it of there)
    if (isMadeHere(it) && !wanted.has(it.metadata.name!))
      await deleteThis(context, VolumeAttachment, it)
  for (const [attachment, volume] of wanted) {
    if (there.some((it) => it.metadata.name === attachment)) continue
    const spec = {
      attacher: volume.spec!.csi!.driver,
      nodeName: name,
      source: { persistentVolumeName: volume.metadata.name! },
    }
    try {
      await client.create(VolumeAttachment, { metadata: { name: attachment }, spec }, AS_CONTROLLER)
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  }
  if (node) await tell(node, wanted, context)
}

/** Writes which volumes are attached, as far as their drivers have said so. */
async function tell(
  node: Node,
  wanted: ReadonlyMap<string, PersistentVolume>,
  { client, lister }: KeyContext,
): Promise<void> {
  const attached = [...wanted]
    .filter(([name]) => lister(VolumeAttachment).get({ name })?.status?.attached)
    .map(([, { spec }]) => ({
      name: `kubernetes.io/csi/${spec!.csi!.driver}^${spec!.csi!.volumeHandle}`,
      devicePath: '',
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  if (sameMeaning(node.status?.volumesAttached ?? [], attached)) return
  const body = { status: { volumesAttached: attached.length > 0 ? attached : null } }
  const options = { ...AS_CONTROLLER, subresource: 'status' }
  await client.patch(Node, keyOf(node), { type: 'merge', body }, options)
}

/** Answers for simulated volumes as external-attacher does for a CSI driver: they are attached at once. */
export function volumeAttacher(): ControllerDefinition {
  return controller(VolumeAttachment, { name: 'volume-attacher', pace: false, resync: 0 })
    .where(({ type }) => type === 'create')
    .reads(PersistentVolume)
    .reconcile(async (attachment, { lister, client }) => {
      const name = attachment.spec.source.persistentVolumeName ?? ''
      const isOurs = lister(PersistentVolume).get({ name })?.metadata.annotations?.[PROVISIONED_BY]
      if (!isOurs || attachment.status?.attached) return
      const body = { status: { attached: true } }
      const options = { fieldOwner: 'csi-attacher', subresource: 'status' }
      await client.patch(VolumeAttachment, keyOf(attachment), { type: 'merge', body }, options)
    })
}
