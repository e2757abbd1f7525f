import type { Container, ContainerStatus, Pod } from 'kubewright/kinds/core/v1'
import { exitPlan } from '../container/exit-plan.ts'
import type { NodeDelays } from '../settings.ts'
import { DEADLINE, READY, restartsAfter } from './container.ts'
import type { ContainerPhase, ContainerRole, ContainerRun, PodState } from './state.ts'

/**
 * Takes a pod on: from the beginning, or, when its status says that its containers have been started before (the node has been
 * restarted), from there.
 */
export function admitPod(pod: Pod, now: number, delays: NodeDelays): PodState {
  const begun = parse(pod.status?.startTime)
  const fresh = pod.status?.podIP === undefined
  return {
    uid: pod.metadata.uid ?? '',
    startedAt: begun ?? now,
    sandboxAt: fresh ? now + delays.sandbox : undefined,
    stopping: undefined,
    expired: pod.status?.reason === DEADLINE,
    containers: [
      ...(pod.spec?.initContainers ?? []).map((it) => admitContainer(pod, it, initRole(it))),
      ...(pod.spec?.containers ?? []).map((it) => admitContainer(pod, it, 'main')),
    ],
  }
}

const initRole = (container: Container): ContainerRole =>
  container.restartPolicy === 'Always' ? 'sidecar' : 'init'

const parse = (text: string | undefined): number | undefined =>
  text ? Date.parse(text) : undefined

function admitContainer(pod: Pod, container: Container, role: ContainerRole): ContainerRun {
  const all = [
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.containerStatuses ?? []),
  ]
  const status = all.find((it) => it.name === container.name)
  const started = status?.state?.running !== undefined || status?.state?.terminated !== undefined
  return {
    name: container.name,
    image: container.image ?? '',
    role,
    phase: status ? recover(pod, container, role, status) : { is: 'waiting' },
    starts: status && started ? status.restartCount + 1 : (status?.restartCount ?? 0),
    restarts: status?.restartCount ?? 0,
    last: status?.lastState?.terminated,
    backOff: 0,
  }
}

/** A container goes on as its status says; one that waited begins again. */
function recover(
  pod: Pod,
  container: Container,
  role: ContainerRole,
  status: ContainerStatus,
): ContainerPhase {
  const { running, terminated } = status.state ?? {}
  if (running) {
    const since = parse(running.startedAt) ?? 0
    const exit = role === 'sidecar' ? undefined : exitPlan(pod, container, role === 'init')
    const never = pod.metadata.annotations?.[READY] === 'false'
    return { is: 'running', since, readyAt: never ? Infinity : since, exit }
  }
  if (!terminated) return { is: 'waiting' }
  const over = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
  const again = !over && restartsAfter(pod, role, terminated.exitCode)
  return { is: 'ended', ending: terminated, until: again ? 0 : undefined }
}
