import type { Container, Probe } from 'kubewright/kinds/core/v1'
import { judgeCommand } from '../container/command.ts'
import type { ContainerBehaviour } from '../behaviour/behaviour.ts'
import { specOf } from './container.ts'
import type { PodInput, Say } from './input.ts'
import type { ContainerRun, ProbeKill, Running } from './state.ts'

/** What probes will find, for a container that runs since a moment. */
type Prospects = Pick<Running, 'startedAt' | 'readyAt' | 'kill'>

/** What the probes of a container will find, given how it behaves now: a command that fails never succeeds, others take a while. */
export function prospects(
  spec: Container,
  since: number,
  behaviour: ContainerBehaviour,
  { delays }: PodInput,
): Prospects {
  const { startupProbe, readinessProbe } = spec
  const startupFails = startupProbe && (behaviour.startupFails || fails(startupProbe))
  const startedAt = startupFails ? Infinity : startupProbe ? since + delays.ready : undefined
  const kill = killOf(spec, since, behaviour, startupFails ?? false)
  return {
    ...(startedAt !== undefined && { startedAt }),
    readyAt: Math.max(startedAt ?? since, readyOf(readinessProbe, since, behaviour, delays.ready)),
    ...(kill && { kill }),
  }
}

function readyOf(
  probe: Probe | undefined,
  since: number,
  { ready }: ContainerBehaviour,
  usual: number,
): number {
  if (ready === 'never') return Infinity
  if (ready !== undefined) return since + ready
  if (!probe) return since
  return fails(probe) ? Infinity : since + usual
}

function killOf(
  { startupProbe, livenessProbe }: Container,
  since: number,
  { livenessFails }: ContainerBehaviour,
  startupFails: boolean,
): ProbeKill | undefined {
  if (startupFails) return { at: since + patience(startupProbe), probe: 'startup' }
  if (livenessFails !== undefined)
    return { at: since + livenessFails + patience(livenessProbe), probe: 'liveness' }
  if (livenessProbe && fails(livenessProbe))
    return { at: since + patience(livenessProbe), probe: 'liveness' }
  return undefined
}

/** How long it takes a failing probe to be the end of a container, in milliseconds. */
function patience(probe: Probe | undefined): number {
  const { initialDelaySeconds = 0, periodSeconds = 10, failureThreshold = 3 } = probe ?? {}
  return (initialDelaySeconds + periodSeconds * failureThreshold) * 1000
}

function fails({ exec }: Probe): boolean {
  const verdict = judgeCommand(exec?.command ?? ['true'])
  return verdict.is === 'ends' && verdict.exit.code !== 0
}

/** Brings a running container up to how it behaves now; the same run where nothing differs. Tells of one that is ready no longer. */
export function refreshed(run: ContainerRun, input: PodInput, say: Say): ContainerRun {
  const { phase } = run
  if (phase.is !== 'running') return run
  const spec = specOf(input.pod, run)
  const behaviour = input.behaviours.of(input.pod, run.name)
  const next = prospects(spec, phase.since, behaviour, input)
  const isSame =
    next.readyAt === phase.readyAt &&
    next.startedAt === phase.startedAt &&
    next.kill?.at === phase.kill?.at
  if (isSame) return run
  if (phase.readyAt <= input.now && next.readyAt > input.now && spec.readinessProbe)
    say(unhealthy('Readiness', spec.readinessProbe, run, input))
  const { is, since, exit } = phase
  return { ...run, phase: { is, since, exit, ...next } }
}

/** Tells why a probe is about to be the end of a container. */
export function sayKilled(run: ContainerRun, input: PodInput, kill: ProbeKill, say: Say): void {
  const spec = specOf(input.pod, run)
  const isLiveness = kill.probe === 'liveness'
  const probe = isLiveness ? spec.livenessProbe : spec.startupProbe
  say(unhealthy(isLiveness ? 'Liveness' : 'Startup', probe, run, input))
  const message = `Container ${run.name} failed ${kill.probe} probe, will be restarted`
  say({ type: 'Normal', reason: 'Killing', message, container: run })
}

const unhealthy = (
  what: string,
  probe: Probe | undefined,
  container: ContainerRun,
  input: PodInput,
): Parameters<Say>[0] => ({
  type: 'Warning',
  reason: 'Unhealthy',
  message: `${what} probe failed: ${findings(probe, input)}`,
  container,
})

/** What a prober says of a failure (kubernetes/pkg/probe). */
function findings(probe: Probe | undefined, { podIP }: PodInput): string {
  if (probe?.httpGet) return 'HTTP probe failed with statuscode: 500'
  if (probe?.tcpSocket)
    return `dial tcp ${podIP}:${probe.tcpSocket.port}: connect: connection refused`
  if (probe?.grpc) return 'service unhealthy (responded with "NOT_SERVING")'
  return ''
}
