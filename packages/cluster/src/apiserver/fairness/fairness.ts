import type { Clock } from 'kubewright/base'
import type { UnknownObject } from 'kubewright/machinery'
import type { RequestInfo } from '../endpoints/request-info.ts'
import type { User } from '../http/message.ts'
import { follow } from '../storage/follow.ts'
import type { Storage } from '../storage/storage.ts'
import { withDangling } from './dangling.ts'
import { distinguisherOf, type FlowSchema, inOrder, schemaMatches } from './flow-schema.ts'
import { lend, type PriorityLevel, type Seats, seatsOf } from './priority-levels.ts'
import { QueueSet, type Ticket } from './queue-set.ts'
import { dealHand, flowHash } from './shuffle-sharding.ts'

const GROUP = 'flowcontrol.apiserver.k8s.io/'
const SCHEMAS = `${GROUP}flowschemas/`
const LEVELS = `${GROUP}prioritylevelconfigurations/`

/** How long a request may wait for its turn, in milliseconds: a quarter of the time that it may take. */
const PATIENCE = 15_000
/** How often levels lend each other seats at most, in milliseconds. */
const LENDING = 1_000

/** What became of a request: it has its seats until `release`, or was turned away. Uids are of the schema and its level. */
export interface Turn {
  readonly admitted: boolean
  readonly schemaUid: string
  readonly levelUid: string
  readonly release: () => void
}

interface Level {
  readonly object: PriorityLevel
  readonly seats: Seats
  readonly set: QueueSet | undefined
  readonly queues: number
  readonly handSize: number
  dispatched: number
  rejected: number
  timedOut: number
  exempt: number
}

interface Waiter {
  readonly go: (admitted: boolean) => void
}

interface Digest {
  readonly schemas: readonly FlowSchema[]
  readonly levels: ReadonlyMap<string, Level>
}

/** What the fairness of a server needs. */
export interface FairnessOptions {
  readonly storage: Storage
  readonly clock: Clock
  /** How many seats there are for all levels together. */
  readonly total: number
}

/**
 * Priority and fairness (KEP-1040): who asks for what decides by a FlowSchema which PriorityLevelConfiguration a request takes seats of; where
 * none is free it waits in a queue of its flow's. A request that does not wait costs a match of schemas and two additions.
 */
export class Fairness {
  readonly #options: FairnessOptions
  readonly #waiters = new Map<number, Waiter>()
  #digest: Digest | undefined
  #following = false
  #nextId = 0
  #lent = Number.NEGATIVE_INFINITY

  constructor(options: FairnessOptions) {
    this.#options = options
  }

  /** Begins to follow the stored schemas and levels, and to tell whether schemas dangle. Ends with the signal. */
  follow(signal: AbortSignal): void {
    this.#following = true
    // A store that fails is told to whoever asks it next.
    this.#watch(signal).catch(() => {})
  }

