import type { Clock } from '../base/clock.ts'
import { createFence, type Fence } from '../base/fence.ts'
import type { Logger } from '../base/logger.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import type { Client } from '../client/client.ts'
import type { Ownership } from '../controller/ownership.ts'
import { isAlreadyExists, isConflict, isNotFound } from '../machinery/status.ts'
import { microTimeText } from '../machinery/time.ts'
import { newShards, stepShards, type ShardInput, type ShardState } from './machine.ts'
import { createHolding, type Holding } from './holding.ts'
import { hashHigh, hashMixed, partitionOf, shardSelectorOf } from './partition.ts'
import { planShards, type Owners } from './plan.ts'
import { LEASE, look, mapLeaseOf, memberLease, type Seen, type ShardLease } from './shard-leases.ts'

/** How replicas share the work of an operator. Durations are milliseconds. */
export interface ShardOptions {
  /** What the Leases are named after; all replicas name the same. Default: the manager's name. */
  readonly name?: string
  /** The Leases' namespace. Default: the client's. */
  readonly namespace?: string
  /** This replica's name. Default: the host's name and a uuid. */
  readonly identity?: string
  /** Into how many parts the objects are divided: a power of two, more than there are ever replicas. Default 32. */
  readonly partitions?: number
  /** What decides: each object by itself, or all of a namespace together. Default `uid`. */
  readonly by?: 'uid' | 'namespace'
  /** How long others wait for a silent replica. Default 15,000. */
  readonly leaseDuration?: number
  /** How long a replica tries to renew before it gives up. Default 10,000. */
  readonly renewDeadline?: number
  /** How long between looks. Default 2,000. */
  readonly retryPeriod?: number
  /**
   * Asks the server for this replica's part of the objects alone, where the server can tell (KEP-5866). Default true with `uid`, false
   * with `namespace`: servers divide by a hash that tells names that are much alike to one part.
   */
  readonly selectOnServer?: boolean
}

/** What shards run with. */
export interface ShardParts {
  readonly options: ShardOptions & { readonly name: string }
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  readonly identity: string
  /** Ends everything at once. */
  readonly signal: AbortSignal
  /** Called when what this replica holds has changed, with what selects it at a server; undefined selects all. */
  readonly onSelection: (selector: string | undefined) => void
}

/** Thrown when a replica could not keep its part: it must not act any more, and start anew. */
export class ShardsLostError extends Error {
  override readonly name = 'ShardsLostError'
}

/** A replica's part in sharing the work, at work. */
export interface Shards {
  readonly ownership: Ownership
  /** Whether writes are still this replica's to make. */
  readonly fence: Fence
  /** Resolves when the replica first holds something. */
  readonly holds: Promise<void>
  /** Rejects with a {@link ShardsLostError}, or when the replicas do not agree; resolves after `release`. */
  readonly done: Promise<void>
  /** Takes nothing more, and hands over what is not worked on. */
  leave(): void
  /** Hands over all that is left: nothing is worked on any more. Resolves when it is done, or could not be within two seconds. */
  release(): Promise<void>
}

/** Joins the replicas that share the work of an operator. */
export function runShards(parts: ShardParts): Shards {
  return new Replica(parts)
}

class Replica implements Shards {
  readonly ownership: Ownership
  readonly fence: Fence
  readonly done: Promise<void>
  readonly #parts: ShardParts
  readonly #partitions: number
  readonly #retryPeriod: number
  readonly #renewDeadline: number
  readonly #leaseName: string
  readonly #first = Promise.withResolvers<void>()
  readonly #over = new AbortController()
  readonly #holding: Holding
  readonly #change: (what: 'gained' | 'handed over', by: number) => void
  #state: ShardState
  #own: ShardLease | undefined
  #leaving = false
  #lost: ShardsLostError | undefined
  /** Ends the pause between two rounds; called before there is one, it leaves the next one out. */
  #poke: () => void = () => (this.#poked = true)
  #poked = false

