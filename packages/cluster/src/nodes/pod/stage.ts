import type { Container, Pod, PodStatus } from 'kubewright/kinds/core/v1'
import { timeText } from 'kubewright/machinery'
import { judgeCommand } from '../container/command.ts'
import { exitPlan, stoppedCode } from '../container/exit-plan.ts'
import { imageSize, isImageName, pullError } from '../container/image.ts'
import type { NodeDelays } from '../settings.ts'
import { admitPod } from './admit.ts'
import { containerId, DEADLINE, READY, restartsAfter, specOf } from './container.ts'
import { type ContainerRun, isOver, phaseEnds, type PodEvent, type PodState } from './state.ts'
import { DEADLINE_MESSAGE, podStatus } from './status.ts'

/** What a node knows when it looks at a pod. */
export interface PodInput {
  readonly pod: Pod
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly delays: NodeDelays
  readonly hostIP: string
  readonly podIP: string
  /** Whether an image has been pulled before. */
  readonly hasImage: (image: string) => boolean
}

/** What comes of a look at a pod: the status to write, what to say, when to look again, and whether the pod can be removed. */
export interface PodStep {
  readonly status: PodStatus
  readonly events: readonly PodEvent[]
  readonly after: number | undefined
  readonly remove: boolean
}

/**
 * One step of a simulated kubelet: a pure machine. All that is due at `input.now` happens, in the order of time; the answer says when
 * something will be due next. A state of `undefined` begins anew, or goes on from the pod's status when it has one.
 */
export function stepPod(
  state: PodState | undefined,
  input: PodInput,
): readonly [PodState, PodStep] {
  const events: PodEvent[] = []
  const say = (event: PodEvent): void => void events.push(event)
  let next = state ?? admitPod(input.pod, input.now, input.delays)
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

type Say = (event: PodEvent) => void

function nextDue(state: PodState, { pod, now }: PodInput): number | undefined {
  const due = [state.sandboxAt, state.stopping?.until]
  if (!state.stopping && !state.containers.every(isOver)) due.push(deadlineOf(state, pod))
  if (!state.stopping) due.push(...state.containers.map((it) => phaseEnds(it.phase, now)))
  const coming = due.filter((it) => it !== undefined).filter((it) => it > now)
  return coming.length > 0 ? Math.min(...coming) : undefined
}

const hasStopped = (run: ContainerRun): boolean => run.phase.is !== 'running'

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
    run.phase.is === 'running' ? ended(run, input, input.now, 137, undefined) : run,
  )
  return { ...state, expired: true, containers }
}

/** Begins to end a pod that is being deleted. */
function stop(state: PodState, input: PodInput, say: Say): PodState {
  if (state.stopping) return state
  const running = state.containers.filter((it) => it.phase.is === 'running')
  for (const container of running) {
    const message = `Stopping container ${container.name}`
    say({ type: 'Normal', reason: 'Killing', message, container })
  }
  const grace = (input.pod.metadata.deletionGracePeriodSeconds ?? 30) * 1000
  const wait = running.length > 0 ? Math.min(input.delays.stop, grace) : 0
  return { ...state, sandboxAt: undefined, stopping: { until: input.now + wait } }
}

function finishStop(state: PodState, input: PodInput): PodState {
  if (state.stopping!.until > input.now) return state
  const containers = state.containers.map((run) =>
    run.phase.is === 'running'
      ? ended(run, input, input.now, stoppedCode(input.pod, specOf(input.pod, run)), undefined)
      : run,
  )
  return { ...state, containers }
}

/** Lets everything happen that is due. Containers wait for the network, and for the init containers before them. */
function advance(state: PodState, input: PodInput, say: Say): PodState {
  if (state.expired) return state
  if (state.sandboxAt !== undefined && state.sandboxAt > input.now) return state
  let next: PodState = { ...state, sandboxAt: undefined }
  for (let index = 0; index < next.containers.length; index++) {
    const run = next.containers[index]!
    const begun = mayBegin(next.containers, index) ? begin(run, input, say) : run
    const after = settle(begun, input, say)
    if (after !== run) next = { ...next, containers: next.containers.with(index, after) }
  }
  return next
}

