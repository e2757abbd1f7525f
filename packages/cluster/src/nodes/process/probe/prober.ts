import type { Container, Probe } from 'kubewright/kinds/core/v1'
import type { ProbeKind } from '../pod/state.ts'
import { type ProbeReach, runProbe } from './run-probe.ts'
import { countAnswer, type ProbeRun } from './thresholds.ts'

/** Who hears what the probes of a container say. */
export interface ProbeListener {
  /** An answer that has been heard often enough, and is another than before. */
  readonly verdict: (probe: ProbeKind, healthy: boolean) => void
  /** Every answer that is no good one. */
  readonly problem: (probe: ProbeKind, problem: string) => void
}

/**
 * Probes a running container until the signal aborts: its startup probe first, alone, until that has succeeded or failed for good, then
 * the others side by side.
 */
export async function probeContainer(
  container: Container,
  reach: ProbeReach,
  listener: ProbeListener,
  signal: AbortSignal,
): Promise<void> {
  const { startupProbe, livenessProbe, readinessProbe } = container
  const begun = reach.clock.now()
  const context = { container, reach, listener, signal, begun }
  if (startupProbe && !(await repeat('startup', startupProbe, context))) return
  await Promise.all([
    ...(livenessProbe ? [repeat('liveness', livenessProbe, context)] : []),
    ...(readinessProbe ? [repeat('readiness', readinessProbe, context)] : []),
  ])
}

interface Probing {
  readonly container: Container
  readonly reach: ProbeReach
  readonly listener: ProbeListener
  readonly signal: AbortSignal
  /** When the container began. */
  readonly begun: number
}

/** Asks again and again. A startup probe ends with its first verdict, a liveness probe when it has failed; the answer is that verdict. */
async function repeat(kind: ProbeKind, probe: Probe, context: Probing): Promise<boolean> {
  const { reach, listener, signal, begun, container } = context
  const { initialDelaySeconds = 0, periodSeconds = 10, timeoutSeconds = 1 } = probe
  const wait = (ms: number): Promise<void> => reach.clock.sleep(ms, signal).catch(() => {})
  const early = begun + initialDelaySeconds * 1000 - reach.clock.now()
  if (early > 0) await wait(early)
  let run: ProbeRun | undefined
  let said: boolean | undefined
  while (!signal.aborted) {
    const { problem } = await runProbe(probe, timeoutSeconds, container, reach)
    if (signal.aborted) return false
    if (problem !== undefined) listener.problem(kind, problem)
    const answer = countAnswer(probe, run, problem === undefined)
    run = answer.run
    if (answer.counts && run.healthy !== said) {
      said = run.healthy
      listener.verdict(kind, said)
    }
    if (said !== undefined && (kind === 'startup' || (kind === 'liveness' && !said))) return said
    await wait(periodSeconds * 1000)
  }
  return false
}
