import type { Clock } from '../base/clock.ts'
import type { Fence, Reading } from '../base/fence.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { Client } from '../client/client.ts'
import { kindOf, type Kind } from '../machinery/kind.ts'
import { isAlreadyExists, isConflict } from '../machinery/status.ts'
import { microTimeText } from '../machinery/time.ts'
import {
  newElector,
  stepElector,
  type ElectorAction,
  type ElectorInput,
  type LeaderElectionOptions,
  type Lease,
} from './leader-election.ts'

/** The Lease of an election. */
export const LEASE: Kind<Lease> = kindOf('coordination.k8s.io/v1', 'Lease', 'leases', 'Namespaced')

/** What an election runs with. */
export interface ElectionParts {
  readonly options: LeaderElectionOptions & { readonly name: string }
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly identity: string
  /** Stops campaigning. */
  readonly signal: AbortSignal
  /** Holds for as long as this process may act as the leader. */
  readonly fence: Fence
  /** Called once, when the lease is won. */
  readonly onElected: () => void
  /** Called when a leader must read the lease, because somebody else wrote it. */
  readonly onSlowPath?: () => void
}

/** Thrown when another process took the lease, or it could not be renewed in time: this process must not act any more. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError'
}

/**
 * Campaigns and then renews until the signal aborts. Rejects with a {@link LeadershipLostError} when leadership is lost; otherwise
 * resolves with a function that hands the lease back.
 */
export async function runElection(parts: ElectionParts): Promise<() => Promise<void>> {
  const { options, clock, random, log, identity, signal } = parts
  const { leaseDuration = 15_000, renewDeadline = 10_000, retryPeriod = 2_000 } = options
  const times = { leaseDuration, renewDeadline, retryPeriod }
  let state = newElector(identity, times)
  // Durations are measured by a clock that nobody corrects; the record shows the hour.
  const steady = (): number => steadyOf(clock)
  const time = (): string => microTimeText(clock.now())
  /** When what is being sent was sent. */
  let reading: Reading | undefined
  const feed = (input: ElectorInput): ElectorAction => {
    const asleep = state.leading && parts.fence.age() >= renewDeadline
    const step = stepElector(state, asleep ? { type: 'slept', now: input.now } : input, time)
    state = step.state
    if (step.state.leading && step.action.type === 'read') parts.onSlowPath?.()
    if (step.news === 'elected') {
      parts.fence.renew(reading ?? parts.fence.now())
      log.info('elected leader', { lease: options.name, identity })
      parts.onElected()
    }
    if (input.type === 'wrote' && reading) parts.fence.renew(reading)
    if (step.news === 'lost') {
      parts.fence.end()
      throw new LeadershipLostError(
        `leader election lost: ${identity} could not renew the lease ${options.name} within ${renewDeadline} ms, or another holds it; the process must stop and start as a candidate`,
      )
    }
    return step.action
  }
  let action = feed({ type: 'woke', now: steady() })
  while (!signal.aborted && action.type !== 'end') {
    // A leader never sleeps or waits for an answer past its deadline: then it must know that it has lost.
    const left = state.leading ? Math.max(1, state.renewedAt + renewDeadline - steady()) : Infinity
    if (action.type === 'wait') {
      // Candidates spread out; a leader keeps its pace.
      const ms = state.leading ? retryPeriod : retryPeriod * (1 + 1.2 * random.next())
      await clock.sleep(Math.min(ms, left), signal).catch(() => {})
      if (signal.aborted) break
      action = feed({ type: 'woke', now: steady() })
    } else {
      reading = parts.fence.now()
      action = feed(await perform(parts, action, Math.min(renewDeadline / 2, left)))
    }
  }
  return async () => {
    if (options.release === false) return
    const step = stepElector(state, { type: 'release', now: steady() }, time)
    state = step.state
    if (step.action.type === 'update')
      await perform({ ...parts, signal: new AbortController().signal }, step.action, 2_000)
  }
}

const steadyOf = (clock: Clock): number => clock.steady?.() ?? clock.now()

/** Does what the machine asks, within `limit` ms: a call that hangs must not outlast the lease. */
async function perform(
  parts: ElectionParts,
  action: ElectorAction,
  limit: number,
): Promise<ElectorInput> {
  const { clock } = parts
  const late = new AbortController()
  const timer = clock.after(limit, () =>
    late.abort(new Error(`the API server did not answer within ${limit} ms`)),
  )
  try {
    return await call(parts, action, AbortSignal.any([parts.signal, late.signal]))
  } catch (error) {
    if (!parts.signal.aborted)
      parts.log.warn('leader election: the lease could not be read or written', { error })
    return {
      type: 'failed',
      now: steadyOf(clock),
      conflict: isConflict(error) || isAlreadyExists(error),
    }
  } finally {
    timer.cancel()
  }
}

async function call(
  { client, clock, options }: ElectionParts,
  action: ElectorAction,
  signal: AbortSignal,
): Promise<ElectorInput> {
  const key = { name: options.name, namespace: options.namespace ?? client.namespace }
  // The instant of a write is when it was sent: the server may have taken it then.
  const sent = steadyOf(clock)
  switch (action.type) {
    case 'create': {
      const lease = await client.create(LEASE, { metadata: key, spec: action.spec }, { signal })
      return { type: 'wrote', now: sent, lease }
    }
    case 'update': {
      const lease = await client.update(LEASE, { ...action.lease, spec: action.spec }, { signal })
      return { type: 'wrote', now: sent, lease }
    }
    default: {
      const lease = await client.find(LEASE, key, { signal })
      return { type: 'read', now: steadyOf(clock), lease }
    }
  }
}
