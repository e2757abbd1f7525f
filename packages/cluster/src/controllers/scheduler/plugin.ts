import type { Node, Pod } from 'kubewright/kinds/core/v1'
import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'
import type { World } from './world.ts'

/** Why a pod does not go to a node, or to none, in the scheduler's words. */
export interface Refusal {
  readonly plugin: string
  readonly reasons: readonly string[]
  /** Not even the removal of other pods would help (UnschedulableAndUnresolvable). */
  readonly hopeless: boolean
}

/** What a plugin asks of every node for one pod. */
export interface PodFilter {
  /** The only nodes that come into question. Default: all. */
  readonly only?: ReadonlySet<string>
  readonly refuses: (node: NodeInfo) => Refusal | undefined
  /** Called when a pod is put on a node, or taken from it, to see what would be: what was counted changes. */
  readonly added?: (pod: PodInfo, node: NodeInfo) => void
  readonly removed?: (pod: PodInfo, node: NodeInfo) => void
}

/**
 * One concern of the scheduler (kube-scheduler/framework). A function answers undefined where a pod does not concern it, which costs
 * the nodes nothing.
 */
export interface Plugin {
  readonly name: string
  /** Looks at the world once for a pod: what to ask of every node, or a refusal of all of them. */
  readonly filter?: (pod: PodInfo, world: World) => PodFilter | Refusal | undefined
  /** How good each of the nodes is for the pod, from 0 to 100. */
  readonly score?: (
    pod: PodInfo,
    world: World,
    nodes: readonly NodeInfo[],
  ) => readonly number[] | undefined
  /** What a score counts for. Default 1. */
  readonly weight?: number
  /** Whether something that happened may help a pod that this plugin refused (queueing hints). */
  readonly mayHelp?: (happening: Happening, pod: Pod, world: World) => boolean
}

/** Something that happened in the cluster, and may help pods that wait. At least one of `old` and `now` is there. */
export type Happening =
  | { readonly kind: 'Node'; readonly old?: Node; readonly now?: Node }
  /** A pod on a node came, changed, or went. */
  | { readonly kind: 'Pod'; readonly old?: Pod; readonly now?: Pod }
  | {
      readonly kind: StorageKind
      readonly old?: StorageObject
      readonly now?: StorageObject
    }

/** Kinds that volumes depend on. */
export type StorageKind =
  | 'PersistentVolumeClaim'
  | 'PersistentVolume'
  | 'StorageClass'
  | 'CSINode'
  | 'CSIDriver'
  | 'CSIStorageCapacity'
  | 'VolumeAttachment'

/** What of such an object matters to a hint. */
export interface StorageObject {
  readonly metadata: { readonly name?: string; readonly namespace?: string }
}

/** Makes a {@link Refusal}; `hopeless` where the removal of other pods would not help. */
export const refusal = (
  plugin: string,
  hopeless: boolean,
  ...reasons: readonly string[]
): Refusal => ({ plugin, hopeless, reasons })

/** Whether a plugin's answer is about all nodes at once. */
export const isRefusal = (it: object | undefined): it is Refusal =>
  it !== undefined && 'reasons' in it

/** Scales scores so that the highest is 100; `reverse` turns them around, and makes all 100 where all are 0 (DefaultNormalizeScore). */
export function normalized(scores: readonly number[], reverse: boolean = false): readonly number[] {
  const most = Math.max(0, ...scores)
  if (most === 0) return reverse ? scores.map(() => 100) : scores
  return scores.map((it) => {
    const scaled = Math.trunc((it * 100) / most)
    return reverse ? 100 - scaled : scaled
  })
}