/** An init container waits for those before it; a main container for all of them, and for no sidecar to be missing. */
function mayBegin(containers: readonly ContainerRun[], index: number): boolean {
  if (containers[index]!.phase.is !== 'waiting') return false
  return containers.slice(0, index).every((before) => {
    if (before.role === 'init') return succeeded(before)
    return before.role === 'main' || before.phase.is === 'running'
  })
}

function succeeded(run: ContainerRun): boolean {
  return isOver(run) && run.phase.is === 'ended' && run.phase.ending.exitCode === 0
}

/** Moves a container from phase to phase until nothing more is due. */
function settle(start: ContainerRun, input: PodInput, say: Say): ContainerRun {
  let run = start
  for (let moves = 0; moves < 100; moves++) {
    const due = phaseEnds(run.phase, input.now)
    if (due === undefined || due > input.now) return run
    const next = move(run, input, due, say)
    if (next === run) return run
    run = next
  }
  return run
}

/** The next phase of a container whose phase ended at `at`. */
function move(run: ContainerRun, input: PodInput, at: number, say: Say): ContainerRun {
  switch (run.phase.is) {
    case 'waiting':
      return run
    case 'pulling':
      return pulled(run, input, say)
    case 'pullFailed':
      return backOffPull(run, input, run.phase.error, say)
    case 'pullBackOff':
      return begin(run, input, say)
    case 'running':
      return run.phase.exit && run.phase.since + run.phase.exit.ms <= at
        ? ended(run, input, at, run.phase.exit.code, at + input.delays.restart)
        : run
    case 'ended':
      return reconsider(run, input, run.phase.ending, say)
    case 'crashBackOff':
      return started({ ...run, last: run.phase.ending, restarts: run.restarts + 1 }, input, say)
  }
}

/** Pulls the image of a container, or starts it at once when the image is there. */
function begin(run: ContainerRun, input: PodInput, say: Say): ContainerRun {
  if (!isImageName(run.image)) return misnamed(run, say)
  const policy = specOf(input.pod, run).imagePullPolicy ?? 'IfNotPresent'
  if (policy !== 'Always' && input.hasImage(run.image)) {
    const message = `Container image "${run.image}" already present on machine and can be accessed by the pod`
    say({ type: 'Normal', reason: 'Pulled', message, container: run })
    return started(run, input, say)
  }
  say({
    type: 'Normal',
    reason: 'Pulling',
    message: `Pulling image "${run.image}"`,
    container: run,
  })
  const wait = input.hasImage(run.image) ? 0 : input.delays.pull
  return { ...run, phase: { is: 'pulling', until: input.now + wait } }
}

/** An image that no registry could have: nothing is tried again. */
function misnamed(run: ContainerRun, say: Say): ContainerRun {
  const error = `Failed to apply default image tag "${run.image}": couldn't parse image name "${run.image}": invalid reference format`
  say({ type: 'Warning', reason: 'InspectFailed', message: error, container: run })
  say({ type: 'Warning', reason: 'Failed', message: 'Error: InvalidImageName', container: run })
  return {
    ...run,
    phase: { is: 'pullFailed', reason: 'InvalidImageName', error, until: undefined },
  }
}

function pulled(run: ContainerRun, input: PodInput, say: Say): ContainerRun {
  const error = pullError(input.pod, run.image)
  if (error !== undefined) {
    const message = `Failed to pull image "${run.image}": ${error}`
    say({ type: 'Warning', reason: 'Failed', message, container: run })
    return failedPull(run, input, error, say)
  }
  const took = `${input.delays.pull}ms`
  const message = `Successfully pulled image "${run.image}" in ${took} (${took} including waiting). Image size: ${imageSize(run.image)} bytes.`
  say({ type: 'Normal', reason: 'Pulled', message, container: run })
  return started(run, input, say)
}

function failedPull(run: ContainerRun, input: PodInput, error: string, say: Say): ContainerRun {
  say({ type: 'Warning', reason: 'Failed', message: 'Error: ErrImagePull', container: run })
  const until = input.now + input.delays.restart
  return { ...run, phase: { is: 'pullFailed', reason: 'ErrImagePull', error, until } }
}

