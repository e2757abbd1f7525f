import type { PersistentVolume, Pod } from 'kubewright/kinds/core/v1'
import { classOf } from '../../volume/binding.ts'
import type { Lookup } from '../lookup.ts'

type Labels = Readonly<Record<string, string>>

/** The labels of volumes and nodes for zones and regions, the old ones first, and what the old ones are called now. */
const TODAY: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region': 'topology.kubernetes.io/region',
}
const KEYS = Object.keys(TODAY)

/** Whether a node's labels are right for a pod's volumes; a sentence where the pod can go nowhere; undefined where no volume minds. */
export function zonesOf(
  pod: Pod,
  lookup: Lookup,
): ((labels: Labels) => boolean) | string | undefined {
  const wanted: (readonly [key: string, values: ReadonlySet<string>])[] = []
  for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
    if (!persistentVolumeClaim) continue
    const volume = volumeOf(pod, persistentVolumeClaim.claimName, lookup)
    if (typeof volume === 'string') return volume
    if (volume) wanted.push(...zoneLabels(volume))
  }
  if (wanted.length === 0) return undefined
  return (labels) =>
    !KEYS.some((key) => key in labels) ||
    wanted.every(([key, values]) => values.has(labels[key] ?? labels[TODAY[key]!] ?? ''))
}

/** The volume of a claim; undefined while the claim waits for the pod's node; why there is none otherwise. */
function volumeOf(pod: Pod, name: string, lookup: Lookup): PersistentVolume | string | undefined {
  const claim = lookup.claim(pod.metadata.namespace!, name)
  if (!claim) return `persistentvolumeclaim "${name}" not found`
  const volumeName = claim.spec?.volumeName
  if (volumeName) return lookup.volume(volumeName) ?? `persistentvolume "${volumeName}" not found`
  const className = classOf(claim)
  if (className === '') return 'PersistentVolumeClaim had no pv name and storageClass name'
  const storage = lookup.storageClass(className)
  if (!storage) return `storageclass.storage.k8s.io "${className}" not found`
  return storage.volumeBindingMode === 'WaitForFirstConsumer'
    ? undefined
    : 'PersistentVolume had no name'
}

/** Several zones stand in one label, `a__b` (LabelZonesToSet). */
function zoneLabels({ metadata: { labels = {} } }: PersistentVolume) {
  return KEYS.filter((key) => labels[key] !== undefined).map(
    (key) => [key, new Set(labels[key]!.split('__'))] as const,
  )
}
