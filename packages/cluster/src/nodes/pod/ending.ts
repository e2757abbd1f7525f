import type { Pod } from 'kubewright/kinds/core/v1'
import { timeText } from 'kubewright/machinery'
import type { NodeDelays } from '../settings.ts'
import { containerId, restartsAfter } from './container.ts'
import type { ContainerRun } from './state.ts'

/** How and when a process ended, and when it is thought of again where its restart policy asks for that; absent: never. */
export interface Ended {
  readonly at: number
  readonly code: number
  readonly reason?: string
  readonly again?: number
}

/** A container whose process ended. */
export function endedRun(
  run: ContainerRun,
  pod: Pod,
  { maxBackOff }: NodeDelays,
  { at, code, reason, again }: Ended,
): ContainerRun {
  const since = run.phase.is === 'running' ? run.phase.since : at
  const restarts = again !== undefined && restartsAfter(pod, run.role, code, run.name)
  return {
    ...run,
    backOff: at - since > 2 * maxBackOff ? 0 : run.backOff,
    phase: {
      is: 'ended',
      ending: {
        exitCode: code,
        reason: reason ?? (code === 0 ? 'Completed' : 'Error'),
        startedAt: timeText(since),
        finishedAt: timeText(at),
        containerID: containerId(pod, run),
      },
      until: restarts ? again : undefined,
    },
  }
}
