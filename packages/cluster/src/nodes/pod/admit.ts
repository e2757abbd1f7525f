import type { Container, ContainerStatus } from 'kubewright/kinds/core/v1'
import { expectedExit } from '../container/exit-plan.ts'
import { DEADLINE, restartsAfter } from './container.ts'
import type { PodInput } from './input.ts'
import { prospects } from './probes.ts'
import type { ContainerPhase, ContainerRole, ContainerRun, PodState } from './state.ts'

/**
 * Takes a pod on: from the beginning, or, when its status says that its containers have been started before (the node has been
 * restarted), from there.
 */
export function admitPod(input: PodInput): PodState {
  const { pod, now, delays } = input
  const begun = parse(pod.status?.startTime)
  const isNew = pod.status?.podIP === undefined
  return {
    uid: pod.metadata.uid ?? '',
    startedAt: begun ?? now,
    sandboxAt: isNew ? now + delays.sandbox : undefined,
    stopping: undefined,
    expired: pod.status?.reason === DEADLINE,
    containers: [
      ...(pod.spec?.initContainers ?? []).map((it) => admitContainer(input, it, initRole(it))),
      ...(pod.spec?.containers ?? []).map((it) => admitContainer(input, it, 'main')),
    ],
  }
}

/** Takes on the ephemeral containers that have been added to a pod since. */
export function withEphemeral(state: PodState, input: PodInput): PodState {
  const missing = (input.pod.spec?.ephemeralContainers ?? []).filter(
    (it) => !state.containers.some((run) => run.name === it.name),
  )
  if (missing.length === 0) return state
  const added = missing.map((it) => admitContainer(input, it as Container, 'ephemeral'))
  return { ...state, containers: [...state.containers, ...added] }
}

const initRole = (container: Container): ContainerRole =>
  container.restartPolicy === 'Always' ? 'sidecar' : 'init'

const parse = (text: string | undefined): number | undefined =>
  text ? Date.parse(text) : undefined

function admitContainer(input: PodInput, container: Container, role: ContainerRole): ContainerRun {
  const { pod } = input
  const all = [
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.containerStatuses ?? []),
    ...(pod.status?.ephemeralContainerStatuses ?? []),
  ]
  const status = all.find((it) => it.name === container.name)
  const run: ContainerRun = {
    name: container.name,
    image: container.image ?? '',
    role,
    phase: { is: 'waiting' },
    starts: 0,
    restarts: 0,
    last: undefined,
    backOff: 0,
  }
  if (!status) return run
  const { restartCount, lastState, state } = status
  const started = state?.running !== undefined || state?.terminated !== undefined
  return {
    ...run,
    phase: recover(input, container, role, status),
    starts: started ? restartCount + 1 : restartCount,
    restarts: restartCount,
    last: lastState?.terminated,
  }
}

/** A container goes on as its status says; one that waited begins again. */
function recover(
  input: PodInput,
  container: Container,
  role: ContainerRole,
  status: ContainerStatus,
): ContainerPhase {
  const { pod, behaviours } = input
  const { running, terminated } = status.state ?? {}
  const { name } = container
  if (running) {
    const since = parse(running.startedAt) ?? 0
    const told = behaviours.ending(pod, name, status.restartCount + 1)
    const expected = role === 'sidecar' ? undefined : expectedExit(pod, container, role === 'init')
    const exit = told === 'never' ? undefined : (told ?? expected)
    return {
      is: 'running',
      since,
      exit,
      ...prospects(container, since, behaviours.of(pod, name), input),
    }
  }
  if (!terminated) return { is: 'waiting' }
  const over = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
  const again = !over && restartsAfter(pod, role, terminated.exitCode, name)
  return { is: 'ended', ending: terminated, until: again ? 0 : undefined }
}
