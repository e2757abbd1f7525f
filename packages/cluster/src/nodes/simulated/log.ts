import type { Clock } from 'kubewright/base'
import type { ContainerStateTerminated, Pod } from 'kubewright/kinds/core/v1'
import type { Behaviours } from '../behaviour/behaviour.ts'
import type { LogRecord } from '../kubelet-api/log.ts'
import type { NodeSpec } from '../node/node-object.ts'
import { specOf } from '../pod/container.ts'
import type { ContainerRun } from '../pod/state.ts'
import { runProgram } from '../shell/shell.ts'
import { shellContext } from './program.ts'

/** One run of a container: from when on it writes, and until when. */
export interface Span {
  readonly since: number
  /** Absent: it runs. */
  readonly until?: number
}

/** The present run of a container, or the one that ended last; undefined before the first. */
export function spanOf({ phase, last }: ContainerRun): Span | undefined {
  switch (phase.is) {
    case 'running':
      return { since: phase.since }
    case 'ended':
    case 'crashBackOff':
      return endedSpan(phase.ending)
    default:
      return last && endedSpan(last)
  }
}

/** The run before the present one. */
export const previousSpan = ({ last, phase }: ContainerRun): Span | undefined =>
  phase.is === 'crashBackOff' ? endedSpan(phase.ending) : last && endedSpan(last)

const endedSpan = ({ startedAt = '', finishedAt = '' }: ContainerStateTerminated): Span => ({
  since: Date.parse(startedAt),
  until: Date.parse(finishedAt),
})

/** How many steps of a program are followed to find what it wrote: one that has run for long wrote more than anybody reads. */
const MOST = 100_000

/**
 * What a simulated container writes in a run: the lines that it is to write, or what its command does, as far as that can be told. It is made
 * when somebody asks, and the same each time.
 */
export function* writings(
  pod: Pod,
  container: string,
  node: NodeSpec,
  behaviours: Behaviours,
  since: number,
): Generator<LogRecord> {
  const told = behaviours.of(pod, container).log
  if (told) return yield* told.map((it) => record(since, `${it}\n`))
  const spec = specOf(pod, { name: container })
  const words = [...(spec.command ?? []), ...(spec.args ?? [])]
  if (words.length === 0) {
    const where = `container ${container} of pod ${pod.metadata.namespace}/${pod.metadata.name}`
    return yield record(since, `${spec.image} runs as ${where} on node ${node.name}, simulated\n`)
  }
  let at = since
  const now = (): number => at
  const program = runProgram(
    words,
    shellContext(pod, spec, node, { now, tty: false, isLenient: true }),
  )
  for (let steps = 0; steps < MOST; steps++) {
    const { done, value } = program.next(undefined)
    if (done || (value.is === 'sleep' && value.ms === Infinity)) return
    if (value.is === 'write') yield record(at, value.text, value.stream)
    if (value.is === 'sleep') at += value.ms
  }
}

const record = (at: number, text: string, stream: LogRecord['stream'] = 'stdout'): LogRecord => ({
  at,
  stream,
  bytes: Buffer.from(text),
})

/** Divides what is written in a run into what is there at `now`, and what comes until it ends. */
export function split(
  all: Generator<LogRecord>,
  { until = Infinity }: Span,
  now: number,
): { readonly there: readonly LogRecord[]; readonly coming: Iterable<LogRecord> } {
  const there: LogRecord[] = []
  for (;;) {
    const { done, value } = all.next()
    if (done || value.at > until) return { there, coming: [] }
    if (value.at > now) return { there, coming: chained(value, all, until) }
    there.push(value)
  }
}

function* chained(
  first: LogRecord,
  rest: Iterable<LogRecord>,
  until: number,
): Generator<LogRecord> {
  yield first
  for (const it of rest) {
    if (it.at > until) return
    yield it
  }
}

/** Gives records when their time has come. `ended` resolves when nothing more will be written. */
export async function* timed(
  coming: Iterable<LogRecord>,
  clock: Clock,
  ended: Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<LogRecord> {
  const stop = new AbortController()
  void ended.then(() => stop.abort())
  const either = AbortSignal.any([signal, stop.signal])
  for (const it of coming) {
    const wait = it.at - clock.now()
    if (wait > 0) await clock.sleep(wait, either).catch(() => {})
    if (either.aborted) return
    yield it
  }
  await new Promise<void>((resolve) => {
    if (either.aborted) resolve()
    else either.addEventListener('abort', () => resolve(), { once: true })
  })
}
