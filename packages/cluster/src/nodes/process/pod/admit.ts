import type {
  Container,
  ContainerStateTerminated,
  ContainerStatus,
  Pod,
} from 'kubewright/kinds/core/v1'
import { timeText } from 'kubewright/machinery'
import { DEADLINE, restartsAfter } from '../../pod/container.ts'
import type { ContainerRole } from '../../pod/state.ts'
import type { ProcessContainer, ProcessPhase, ProcessPod } from './state.ts'

/**
 * Takes a pod on. Where its status says that containers have run before, they were this node's before it ended, and they ended with it:
 * what restarts begins again, what does not is over.
 */
export function admitProcessPod(pod: Pod, now: number): ProcessPod {
  const { initContainers = [], containers } = pod.spec ?? { containers: [] }
  const begun = pod.status?.startTime
  return {
    uid: pod.metadata.uid ?? '',
    startedAt: begun ? Date.parse(begun) : now,
    sandbox: 'none',
    stopping: false,
    expired: pod.status?.reason === DEADLINE,
    containers: [
      ...initContainers.map((it) => admit(pod, it, initRole(it), now)),
      ...containers.map((it) => admit(pod, it, 'main', now)),
    ],
  }
}

const initRole = (container: Container): ContainerRole =>
  container.restartPolicy === 'Always' ? 'sidecar' : 'init'

function admit(pod: Pod, container: Container, role: ContainerRole, now: number): ProcessContainer {
  const status = statusOf(pod, container.name)
  const before = { name: container.name, image: container.image ?? '', role, backOff: 0 }
  const restarts = status?.restartCount ?? 0
  const ending = endingOf(status, now)
  if (!ending)
    return {
      ...before,
      phase: { is: 'waiting' },
      starts: restarts,
      restarts,
      last: status?.lastState?.terminated,
    }
  const phase = phaseAfter(pod, role, ending)
  const again = phase.is === 'waiting'
  return {
    ...before,
    phase,
    starts: restarts + 1,
    restarts: again ? restarts + 1 : restarts,
    last: again ? ending : status?.lastState?.terminated,
  }
}

function statusOf(pod: Pod, name: string): ContainerStatus | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {}
  return [...initContainerStatuses, ...containerStatuses].find((it) => it.name === name)
}

/** How the last run ended: as the status says, or unknown to all where it was running when the node ended. */
function endingOf(
  status: ContainerStatus | undefined,
  now: number,
): ContainerStateTerminated | undefined {
  const { running, terminated } = status?.state ?? {}
  if (terminated) return terminated
  if (!running) return undefined
  return {
    exitCode: 255,
    reason: 'Unknown',
    startedAt: running.startedAt ?? timeText(now),
    finishedAt: timeText(now),
    ...(status?.containerID && { containerID: status.containerID }),
  }
}

/** A new network begins a pod anew, its init containers too; a pod that is over stays so. */
function phaseAfter(pod: Pod, role: ContainerRole, ending: ContainerStateTerminated): ProcessPhase {
  const over = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
  const again = !over && (restartsAfter(pod, role, ending.exitCode) || role === 'init')
  return again ? { is: 'waiting' } : { is: 'ended', ending, until: undefined }
}
