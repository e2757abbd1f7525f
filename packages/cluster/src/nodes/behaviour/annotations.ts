import type { Pod } from 'kubewright/kinds/core/v1'
import { parseQuantity, quantityMilliValue } from 'kubewright/machinery'
import type { Behaviours, ContainerBehaviour, Ending } from './behaviour.ts'

const PREFIX = 'kubewright.dev/'

/** Seconds after which the pod's containers end; `500ms` and `2s` are read too. */
export const EXIT_AFTER = 'kubewright.dev/exit-after'
/** The exit code with which they end; without `exit-after` they end at once. */
export const EXIT_CODE = 'kubewright.dev/exit-code'
/** The reason that is told of it, such as `OOMKilled` (which is code 137 unless another is given). */
export const EXIT_REASON = 'kubewright.dev/exit-reason'
/** How many starts end so; later ones are as the command says. */
export const EXIT_TIMES = 'kubewright.dev/exit-times'
/** Makes every pull of the pod's images fail, with this reason. */
export const PULL_ERROR = 'kubewright.dev/pull-error'
/** How long a pull takes. */
export const PULL_DELAY = 'kubewright.dev/pull-delay'
/** `false` keeps the pod's containers from being ready, also later. */
export const READY = 'kubewright.dev/ready'
/** How long after their start they become ready. */
export const READY_AFTER = 'kubewright.dev/ready-after'
/** How long after their start their liveness probes begin to fail. */
export const LIVENESS_FAILS_AFTER = 'kubewright.dev/liveness-fails-after'
/** `true`: their startup probes never succeed. */
export const STARTUP_FAILS = 'kubewright.dev/startup-fails'
/** How long they go on after the stop signal. */
export const STOP_AFTER = 'kubewright.dev/stop-after'
/** Cores that they use: `250m`. */
export const USAGE_CPU = 'kubewright.dev/usage-cpu'
/** Memory that they use: `64Mi`. */
export const USAGE_MEMORY = 'kubewright.dev/usage-memory'
/** What they write when they start, line by line. */
export const LOG = 'kubewright.dev/log'

/** Milliseconds of `2`, `1.5`, `2s`, `3m`, `1h` or `500ms`; undefined for anything else. */
export function parseDelay(text: string | undefined): number | undefined {
  const [, amount, unit = 's'] = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)?$/.exec(text ?? '') ?? []
  return amount === undefined ? undefined : Number(amount) * UNITS[unit]!
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

type Read = (name: string) => string | undefined

const NOTHING: ContainerBehaviour = Object.freeze({})

/** Most pods say nothing of it. */
const isPlain = ({ metadata: { annotations } }: Pod): boolean => {
  for (const key in annotations) if (key.startsWith(PREFIX)) return false
  return true
}

/** Reads annotations for one container: `kubewright.dev/ready.main` goes before `kubewright.dev/ready`. */
const reader = ({ metadata: { annotations } }: Pod, container: string): Read =>
  annotations === undefined
    ? () => undefined
    : (name) => annotations[`${name}.${container}`] ?? annotations[name]

/** What the annotations of a pod say of how it is simulated. */
export const ANNOTATED: Behaviours = Object.freeze({
  of: (pod: Pod, container: string) => (isPlain(pod) ? NOTHING : behaviour(reader(pod, container))),
  ending: (pod: Pod, container: string, starts: number) => ending(reader(pod, container), starts),
  pullError: (pod: Pod, container: string) => reader(pod, container)(PULL_ERROR),
})

function behaviour(read: Read): ContainerBehaviour {
  const pullDelay = parseDelay(read(PULL_DELAY))
  const ready = read(READY) === 'false' ? 'never' : parseDelay(read(READY_AFTER))
  const livenessFails = parseDelay(read(LIVENESS_FAILS_AFTER))
  const stop = parseDelay(read(STOP_AFTER))
  const usage = annotatedUsage(read(USAGE_CPU), read(USAGE_MEMORY))
  const log = read(LOG)
  return {
    ...(pullDelay !== undefined && { pullDelay }),
    ...(ready !== undefined && { ready }),
    ...(livenessFails !== undefined && { livenessFails }),
    ...(read(STARTUP_FAILS) === 'true' && { startupFails: true }),
    ...(stop !== undefined && { stop }),
    ...(usage && { usage }),
    ...(log !== undefined && { log: log.split('\n') }),
  }
}

function ending(read: Read, starts: number): Ending | undefined {
  const [after, code, reason] = [read(EXIT_AFTER), read(EXIT_CODE), read(EXIT_REASON)]
  if (after === undefined && code === undefined && reason === undefined) return undefined
  const times = Number(read(EXIT_TIMES) ?? Infinity)
  if (starts > times) return undefined
  const usual = reason === 'OOMKilled' ? 137 : 0
  return {
    ms: parseDelay(after) ?? 0,
    code: Number(code ?? usual) & 255,
    ...(reason !== undefined && { reason }),
  }
}

function annotatedUsage(
  cpu: string | undefined,
  memory: string | undefined,
): ContainerBehaviour['usage'] {
  if (cpu === undefined && memory === undefined) return undefined
  const used = { cpu: amountOf(cpu), memory: amountOf(memory) }
  return () => used
}

/** A quantity as a number; 0 for what is none. */
export function amountOf(text: string | undefined): number {
  try {
    return text === undefined ? 0 : Number(quantityMilliValue(parseQuantity(text))) / 1000
  } catch {
    return 0
  }
}
