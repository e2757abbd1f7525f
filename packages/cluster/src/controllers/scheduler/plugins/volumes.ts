import type { Pod, Volume } from 'kubewright/kinds/core/v1'
import type { NodeInfo } from '../node-info.ts'
import type { Lookup } from '../lookup.ts'
import type { PodInfo } from '../pod-info.ts'
import {
  type Happening,
  type Plugin,
  type PodFilter,
  type Refusal,
  refusal,
  type StorageKind,
} from '../plugin.ts'
import { claimNameOf, claimProblem, planVolumes, podClaims } from '../volume-fit.ts'
import type { World } from '../world.ts'
import { diskConflict } from './disk-conflict.ts'
import { zonesOf } from './volume-zone.ts'

const hasClaims = (pod: Pod): boolean =>
  (pod.spec.volumes ?? []).some((it) => claimNameOf(pod, it) !== undefined)

/** Whether a change is one of storage that a pod's volumes may depend on. */
const isOneOf =
  (...kinds: readonly (StorageKind | 'Node' | 'Pod')[]) =>
  (it: Happening, pod: Pod): boolean =>
    kinds.includes(it.kind) && (it.kind !== 'PersistentVolumeClaim' || isClaimOf(it, pod))

function isClaimOf({ now, old }: Happening, pod: Pod): boolean {
  const { namespace, name } = (now ?? old)!.metadata
  return (
    namespace === pod.metadata.namespace &&
    (pod.spec.volumes ?? []).some((it) => claimNameOf(pod, it) === name)
  )
}

const BINDING = 'VolumeBinding'

/** Binds a pod's claims, or waits for them (plugins/volumebinding). */
export const volumeBinding: Plugin = {
  name: BINDING,
  filter: ({ pod }, { lookup }) => {
    if (!hasClaims(pod)) return undefined
    const problem = claimProblem(pod, lookup)
    if (problem !== undefined) return refusal(BINDING, true, problem)
    const claims = podClaims(pod, lookup)
    if (claims.immediate.length > 0)
      return refusal(BINDING, true, 'pod has unbound immediate PersistentVolumeClaims')
    return {
      refuses: ({ node }) => {
        const plan = planVolumes(claims, node, lookup)
        return 'bindings' in plan ? undefined : refusal(BINDING, true, ...plan)
      },
    }
  },
  mayHelp: isOneOf(
    'PersistentVolumeClaim',
    'PersistentVolume',
    'StorageClass',
    'CSINode',
    'CSIDriver',
    'CSIStorageCapacity',
    'Node',
  ),
}

const ZONE = 'VolumeZone'
const NO_ZONE = refusal(ZONE, true, 'node(s) had no available volume zone')

/** Keeps pods in the zones that their volumes are labelled with (plugins/volumezone). */
export const volumeZone: Plugin = {
  name: ZONE,
  filter: ({ pod }, { lookup }) => {
    const zones = zonesOf(pod, lookup)
    if (typeof zones === 'string') return refusal(ZONE, true, zones)
    return zones && { refuses: ({ labels }) => (zones(labels) ? undefined : NO_ZONE) }
  },
  mayHelp: isOneOf('PersistentVolumeClaim', 'PersistentVolume', 'StorageClass', 'Node'),
}

const RESTRICTIONS = 'VolumeRestrictions'
const DISK = refusal(RESTRICTIONS, false, 'node(s) had no available disk')
const IN_USE = refusal(
  RESTRICTIONS,
  false,
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
)

/** Lets one pod alone use a claim that says so, and disks that two nodes or pods cannot share (plugins/volumerestrictions). */
export const volumeRestrictions: Plugin = {
  name: RESTRICTIONS,
  filter: ({ pod }, world) => {
    const own = exclusiveClaims(pod, world.lookup)
    if (typeof own === 'string') return refusal(RESTRICTIONS, true, own)
    let conflicts = [...own].filter((name) =>
      world.isClaimUsed(`${pod.metadata.namespace}/${name}`),
    ).length
    const disks = (pod.spec.volumes ?? []).filter(isDisk)
    if (conflicts === 0 && disks.length === 0) return undefined
    const uses = ({ pod: other }: PodInfo): number =>
      (other.spec.volumes ?? []).filter((it) => own.has(it.persistentVolumeClaim?.claimName ?? ''))
        .length
    return {
      refuses: ({ pods }) => {
        for (const it of disks.length > 0 ? pods : []) if (diskConflict(disks, it.pod)) return DISK
        return conflicts > 0 ? IN_USE : undefined
      },
      added: (other) => void (conflicts += uses(other)),
      removed: (other) => void (conflicts -= uses(other)),
    }
  },
  mayHelp: (it, pod) =>
    it.kind === 'Pod' ? it.now === undefined : isOneOf('PersistentVolumeClaim')(it, pod),
}

