import type { Pod } from 'kubewright/kinds/core/v1'
import { parseLabelSelector, selectorOfLabels } from 'kubewright/machinery'
import { amountOf, parseDelay } from './annotations.ts'
import type { ContainerBehaviour, ExecOf, SimulatedUsage, UsageOf } from './behaviour.ts'

/** Which pods are meant: a label selector (`app=web,tier!=db`), labels, or a function. */
export type PodMatch = string | Readonly<Record<string, string>> | ((pod: Pod) => boolean)

/** A time: milliseconds, or as annotations have them (`2s`, `500ms`). */
export type Delay = number | string

/** How pods behave that a selector finds. Each call answers with a new rule and leaves the old one as it was. */
export interface PodRule {
  /** Only this container of them. */
  container(name: string): PodRule
  /** They end with a code other than 0: at once, or `after` so long; `reason` is what is told of it (default `Error`). */
  failsWith(code: number, how?: { readonly after?: Delay; readonly reason?: string }): PodRule
  /** They are killed for want of memory: code 137, reason OOMKilled. */
  runsOutOfMemory(how?: { readonly after?: Delay }): PodRule
  /** They end well. */
  succeeds(how?: { readonly after?: Delay }): PodRule
  /** They run until they are stopped, whatever their command is. */
  runsForever(): PodRule
  /** Their images cannot be pulled. */
  cannotPull(why?: string): PodRule
  pullsFor(delay: Delay): PodRule
  becomesReadyAfter(delay: Delay): PodRule
  /** They are not ready, or are so no longer. */
  isNotReady(): PodRule
  /** Their liveness probes begin to fail: at once, or `after` so long. */
  failsLiveness(how?: { readonly after?: Delay }): PodRule
  /** Their startup probes never succeed. */
  failsStartup(): PodRule
  /** They go on so long after the stop signal. */
  stopsAfter(delay: Delay): PodRule
  /** What they use: amounts, or a function of the seconds since their start. */
  uses(what: { readonly cpu?: string; readonly memory?: string } | UsageOf): PodRule
  /** What they write when they start. */
  logs(...lines: readonly string[]): PodRule
  /** How commands of `kubectl exec` are answered in them. */
  answersExec(run: ExecOf): PodRule
  /** How many endings or failed pulls this brings about, of all pods together; then it has no more to say. */
  times(count: number): PodRule
  /** What the rule says, for who applies it. */
  readonly says: RuleSays
}

/** A rule as data. */
export interface RuleSays {
  readonly matches: (pod: Pod) => boolean
  /** Absent: all containers. */
  readonly container?: string
  readonly behaviour: ContainerBehaviour
  /** Absent: without end. */
  readonly times?: number
}

/** Begins a rule. Throws an Error for a selector that is none. */
export const whenPod = (which: PodMatch): PodRule =>
  rule({ matches: matcher(which), behaviour: {} })

function matcher(which: PodMatch): RuleSays['matches'] {
  if (typeof which === 'function') return which
  const selector = typeof which === 'string' ? parseLabelSelector(which) : selectorOfLabels(which)
  return ({ metadata }) => selector.matches(metadata.labels ?? {})
}

function rule(says: RuleSays): PodRule {
  const and = (behaviour: ContainerBehaviour): PodRule =>
    rule({ ...says, behaviour: { ...says.behaviour, ...behaviour } })
  return Object.freeze({
    says,
    container: (container: string) => rule({ ...says, container }),
    failsWith: (code, { after = 0, reason } = {}) => {
      if (!Number.isInteger(code) || code < 1 || code > 255)
        throw new RangeError(`failsWith(${code}): an exit code from 1 to 255 was expected`)
      return and({ exit: { ms: msOf(after), code, ...(reason !== undefined && { reason }) } })
    },
    runsOutOfMemory: ({ after = 0 } = {}) =>
      and({ exit: { ms: msOf(after), code: 137, reason: 'OOMKilled' } }),
    succeeds: ({ after = 0 } = {}) => and({ exit: { ms: msOf(after), code: 0 } }),
    runsForever: () => and({ exit: 'never' }),
    cannotPull: (why = 'rpc error: code = NotFound desc = failed to pull and unpack image') =>
      and({ pullError: why }),
    pullsFor: (delay) => and({ pullDelay: msOf(delay) }),
    becomesReadyAfter: (delay) => and({ ready: msOf(delay) }),
    isNotReady: () => and({ ready: 'never' }),
    failsLiveness: ({ after = 0 } = {}) => and({ livenessFails: msOf(after) }),
    failsStartup: () => and({ startupFails: true }),
    stopsAfter: (delay) => and({ stop: msOf(delay) }),
    uses: (what) => and({ usage: typeof what === 'function' ? what : constant(what) }),
    logs: (...log) => and({ log }),
    answersExec: (exec) => and({ exec }),
    times: (times) => rule({ ...says, times }),
  } satisfies PodRule)
}

/** A time in milliseconds. Throws a RangeError for what is none. */
export function msOf(delay: Delay): number {
  const found = typeof delay === 'number' ? delay : parseDelay(delay)
  if (found !== undefined && found >= 0) return found
  throw new RangeError(
    `${JSON.stringify(delay)} is no time: milliseconds, or a text such as 2s or 500ms was expected`,
  )
}

function constant({ cpu, memory }: { readonly cpu?: string; readonly memory?: string }): UsageOf {
  const used: SimulatedUsage = { cpu: amountOf(cpu), memory: amountOf(memory) }
  return () => used
}
