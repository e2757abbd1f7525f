import type { Node, Pod } from 'kubewright/kinds/core/v1'
import { fitError, noNodesError } from './fit-error.ts'
import { emptyLookup, type Lookup } from './lookup.ts'
import { PodInfo } from './pod-info.ts'
import { PLUGINS } from './plugins/index.ts'
import { planPreemption, type Preemption } from './preempt.ts'
import { type Placement, schedule } from './schedule.ts'
import { World } from './world.ts'

/** A pod with a uid: by its name where it has none. */
export const known = (pod: Pod): Pod => ({
  ...pod,
  metadata: { uid: pod.metadata.name!, namespace: 'default', ...pod.metadata },
})

/** The cluster of these nodes and pods. */
export function worldOf(
  nodes: readonly Node[],
  pods: readonly Pod[] = [],
  lookup: Partial<Lookup> = {},
): World {
  const world = new World(emptyLookup(lookup))
  for (const it of nodes) world.setNode(it)
  for (const it of pods) world.setPod(known(it))
  return world
}

/** Where a pod goes, or why nowhere. */
export const placement = (pod: Pod, world: World): Placement =>
  schedule(new PodInfo(known(pod)), world, PLUGINS)

/** What preemption finds for a pod that fits nowhere. Throws for one that does. */
export function preemption(pod: Pod, world: World): Preemption {
  const found = placement(pod, world)
  if (found.is === 'unschedulable') return planPreemption(new PodInfo(known(pod)), world, found)
  throw new Error(`${pod.metadata.name} should fit nowhere, and is ${found.is}`)
}

/** The name of the node that a pod gets, or what is said of it. */
export function place(pod: Pod, world: World): string {
  const found = placement(pod, world)
  switch (found.is) {
    case 'placed':
      return found.node.name
    case 'no nodes':
      return noNodesError
    case 'unschedulable': {
      const others = preemption(pod, world)
      return fitError(world.nodes.length, found, others.is === 'vain' ? others.why : undefined)
    }
  }
}