function backOffPull(run: ContainerRun, input: PodInput, error: string, say: Say): ContainerRun {
  const back = `Back-off pulling image "${run.image}"`
  say({ type: 'Normal', reason: 'BackOff', message: back, container: run })
  say({ type: 'Warning', reason: 'Failed', message: 'Error: ImagePullBackOff', container: run })
  const backOff = nextBackOff(run.backOff, input.delays)
  const full = `${back}: ErrImagePull: ${error}`
  return { ...run, backOff, phase: { is: 'pullBackOff', error: full, until: input.now + backOff } }
}

function started(run: ContainerRun, input: PodInput, say: Say): ContainerRun {
  const spec = specOf(input.pod, run)
  say({ type: 'Normal', reason: 'Created', message: 'Container created', container: run })
  say({ type: 'Normal', reason: 'Started', message: 'Container started', container: run })
  const plan = run.role === 'sidecar' ? undefined : exitPlan(input.pod, spec, run.role === 'init')
  const exit = plan && { ...plan, ms: Math.max(plan.ms, input.delays.run) }
  return {
    ...run,
    starts: run.starts + 1,
    phase: { is: 'running', since: input.now, readyAt: readyAt(spec, input), exit },
  }
}

/** A probe takes a while; one whose command fails never lets the container become ready. */
function readyAt(spec: Container, input: PodInput): number {
  if (input.pod.metadata.annotations?.[READY] === 'false') return Infinity
  const probes = [spec.readinessProbe, spec.startupProbe].filter((it) => it !== undefined)
  if (probes.some((it) => fails(it.exec?.command))) return Infinity
  return probes.length > 0 ? input.now + input.delays.ready : input.now
}

function fails(command: readonly string[] | undefined): boolean {
  const verdict = judgeCommand(command ?? ['true'])
  return verdict.is === 'ends' && verdict.exit.code !== 0
}

/** A container that ended at `at`; `again` is when to think about it again, where its restart policy asks for that. */
function ended(
  run: ContainerRun,
  input: PodInput,
  at: number,
  code: number,
  again: number | undefined,
): ContainerRun {
  const since = run.phase.is === 'running' ? run.phase.since : at
  return {
    ...run,
    backOff: at - since > 2 * input.delays.maxBackOff ? 0 : run.backOff,
    phase: {
      is: 'ended',
      ending: {
        exitCode: code,
        reason: code === 0 ? 'Completed' : 'Error',
        startedAt: timeText(since),
        finishedAt: timeText(at),
        containerID: containerId(input.pod, run),
      },
      until: again !== undefined && restartsAfter(input.pod, run.role, code) ? again : undefined,
    },
  }
}

/** The first restart is at once, the next ones wait ever longer. */
function reconsider(
  run: ContainerRun,
  input: PodInput,
  ending: NonNullable<ContainerRun['last']>,
  say: Say,
): ContainerRun {
  if (run.restarts === 0 || run.backOff === 0) {
    const again = {
      ...run,
      backOff: input.delays.backOff,
      last: ending,
      restarts: run.restarts + 1,
    }
    return started(again, input, say)
  }
  const { name, namespace, uid } = input.pod.metadata
  const which = `${name}_${namespace}(${uid})`
  const said = `Back-off restarting failed container ${run.name} in pod ${which}`
  say({ type: 'Warning', reason: 'BackOff', message: said, container: run })
  const wait = run.backOff
  const message = `back-off ${durationText(wait)} restarting failed container=${run.name} pod=${which}`
  return {
    ...run,
    backOff: Math.min(wait * 2, input.delays.maxBackOff),
    phase: { is: 'crashBackOff', ending, message, until: input.now + wait },
  }
}

/** Milliseconds as Go prints a duration: `10s`, `1m20s`, `5m0s`. */
function durationText(ms: number): string {
  const seconds = ms / 1000
  const minutes = Math.floor(seconds / 60)
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`
}

function nextBackOff(current: number, delays: NodeDelays): number {
  return current === 0 ? delays.backOff : Math.min(current * 2, delays.maxBackOff)
}
