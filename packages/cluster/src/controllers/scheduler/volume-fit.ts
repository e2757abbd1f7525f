import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Volume,
} from 'kubewright/kinds/core/v1'
import type { CSIStorageCapacity, StorageClass } from 'kubewright/kinds/storage.k8s.io/v1'
import { compareQuantities, parseQuantity, selectorOf } from 'kubewright/machinery'
import {
  BIND_COMPLETED,
  classOf,
  findVolume,
  NO_PROVISIONER,
  SELECTED_NODE,
} from '../volume/binding.ts'
import type { Lookup } from './lookup.ts'
import { matchesTerm } from './node-affinity.ts'

/** A pod's claims by what has to be done about them. */
export interface PodClaims {
  readonly bound: readonly PersistentVolumeClaim[]
  /** They wait for a volume, and the pod for them. */
  readonly immediate: readonly PersistentVolumeClaim[]
  /** They wait for the pod's node. */
  readonly delayed: readonly PersistentVolumeClaim[]
}

/** What placing a pod on a node means for its claims: volumes to be bound, and claims to be provisioned there. */
export interface VolumePlan {
  readonly bindings: readonly {
    readonly claim: PersistentVolumeClaim
    readonly volume: PersistentVolume
  }[]
  readonly provisions: readonly PersistentVolumeClaim[]
}

/** The name of the claim behind a volume; undefined for volumes of other kinds. */
export function claimNameOf(pod: Pod, it: Volume): string | undefined {
  if (it.persistentVolumeClaim) return it.persistentVolumeClaim.claimName
  return it.ephemeral ? `${pod.metadata.name}-${it.name}` : undefined
}

/** Whether a volume is the pod's own to be made by a claim template. */
const isEphemeral = (it: Volume): boolean => it.ephemeral !== undefined

/** Why a pod's claims keep it from every node; undefined when they are all there (VolumeBinding.podHasPVCs). */
export function claimProblem(pod: Pod, lookup: Lookup): string | undefined {
  for (const volume of pod.spec.volumes ?? []) {
    const name = claimNameOf(pod, volume)
    if (name === undefined) continue
    const claim = lookup.claim(pod.metadata.namespace!, name)
    if (!claim)
      return isEphemeral(volume)
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
        : `persistentvolumeclaim "${name}" not found`
    if (claim.status?.phase === 'Lost')
      return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ''}"`
    if (claim.metadata.deletionTimestamp !== undefined)
      return `persistentvolumeclaim "${name}" is being deleted`
    if (isEphemeral(volume) && !isControlledBy(claim, pod))
      return `PVC ${claim.metadata.namespace}/${name} was not created for pod ${pod.metadata.namespace}/${pod.metadata.name} (pod is not owner)`
  }
  return undefined
}

const isControlledBy = ({ metadata }: PersistentVolumeClaim, pod: Pod): boolean =>
  (metadata.ownerReferences ?? []).some((it) => it.controller && it.uid === pod.metadata.uid)

/** Whether a claim has its volume, and both know it. */
export const isFullyBound = ({ spec, metadata }: PersistentVolumeClaim): boolean =>
  Boolean(spec?.volumeName) && metadata.annotations?.[BIND_COMPLETED] !== undefined

/** Sorts a pod's claims, which must all be there. Throws for a claim whose class is not. */
export function podClaims(pod: Pod, lookup: Lookup): PodClaims {
  const names = (pod.spec.volumes ?? []).map((it) => claimNameOf(pod, it))
  const claims = names
    .filter((it) => it !== undefined)
    .map((name) => lookup.claim(pod.metadata.namespace!, name)!)
  const unbound = claims.filter((it) => !isFullyBound(it))
  const isDelayed = (it: PersistentVolumeClaim): boolean =>
    waitsForConsumer(it, lookup) && !it.spec?.volumeName
  return {
    bound: claims.filter(isFullyBound),
    immediate: unbound.filter((it) => !isDelayed(it)),
    delayed: unbound.filter(isDelayed),
  }
}

function waitsForConsumer(claim: PersistentVolumeClaim, lookup: Lookup): boolean {
  const name = classOf(claim)
  if (name === '') return false
  const found = lookup.storageClass(name)
  return found?.volumeBindingMode === 'WaitForFirstConsumer'
}

/** Whether a volume can be reached from a node. */
export function reaches({ spec }: PersistentVolume, node: Node): boolean {
  const required = spec?.nodeAffinity?.required
  return !required || required.nodeSelectorTerms.some((it) => matchesTerm(node, it))
}

/** The reasons in VolumeBinding's words, in the order in which it gives them. */
const REASONS = {
  unreachable: "node(s) didn't match PersistentVolume's node affinity",
  noVolume: "node(s) didn't find available persistent volumes to bind",
  noSpace: 'node(s) did not have enough free storage',
  gone: 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
} as const