const isDisk = (it: Volume): boolean =>
  Boolean(it.gcePersistentDisk ?? it.awsElasticBlockStore ?? it.rbd ?? it.iscsi)

/** The pod's claims that only one pod may use at a time, or which of its claims is not there. */
function exclusiveClaims(pod: Pod, lookup: Lookup): ReadonlySet<string> | string {
  const names = (pod.spec.volumes ?? [])
    .map((it) => it.persistentVolumeClaim?.claimName)
    .filter((it) => it !== undefined)
  const found = names.map((name) => [name, lookup.claim(pod.metadata.namespace!, name)] as const)
  const missing = found.find(([, claim]) => !claim)
  if (missing) return `persistentvolumeclaim "${missing[0]}" not found`
  return new Set(
    found
      .filter(([, claim]) => claim?.spec?.accessModes?.includes('ReadWriteOncePod'))
      .map(([name]) => name),
  )
}

const LIMITS = 'NodeVolumeLimits'
const TOO_MANY = refusal(LIMITS, false, 'node(s) exceed max volume count')

/** Attaches no more volumes of a driver to a node than it can bear (plugins/nodevolumelimits). */
export const nodeVolumeLimits: Plugin = {
  name: LIMITS,
  filter: ({ pod }, world): PodFilter | undefined =>
    hasClaims(pod) ? { refuses: (node) => overLimit(pod, node, world) } : undefined,
  mayHelp: (it, pod) =>
    it.kind === 'Pod'
      ? it.now === undefined
      : isOneOf('CSINode', 'VolumeAttachment', 'PersistentVolumeClaim')(it, pod),
}

function overLimit(pod: Pod, node: NodeInfo, { lookup }: World): Refusal | undefined {
  const drivers = lookup.driversOf(node.name)?.spec?.drivers ?? []
  const limited = drivers.filter((it) => it.allocatable?.count !== undefined)
  if (limited.length === 0) return undefined
  const byPods = [...node.pods].flatMap((it) => [...attachedBy(it.pod, lookup)])
  const attached = new Map<string, string>([...byPods, ...attachments(node.name, lookup)])
  const added = [...attachedBy(pod, lookup)].filter(([handle]) => !attached.has(handle))
  for (const { name, allocatable } of limited) {
    const more = added.filter(([, driver]) => driver === name).length
    const there = [...attached.values()].filter((it) => it === name).length
    if (more > 0 && there + more > allocatable!.count!) return TOO_MANY
  }
  return undefined
}

/** What is attached to a node as its VolumeAttachments say. */
function attachments(node: string, lookup: Lookup): readonly Handle[] {
  const sources = lookup.attachmentsTo(node).map((it) => it.spec.source.persistentVolumeName ?? '')
  const driven = sources.map((name) => lookup.volume(name)?.spec?.csi)
  return driven.filter((it) => it !== undefined).map(handleOf)
}

type Handle = readonly [handle: string, driver: string]

const handleOf = (it: { readonly driver: string; readonly volumeHandle: string }): Handle => [
  `${it.driver}/${it.volumeHandle}`,
  it.driver,
]

/** The volumes that a pod has attached, each once, with their drivers. Claims without a volume count by their class. */
function attachedBy(pod: Pod, lookup: Lookup): ReadonlyMap<string, string> {
  const handles = (pod.spec.volumes ?? []).flatMap((it): readonly Handle[] => {
    const name = claimNameOf(pod, it)
    const claim = name === undefined ? undefined : lookup.claim(pod.metadata.namespace!, name)
    if (!claim) return []
    const csi = lookup.volume(claim.spec?.volumeName ?? '')?.spec?.csi
    if (csi) return [handleOf(csi)]
    const storage = lookup.storageClass(claim.spec?.storageClassName ?? '')
    const key = `${claim.metadata.namespace}/${claim.metadata.name}`
    return storage ? [[`${storage.provisioner}/${key}`, storage.provisioner]] : []
  })
  return new Map(handles)
}
