import type { Clock } from 'kubewright/base'
import { auditPolicy } from '../audit/policy.ts'
import type { Filter } from '../endpoints/exchange.ts'
import { Fairness } from '../fairness/fairness.ts'
import type { filterChain } from '../filters/chain.ts'
import { fairness, maxInFlight } from '../filters/fairness.ts'
import { fairnessMetrics } from '../metrics/fairness-families.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import type { ApiServerOptions } from '../server-options.ts'
import type { Storage } from '../storage/storage.ts'

/** Who gets his turn when, and how long it may take. */
export interface Limits {
  readonly turns: Filter
  readonly requestTimeout?: number
  /** Set where FlowSchemas divide what there is. */
  readonly fairness: Fairness | undefined
}

/** Makes the limits of a server, and counts what they do. */
export function limitsOf(
  { limits = {} }: ApiServerOptions,
  storage: Storage,
  clock: Clock,
  metrics: ServerMetrics,
): Limits {
  const { maxRequests = 400, maxMutatingRequests = 200, requestTimeout } = limits
  const timed = requestTimeout === undefined ? {} : { requestTimeout }
  if (limits.fairness === false) {
    const turns = maxInFlight({ reading: maxRequests, changing: maxMutatingRequests })
    return { turns, ...timed, fairness: undefined }
  }
  const divided = new Fairness({ storage, clock, total: maxRequests + maxMutatingRequests })
  fairnessMetrics(metrics.registry, divided)
  return { turns: fairness(divided), ...timed, fairness: divided }
}

/** What the audit filter needs; undefined where nothing is written down. */
export const auditOf = (
  { audit }: ApiServerOptions,
  clock: Clock,
): Parameters<typeof filterChain>[4] =>
  audit && {
    configOf: auditPolicy(audit.policy),
    sink: audit.sink,
    now: () => clock.now(),
  }
