import type { Pod } from 'kubewright/kinds/core/v1'
import { DEADLINE } from '../../pod/container.ts'
import { DEADLINE_MESSAGE } from '../../pod/status.ts'
import type { ProcessInput, Saying } from './input.ts'
import {
  asRun,
  hasProcess,
  isEnding,
  isOver,
  type ProcessContainer,
  type ProcessPod,
} from './state.ts'

/** Ends what runs of a pod that is being deleted, has had its time, or whose main containers are all over. */
export function stopWhereAsked(state: ProcessPod, input: ProcessInput, saying: Saying): ProcessPod {
  let next = state
  if (!next.stopping && input.pod.metadata.deletionTimestamp !== undefined)
    next = { ...next, stopping: true }
  next = expire(next, input, saying)
  return isEnding(next) ? stopInTurn(next, input, saying) : next
}

/** When a pod has had its time; undefined where it may go on for ever. */
export function deadlineOf({ startedAt }: ProcessPod, pod: Pod): number | undefined {
  const seconds = pod.spec?.activeDeadlineSeconds
  return seconds === undefined ? undefined : startedAt + seconds * 1000
}

/** Ends a pod that has been active for longer than it may (kubernetes/pkg/kubelet/active_deadline.go). */
function expire(state: ProcessPod, input: ProcessInput, { say }: Saying): ProcessPod {
  const deadline = deadlineOf(state, input.pod)
  if (deadline === undefined || deadline > input.now || state.expired) return state
  if (isOver(state)) return state
  say({ type: 'Normal', reason: DEADLINE, message: DEADLINE_MESSAGE })
  return { ...state, expired: true }
}

/** Main and init containers first; then sidecars one by one, the last one first (KEP-753). */
function stopInTurn(state: ProcessPod, input: ProcessInput, saying: Saying): ProcessPod {
  const sidecars = state.containers.filter((it) => it.role === 'sidecar' && hasProcess(it))
  const others = state.containers.filter((it) => it.role !== 'sidecar' && hasProcess(it))
  const turn = new Set((others.length > 0 ? others : sidecars.slice(-1)).map((it) => it.name))
  return {
    ...state,
    containers: state.containers.map((it) =>
      turn.has(it.name)
        ? stopContainer(it, `Stopping container ${it.name}`, graceOf(input.pod), saying)
        : it,
    ),
  }
}

/** Asks a running container to end, once; `message` says why. */
export function stopContainer(
  container: ProcessContainer,
  message: string,
  grace: number,
  { say, act }: Saying,
): ProcessContainer {
  const { phase, name, starts } = container
  // One that is only starting is stopped as soon as it has started.
  if (phase.is !== 'running' || phase.ending) return container
  say({ type: 'Normal', reason: 'Killing', message, container: asRun(container) })
  act({ is: 'stop', container: name, run: starts, grace })
  return { ...container, phase: { ...phase, ending: true } }
}

/** How long a pod's containers have to end, in milliseconds. */
export const graceOf = ({ metadata, spec }: Pod): number =>
  (metadata.deletionGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? 30) * 1000
