import type { PodEvent } from '../../pod/state.ts'
import { admitProcessPod } from './admit.ts'
import { backOffPull, begin, reconsider } from './begin.ts'
import { applyFact } from './facts.ts'
import type { ProcessInput, ProcessStep, Saying } from './input.ts'
import {
  type Action,
  endedWell,
  hasProcess,
  isDone,
  isEnding,
  type ProcessContainer,
  type ProcessPod,
} from './state.ts'
import { processPodStatus } from './status.ts'
import { deadlineOf, stopWhereAsked } from './stop.ts'

/**
 * One step of a kubelet whose containers are processes: a pure machine. Facts go in, actions come out; what an action brings about
 * comes back as a fact. A state of `undefined` begins anew.
 */
export function stepProcessPod(
  state: ProcessPod | undefined,
  input: ProcessInput,
): readonly [ProcessPod, ProcessStep] {
  const events: PodEvent[] = []
  const actions: Action[] = []
  const saying: Saying = {
    say: (event) => void events.push(event),
    act: (action) => void actions.push(action),
  }
  let next = state ?? admitProcessPod(input.pod, input.now)
  for (const fact of input.facts) next = applyFact(next, fact, input, saying)
  next = stopWhereAsked(next, input, saying)
  if (!isEnding(next)) next = advance(next, input, saying)
  const after = nextDue(next, input)
  const status = processPodStatus(next, input)
  const remove = next.stopping && !next.containers.some(hasProcess)
  return [next, { status, events, actions, remove, after }]
}

function nextDue(state: ProcessPod, { pod, now }: ProcessInput): number | undefined {
  const due: (number | undefined)[] = []
  if (!isEnding(state)) {
    due.push(deadlineOf(state, pod))
    due.push(...state.containers.map(({ phase }) => ('until' in phase ? phase.until : undefined)))
  }
  const coming = due.filter((it) => it !== undefined).filter((it) => it > now)
  return coming.length > 0 ? Math.min(...coming) - now : undefined
}

/** Lets everything happen that is due. Containers wait for network and volumes, and for the init containers before them. */
function advance(state: ProcessPod, input: ProcessInput, saying: Saying): ProcessPod {
  if (state.sandbox === 'none') {
    saying.act({ is: 'prepare' })
    return { ...state, sandbox: 'asked' }
  }
  if (state.sandbox === 'asked') return state
  let next = state
  for (let index = 0; index < next.containers.length; index++) {
    const before = next.containers[index]!
    const after = move(next.containers, index, input, saying)
    if (after !== before) next = { ...next, containers: next.containers.with(index, after) }
  }
  return next
}

/** An init container waits for those before it; a main container for all of them, and for every sidecar to have started. */
function mayBegin(containers: readonly ProcessContainer[], index: number): boolean {
  return containers.slice(0, index).every((before) => {
    if (before.role === 'init') return isDone(before) && endedWell(before)
    if (before.role === 'main') return true
    return before.phase.is === 'running' && before.phase.started
  })
}

function move(
  containers: readonly ProcessContainer[],
  index: number,
  input: ProcessInput,
  saying: Saying,
): ProcessContainer {
  const container = containers[index]!
  const { phase } = container
  const isDue = 'until' in phase && phase.until !== undefined && phase.until <= input.now
  switch (phase.is) {
    case 'waiting':
      return mayBegin(containers, index) ? begin(container, input, saying) : container
    case 'refused':
      if (!isDue) return container
      return phase.reason === 'ErrImagePull'
        ? backOffPull(container, phase.message, input, saying)
        : begin(container, input, saying)
    case 'starting':
    case 'running':
      return container
    case 'ended':
      return isDue ? reconsider(container, phase.ending, input, saying) : container
    case 'crashBackOff': {
      if (!isDue) return container
      const again = { ...container, last: phase.ending, restarts: container.restarts + 1 }
      return begin(again, input, saying)
    }
  }
}
