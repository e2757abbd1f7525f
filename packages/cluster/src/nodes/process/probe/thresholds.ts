import type { Probe } from 'kubewright/kinds/core/v1'

/** How often in a row a probe has said the same. */
export interface ProbeRun {
  readonly healthy: boolean
  readonly count: number
}

/**
 * What one more answer makes of a probe: the run that it goes on with, and whether the answer has now been heard often enough to count
 * (kubernetes/pkg/kubelet/prober/worker.go).
 */
export function countAnswer(
  { successThreshold = 1, failureThreshold = 3 }: Probe,
  before: ProbeRun | undefined,
  healthy: boolean,
): { readonly run: ProbeRun; readonly counts: boolean } {
  const count = before?.healthy === healthy ? before.count + 1 : 1
  return {
    run: { healthy, count },
    counts: count >= (healthy ? successThreshold : failureThreshold),
  }
}
