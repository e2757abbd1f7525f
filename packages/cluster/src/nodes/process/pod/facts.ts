import { restartsAfter } from '../../pod/container.ts'
import { endContainer } from './ending.ts'
import type { ProcessInput, Saying } from './input.ts'
import {
  asRun,
  containerSpec,
  isEnding,
  type Fact,
  type ProcessContainer,
  type ProcessPod,
} from './state.ts'
import { graceOf, stopContainer } from './stop.ts'

/** What a fact makes of a pod. */
export function applyFact(
  state: ProcessPod,
  fact: Fact,
  input: ProcessInput,
  saying: Saying,
): ProcessPod {
  if (fact.is === 'sandboxReady') return { ...state, sandbox: 'ready' }
  const containers = state.containers.map((it) =>
    it.name === fact.container && it.starts === fact.run
      ? told(it, fact, state, input, saying)
      : it,
  )
  return { ...state, containers }
}

type ContainerFact = Extract<Fact, { readonly container: string }>

function told(
  container: ProcessContainer,
  fact: ContainerFact,
  state: ProcessPod,
  input: ProcessInput,
  saying: Saying,
): ProcessContainer {
  switch (fact.is) {
    case 'started':
      return started(container, fact.at, input, saying)
    case 'refused':
      return refused(container, fact, input, saying)
    case 'ended':
      return endContainer(container, fact.how, isEnding(state), input)
    case 'probed':
      return probed(container, fact, input, saying)
  }
}

function started(
  container: ProcessContainer,
  since: number,
  { pod }: ProcessInput,
  { say }: Saying,
): ProcessContainer {
  if (container.phase.is !== 'starting') return container
  const about = { container: asRun(container) }
  say({ type: 'Normal', reason: 'Created', message: 'Container created', ...about })
  say({ type: 'Normal', reason: 'Started', message: 'Container started', ...about })
  const { startupProbe, readinessProbe } = containerSpec(pod, container)
  const isReady = readinessProbe === undefined
  return {
    ...container,
    phase: {
      is: 'running',
      since,
      started: startupProbe === undefined,
      ready: isReady,
      ending: false,
    },
  }
}

function refused(
  container: ProcessContainer,
  { reason, message }: Extract<Fact, { readonly is: 'refused' }>,
  { now, delays }: ProcessInput,
  { say }: Saying,
): ProcessContainer {
  if (container.phase.is !== 'starting') return container
  say({
    type: 'Warning',
    reason: 'Failed',
    message: `Error: ${message}`,
    container: asRun(container),
  })
  return {
    ...container,
    // It has not been started after all.
    starts: container.starts - 1,
    phase: { is: 'refused', reason, message, until: now + delays.retry },
  }
}

function probed(
  container: ProcessContainer,
  { probe, healthy }: Extract<Fact, { readonly is: 'probed' }>,
  input: ProcessInput,
  saying: Saying,
): ProcessContainer {
  const { phase } = container
  if (phase.is !== 'running') return container
  if (probe === 'readiness') return { ...container, phase: { ...phase, ready: healthy } }
  if (!healthy) return endUnhealthy(container, probe, input, saying)
  return probe === 'startup' ? { ...container, phase: { ...phase, started: true } } : container
}

function endUnhealthy(
  container: ProcessContainer,
  probe: 'startup' | 'liveness',
  { pod }: ProcessInput,
  saying: Saying,
): ProcessContainer {
  const spec = containerSpec(pod, container)
  const own = (probe === 'startup' ? spec.startupProbe : spec.livenessProbe)
    ?.terminationGracePeriodSeconds
  const again = restartsAfter(pod, container.role, 1) ? ', will be restarted' : ''
  const message = `Container ${container.name} failed ${probe} probe${again}`
  const grace = own === undefined ? graceOf(pod) : own * 1000
  return stopContainer(container, message, grace, saying)
}
