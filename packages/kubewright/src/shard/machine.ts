import { planShards, type Owners } from './plan.ts'

/**
 * One replica's part in sharing the work, as a machine: no clock, no requests. `now` is this process's own steady time in milliseconds.
 *
 * Each replica keeps a Lease of its own fresh; one more object, the map, says who holds each partition and is only ever written with the
 * version that was read. What it keeps:
 * - A replica works on a partition only while its own lease was renewed less than `renewDeadline` ago, and the map, read or written since
 *   the renewal before, says that the partition is its own.
 * - It takes a partition only by a write of the map, when nobody holds it or when the holder's lease has not changed for `leaseDuration`.
 *   It hands one over only by a write of the map, after all work on it has ended.
 * With `renewDeadline` the shorter, nobody works on a partition beside its holder, as long as clocks run at about the same rate; the
 * hour that they show does not matter.
 */
export interface ShardState {
  readonly identity: string
  readonly partitions: number
  readonly times: ShardTimes
  readonly renewedAt: number | undefined
  /** Members by identity: the version of their lease last seen, and when it was first seen. */
  readonly seen: ReadonlyMap<string, Sighting>
  /** What this replica works on. */
  readonly held: ReadonlySet<number>
  /** What of it is to be handed over: no new work, until all has ended. */
  readonly leaving: ReadonlySet<number>
  /** What of that has ended. */
  readonly drained: ReadonlySet<number>
  /** A write of the map whose answer never came: it may still be under way, and only a later one can rule it out. */
  readonly uncertain: boolean
  readonly over: boolean
}

/** Durations in milliseconds. */
export interface ShardTimes {
  readonly leaseDuration: number
  readonly renewDeadline: number
}

interface Sighting {
  readonly version: string
  readonly at: number
}

/** The lease of a member, as it was listed. */
export interface MemberSeen {
  readonly identity: string
  readonly version: string
  /** It asked not to be given anything more. */
  readonly leaving: boolean
}

/** The map as it was read; the version is empty when there is none yet. */
export interface MapSeen {
  readonly version: string
  readonly owners: Owners
}

/** What happened. */
export type ShardInput =
  | { readonly type: 'renewed'; readonly now: number; readonly sent: number }
  | {
      readonly type: 'looked'
      readonly now: number
      readonly members: readonly MemberSeen[]
      readonly map: MapSeen
    }
  | { readonly type: 'wrote map'; readonly now: number; readonly owners: Owners }
  /** All work on a partition that is leaving has ended. */
  | { readonly type: 'drained'; readonly now: number; readonly partition: number }
  /** A write of the map failed; `certainly` when the server is known to have refused it. */
  | { readonly type: 'map failed'; readonly now: number; readonly certainly: boolean }
  /** By some clock or other more than the deadline has passed since the last renewal: the process was paused, or the machine slept. */
  | { readonly type: 'slept'; readonly now: number }
  /** Time passed, or another request failed. */
  | { readonly type: 'waited'; readonly now: number }

/** One step: what to write, and what everyone should know. */
export interface ShardStep {
  readonly state: ShardState
  /** The map to write, if the version that was read is still the newest. */
  readonly write?: Owners
  readonly gained?: readonly number[]
  readonly losing?: readonly number[]
  /** Nothing may be worked on any more, and what is under way must end now. */
  readonly lost?: string
}

/** A replica before its first step. Throws when the times or the number of partitions do not do. */
export function newShards(identity: string, partitions: number, times: ShardTimes): ShardState {
  if (times.leaseDuration <= times.renewDeadline)
    throw new Error(
      `leaseDuration (${times.leaseDuration} ms) must be longer than renewDeadline (${times.renewDeadline} ms): else two replicas can work on one object`,
    )
  if (!Number.isInteger(Math.log2(partitions)) || partitions > 4096)
    throw new Error(`partitions is ${partitions}: a power of two up to 4096 was expected`)
  const none: ReadonlySet<number> = new Set()
  return {
    identity,
    partitions,
    times,
    renewedAt: undefined,
    seen: new Map(),
    held: none,
    leaving: none,
    drained: none,
    uncertain: false,
    over: false,
  }
}

/** Whether a replica may work on a partition at a time. */
export function mayWork(state: ShardState, partition: number, now: number): boolean {
  return !state.over && state.held.has(partition) && fresh(state, now)
}

const fresh = ({ renewedAt, times }: ShardState, now: number): boolean =>
  renewedAt !== undefined && now - renewedAt < times.renewDeadline

