import type { Node, Pod } from 'kubewright/kinds/core/v1'
import type { Happening } from './plugin.ts'

const text = (it: unknown): string => JSON.stringify(it) ?? ''

/** Whether anything about a node changed that a pod may wait for: heartbeats do not (eventhandlers.go nodeSchedulingPropertiesChange). */
export function nodeChanged(old: Node, now: Node): boolean {
  if (old.metadata.resourceVersion === now.metadata.resourceVersion) return false
  const parts = ({ metadata, spec, status }: Node): string =>
    text([
      metadata.labels,
      metadata.annotations,
      spec?.taints,
      spec?.unschedulable,
      status?.allocatable,
      status?.conditions?.map((it) => [it.type, it.status]),
    ])
  return parts(old) !== parts(now)
}

/** Whether a pod on a node changed in what may matter to others: it asks for less, its labels are others, it ends. */
export function placedPodChanged(old: Pod, now: Pod): boolean {
  const parts = ({ metadata, spec, status }: Pod): string =>
    text([
      metadata.labels,
      metadata.deletionTimestamp !== undefined,
      spec.resources,
      spec.containers.map((it) => it.resources),
      status?.containerStatuses?.map((it) => [it.resources, it.allocatedResources]),
    ])
  return parts(old) !== parts(now)
}

/** Whether a pod that waits changed in what may let it be placed. */
export function waitingPodChanged(old: Pod, now: Pod): boolean {
  const parts = ({ metadata, spec }: Pod): string => text([metadata.labels, spec])
  return parts(old) !== parts(now)
}

/** What became of one object. */
export const happening = (kind: Happening['kind'], old: unknown, now: unknown): Happening =>
  ({ kind, ...(old ? { old } : {}), ...(now ? { now } : {}) }) as Happening
