import type { Pod, PodStatus } from 'kubewright/kinds/core/v1'
import type { Behaviours } from '../behaviour/behaviour.ts'
import type { NodeDelays } from '../settings.ts'
import type { PodEvent } from './state.ts'

/** What a node knows when it looks at a pod. */
export interface PodInput {
  readonly pod: Pod
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly delays: NodeDelays
  readonly hostIP: string
  readonly podIP: string
  /** Whether an image has been pulled before. */
  readonly hasImage: (image: string) => boolean
  readonly behaviours: Behaviours
  /** With which code the process of a container ended that somebody was attached to, for its run number `starts`; undefined: it has not. */
  readonly ended: (container: string, starts: number) => number | undefined
}

/** What comes of a look at a pod: the status to write, what to say, when to look again, and whether the pod can be removed. */
export interface PodStep {
  readonly status: PodStatus
  readonly events: readonly PodEvent[]
  /** Milliseconds from now. */
  readonly after: number | undefined
  readonly remove: boolean
}

/** Says an event. */
export type Say = (event: PodEvent) => void
