import { expectedExit, stoppedCode } from '../container/exit-plan.ts'
import { imageSize, isImageName, pullError } from '../container/image.ts'
import type { Exit } from '../container/command.ts'
import type { NodeDelays } from '../settings.ts'
import { specOf } from './container.ts'
import { endedRun } from './ending.ts'
import type { PodInput, Say } from './input.ts'
import { prospects, refreshed, sayKilled } from './probes.ts'
import { type ContainerRun, phaseEnds } from './state.ts'

/** Moves a container from phase to phase until nothing more is due. */
export function settle(start: ContainerRun, input: PodInput, say: Say): ContainerRun {
  let run = start
  for (let moves = 0; moves < 100; moves++) {
    run = refreshed(run, input, say)
    const due = dueAt(run, input)
    if (due === undefined || due > input.now) return run
    const next = move(run, input, due, say)
    if (next === run) return run
    run = next
  }
  return run
}

function dueAt(run: ContainerRun, { now, ended }: PodInput): number | undefined {
  const isEnded = run.phase.is === 'running' && ended(run.name, run.starts) !== undefined
  return isEnded ? now : phaseEnds(run.phase, now)
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
      return interrupted(run, input, at, say)
    case 'ended':
      return reconsider(run, input, run.phase.ending, say)
    case 'crashBackOff':
      return started({ ...run, last: run.phase.ending, restarts: run.restarts + 1 }, input, say)
  }
}

/** A running container ends: its process did, or a probe is the end of it. Else it only came closer to being ready. */
function interrupted(run: ContainerRun, input: PodInput, at: number, say: Say): ContainerRun {
  if (run.phase.is !== 'running') return run
  const { exit, since, kill } = run.phase
  const again = at + input.delays.restart
  const code = input.ended(run.name, run.starts)
  if (code !== undefined) return endedRun(run, input.pod, input.delays, { at, code, again })
  if (exit && since + exit.ms <= at)
    return endedRun(run, input.pod, input.delays, { at, again, ...exit })
  if (!kill || kill.at > at) return run
  sayKilled(run, input, kill, say)
  const stopped = stoppedCode(input.pod, specOf(input.pod, run))
  return endedRun(run, input.pod, input.delays, { at, code: stopped, again })
}

/** Pulls the image of a container, or starts it at once when the image is there. */
export function begin(run: ContainerRun, input: PodInput, say: Say): ContainerRun {
  if (!isImageName(run.image)) return misnamed(run, say)
  const policy = specOf(input.pod, run).imagePullPolicy ?? 'IfNotPresent'
  // A simulated node has every image that a pod insists on finding there: nobody could bring it one.
  const isThere = policy === 'Never' || input.hasImage(run.image)
  if (policy !== 'Always' && isThere) {
    const message = `Container image "${run.image}" already present on machine and can be accessed by the pod`
    say({ type: 'Normal', reason: 'Pulled', message, container: run })
    return started(run, input, say)
  }
  const message = `Pulling image "${run.image}"`
  say({ type: 'Normal', reason: 'Pulling', message, container: run })
  const wait = input.hasImage(run.image) ? 0 : pullTime(run, input)
  return { ...run, phase: { is: 'pulling', until: input.now + wait } }
}

const pullTime = ({ name }: ContainerRun, { behaviours, pod, delays }: PodInput): number =>
  behaviours.of(pod, name).pullDelay ?? delays.pull

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
  const error = input.behaviours.pullError(input.pod, run.name) ?? pullError(run.image)
  if (error !== undefined) {
    const message = `Failed to pull image "${run.image}": ${error}`
    say({ type: 'Warning', reason: 'Failed', message, container: run })
    return failedPull(run, input, error, say)
  }
  const took = `${pullTime(run, input)}ms`
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
  const { pod, now, behaviours } = input
  const spec = specOf(pod, run)
  say({ type: 'Normal', reason: 'Created', message: 'Container created', container: run })
  say({ type: 'Normal', reason: 'Started', message: 'Container started', container: run })
  const starts = run.starts + 1
  const coming = prospects(spec, now, behaviours.of(pod, run.name), input)
  const exit = exitOf(run, input, starts)
  return { ...run, starts, phase: { is: 'running', since: now, exit, ...coming } }
}

/** How a container will end that starts now: as it is to behave, or as its command says, which is not expected of a sidecar. */
function exitOf(run: ContainerRun, input: PodInput, starts: number): Exit | undefined {
  const { pod, behaviours, delays } = input
  const told = behaviours.ending(pod, run.name, starts)
  if (told === 'never') return undefined
  const expected = run.role === 'sidecar' ? undefined : commandExit(run, input)
  const exit = told ?? expected
  return exit && { ...exit, ms: Math.max(exit.ms, delays.run) }
}

/** One whose process waits for somebody to be attached ends with him. */
function commandExit(run: ContainerRun, { pod }: PodInput): Exit | undefined {
  const spec = specOf(pod, run)
  return spec.stdin && spec.tty ? undefined : expectedExit(pod, spec, run.role === 'init')
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
