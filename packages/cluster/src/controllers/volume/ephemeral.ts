import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { PersistentVolumeClaim, Pod, type Volume } from 'kubewright/kinds/core/v1'
import { controllerReference, isAlreadyExists } from 'kubewright/machinery'
import { AS_CONTROLLER, isNamespaceEnding, messageOf } from '../workload/writes.ts'
import { BY_CLAIM, claimKeys } from './protection.ts'

/** Makes the claims of pods' ephemeral volumes, which end with them (kubernetes/pkg/controller/volume/ephemeral). */
export function ephemeralVolumeController(): ControllerDefinition {
  return controller(Pod, { name: 'ephemeral_volume', pace: false, resync: 0 })
    .index(Pod, BY_CLAIM, claimKeys)
    .where(({ type, object }) => type === 'create' && object.spec.volumes !== undefined)
    .watches(
      PersistentVolumeClaim,
      (it, { lister }) =>
        lister(Pod).byIndex(BY_CLAIM, `${it.metadata.namespace}/${it.metadata.name}`),
      { where: ({ type }) => type === 'delete' },
    )
    .reconcile(async (pod, context) => {
      for (const it of pod.spec.volumes ?? []) if (it.ephemeral) await ensureClaim(pod, it, context)
    })
}

async function ensureClaim(pod: Pod, volume: Volume, context: KeyContext): Promise<void> {
  const { client, lister, events } = context
  const name = `${pod.metadata.name}-${volume.name}`
  const namespace = pod.metadata.namespace!
  const there = lister(PersistentVolumeClaim).get({ namespace, name })
  const say = (why: string): void =>
    events.record(
      { kind: Pod, object: pod },
      'Warning',
      'FailedBinding',
      `ephemeral volume ${volume.name}: ${why}`,
    )
  if (there) return isOf(there, pod) ? undefined : say(notOwner(there, pod))
  const { metadata = {}, spec } = volume.ephemeral?.volumeClaimTemplate ?? {}
  const { labels, annotations } = metadata
  const made = {
    metadata: {
      name,
      namespace,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ownerReferences: [controllerReference(Pod, pod)],
    },
    ...(spec && { spec }),
  }
  try {
    await client.create(PersistentVolumeClaim, made, AS_CONTROLLER)
  } catch (error) {
    if (isAlreadyExists(error) || isNamespaceEnding(error)) return
    say(`create PVC ${name}: ${messageOf(error)}`)
    throw error
  }
}

const isOf = ({ metadata }: PersistentVolumeClaim, pod: Pod): boolean =>
  (metadata.ownerReferences ?? []).some((it) => it.controller && it.uid === pod.metadata.uid)

const notOwner = ({ metadata: { namespace, name } }: PersistentVolumeClaim, pod: Pod): string =>
  `PVC ${namespace}/${name} was not created for pod ${pod.metadata.namespace}/${pod.metadata.name} (pod is not owner)`
