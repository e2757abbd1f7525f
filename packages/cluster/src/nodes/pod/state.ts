import type { ContainerStateTerminated } from 'kubewright/kinds/core/v1'
import type { Exit } from '../container/command.ts'

/** What a simulated kubelet remembers of a pod. Moments are milliseconds since the epoch; nothing is changed in place. */
export interface PodState {
  readonly uid: string
  readonly startedAt: number
  /** When the pod's network is there; undefined as soon as it is. */
  readonly sandboxAt: number | undefined
  readonly stopping: Stopping | undefined
  /** The pod has been active for longer than it may (`spec.activeDeadlineSeconds`). */
  readonly expired: boolean
  readonly containers: readonly ContainerRun[]
}

/** The pod is being deleted: its containers have ended by `until`. */
export interface Stopping {
  readonly until: number
}

/** What part a container plays: init containers end one after another, sidecars stay, main containers are the pod; ephemeral ones are added to debug it. */
export type ContainerRole = 'init' | 'sidecar' | 'main' | 'ephemeral'

/** One container of a pod on its node. */
export interface ContainerRun {
  readonly name: string
  readonly image: string
  readonly role: ContainerRole
  readonly phase: ContainerPhase
  /** How often it has been started. */
  readonly starts: number
  readonly restarts: number
  /** How the run before this one ended. */
  readonly last: ContainerStateTerminated | undefined
  /** The wait before the next restart or pull, doubled each time; 0 before the first. */
  readonly backOff: number
}

/** Where a container stands. */
export type ContainerPhase =
  | { readonly is: 'waiting' }
  | { readonly is: 'pulling'; readonly until: number }
  | {
      readonly is: 'pullFailed'
      readonly reason: string
      readonly error: string
      readonly until: number | undefined
    }
  | { readonly is: 'pullBackOff'; readonly error: string; readonly until: number }
  | Running
  | {
      readonly is: 'ended'
      readonly ending: ContainerStateTerminated
      /** When it is thought of again; undefined when it is over. */
      readonly until: number | undefined
    }
  | {
      readonly is: 'crashBackOff'
      readonly ending: ContainerStateTerminated
      readonly message: string
      readonly until: number
    }

export interface Running {
  readonly is: 'running'
  readonly since: number
  /** When its startup probe succeeds; Infinity: never. Absent: at once. */
  readonly startedAt?: number
  /** When it becomes ready; Infinity: never. */
  readonly readyAt: number
  readonly exit: Exit | undefined
  /** When a probe has failed so often that it is killed, and which. */
  readonly kill?: ProbeKill
}

export interface ProbeKill {
  readonly at: number
  readonly probe: 'liveness' | 'startup'
}

/** What a node says of a pod; `container` names the one it is about. */
export interface PodEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  readonly container?: ContainerRun
}

/** The moment at which a phase ends by itself; undefined when only something from outside ends it. */
export function phaseEnds(phase: ContainerPhase, now: number): number | undefined {
  switch (phase.is) {
    case 'waiting':
      return undefined
    case 'running': {
      const end = phase.exit && phase.since + phase.exit.ms
      const coming = [phase.startedAt, phase.readyAt].filter((it) => it !== undefined && it > now)
      const due = [end, phase.kill?.at, ...coming].filter((it) => it !== undefined)
      const first = Math.min(...due)
      return first === Infinity ? undefined : first
    }
    case 'pulling':
    case 'pullFailed':
    case 'pullBackOff':
    case 'crashBackOff':
    case 'ended':
      return phase.until
  }
}

/** Whether a container has ended for good. */
export function isOver(run: ContainerRun): boolean {
  return run.phase.is === 'ended' && run.phase.until === undefined
}

/** Whether a container runs and its startup probe, if it has one, has succeeded at `now`. */
export function isStarted({ phase }: ContainerRun, now: number): boolean {
  return phase.is === 'running' && (phase.startedAt ?? phase.since) <= now
}

/** Whether a container runs and is ready at `now`. */
export function isReady(run: ContainerRun, now: number): boolean {
  return run.phase.is === 'running' && run.phase.readyAt <= now
}
