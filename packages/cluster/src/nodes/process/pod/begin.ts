import { isImageName } from '../../container/image.ts'
import { durationText } from './duration.ts'
import type { ProcessDelays, ProcessInput, Saying } from './input.ts'
import { asRun, type ProcessContainer } from './state.ts'

/** Finds what the image means, and asks for the process. */
export function begin(
  container: ProcessContainer,
  input: ProcessInput,
  saying: Saying,
): ProcessContainer {
  const { image } = container
  if (!isImageName(image)) return misnamed(container, saying)
  const problem = input.imageProblem(image)
  if (problem !== undefined) return missing(container, problem, input, saying)
  const message = `Container image "${image}" already present on machine and can be accessed by the pod`
  saying.say({ type: 'Normal', reason: 'Pulled', message, container: asRun(container) })
  const starts = container.starts + 1
  saying.act({ is: 'start', container: container.name, run: starts })
  return { ...container, starts, phase: { is: 'starting' } }
}

/** An image that no registry could have: nothing is tried again. */
function misnamed(container: ProcessContainer, { say }: Saying): ProcessContainer {
  const { image } = container
  const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format`
  const about = { container: asRun(container) }
  say({ type: 'Warning', reason: 'InspectFailed', message, ...about })
  say({ type: 'Warning', reason: 'Failed', message: 'Error: InvalidImageName', ...about })
  return {
    ...container,
    phase: { is: 'refused', reason: 'InvalidImageName', message, until: undefined },
  }
}

/** Nothing runs that the image map does not name. */
function missing(
  container: ProcessContainer,
  problem: string,
  { now }: ProcessInput,
  { say }: Saying,
): ProcessContainer {
  const about = { container: asRun(container) }
  const failed = `Failed to pull image "${container.image}": ${problem}`
  say({ type: 'Warning', reason: 'Failed', message: failed, ...about })
  say({ type: 'Warning', reason: 'Failed', message: 'Error: ErrImagePull', ...about })
  return {
    ...container,
    phase: { is: 'refused', reason: 'ErrImagePull', message: problem, until: now + SOON },
  }
}

/** How long ErrImagePull is seen before ImagePullBackOff, ms. */
const SOON = 1000

/** After a failed pull: the next one waits. */
export function backOffPull(
  container: ProcessContainer,
  problem: string,
  { now, delays }: ProcessInput,
  { say }: Saying,
): ProcessContainer {
  const back = `Back-off pulling image "${container.image}"`
  const about = { container: asRun(container) }
  say({ type: 'Normal', reason: 'BackOff', message: back, ...about })
  say({ type: 'Warning', reason: 'Failed', message: 'Error: ImagePullBackOff', ...about })
  const backOff = container.backOff === 0 ? delays.backOff : doubled(container.backOff, delays)
  const message = `${back}: ErrImagePull: ${problem}`
  const phase = {
    is: 'refused',
    reason: 'ImagePullBackOff',
    message,
    until: now + backOff,
  } as const
  return { ...container, backOff, phase }
}

const doubled = (wait: number, { maxBackOff }: ProcessDelays): number =>
  Math.min(wait * 2, maxBackOff)

/** The first restart is at once, the next ones wait ever longer. */
export function reconsider(
  container: ProcessContainer,
  ending: NonNullable<ProcessContainer['last']>,
  input: ProcessInput,
  saying: Saying,
): ProcessContainer {
  const { delays, now } = input
  if (container.restarts === 0 || container.backOff === 0) {
    const restarts = container.restarts + 1
    const again = { ...container, backOff: delays.backOff, last: ending, restarts }
    return begin(again, input, saying)
  }
  const { name, namespace, uid } = input.pod.metadata
  const which = `${name}_${namespace}(${uid})`
  const said = `Back-off restarting failed container ${container.name} in pod ${which}`
  saying.say({ type: 'Warning', reason: 'BackOff', message: said, container: asRun(container) })
  const wait = container.backOff
  const message = `back-off ${durationText(wait)} restarting failed container=${container.name} pod=${which}`
  return {
    ...container,
    backOff: doubled(wait, delays),
    phase: { is: 'crashBackOff', ending, message, until: now + wait },
  }
}
