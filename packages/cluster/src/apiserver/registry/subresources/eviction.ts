import { ApiError, badRequest, failure, forbidden, type UnknownObject } from 'kubewright/machinery'
import { itemsAt, numberAt, objectAt, textAt, type Readable } from '../fields.ts'
import { selects } from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { withCondition } from './binding.ts'

/** What an eviction comes to: delete the pod; before that, perhaps write a budget; perhaps only while the pod stays as it is. */
export interface EvictionPlan {
  /** The budget that has one disruption less to give, to be written to its status first; absent when none is spent. */
  readonly budget?: UnknownObject
  /** The pod's resourceVersion, which the delete has to be conditional on. */
  readonly resourceVersion?: string
}

const MOST_DISRUPTED = 2000
const CANNOT = "Cannot evict pod as it would violate the pod's disruption budget."

/** An Eviction must name its pod, whether or not that is there. Throws a BadRequest ApiError. */
export function checkEviction(eviction: Draft, name: string): void {
  if (eviction.metadata.name !== name)
    throw badRequest('name in URL does not match name in Eviction object')
}

/**
 * Decides about an eviction (kubernetes/pkg/registry/core/pod/storage/eviction.go). `budgets` are those of the pod's namespace,
 * `now` the time as text. Throws a TooManyRequests, Forbidden, BadRequest or bare 500 ApiError. A budget whose write conflicts is
 * read again, and decided about again.
 */
export function planEviction(
  pod: UnknownObject,
  budgets: readonly UnknownObject[],
  now: string,
): EvictionPlan {
  const name = pod.metadata.name ?? ''
  const version = pod.metadata.resourceVersion
  const exact: EvictionPlan = version === undefined ? {} : { resourceVersion: version }
  const phase = textAt(objectAt(pod, 'status'), 'phase')
  if (pod.metadata.deletionTimestamp || phase === 'Succeeded' || phase === 'Failed') return {}
  if (phase === 'Pending') return exact
  const own = budgets.filter((it) =>
    selects(objectAt(objectAt(it, 'spec'), 'selector'), pod.metadata.labels ?? {}),
  )
  if (own.length > 1) throw tooManyBudgets()
  const [budget] = own
  if (budget === undefined) return {}
  if (!isReady(pod) && mayEvictUnready(budget)) return exact
  return { budget: spend(budget, name, now) }
}

const tooManyBudgets = (): ApiError =>
  new ApiError(
    failure(
      500,
      undefined,
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    ),
  )

const isReady = (pod: UnknownObject): boolean =>
  itemsAt(objectAt(pod, 'status'), 'conditions').some(
    (it) => it['type'] === 'Ready' && it['status'] === 'True',
  )

/** A pod that is not ready may go when the others are enough, or when the budget does not mind (KEP-3017). */
function mayEvictUnready(budget: UnknownObject): boolean {
  const policy = textAt(objectAt(budget, 'spec'), 'unhealthyPodEvictionPolicy')
  const status = objectAt(budget, 'status')
  const desired = numberAt(status, 'desiredHealthy') ?? 0
  return (
    policy === 'AlwaysAllow' ||
    (desired > 0 && (numberAt(status, 'currentHealthy') ?? 0) >= desired)
  )
}

/** The budget with one disruption less. Throws where it has none to give. */
function spend(budget: UnknownObject, pod: string, now: string): UnknownObject {
  const status = objectAt(budget, 'status') ?? {}
  const name = budget.metadata.name ?? ''
  const about = { group: 'policy', plural: 'poddisruptionbudget' }
  const allowed = numberAt(status, 'disruptionsAllowed') ?? 0
  const disrupted = objectAt(status, 'disruptedPods') ?? {}
  if ((numberAt(status, 'observedGeneration') ?? 0) < (budget.metadata.generation ?? 0)) {
    throw tooMany(`The disruption budget ${name} is still being processed by the server.`, 10)
  }
  if (allowed < 0) throw forbidden(about, name, 'pdb disruptions allowed is negative')
  if (Object.keys(disrupted).length > MOST_DISRUPTED) {
    throw forbidden(
      about,
      name,
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    )
  }
  if (allowed === 0) throw tooMany(whyNone(name, status), 0)
  const left = {
    ...status,
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...disrupted, [pod]: now },
  }
  return { ...budget, status: allowed === 1 ? withoutDisruptions(left, now) : left }
}

const withoutDisruptions = (status: Readable, now: string): Readable => {
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: numberAt(status, 'observedGeneration'),
    reason: 'InsufficientPods',
    message: '',
  }
  const { conditions } = withCondition({ ...status }, condition, now)
  const untimed = (it: Readable): Readable => {
    const { lastProbeTime: _, ...rest } = it
    return rest
  }
  return { ...status, conditions: (conditions as readonly Readable[]).map(untimed) }
}

function whyNone(name: string, status: Readable): string {
  const condition = itemsAt(status, 'conditions').find(
    (it) => it['type'] === 'DisruptionAllowed' && it['status'] === 'False',
  )
  const message = textAt(condition, 'message')
  const reason = textAt(condition, 'reason')
  const current = numberAt(status, 'currentHealthy') ?? 0
  const desired = numberAt(status, 'desiredHealthy') ?? 0
  const head = `The disruption budget ${name} does not allow evicting pods currently`
  if (message !== '' && reason === 'SyncFailed') {
    return `${head} because it failed sync: ${message}`
  }
  if (current <= desired) {
    return `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`
  }
  return message === '' ? head : `${head} (${reason}): ${message}`
}

function tooMany(why: string, retryAfterSeconds: number): ApiError {
  return new ApiError(
    failure(429, 'TooManyRequests', CANNOT, {
      causes: [{ reason: 'DisruptionBudget', message: why }],
      ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
    }),
  )
}

/** The pod's status with the note that it was evicted, to be written before the delete. */
export const evictedStatus = (pod: UnknownObject, now: string): UnknownObject => ({
  ...pod,
  status: withCondition(
    { ...objectAt(pod, 'status') },
    {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    },
    now,
  ),
})