type Reason = keyof typeof REASONS

const EMPTY: VolumePlan = Object.freeze({ bindings: [], provisions: [] })

/** What a node means for a pod's claims, or why it cannot be (volumeBinder.FindPodVolumes). */
export function planVolumes(
  { bound, delayed }: PodClaims,
  node: Node,
  lookup: Lookup,
): VolumePlan | readonly string[] {
  const reason = boundReason(bound, node, lookup)
  const plan = delayed.length > 0 ? planDelayed(delayed, node, lookup) : EMPTY
  const reasons = [reason, typeof plan === 'string' ? plan : undefined]
    .filter((it) => it !== undefined)
    .sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))
  return typeof plan === 'string' || reasons.length > 0 ? reasons.map((it) => REASONS[it]) : plan
}

const ORDER = Object.keys(REASONS) as readonly Reason[]

function boundReason(
  claims: readonly PersistentVolumeClaim[],
  node: Node,
  lookup: Lookup,
): Reason | undefined {
  for (const { spec } of claims) {
    const volume = lookup.volume(spec?.volumeName ?? '')
    if (!volume) return 'gone'
    if (!reaches(volume, node)) return 'unreachable'
  }
  return undefined
}

function planDelayed(
  claims: readonly PersistentVolumeClaim[],
  node: Node,
  lookup: Lookup,
): VolumePlan | Reason {
  const selected = (it: PersistentVolumeClaim): string | undefined =>
    it.metadata.annotations?.[SELECTED_NODE]
  const promised = claims.filter((it) => selected(it) !== undefined)
  if (promised.some((it) => selected(it) !== node.metadata.name)) return 'noVolume'
  const open = claims.filter((it) => selected(it) === undefined)
  const { bindings, rest } = matchVolumes(open, node, lookup)
  const provisions = [...promised, ...rest]
  for (const it of provisions) {
    const reason = provisionReason(it, node, lookup)
    if (reason) return reason
  }
  return { bindings, provisions }
}

const sizeOf = (it: PersistentVolumeClaim): string =>
  it.spec?.resources?.requests?.['storage'] ?? '0'

/** Gives each claim, the smallest first, the smallest volume that will do. */
function matchVolumes(
  claims: readonly PersistentVolumeClaim[],
  node: Node,
  lookup: Lookup,
): { readonly bindings: VolumePlan['bindings']; readonly rest: readonly PersistentVolumeClaim[] } {
  const bindings: { claim: PersistentVolumeClaim; volume: PersistentVolume }[] = []
  const rest: PersistentVolumeClaim[] = []
  const ordered = claims.toSorted((a, b) =>
    compareQuantities(parseQuantity(sizeOf(a)), parseQuantity(sizeOf(b))),
  )
  for (const claim of ordered) {
    const free = lookup
      .volumesOf(classOf(claim))
      .filter((it) => !bindings.some(({ volume }) => volume === it))
    const volume = findVolume(claim, free, (it) => reaches(it, node))
    if (volume) bindings.push({ claim, volume })
    else rest.push(claim)
  }
  return { bindings, rest }
}

/** Why a claim cannot be provisioned for a node. */
function provisionReason(
  claim: PersistentVolumeClaim,
  node: Node,
  lookup: Lookup,
): Reason | undefined {
  const storage = lookup.storageClass(classOf(claim))
  if (!storage || storage.provisioner === NO_PROVISIONER) return 'noVolume'
  if (!allows(storage, node)) return 'noVolume'
  return hasCapacity(claim, storage, node, lookup) ? undefined : 'noSpace'
}

/** Whether a class makes volumes for a node's part of the cluster. */
function allows({ allowedTopologies = [] }: StorageClass, { metadata: { labels = {} } }: Node) {
  return (
    allowedTopologies.length === 0 ||
    allowedTopologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? '')),
    )
  )
}

/** Asks what a driver that keeps count has left (KEP-1472). */
function hasCapacity(
  claim: PersistentVolumeClaim,
  { metadata, provisioner }: StorageClass,
  node: Node,
  lookup: Lookup,
): boolean {
  if (!lookup.driver(provisioner)?.spec?.storageCapacity) return true
  const wanted = parseQuantity(sizeOf(claim))
  const limitOf = (it: CSIStorageCapacity): string | undefined =>
    it.maximumVolumeSize ?? it.capacity
  return lookup.capacities().some((it) => {
    const limit = limitOf(it)
    return (
      it.storageClassName === metadata.name &&
      limit !== undefined &&
      compareQuantities(parseQuantity(limit), wanted) >= 0 &&
      it.nodeTopology !== undefined &&
      selectorOf(it.nodeTopology).matches(node.metadata.labels)
    )
  })
}
