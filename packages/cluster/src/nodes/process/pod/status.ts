import type { ContainerStatus, Pod, PodStatus } from 'kubewright/kinds/core/v1'
import { podStatus } from '../../pod/status.ts'
import { asRun, type ProcessPod } from './state.ts'

/** The status of a pod whose containers are processes, in the form that every kubelet of ours reports. */
export function processPodStatus(
  state: ProcessPod,
  input: {
    readonly pod: Pod
    readonly now: number
    readonly hostIP: string
    readonly podIP: string
  },
): PodStatus {
  const { uid, startedAt, expired, stopping, containers } = state
  const isGone = stopping && containers.every(({ phase }) => phase.is !== 'running')
  const status = podStatus(
    {
      uid,
      startedAt,
      expired,
      // Undefined is a network that is there.
      sandboxAt: state.sandbox === 'ready' ? undefined : Infinity,
      stopping: stopping ? { until: isGone ? 0 : Infinity } : undefined,
      containers: containers.map(asRun),
    },
    input,
  )
  const started = (it: ContainerStatus): ContainerStatus => ({
    ...it,
    started: hasStarted(state, it.name),
  })
  const { initContainerStatuses: inits, containerStatuses: mains = [] } = status
  return {
    ...status,
    ...(inits && { initContainerStatuses: inits.map(started) }),
    containerStatuses: mains.map(started),
  }
}

function hasStarted({ containers }: ProcessPod, name: string): boolean {
  const found = containers.find((it) => it.name === name)
  return found?.phase.is === 'running' && found.phase.started
}
