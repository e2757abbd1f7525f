import type { KubeObject } from '../machinery/object.ts'

/** Which Lease decides, and the times of client-go's leader election. */
export interface LeaderElectionOptions {
  /** The Lease's name; all candidates name the same. Default: the manager's name. */
  readonly name?: string
  /** The Lease's namespace. Default: the client's. */
  readonly namespace?: string
  /** This candidate's name. Default: the host's name and a uuid. */
  readonly identity?: string
  /** How long others wait for a silent leader, ms. Default 15,000. */
  readonly leaseDuration?: number
  /** How long a leader tries to renew before it gives up, ms. Default 10,000. */
  readonly renewDeadline?: number
  /** How long between tries, ms. Default 2,000. */
  readonly retryPeriod?: number
  /** Hands the lease back when stopping. Default true. */
  readonly release?: boolean
}

/** A Lease (coordination.k8s.io/v1) as far as an election reads it. Times are RFC 3339 with microseconds. */
export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec
}

/** The record of who leads. */
export interface LeaseSpec {
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly acquireTime?: string
  readonly renewTime?: string
  readonly leaseTransitions?: number
}

/**
 * One candidate as a machine: no clock, no requests. Times are this process's own, in milliseconds: a record counts as fresh for
 * `leaseDuration` after this candidate saw it change, whatever its timestamps say, so that clocks need not agree.
 *
 * What it keeps: a candidate leads only between a write of its own that the server accepted and `renewDeadline` after the last
 * one; another takes over no earlier than `leaseDuration` after it last saw a renewal. With `renewDeadline` the shorter, there is
 * at most one leader as long as clocks run at about the same rate.
 */
export interface ElectorState {
  readonly identity: string
  readonly times: ElectorTimes
  readonly leading: boolean
  /** When this candidate last wrote the lease. */
  readonly renewedAt: number
  /** The record last seen, and when it last changed. */
  readonly observed: { readonly lease: Lease; readonly at: number } | undefined
}

/** Durations in milliseconds. */
export interface ElectorTimes {
  readonly leaseDuration: number
  readonly renewDeadline: number
  readonly retryPeriod: number
}

/** What happened. */
export type ElectorInput =
  | { readonly type: 'woke'; readonly now: number }
  | { readonly type: 'read'; readonly now: number; readonly lease: Lease | undefined }
  | { readonly type: 'wrote'; readonly now: number; readonly lease: Lease }
  /** A read or write failed; a conflict means that somebody else wrote first. */
  | { readonly type: 'failed'; readonly now: number; readonly conflict: boolean }
  /** By some clock or other more than the deadline has passed: the process was paused, or the machine slept. */
  | { readonly type: 'slept'; readonly now: number }
  | { readonly type: 'release'; readonly now: number }

/** What to do next. */
export type ElectorAction =
  | { readonly type: 'read' }
  | { readonly type: 'create'; readonly spec: LeaseSpec }
  | { readonly type: 'update'; readonly lease: Lease; readonly spec: LeaseSpec }
  | { readonly type: 'wait' }
  | { readonly type: 'end' }

/** One step, and what everyone should know. */
export interface ElectorStep {
  readonly state: ElectorState
  readonly action: ElectorAction
  readonly news?: 'elected' | 'lost' | undefined
}

/** A candidate before its first step. Throws when the times do not fit each other. */
export function newElector(identity: string, times: ElectorTimes): ElectorState {
  if (times.leaseDuration <= times.renewDeadline)
    throw new Error(
      `leaseDuration (${times.leaseDuration} ms) must be longer than renewDeadline (${times.renewDeadline} ms): else there can be two leaders`,
    )
  if (times.renewDeadline <= times.retryPeriod)
    throw new Error(
      `renewDeadline (${times.renewDeadline} ms) must be longer than retryPeriod (${times.retryPeriod} ms): else there is no second try`,
    )
  return { identity, times, leading: false, renewedAt: 0, observed: undefined }
}

/** Feeds one input. `time` prints an instant for the record. */
export function stepElector(
  state: ElectorState,
  input: ElectorInput,
  time: (now: number) => string,
): ElectorStep {
  const overdue = state.leading && input.now - state.renewedAt >= state.times.renewDeadline
  // A write that the server accepted too late does not count: somebody else may lead already.
  const slept = state.leading && input.type === 'slept'
  if ((overdue || slept) && input.type !== 'release')
    return { state: { ...state, leading: false }, action: { type: 'end' }, news: 'lost' }
  switch (input.type) {
    case 'slept':
    case 'woke':
      return renew(state, input.now, time) ?? { state, action: { type: 'read' } }
    case 'read':
      return read(state, input.lease, input.now, time)
    case 'wrote':
      return {
        state: {
          ...state,
          leading: true,
          renewedAt: input.now,
          observed: { lease: input.lease, at: input.now },
        },
        action: { type: 'wait' },
        news: state.leading ? undefined : 'elected',
      }
    case 'failed':
      return input.conflict && state.leading
        ? { state, action: { type: 'read' } }
        : { state, action: { type: 'wait' } }
    case 'release':
      return release(state, input.now, time)
  }
}

/** A leader writes without reading first: nobody else should have written. */
function renew(
  state: ElectorState,
  now: number,
  time: (now: number) => string,
): ElectorStep | undefined {
  if (!state.leading || !state.observed) return undefined
  const { lease } = state.observed
  return { state, action: { type: 'update', lease, spec: specFor(state, lease.spec, now, time) } }
}

function read(
  state: ElectorState,
  lease: Lease | undefined,
  now: number,
  time: (now: number) => string,
): ElectorStep {
  if (!lease)
    return { state, action: { type: 'create', spec: specFor(state, undefined, now, time) } }
  const changed = state.observed?.lease.metadata.resourceVersion !== lease.metadata.resourceVersion
  const observed = changed || !state.observed ? { lease, at: now } : state.observed
  const next = { ...state, observed }
  const holder = lease.spec?.holderIdentity ?? ''
  if (holder !== '' && holder !== state.identity) {
    if (state.leading)
      return { state: { ...next, leading: false }, action: { type: 'end' }, news: 'lost' }
    if (now - observed.at < state.times.leaseDuration)
      return { state: next, action: { type: 'wait' } }
  }
  return {
    state: next,
    action: { type: 'update', lease, spec: specFor(state, lease.spec, now, time) },
  }
}

function specFor(
  state: ElectorState,
  before: LeaseSpec | undefined,
  now: number,
  time: (now: number) => string,
): LeaseSpec {
  const same = before?.holderIdentity === state.identity
  const transitions = before?.leaseTransitions ?? 0
  return {
    ...before,
    holderIdentity: state.identity,
    leaseDurationSeconds: Math.max(1, Math.round(state.times.leaseDuration / 1000)),
    acquireTime: (same ? before.acquireTime : undefined) ?? time(now),
    renewTime: time(now),
    leaseTransitions: before && !same ? transitions + 1 : transitions,
  }
}

/** Hands the lease back: the next candidate need not wait. */
function release(state: ElectorState, now: number, time: (now: number) => string): ElectorStep {
  if (!state.leading || !state.observed)
    return { state: { ...state, leading: false }, action: { type: 'end' } }
  const { lease } = state.observed
  const spec = {
    ...lease.spec,
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: time(now),
    renewTime: time(now),
  }
  return { state: { ...state, leading: false }, action: { type: 'update', lease, spec } }
}
