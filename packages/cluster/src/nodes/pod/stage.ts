import type { Pod } from 'kubewright/kinds/core/v1'
import { judgeCommand } from '../container/command.ts'
import { stoppedCode } from '../container/exit-plan.ts'
import { admitPod, withEphemeral } from './admit.ts'
import { DEADLINE, specOf } from './container.ts'
import { endedRun } from './ending.ts'
import type { PodInput, PodStep, Say } from './input.ts'
import { begin, settle } from './moves.ts'
import {
  type ContainerRun,
  isOver,
  isStarted,
  phaseEnds,
  type PodEvent,
  type PodState,
} from './state.ts'
import { DEADLINE_MESSAGE, failedForGood, podStatus } from './status.ts'

/**
 * One step of a simulated kubelet: a pure machine, but for what `input.behaviours` counts. All that is due at `input.now` happens, in the order of time; the answer says when
 * something will be due next. A state of `undefined` begins anew, or goes on from the pod's status when it has one.
 */
export function stepPod(
  state: PodState | undefined,
  input: PodInput,
): readonly [PodState, PodStep] {
  const events: PodEvent[] = []
  const say = (event: PodEvent): void => void events.push(event)
  let next = withEphemeral(state ?? admitPod(input), input)
  if (input.pod.metadata.deletionTimestamp !== undefined) next = stop(next, input, say)
  next = next.stopping ? finishStop(next, input) : advance(expire(next, input, say), input, say)
  const after = nextDue(next, input)
  return [
    next,
    {
      status: podStatus(next, input),
      events,
      after: after === undefined ? undefined : Math.max(0, after - input.now),
      remove: next.stopping !== undefined && next.containers.every(hasStopped),
    },
  ]
}

function nextDue(state: PodState, { pod, now }: PodInput): number | undefined {
  const due = [state.sandboxAt, state.stopping?.until]
  if (!state.stopping && !state.containers.every(isOver)) due.push(deadlineOf(state, pod))
  if (!state.stopping) due.push(...state.containers.map((it) => phaseEnds(it.phase, now)))
  const coming = due.filter((it) => it !== undefined).filter((it) => it > now)
  return coming.length > 0 ? Math.min(...coming) : undefined
}

const isRunning = (run: ContainerRun): boolean => run.phase.is === 'running'
const hasStopped = (run: ContainerRun): boolean => !isRunning(run)

function deadlineOf({ startedAt }: PodState, pod: Pod): number | undefined {
  const seconds = pod.spec?.activeDeadlineSeconds
  return seconds === undefined ? undefined : startedAt + seconds * 1000
}

/** Ends a pod that has been active for longer than it may (kubernetes/pkg/kubelet/active_deadline.go). */
function expire(state: PodState, input: PodInput, say: Say): PodState {
  const deadline = deadlineOf(state, input.pod)
  if (deadline === undefined || deadline > input.now || state.expired) return state
  if (state.containers.every(isOver)) return state
  say({ type: 'Normal', reason: DEADLINE, message: DEADLINE_MESSAGE })
  const containers = state.containers.map((run) =>
    isRunning(run) ? endedRun(run, input.pod, input.delays, { at: input.now, code: 137 }) : run,
  )
  return { ...state, expired: true, containers }
}

/** Begins to end a pod that is being deleted, or hurries where its grace has become shorter. */
function stop(state: PodState, input: PodInput, say: Say): PodState {
  const grace = (input.pod.metadata.deletionGracePeriodSeconds ?? 30) * 1000
  if (state.stopping) {
    const until = Math.min(state.stopping.until, input.now + grace)
    return { ...state, stopping: { until } }
  }
  const running = state.containers.filter(isRunning)
  for (const container of running) {
    const message = `Stopping container ${container.name}`
    say({ type: 'Normal', reason: 'Killing', message, container })
  }
  const wait = Math.max(0, ...running.map((it) => stopTime(it, input)))
  return { ...state, sandboxAt: undefined, stopping: { until: input.now + Math.min(wait, grace) } }
}

/** How long a container takes to stop: what it does first, and then its process. */
function stopTime(run: ContainerRun, { pod, behaviours, delays }: PodInput): number {
  const { sleep, exec } = specOf(pod, run).lifecycle?.preStop ?? {}
  const hook = exec ? judgeCommand(exec.command ?? []) : undefined
  const before = sleep ? sleep.seconds * 1000 : hook?.is === 'ends' ? hook.exit.ms : 0
  return before + (behaviours.of(pod, run.name).stop ?? delays.stop)
}

/** Containers that took all of their grace have been killed. */
function finishStop(state: PodState, input: PodInput): PodState {
  if (state.stopping!.until > input.now) return state
  const { pod, delays, now } = input
  const grace = (pod.metadata.deletionGracePeriodSeconds ?? 30) * 1000
  const containers = state.containers.map((run) => {
    if (!isRunning(run)) return run
    const isKilled = stopTime(run, input) > grace
    const code = isKilled ? 137 : stoppedCode(pod, specOf(pod, run))
    return endedRun(run, pod, delays, { at: now, code })
  })
  return { ...state, containers }
}

/** Lets everything happen that is due. Containers wait for the network, and for the init containers before them. */
function advance(state: PodState, input: PodInput, say: Say): PodState {
  if (state.expired) return state
  if (state.sandboxAt !== undefined && state.sandboxAt > input.now) return state
  let next: PodState = { ...state, sandboxAt: undefined }
  for (let index = 0; index < next.containers.length; index++) {
    const run = next.containers[index]!
    const begun = mayBegin(next.containers, index, input.now) ? begin(run, input, say) : run
    const after = settle(begun, input, say)
    if (after !== run) next = { ...next, containers: next.containers.with(index, after) }
  }
  return isDone(next, input.pod) ? withoutSidecars(next, input, say) : next
}

/** An init container waits for those before it; a main container for all of them, and for no sidecar to be missing. */
function mayBegin(containers: readonly ContainerRun[], index: number, now: number): boolean {
  const { phase, role } = containers[index]!
  if (phase.is !== 'waiting') return false
  if (role === 'ephemeral') return true
  return containers.slice(0, index).every((before) => {
    if (before.role === 'init') return succeeded(before)
    return before.role === 'main' || isStarted(before, now)
  })
}

function succeeded(run: ContainerRun): boolean {
  return isOver(run) && run.phase.is === 'ended' && run.phase.ending.exitCode === 0
}

/** Whether nothing of a pod's own work will ever run again. */
function isDone({ containers }: PodState, pod: Pod): boolean {
  const mains = containers.filter((it) => it.role === 'main')
  return (
    (mains.length > 0 && mains.every(isOver)) ||
    containers.some((it) => it.role === 'init' && failedForGood(it, pod))
  )
}

/** Sidecars end with what they were there for. */
function withoutSidecars(state: PodState, input: PodInput, say: Say): PodState {
  const containers = state.containers.map((run) =>
    run.role === 'sidecar' && !isOver(run) ? sidecarEnded(run, input, say) : run,
  )
  return { ...state, containers }
}

function sidecarEnded(run: ContainerRun, input: PodInput, say: Say): ContainerRun {
  const { phase } = run
  if (phase.is === 'crashBackOff' || phase.is === 'ended')
    return { ...run, phase: { is: 'ended', ending: phase.ending, until: undefined } }
  if (phase.is !== 'running') return run
  const message = `Stopping container ${run.name}`
  say({ type: 'Normal', reason: 'Killing', message, container: run })
  const code = stoppedCode(input.pod, specOf(input.pod, run))
  return endedRun(run, input.pod, input.delays, { at: input.now, code })
}