  constructor(parts: ShardParts) {
    const { options, clock, identity } = parts
    const { partitions = 32, by = 'uid', retryPeriod = 2_000 } = options
    const { leaseDuration = 15_000, renewDeadline = 10_000 } = options
    this.#parts = parts
    this.#partitions = partitions
    this.#retryPeriod = retryPeriod
    this.#renewDeadline = renewDeadline
    this.#leaseName = `${options.name}-shard-${parts.random.uuid()}`
    this.#state = newShards(identity, partitions, { leaseDuration, renewDeadline })
    this.fence = createFence(clock, renewDeadline, () => this.#lostError('its lease has run out'))
    const hash = onServer(options) ? hashHigh : hashMixed
    this.#holding = createHolding({
      by,
      partitionOf: (id) => partitionOf(id, partitions, hash),
      held: (it) =>
        this.#state.held.has(it) &&
        !this.#state.leaving.has(it) &&
        this.fence.age() < renewDeadline,
      drained: (partition) => {
        // Who has just ended a run is not to be told that all is lost: the loop is.
        try {
          this.#feed({ type: 'drained', now: this.#now, partition })
        } catch {}
        this.#poke()
      },
    })
    this.ownership = this.#holding.ownership
    this.#change = changes(parts, () => this.#state)
    this.done = this.#run()
    this.done.catch(() => {})
  }

  get holds(): Promise<void> {
    return this.#first.promise
  }

  leave(): void {
    this.#leaving = true
    this.#poke()
  }

  async release(): Promise<void> {
    this.#leaving = true
    this.#over.abort()
    await this.done.catch(() => {})
    if (this.#state.over) return
    try {
      await this.#within(2_000, (signal) => this.#handAll(signal))
    } catch (error) {
      this.#parts.log.warn('the shards could not be handed over; others wait for the lease', {
        error,
      })
    }
    this.fence.end()
  }

  get #now(): number {
    return this.#parts.clock.steady?.() ?? this.#parts.clock.now()
  }

  #lostError(why: string): ShardsLostError {
    return new ShardsLostError(
      `the shards of ${this.#parts.options.name} are lost to ${this.#parts.identity}: ${why}; the process must stop and start as a new replica`,
    )
  }

  async #run(): Promise<void> {
    const { clock, random, log, signal } = this.#parts
    const stop = AbortSignal.any([signal, this.#over.signal])
    while (!stop.aborted) {
      try {
        await this.#round()
      } catch (error) {
        if (error instanceof ShardsLostError || error instanceof Disagreement) throw error
        if (!stop.aborted) log.warn('shards: the leases could not be read or written', { error })
      }
      if (this.#lost) throw this.#lost
      this.#feed({ type: 'waited', now: this.#now })
      await this.#pause(clock, this.#retryPeriod * (0.9 + 0.2 * random.next()), stop)
    }
  }

  /** Waits for the next round: for its time, or until something is to be handed over, never past the lease. */
  async #pause(clock: Clock, ms: number, stop: AbortSignal): Promise<void> {
    const poked = new AbortController()
    if (this.#poked) poked.abort()
    this.#poked = false
    this.#poke = () => poked.abort()
    const left = Math.max(1, this.#renewDeadline - this.fence.age())
    const either = AbortSignal.any([stop, poked.signal])
    await clock.sleep(Math.min(ms, left), either).catch(() => {})
    this.#poke = () => (this.#poked = true)
  }

  /** Renews, looks, and writes the map if that asks for it. */
  async #round(): Promise<void> {
    await this.#renew()
    const seen = await this.#within(this.#renewDeadline / 2, (signal) => this.#look(signal))
    const write = this.#feed({
      type: 'looked',
      now: this.#now,
      members: seen.members,
      map: seen.map,
    })
    if (write) await this.#writeMap(write, seen)
    await this.#sweep(seen)
  }

  async #look(signal: AbortSignal): Promise<Seen> {
    const { client, options } = this.#parts
    const namespace = options.namespace ?? client.namespace
    const seen = look(client, options.name, namespace, this.#partitions, signal)
    return seen.catch((error: unknown) => {
      // What the map says is wrong, not the way to it.
      if (error instanceof Error && /^the (shards are divided|annotation)/.test(error.message))
        throw new Disagreement(error.message)
      throw error
    })
  }

  async #renew(): Promise<void> {
    const { clock, options, identity } = this.#parts
    const [sent, reading] = [this.#now, this.fence.now()]
    const { leaseDuration = 15_000 } = options
    const time = microTimeText(clock.now())
    const lease = memberLease(
      options.name,
      { name: this.#leaseName, identity, leaving: this.#leaving },
      {
        leaseDurationSeconds: Math.max(1, Math.round(leaseDuration / 1000)),
        acquireTime: this.#own?.spec?.acquireTime ?? time,
        renewTime: time,
      },
    )
    this.#own = await this.#within(this.#renewDeadline / 2, (signal) => this.#putOwn(lease, signal))
    this.#feed({ type: 'renewed', now: this.#now, sent })
    this.fence.renew(reading)
  }

  /** Writes this replica's own lease, which nobody else should: one that was changed, deleted, or made by a call without an answer too. */
  async #putOwn(lease: ShardLease, signal: AbortSignal): Promise<ShardLease> {
    const { client, options } = this.#parts
    const namespace = options.namespace ?? client.namespace
    const key = { name: this.#leaseName, namespace }
    const put = (resourceVersion: string | undefined): Promise<ShardLease> =>
      resourceVersion === undefined
        ? client.create(LEASE, { ...lease, metadata: { ...lease.metadata, namespace } }, { signal })
        : client.update(
            LEASE,
            { ...lease, metadata: { ...lease.metadata, namespace, resourceVersion } },
            { signal },
          )
    try {
      return await put(this.#own?.metadata.resourceVersion)
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error) && !isAlreadyExists(error)) throw error
      const found = await client.find(LEASE, key, { signal })
      return put(found?.metadata.resourceVersion)
    }
  }

  async #writeMap(owners: Owners, seen: Seen): Promise<void> {
    const { log } = this.#parts
    try {
      await this.#within(this.#renewDeadline / 2, (signal) => this.#putMap(owners, seen, signal))
    } catch (error) {
      const certainly = isConflict(error) || isAlreadyExists(error)
      this.#feed({ type: 'map failed', now: this.#now, certainly })
      if (!certainly) throw error
      log.debug('another replica wrote the shard map first')
      return
    }
    this.#feed({ type: 'wrote map', now: this.#now, owners })
  }

  async #putMap(owners: Owners, { mapLease }: Seen, signal: AbortSignal): Promise<void> {
    const { client, clock, options } = this.#parts
    const lease = mapLeaseOf(options.name, owners, mapLease, microTimeText(clock.now()))
    const namespace = options.namespace ?? client.namespace
    const full = { ...lease, metadata: { ...lease.metadata, namespace } }
    if (mapLease) await client.update(LEASE, full, { signal })
    else await client.create(LEASE, full, { signal })
  }

  /** Deletes the leases of replicas that are long gone and hold nothing. */
  async #sweep({ leases, map }: Seen): Promise<void> {
    const { client, options } = this.#parts
    const { leaseDuration = 15_000 } = options
    for (const { metadata, spec } of leases) {
      const identity = spec?.holderIdentity ?? ''
      const seen = this.#state.seen.get(identity)
      const old = seen !== undefined && this.#now - seen.at > 4 * leaseDuration
      if (!old || map.owners.includes(identity) || identity === this.#parts.identity) continue
      const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata
      await client
        .delete(LEASE, { name, namespace }, { uid, resourceVersion })
        .catch(() => undefined)
    }
  }

  async #handAll(signal: AbortSignal): Promise<void> {
    const { client, options, identity } = this.#parts
    for (let tries = 0; tries < 5 && this.#state.held.size > 0; tries++) {
      const seen = await this.#look(signal)
      const others = seen.members.filter((it) => it.identity !== identity && !it.leaving)
      const alive = others.map((it) => it.identity).filter((it) => this.#isAlive(it))
      const plan = planShards(
        seen.map.owners.map((it) => (it === identity ? '' : it)),
        alive,
      )
      const owners = seen.map.owners.map((it, index) => (it === identity ? plan[index]! : it))
      try {
        await this.#putMap(owners, seen, signal)
        break
      } catch (error) {
        if (!isConflict(error)) throw error
      }
    }
    const namespace = options.namespace ?? client.namespace
    await client.delete(LEASE, { name: this.#leaseName, namespace }, { signal })
  }

  #isAlive(identity: string): boolean {
    const { leaseDuration = 15_000 } = this.#parts.options
    const seen = this.#state.seen.get(identity)
    return seen === undefined || this.#now - seen.at < leaseDuration
  }

  #feed(input: ShardInput): Owners | undefined {
    const before = this.#state.held
    const { renewedAt } = this.#state
    const asleep = renewedAt !== undefined && this.fence.age() >= this.#renewDeadline
    const step = stepShards(this.#state, asleep ? { type: 'slept', now: input.now } : input)
    this.#state = step.state
    if (step.lost !== undefined) {
      this.fence.end()
      this.#lost = this.#lostError(step.lost)
      throw this.#lost
    }
    if (step.losing) this.#holding.lose(step.losing)
    const handed = [...before].filter((it) => !step.state.held.has(it)).length
    if (handed > 0) this.#change('handed over', handed)
    if (step.gained) this.#change('gained', step.gained.length)
    if (handed > 0 || step.gained) this.#tellSelection()
    if (step.gained) {
      this.#first.resolve()
      this.#holding.gain(step.gained)
    }
    return step.write
  }

  #tellSelection(): void {
    const { options, onSelection } = this.#parts
    if (!onServer(options)) return
    onSelection(shardSelectorOf(this.#state.held, this.#partitions, options.by ?? 'uid'))
  }

  /** Does something within a time, and before the lease runs out: a call that hangs must not outlast it. */
  async #within<T>(limit: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const age = this.fence.age()
    const ms = age === Infinity ? limit : Math.max(1, Math.min(limit, this.#renewDeadline - age))
    const late = new AbortController()
    const timer = this.#parts.clock.after(ms, () =>
      late.abort(new Error(`the API server did not answer within ${ms} ms`)),
    )
    try {
      return await call(AbortSignal.any([this.#parts.signal, late.signal]))
    } finally {
      timer.cancel()
    }
  }
}

const onServer = ({ by, selectOnServer = by !== 'namespace' }: ShardOptions): boolean =>
  selectOnServer

/** The replicas do not agree on how to divide. */
class Disagreement extends Error {}

/** Tells people and metrics what a replica holds. */
function changes(
  { log, metrics, options: { name } }: ShardParts,
  state: () => ShardState,
): (what: 'gained' | 'handed over', by: number) => void {
  const held = metrics.gauge({
    name: 'kubewright_shard_partitions',
    help: 'Number of partitions of the shards that this replica holds',
    labels: ['name'],
  })
  const total = metrics.counter({
    name: 'kubewright_shard_changes_total',
    help: 'Partitions that this replica gained or handed over',
    labels: ['name', 'change'],
  })
  held.set(0, { name })
  return (what, by) => {
    held.set(state().held.size, { name })
    total.add({ name, change: what.replace(' ', '_') }, by)
    log.info(`shards ${what}`, { shards: name, partitions: by, held: state().held.size })
  }
}