  /** Gives a request its turn, at once or later; resolves without one where there is no room or it takes too long. */
  async take(user: User, info: RequestInfo, gone: AbortSignal): Promise<Turn> {
    const { schemas, levels } = this.#digest ?? (await this.#load())
    const schema = schemas.find((it) => schemaMatches(it, user, info))
    const level = schema && levels.get(schema.spec?.priorityLevelConfiguration?.name ?? '')
    if (!schema || !level) return NOBODY
    const { set } = level
    const uids = { schemaUid: schema.metadata.uid ?? '', levelUid: level.object.metadata.uid ?? '' }
    if (!set) {
      level.exempt++
      level.dispatched++
      return { admitted: true, ...uids, release: () => void level.exempt-- }
    }
    const ticket: Ticket = { id: ++this.#nextId, seats: 1 }
    const hand = (): readonly number[] => {
      const name = schema.metadata.name ?? ''
      return dealHand(
        flowHash(name, distinguisherOf(schema, user, info)),
        level.queues,
        level.handSize,
      )
    }
    const admitted = await this.#arrive(level, set, ticket, hand, gone)
    if (admitted) level.dispatched++
    return { admitted, ...uids, release: () => this.#wake(set.finish(ticket.id)) }
  }

  /** The levels by name, as `/debug/api_priority_and_fairness/dump_priority_levels` shows them. */
  async levels(): Promise<readonly LevelState[]> {
    const { levels } = this.#digest ?? (await this.#load())
    return [...levels]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, it]) => ({
        name,
        waiting: it.set?.waiting ?? 0,
        executing: it.set?.executing ?? it.exempt,
        seats: it.seats,
        dispatched: it.dispatched,
        rejected: it.rejected,
        timedOut: it.timedOut,
        isExempt: it.set === undefined,
      }))
  }

  async #arrive(
    level: Level,
    set: QueueSet,
    ticket: Ticket,
    hand: () => readonly number[],
    gone: AbortSignal,
  ): Promise<boolean> {
    const arrival = level.queues === 0 && !fits(set, level) ? 'reject' : set.arrive(ticket, hand)
    if (arrival === 'execute') return true
    this.#lend()
    if (arrival === 'reject') {
      level.rejected++
      return false
    }
    return await this.#wait(level, set, ticket, gone)
  }

  #wait(level: Level, set: QueueSet, ticket: Ticket, gone: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const go = (admitted: boolean): void => {
        timer.cancel()
        gone.removeEventListener('abort', giveUp)
        this.#waiters.delete(ticket.id)
        resolve(admitted)
      }
      const giveUp = (): void => {
        this.#wake(set.leave(ticket.id))
        go(false)
      }
      this.#waiters.set(ticket.id, { go })
      const timer = this.#options.clock.after(PATIENCE, () => {
        level.timedOut++
        giveUp()
      })
      gone.addEventListener('abort', giveUp, { once: true })
    })
  }

  #wake(tickets: readonly Ticket[]): void {
    for (const { id } of tickets) this.#waiters.get(id)?.go(true)
  }

  /** Lets levels borrow what others do not use; only when somebody has to wait, so that nobody pays for it else. */
  #lend(): void {
    const now = this.#options.clock.now()
    if (now - this.#lent < LENDING || !this.#digest) return
    this.#lent = now
    const limited = [...this.#digest.levels].filter(([, it]) => it.set)
    const claims = new Map(
      limited.map(([name, { seats, set }]) => [name, { ...seats, demand: set!.demand }] as const),
    )
    for (const [name, seats] of lend(claims))
      this.#wake(this.#digest.levels.get(name)!.set!.limit(seats))
  }

  async #load(): Promise<Digest> {
    const { storage, total } = this.#options
    const { items } = await storage.list({ prefix: GROUP })
    const of = (prefix: string): readonly UnknownObject[] =>
      items.filter((it) => it.key.startsWith(prefix)).map((it) => it.object)
    const objects = of(LEVELS) as readonly PriorityLevel[]
    const seats = seatsOf(objects, total)
    const levels = new Map(
      objects.map((object) => {
        const name = object.metadata.name ?? ''
        const known = this.#digest?.levels.get(name)
        return [name, levelOf(object, seats.get(name)!, known)] as const
      }),
    )
    const digest = { schemas: inOrder(of(SCHEMAS) as readonly FlowSchema[]), levels }
    if (this.#following) this.#digest = digest
    return digest
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const read = async (): Promise<void> => {
      await this.#load()
      await this.#tellDangling()
    }
    try {
      await read()
      await follow(this.#options.storage, GROUP, read, signal)
    } finally {
      this.#following = false
    }
  }

  /** Writes into each schema whether the level that it names is there (apf_controller.go syncFlowSchemaStatus). */
  async #tellDangling(): Promise<void> {
    const { schemas, levels } = this.#digest!
    for (const schema of schemas) {
      const level = schema.spec?.priorityLevelConfiguration?.name ?? ''
      const now = this.#options.clock.now()
      if (!withDangling(schema, level, levels.has(level), now)) continue
      const key = `${SCHEMAS}/${schema.metadata.name}`
      const stored = await this.#options.storage.get(key)
      const next = stored && withDangling(stored.object, level, levels.has(level), now)
      // Whoever was faster is seen next.
      if (next) await this.#options.storage.compareAndSwap(key, stored.revision, next)
    }
  }
}

/** What a level is doing. */
export interface LevelState {
  readonly name: string
  readonly waiting: number
  readonly executing: number
  readonly seats: Seats
  readonly dispatched: number
  readonly rejected: number
  readonly timedOut: number
  readonly isExempt: boolean
}

const NOBODY: Turn = { admitted: true, schemaUid: '', levelUid: '', release: () => {} }

const fits = (set: QueueSet, { seats }: Level): boolean => set.seatsInUse < seats.nominal

/** A level as it is now; what is executed of it goes on where its queues are the same. */
function levelOf(object: PriorityLevel, seats: Seats, known: Level | undefined): Level {
  const { limited, type } = object.spec ?? {}
  const isQueued = limited?.limitResponse?.type === 'Queue'
  const queuing = limited?.limitResponse?.queuing ?? {}
  const queues = isQueued ? (queuing.queues ?? 64) : 0
  const counts = known ?? { dispatched: 0, rejected: 0, timedOut: 0, exempt: 0 }
  const { dispatched, rejected, timedOut, exempt } = counts
  const told = {
    object,
    seats,
    queues,
    handSize: queuing.handSize ?? 8,
    dispatched,
    rejected,
    timedOut,
    exempt,
  }
  if (type === 'Exempt') return { ...told, set: undefined }
  const isSame = known?.set && known.queues === queues && known.seats.nominal === seats.nominal
  const length = queuing.queueLengthLimit ?? 50
  const options = { queues: Math.max(queues, 1), queueLength: isQueued ? length : 0 }
  return { ...told, set: isSame ? known.set : new QueueSet(seats.nominal, options) }
}