/** Feeds one input. */
export function stepShards(state: ShardState, input: ShardInput): ShardStep {
  if (state.over) return { state }
  const late = input.type === 'slept' || !fresh(state, input.now)
  if (state.renewedAt !== undefined && late)
    return lose(state, `its lease could not be renewed within ${state.times.renewDeadline} ms`)
  switch (input.type) {
    case 'renewed':
      // A renewal that the server took too late does not count: others may have taken over.
      return input.now - input.sent < state.times.renewDeadline
        ? { state: { ...state, renewedAt: input.sent } }
        : { state }
    case 'looked':
      return look(state, input.now, input.members, input.map)
    case 'wrote map':
      return adopt({ ...state, uncertain: false }, input.owners)
    case 'map failed':
      return { state: { ...state, uncertain: state.uncertain || !input.certainly } }
    case 'drained':
      return state.leaving.has(input.partition)
        ? { state: { ...state, drained: new Set([...state.drained, input.partition]) } }
        : { state }
    case 'slept':
    case 'waited':
      return { state }
  }
}

function lose(state: ShardState, why: string): ShardStep {
  const none: ReadonlySet<number> = new Set()
  return { state: { ...state, over: true, held: none, leaving: none, drained: none }, lost: why }
}

function look(
  before: ShardState,
  now: number,
  members: readonly MemberSeen[],
  map: MapSeen,
): ShardStep {
  if (before.renewedAt === undefined) return { state: before }
  const taken = [...before.held].filter(
    (it) => map.owners[it] !== before.identity && !before.drained.has(it),
  )
  if (taken.length > 0) return lose(before, `the map says that others hold what it works on`)
  const seen = sightings(before, now, members, map.owners)
  const { state, gained } = adopt({ ...before, seen }, map.owners)
  const alive = (identity: string): boolean => {
    const sighting = seen.get(identity)
    return sighting !== undefined && now - sighting.at < state.times.leaseDuration
  }
  const candidates = members.filter((it) => !it.leaving && alive(it.identity))
  const target = planShards(
    map.owners.map((it) => (alive(it) ? it : '')),
    candidates.map((it) => it.identity),
  )
  const mine = (it: number): boolean => target[it] === state.identity
  const returning = state.uncertain ? [] : [...state.leaving].filter(mine)
  const losing = [...state.held].filter((it) => !mine(it) && !state.leaving.has(it))
  const leaving = without(new Set([...state.leaving, ...losing]), returning)
  const drained = without(state.drained, returning)
  const next = map.owners.map((owner, it) => {
    if (drained.has(it) && !mine(it)) return target[it] ?? ''
    const free = owner === '' || !alive(owner)
    return free && mine(it) ? state.identity : owner
  })
  const changed = state.uncertain || next.some((it, index) => it !== map.owners[index])
  const all = [...(gained ?? []), ...returning]
  return {
    state: { ...state, leaving, drained },
    ...(changed ? { write: next } : {}),
    ...(all.length > 0 ? { gained: all } : {}),
    ...(losing.length > 0 ? { losing } : {}),
  }
}

const without = (set: ReadonlySet<number>, some: Iterable<number>): ReadonlySet<number> => {
  const left = new Set(set)
  for (const it of some) left.delete(it)
  return left
}

/** What was seen of whom, and since when it has not changed; of holders without a lease, since when it is missing. */
function sightings(
  { seen }: ShardState,
  now: number,
  members: readonly MemberSeen[],
  owners: Owners,
): ReadonlyMap<string, Sighting> {
  const versions = new Map(members.map((it) => [it.identity, it.version]))
  for (const it of owners) if (it !== '' && !versions.has(it)) versions.set(it, 'none')
  return new Map(
    [...versions].map(([identity, version]) => {
      const before = seen.get(identity)
      return [identity, before?.version === version ? before : { version, at: now }]
    }),
  )
}

/** Takes the map for true: what it newly gives is gained, what it no longer gives is held no more. */
function adopt(state: ShardState, owners: Owners): ShardStep {
  const held = new Set<number>()
  owners.forEach((owner, it) => {
    if (owner === state.identity) held.add(it)
  })
  const gained = [...held].filter((it) => !state.held.has(it))
  const still = (set: ReadonlySet<number>): ReadonlySet<number> =>
    new Set([...set].filter((it) => held.has(it)))
  return {
    state: { ...state, held, leaving: still(state.leaving), drained: still(state.drained) },
    ...(gained.length > 0 ? { gained } : {}),
  }
}
