import type { Taint, Toleration } from 'kubewright/kinds/core/v1'
import { tolerates } from '../scheduler/taints.ts'
import { parseTimestamp } from '../workload/time.ts'

/**
 * When a pod has to leave its node because of NoExecute taints, in milliseconds from `now`: 0 at once, undefined never. Each taint has
 * to be tolerated; what is tolerated for some time only runs from the taint's `timeAdded` (kubernetes/pkg/controller/tainteviction).
 */
export function untilEvicted(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  now: number,
): number | undefined {
  const waits = taints
    .filter((it) => it.effect === 'NoExecute')
    .map((taint) => waitFor(taint, tolerations, now))
    .filter((it) => it !== undefined)
  return waits.length > 0 ? Math.min(...waits) : undefined
}

function waitFor(
  taint: Taint,
  tolerations: readonly Toleration[],
  now: number,
): number | undefined {
  const matching = tolerations.filter((it) => tolerates(it, taint))
  if (matching.length === 0) return 0
  const limits = matching.map((it) => it.tolerationSeconds).filter((it) => it !== undefined)
  if (limits.length === 0) return undefined
  const since = parseTimestamp(taint.timeAdded) ?? now
  return Math.max(0, since + Math.max(0, Math.min(...limits)) * 1000 - now)
}
