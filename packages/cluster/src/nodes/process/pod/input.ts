import type { Pod, PodStatus } from 'kubewright/kinds/core/v1'
import type { PodEvent } from '../../pod/state.ts'
import type { Action, Fact } from './state.ts'

/** How long a node waits, in milliseconds. */
export interface ProcessDelays {
  /** The first wait of CrashLoopBackOff and ImagePullBackOff; each next one is twice as long. Default 10 000. */
  readonly backOff: number
  /** The longest such wait. Default 300 000. */
  readonly maxBackOff: number
  /** Until a container that could not be described, or an image that the map does not name, is looked at again. Default 10 000. */
  readonly retry: number
}

export const DEFAULT_PROCESS_DELAYS: ProcessDelays = Object.freeze({
  backOff: 10_000,
  maxBackOff: 300_000,
  retry: 10_000,
})

/** What a node knows when it looks at a pod. */
export interface ProcessInput {
  readonly pod: Pod
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly delays: ProcessDelays
  readonly hostIP: string
  readonly podIP: string
  readonly facts: readonly Fact[]
  /** Why an image cannot run here; undefined when it can. */
  readonly imageProblem: (image: string) => string | undefined
}

/** What comes of a look at a pod. */
export interface ProcessStep {
  readonly status: PodStatus
  readonly events: readonly PodEvent[]
  readonly actions: readonly Action[]
  /** When to look again though nothing happens, in milliseconds from now. */
  readonly after: number | undefined
  /** It is being deleted, and nothing of it runs any more. */
  readonly remove: boolean
}

/** What a step says and wants done while it goes on. */
export interface Saying {
  readonly say: (event: PodEvent) => void
  readonly act: (action: Action) => void
}
