import type { ContainerStateTerminated, Pod } from 'kubewright/kinds/core/v1'
import type { ContainerRole, ContainerRun } from '../../pod/state.ts'

/** What a node remembers of a pod whose containers are processes. Moments are milliseconds since the epoch; nothing is changed in place. */
export interface ProcessPod {
  readonly uid: string
  readonly startedAt: number
  /** Its network and volumes: not asked for yet, on their way, there, or gone again. */
  readonly sandbox: 'none' | 'asked' | 'ready'
  /** It is being deleted: its containers are ending or have ended. */
  readonly stopping: boolean
  /** It has been active for longer than it may (`spec.activeDeadlineSeconds`). */
  readonly expired: boolean
  readonly containers: readonly ProcessContainer[]
}

/** One container. */
export interface ProcessContainer {
  readonly name: string
  readonly image: string
  readonly role: ContainerRole
  readonly phase: ProcessPhase
  /** How often it has been started; also which of its runs a fact is about. */
  readonly starts: number
  readonly restarts: number
  /** How the run before this one ended. */
  readonly last: ContainerStateTerminated | undefined
  /** The wait before the next restart or pull, doubled each time; 0 before the first. */
  readonly backOff: number
}

/** Where a container stands. */
export type ProcessPhase =
  | { readonly is: 'waiting' }
  /** Its image, or what describes it, is missing; it is tried again at `until`. */
  | {
      readonly is: 'refused'
      readonly reason: string
      readonly message: string
      readonly until: number | undefined
    }
  /** Its process has been asked for. */
  | { readonly is: 'starting' }
  | RunningProcess
  /** It is thought of again at `until`; undefined: it is over. */
  | {
      readonly is: 'ended'
      readonly ending: ContainerStateTerminated
      readonly until: number | undefined
    }
  | {
      readonly is: 'crashBackOff'
      readonly ending: ContainerStateTerminated
      readonly message: string
      readonly until: number
    }

export interface RunningProcess {
  readonly is: 'running'
  readonly since: number
  /** What its startup probe says; true without one. */
  readonly started: boolean
  /** What its readiness probe says; true without one. */
  readonly ready: boolean
  /** It has been told to end. */
  readonly ending: boolean
}

/** What happened to a pod since it was last looked at. Facts of an earlier run of a container count for nothing. */
export type Fact =
  | { readonly is: 'sandboxReady' }
  | {
      readonly is: 'started'
      readonly container: string
      readonly run: number
      readonly at: number
    }
  /** Nothing was started: the container's variables or volumes cannot be had. */
  | {
      readonly is: 'refused'
      readonly container: string
      readonly run: number
      readonly reason: string
      readonly message: string
    }
  | { readonly is: 'ended'; readonly container: string; readonly run: number; readonly how: Ending }
  | {
      readonly is: 'probed'
      readonly container: string
      readonly run: number
      readonly probe: ProbeKind
      readonly healthy: boolean
    }

/** How a process ended. */
export interface Ending {
  readonly at: number
  readonly exitCode: number
  /** `OOMKilled`, `StartError`; default `Completed` or `Error`, by the code. */
  readonly reason?: string
  readonly message?: string
}

export type ProbeKind = 'startup' | 'liveness' | 'readiness'

/** What is to be done for a pod. */
export type Action =
  /** Make its network and its volumes. */
  | { readonly is: 'prepare' }
  | { readonly is: 'start'; readonly container: string; readonly run: number }
  /** Ask it to end, and end it after `grace` milliseconds. */
  | {
      readonly is: 'stop'
      readonly container: string
      readonly run: number
      readonly grace: number
    }

/** Whether a container has ended for good. */
export const isDone = ({ phase }: ProcessContainer): boolean =>
  phase.is === 'ended' && phase.until === undefined

/** Whether a container has, or is about to have, a process. */
export const hasProcess = ({ phase }: ProcessContainer): boolean =>
  phase.is === 'running' || phase.is === 'starting'

export const endedWell = ({ phase }: ProcessContainer): boolean =>
  phase.is === 'ended' && phase.ending.exitCode === 0

/** Whether a pod's containers have all ended for good, or cannot begin any more because an init container failed; sidecars do not count. */
export function isOver({ containers }: ProcessPod): boolean {
  if (containers.some((it) => it.role === 'init' && isDone(it) && !endedWell(it))) return true
  return containers.filter((it) => it.role === 'main').every(isDone)
}

/** Whether nothing of a pod is to be started any more. */
export const isEnding = (state: ProcessPod): boolean =>
  state.stopping || state.expired || isOver(state)

/** The container as its spec has it. */
export function containerSpec(
  pod: Pod,
  { name }: Pick<ProcessContainer, 'name'>,
): NonNullable<Pod['spec']>['containers'][number] {
  const all = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]
  return all.find((it) => it.name === name) ?? { name }
}

/** The container as the simulated kubelet's status and events know one. */
export function asRun(container: ProcessContainer): ContainerRun {
  return { ...container, phase: asPhase(container.phase) }
}

function asPhase(phase: ProcessPhase): ContainerRun['phase'] {
  switch (phase.is) {
    case 'waiting':
    case 'starting':
      return { is: 'waiting' }
    case 'refused': {
      const { reason, message, until } = phase
      return { is: 'pullFailed', reason, error: message, until }
    }
    case 'running': {
      const isReady = phase.ready && phase.started
      return {
        is: 'running',
        since: phase.since,
        readyAt: isReady ? phase.since : Infinity,
        exit: undefined,
      }
    }
    case 'ended':
    case 'crashBackOff':
      return phase
  }
}
