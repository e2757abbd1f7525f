import { timeText } from 'kubewright/machinery'
import { containerId, restartsAfter } from '../../pod/container.ts'
import type { ProcessInput } from './input.ts'
import { asRun, type Ending, type ProcessContainer } from './state.ts'

/** A container whose process ended; it is thought of again at once where its restart policy asks for that. */
export function endContainer(
  container: ProcessContainer,
  how: Ending,
  stopping: boolean,
  { pod, delays }: ProcessInput,
): ProcessContainer {
  const { at, exitCode, reason = exitCode === 0 ? 'Completed' : 'Error', message } = how
  const since = container.phase.is === 'running' ? container.phase.since : at
  const again = !stopping && restartsAfter(pod, container.role, exitCode)
  return {
    ...container,
    backOff: at - since > 2 * delays.maxBackOff ? 0 : container.backOff,
    phase: {
      is: 'ended',
      ending: {
        exitCode,
        reason,
        ...(message !== undefined && message !== '' && { message }),
        startedAt: timeText(since),
        finishedAt: timeText(at),
        containerID: containerId(pod, asRun(container)),
      },
      until: again ? at : undefined,
    },
  }
}
