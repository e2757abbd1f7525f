import type { Pod, PodCondition } from 'kubewright/kinds/core/v1'
import { findCondition, timeText } from 'kubewright/machinery'
import { type ContainerRun, isReady, isStarted, type PodState } from './state.ts'

type Outcome = Pick<PodCondition, 'status' | 'reason' | 'message'>

const TRUE: Outcome = { status: 'True' }
const OWNED: readonly string[] = [
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
]

/** The conditions that a node keeps, in the kubelet's order, before those that others wrote (kubernetes/pkg/kubelet/status generate.go). */
export function podConditions(
  state: PodState,
  phase: string,
  pod: Pod,
  now: number,
): readonly PodCondition[] {
  const stopped = state.stopping && state.containers.every((it) => it.phase.is !== 'running')
  const sandbox = state.sandboxAt === undefined && !terminal(phase) && !stopped
  const outcomes: readonly (readonly [string, Outcome])[] = [
    ['PodReadyToStartContainers', sandbox ? TRUE : { status: 'False' }],
    ['Initialized', initialized(state, phase, now)],
    ['Ready', ready(state, phase, pod, now)],
    ['ContainersReady', containersReady(state, phase, now)],
  ]
  const others = (pod.status?.conditions ?? []).filter((it) => !OWNED.includes(it.type))
  const scheduled = findCondition(others, 'PodScheduled') ?? {
    type: 'PodScheduled',
    ...dated(pod, 'PodScheduled', TRUE, now),
  }
  return [
    ...outcomes.map(([type, outcome]) => ({ type, ...dated(pod, type, outcome, now) })),
    { ...scheduled, ...generation(pod) },
    ...others.filter((it) => it.type !== 'PodScheduled'),
  ]
}

const terminal = (phase: string): boolean => phase === 'Succeeded' || phase === 'Failed'

function generation(pod: Pod): Pick<PodCondition, 'observedGeneration'> {
  const { generation: it } = pod.metadata
  return it === undefined ? {} : { observedGeneration: it }
}

/** The time of the transition is kept while the status stays. */
function dated(pod: Pod, type: string, outcome: Outcome, now: number): Omit<PodCondition, 'type'> {
  const before = findCondition(pod.status?.conditions, type)
  const same = before?.status === outcome.status ? before.lastTransitionTime : undefined
  return { ...generation(pod), ...outcome, lastTransitionTime: same ?? timeText(now) }
}

/** Names as Go prints a slice of them: `[a b]`. */
const names = (runs: readonly ContainerRun[]): string => `[${runs.map((it) => it.name).join(' ')}]`

function initialized(state: PodState, phase: string, now: number): Outcome {
  const inits = state.containers.filter((it) => it.role === 'init' || it.role === 'sidecar')
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' }
  if (state.containers.some((it) => it.role === 'main' && it.starts > 0)) return TRUE
  const incomplete = inits.filter((it) =>
    it.role === 'sidecar'
      ? !isStarted(it, now)
      : !(it.phase.is === 'ended' && it.phase.ending.exitCode === 0),
  )
  if (incomplete.length === 0) return TRUE
  return {
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: ${names(incomplete)}`,
  }
}

function containersReady(state: PodState, phase: string, now: number): Outcome {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' }
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' }
  const unready = state.containers.filter(
    (it) => (it.role === 'main' || it.role === 'sidecar') && !isReady(it, now),
  )
  if (unready.length === 0) return TRUE
  return {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: ${names(unready)}`,
  }
}

function ready(state: PodState, phase: string, pod: Pod, now: number): Outcome {
  const containers = containersReady(state, phase, now)
  if (containers.status !== 'True') return containers
  const problems = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = findCondition(pod.status?.conditions, conditionType)
    if (!gate)
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`]
    return gate.status === 'True'
      ? []
      : [`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`]
  })
  return problems.length === 0
    ? TRUE
    : { status: 'False', reason: 'ReadinessGatesNotReady', message: problems.join(', ') }
}
