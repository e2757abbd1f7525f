import type { ContainerState, ContainerStatus, Pod, PodStatus } from 'kubewright/kinds/core/v1'
import { timeText } from 'kubewright/machinery'
import { fullImageName, imageId } from '../container/image.ts'
import { podConditions } from './conditions.ts'
import { containerId, DEADLINE, restartsAfter } from './container.ts'
import { type ContainerRun, isOver, isReady, isStarted, type PodState } from './state.ts'

/** What a pod says that was active for longer than it may. */
export const DEADLINE_MESSAGE = 'Pod was active on the node longer than the specified deadline'

/** What a status needs to know beside the state. */
export interface StatusInput {
  readonly pod: Pod
  readonly now: number
  readonly hostIP: string
  readonly podIP: string
}

/** The status of a pod as its node reports it (kubernetes/pkg/kubelet generateAPIPodStatus). */
export function podStatus(state: PodState, input: StatusInput): PodStatus {
  const { pod } = input
  const phase = podPhase(state, pod)
  const inits = state.containers.filter((it) => it.role === 'init' || it.role === 'sidecar')
  const mains = state.containers.filter((it) => it.role === 'main')
  const added = state.containers.filter((it) => it.role === 'ephemeral')
  const podIP = pod.spec?.hostNetwork ? input.hostIP : input.podIP
  const networked = state.sandboxAt === undefined && (!state.stopping || pod.status?.podIP)
  return {
    ...kept(pod),
    ...(state.expired && { reason: DEADLINE, message: DEADLINE_MESSAGE }),
    ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
    phase,
    conditions: [...podConditions(state, phase, pod, input.now)],
    hostIP: input.hostIP,
    hostIPs: [{ ip: input.hostIP }],
    ...(networked && { podIP, podIPs: [{ ip: podIP }] }),
    startTime: timeText(state.startedAt),
    ...(inits.length > 0 && { initContainerStatuses: inits.map((it) => status(it, state, input)) }),
    containerStatuses: mains.map((it) => status(it, state, input)),
    ...(added.length > 0 && {
      ephemeralContainerStatuses: added.map((it) => status(it, state, input)),
    }),
  }
}

/** What others have written into the status: it stays. */
function kept(pod: Pod): Partial<PodStatus> {
  const { qosClass, nominatedNodeName, message, reason } = pod.status ?? {}
  return {
    ...(qosClass && { qosClass }),
    ...(nominatedNodeName && { nominatedNodeName }),
    ...(message && { message }),
    ...(reason && { reason }),
  }
}

function status(run: ContainerRun, state: PodState, input: StatusInput): ContainerStatus {
  const known = run.starts > 0
  return {
    name: run.name,
    state: containerState(run, state),
    lastState: run.phase.is === 'crashBackOff' ? { terminated: run.phase.ending } : lastState(run),
    ready: readiness(run, input.now),
    restartCount: run.restarts,
    image: known ? fullImageName(run.image) : run.image,
    imageID: known ? imageId(run.image) : '',
    ...(known && { containerID: containerId(input.pod, run) }),
    started: isStarted(run, input.now),
  }
}

function readiness(run: ContainerRun, now: number): boolean {
  if (run.role === 'ephemeral') return false
  return run.role === 'init' ? endedWell(run) : isReady(run, now)
}

const lastState = (run: ContainerRun): ContainerState => (run.last ? { terminated: run.last } : {})

function endedWell(run: ContainerRun): boolean {
  return run.phase.is === 'ended' && run.phase.ending.exitCode === 0
}

function containerState(run: ContainerRun, state: PodState): ContainerState {
  const { phase } = run
  switch (phase.is) {
    case 'waiting':
    case 'pulling':
      return { waiting: { reason: waitingReason(state) } }
    case 'pullFailed':
      return { waiting: { reason: phase.reason, message: phase.error } }
    case 'pullBackOff':
      return { waiting: { reason: 'ImagePullBackOff', message: phase.error } }
    case 'running':
      return { running: { startedAt: timeText(phase.since) } }
    case 'ended':
      return { terminated: phase.ending }
    case 'crashBackOff':
      return { waiting: { reason: 'CrashLoopBackOff', message: phase.message } }
  }
}

/** In a pod with init containers everything that waits is initializing. */
function waitingReason(state: PodState): string {
  return state.containers.some((it) => it.role === 'init' || it.role === 'sidecar')
    ? 'PodInitializing'
    : 'ContainerCreating'
}

/** The pod's phase, from where its containers stand (kubernetes/pkg/kubelet getPhase). */
export function podPhase(state: PodState, pod: Pod): NonNullable<PodStatus['phase']> {
  const was = pod.status?.phase
  if (was === 'Succeeded' || was === 'Failed') return was
  if (state.expired) return 'Failed'
  const inits = state.containers.filter((it) => it.role === 'init')
  const mains = state.containers.filter((it) => it.role === 'main')
  if (inits.some((it) => failedForGood(it, pod))) return 'Failed'
  if (state.stopping && state.containers.every((it) => it.phase.is !== 'running')) {
    return stoppedPhase(mains, was)
  }
  if (inits.some((it) => !endedWell(it)) || mains.some(isPending)) return 'Pending'
  if (mains.some((it) => it.phase.is === 'running' || !isOver(it))) return 'Running'
  return mains.every(endedWell) ? 'Succeeded' : 'Failed'
}

/** Whether a container failed and is not started again. */
export function failedForGood(run: ContainerRun, pod: Pod): boolean {
  return (
    run.phase.is === 'ended' &&
    run.phase.ending.exitCode !== 0 &&
    !restartsAfter(pod, run.role, run.phase.ending.exitCode, run.name)
  )
}

/** A pod that is deleted before it began stays as it was; else its containers' codes decide. */
function stoppedPhase(
  mains: readonly ContainerRun[],
  was: PodStatus['phase'],
): NonNullable<PodStatus['phase']> {
  if (mains.some((it) => it.starts === 0)) return was ?? 'Pending'
  return mains.every(endedWell) ? 'Succeeded' : 'Failed'
}

/** Has a container not been started yet, or does it wait for the first time? */
function isPending(run: ContainerRun): boolean {
  return run.starts === 0 && run.phase.is !== 'running'
}
