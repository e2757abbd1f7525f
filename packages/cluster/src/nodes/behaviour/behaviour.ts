import type { Pod } from 'kubewright/kinds/core/v1'
import type { Exit } from '../container/command.ts'

/** How a container ends by itself, seen from its start; `never`: it runs until it is stopped. */
export type Ending = Exit | 'never'

/** What a container uses `seconds` after its start: cores (0.25 is 250m) and bytes. */
export type UsageOf = (seconds: number, pod: Pod) => SimulatedUsage

export interface SimulatedUsage {
  readonly cpu: number
  readonly memory: number
}

/** Answers a command of `kubectl exec` in a simulated container: what it writes, and its exit code (default 0). */
export type ExecOf = (
  command: readonly string[],
  input: string,
) => { readonly stdout?: string; readonly stderr?: string; readonly code?: number }

/**
 * How a simulated container differs from what its command, image and probes make expect. Times are milliseconds from its start; what is
 * absent is as expected. `exit` is asked for when it starts, and `pullError` when its image is pulled; everything else counts at any moment.
 */
export interface ContainerBehaviour {
  readonly pullError?: string
  /** How long a pull takes. */
  readonly pullDelay?: number
  readonly exit?: Ending
  /** When it becomes ready; `never` keeps it unready, or makes it so. */
  readonly ready?: number | 'never'
  /** When its liveness probe begins to fail. */
  readonly livenessFails?: number
  /** Its startup probe never succeeds. */
  readonly startupFails?: boolean
  /** How long it goes on after the stop signal; no longer than the grace period. */
  readonly stop?: number
  readonly usage?: UsageOf
  /** Lines that it writes when it starts. */
  readonly log?: readonly string[]
  readonly exec?: ExecOf
}

/** Where a kubelet learns how the containers of a pod behave. */
export interface Behaviours {
  /** What holds of a container at any moment. */
  of(pod: Pod, container: string): ContainerBehaviour
  /** How a container ends that starts now, for the time `starts` (from 1); undefined: as its command says. Asked once for each start. */
  ending(pod: Pod, container: string, starts: number): Ending | undefined
  /** Why its image cannot be pulled; undefined: it can. Asked once for each pull. */
  pullError(pod: Pod, container: string): string | undefined
}
